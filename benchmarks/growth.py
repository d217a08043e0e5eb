"""How the time of hybrids grows with their number, the systems, the segments and the scorers.

    python -m benchmarks.growth --results FOLDER   # a table, and log-log pictures
    python -m benchmarks.growth --smoke            # seconds, for the tests

Each size is compared with the smallest of its kind in the same run. Growing numbers of hybrids are
streamed to correlations, and their memory is measured. The other sizes stay the same: 10,000
hybrids of 12 systems, 3,003 segments and 13 scorers.
"""

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import supersample as ss
from benchmarks._report import Report, best, parser, run_measured
from benchmarks.hybrids import METRICS, SEGMENTS, SYSTEMS, make_scores

HYBRIDS = 10_000
BLOCK = 1_000_000
LONG = 10_000_000  # beyond, once is enough
MOST_MEMORY = 1_500.0  # MB, of the process tree, whatever the number of hybrids
SIZES = {
    "hybrids": (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000),
    "systems": (3, 6, 12, 24, 48),
    "segments": (300, 1_000, 3_000, 10_000, 30_000),
    "scorers": (2, 4, 8, 16, 32, 64),
}
SMOKE_SIZES = {
    "hybrids": (20, 40),
    "systems": (3, 4),
    "segments": (30, 60),
    "scorers": (2, 17),
}
LONGEST = 1.5  # of linear growth from the largest but one to the largest


def prepared(kind: str, size: int, smoke: bool) -> Callable[[], object]:
    """Give the run of one size."""
    sizes = {
        "hybrids": 20 if smoke else HYBRIDS,
        "systems": 3 if smoke else SYSTEMS,
        "segments": 30 if smoke else SEGMENTS,
        "scorers": 2 if smoke else 1 + METRICS,
    } | {kind: size}
    scores = make_scores(sizes["systems"], sizes["segments"], sizes["scorers"] - 1)
    count = sizes["hybrids"]
    if kind == "hybrids":
        return lambda: ss.correlations.stream_correlations(scores, n=count)
    return lambda: ss.hybrid_supersample(scores, n=count)


def measured(kind: str, sizes: tuple[int, ...], smoke: bool) -> list[float]:
    """Seconds of each size."""
    seconds = []
    for size in sizes:
        run = prepared(kind, size, smoke)
        if size <= LONG:
            run()  # compiled before anything is timed
        seconds.append(best(run, 1 if smoke or size > LONG else 3 if size > BLOCK else 5))
    return seconds


def memory(count: int) -> float:
    """Peak memory of the process tree that streams this number of hybrids, in MB."""
    code = (
        "import supersample as ss; from benchmarks.growth import make_scores;"
        f"scores = make_scores({SYSTEMS}, {SEGMENTS}, {METRICS});"
        f"ss.correlations.stream_correlations(scores, n={count})"
    )
    return run_measured([sys.executable, "-c", code])[1]


def draw(folder: Path, kind: str, sizes: tuple[int, ...], seconds: list[float]) -> None:
    """Draw time against size, both logarithmic, with the line of linear growth."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
    axes.loglog(sizes, seconds, "o-", color="tab:blue", label="measured")
    linear = [seconds[-1] * size / sizes[-1] for size in sizes]
    axes.loglog(sizes, linear, "--", color="tab:gray", label="linear, through the largest")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(kind)
    axes.set_ylabel("seconds")
    axes.set_title(f"Hybrids: time by number of {kind}")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(folder / f"growth-{kind}.png", dpi=120)
    plt.close(figure)


def write_points(folder: Path, points: list[tuple[str, int, float]]) -> None:
    with (folder / "growth-points.csv").open("w", newline="") as file:
        rows = [(kind, size, f"{seconds:.4g}") for kind, size, seconds in points]
        csv.writer(file).writerows([("by", "size", "seconds"), *rows])


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("growth", options)
    points = []
    if options.results is not None:
        options.results.mkdir(parents=True, exist_ok=True)
    for kind, sizes in (SMOKE_SIZES if options.smoke else SIZES).items():
        seconds = measured(kind, sizes, options.smoke)
        points += [(kind, *pair) for pair in zip(sizes, seconds, strict=True)]
        for size, taken in zip(sizes, seconds, strict=True):
            report.add(f"{size:,} {kind}", taken, "s")
        steeper = (seconds[-1] / seconds[-2]) / (sizes[-1] / sizes[-2])
        report.add(f"last step of {kind}, relative to linear growth", steeper, "x", at_most=LONGEST)
        if kind == "hybrids" and not options.smoke:
            for size in sizes[-3:]:
                peak = memory(size)
                report.add(f"peak memory, {size:,} streamed", peak, "MB", at_most=MOST_MEMORY)
        if options.results is not None:
            draw(options.results, kind, sizes, seconds)
    if options.results is not None:
        write_points(options.results, points)
    report.end()


if __name__ == "__main__":
    main()
