"""Speed and memory of hybrid super-samples, as ratios against references in the same run.

    python -m benchmarks.hybrids            # the sizes that are promised
    python -m benchmarks.hybrids --smoke    # seconds, for the tests

The references:

- the loop that one would write first: for each hybrid draw a mask and take
  ``where(mask, a, b).mean(0)`` of the segments' scores, timed on some hybrids and scaled;
- drawing the bits: the same threads draw and discard them;
- reading bytes: the same threads read as many bytes as the kernel reads from its tables, from an
  array in the first-level cache (`docs/performance.md`).
"""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import xarray as xr
from numba import njit

import supersample as ss
from benchmarks._report import Report, best_in_turn, parser, run_measured
from supersample.engine.kernel import ROW, UNITS_PER_PASS, aligned_zeros
from supersample.engine.streams import word

SYSTEMS, SEGMENTS, METRICS = 12, 3003, 12
THREADS = 2
RESIDENT = 2048  # doubles, 16 KiB


def make_scores(systems: int, segments: int, metrics: int) -> xr.Dataset:
    correlations = {f"metric-{k}": 1 - k / metrics for k in range(metrics)}
    return ss.simulate_scores(systems=systems, segments=segments, correlations=correlations)


def loop(scores: xr.Dataset, hybrids: int) -> Callable[[], None]:
    """Give the plain loop over this number of hybrids."""
    values = np.concatenate([scores["human"].values[None], scores["score"].values])
    values = np.ascontiguousarray(np.moveaxis(values, 0, 2))
    rng = np.random.default_rng(0)

    def run() -> None:
        for i in range(hybrids):
            a, b = values[i % len(values)], values[(i + 1) % len(values)]
            mask = rng.random(values.shape[1]) < 0.5
            np.where(mask[:, np.newaxis], a, b).mean(axis=0)

    return run


@njit(nogil=True)
def draw_bits(key: np.uint64, start: int, stop: int, words: int) -> np.uint64:
    drawn = np.uint64(0)
    for replicate in range(start, stop):
        for w in range(words):
            drawn ^= word(key, np.uint64(replicate), np.uint64(w))
    return drawn


@njit(nogil=True, fastmath=True)
def read_resident(doubles: np.ndarray, times: int) -> float:
    """Read an array again and again; the store keeps a compiler from reading it once only."""
    total = 0.0
    for k in range(times):
        once = 0.0
        for i in range(doubles.size):
            once += doubles[i]
        doubles[doubles.size - 1 - k % 8] = 1e-9 * once
        total += once
    return total


def on_all_threads(run: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))


def table_bytes(scores: xr.Dataset) -> int:
    """Bytes that the kernel reads from its tables for a hybrid: a row for each four units."""
    passes = -(-scores.sizes["segment"] // UNITS_PER_PASS)
    blocks = -(-(1 + scores.sizes["metric"]) // ROW)
    return blocks * passes * 8 * ROW * 8


def references(scores: xr.Dataset, n: int, looped: int) -> dict[str, Callable[[], object]]:
    """Give the runs that are compared with the hybrids."""
    words = -(-scores.sizes["segment"] // 64)
    arrays = [aligned_zeros(RESIDENT) for _ in range(THREADS)]
    times = max(1, n * table_bytes(scores) // (THREADS * RESIDENT * 8))
    share = n // THREADS
    return {
        "loop": loop(scores, looped),
        "bits": partial(
            on_all_threads, lambda t: draw_bits(np.uint64(1), t * share, (t + 1) * share, words)
        ),
        "reads": partial(on_all_threads, lambda t: read_resident(arrays[t], times)),
    }


def measure(report: Report, scores: xr.Dataset, n: int, looped: int, rounds: int) -> None:
    """Add the figures of n hybrids."""
    least = {10_000: 100.0, 1_000_000: 200.0}.get(n, 0.0)
    runs = references(scores, n, looped)
    runs["hybrids"] = lambda: ss.hybrid_supersample(scores, n=n, seed=0)
    seconds = best_in_turn(runs, rounds)
    ours, what = seconds["hybrids"], f"{n:,} hybrids"
    report.add(what, ours, "s")
    report.add(f"{what}, each", 1e6 * ours / n, "us")
    looping = seconds["loop"] / looped
    report.add("the loop, each", 1e6 * looping, "us")
    report.add(f"{what}, times faster than the loop", looping * n / ours, "x", at_least=least)
    report.add(f"{what}, time relative to drawing their bits", ours / seconds["bits"], "x")
    if n >= 1_000_000:
        words = -(-scores.sizes["segment"] // 64)
        report.add("bits drawn", 64 * words * n / seconds["bits"] / 1e9, "Gbit/s")
        report.add("read from the cache", n * table_bytes(scores) / seconds["reads"] / 1e9, "GB/s")
        report.add("table rows read", n * table_bytes(scores) / ours / 1e9, "GB/s")
        report.add(
            f"{what}, time relative to reading as many bytes",
            ours / seconds["reads"],
            "x",
            at_most=4.0,
        )


def peak_megabytes(hybrids: int) -> float:
    """Peak memory of a process that only builds the sample."""
    code = (
        "import benchmarks.hybrids as b, supersample as ss; "
        f"ss.hybrid_supersample(b.make_scores({SYSTEMS}, {SEGMENTS}, {METRICS}), n={hybrids})"
    )
    return run_measured([sys.executable, "-c", code])[1]


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("hybrids", options)
    smoke = options.smoke
    scores = make_scores(4, 300, 3) if smoke else make_scores(SYSTEMS, SEGMENTS, METRICS)
    print({name: scores.sizes[name] for name in ("system", "segment", "metric")}, "and people")
    for run in references(scores, 100, 10).values():  # compiled before anything is timed
        run()
    ss.hybrid_supersample(scores, n=100)
    measure(report, scores, 200 if smoke else 10_000, 50 if smoke else 500, 1 if smoke else 15)
    if not smoke:
        measure(report, scores, 1_000_000, 2000, 5)
        report.add("peak memory, 1,000,000 hybrids", peak_megabytes(1_000_000), "MB", at_most=1000)
    report.end()


if __name__ == "__main__":
    main()
