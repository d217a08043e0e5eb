"""A sweep against separate streaming of its combinations, in the same run.

python -m benchmarks.sweep            # the sizes that are promised
python -m benchmarks.sweep --smoke    # seconds, for the tests

Two seeds and six methods, on the embedded example and on Scores of the size of WMT14
German-English, as in `benchmarks.hybrids`. A sweep can be at most six times as fast, because it
streams hybrids twice and not twelve times. Tests, rankings and files take the same time in both
ways. So the example gains less, because its hybrids take little time, and only the other Scores
have a limit.
"""

import tempfile
import time
from itertools import product
from pathlib import Path

import xarray as xr

import supersample as ss
from benchmarks._report import Report, parser
from benchmarks.hybrids import METRICS, SEGMENTS, SYSTEMS, make_scores

METHODS = ("zou2007", "williams1959", "steiger1980", "meng1992", "hittner2003", "hotelling1940")
SEEDS = (0, 1)


def run_sweep(source: str, n: int) -> None:
    grid = {"inputs": [source], "methods": [*METHODS], "n": [n], "seeds": [*SEEDS]}
    with tempfile.TemporaryDirectory() as folder:
        ss.simulation.sweep(grid, Path(folder) / "sweep")


def measure(
    report: Report,
    name: str,
    source: str,
    scores: xr.Dataset,
    n: int,
    *,
    least: float | None = None,
) -> None:
    """Time one sweep, and its combinations one by one."""
    run_sweep(source, 100)  # compiled and imported before anything is timed
    start = time.perf_counter()
    run_sweep(source, n)
    together = time.perf_counter() - start
    start = time.perf_counter()
    for method, seed in product(METHODS, SEEDS):
        streamed = ss.correlations.stream_correlations(scores, n=n, seed=seed)
        ss.rank(ss.correlations.compare_correlations(streamed, method=method))
    apart = time.perf_counter() - start
    what = f"{name}, sweep of {len(METHODS) * len(SEEDS)} combinations x {n:,}"
    report.add(what, together, "s")
    report.add(f"{what}, times faster than one by one", apart / together, "x", at_least=least)


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("sweep", options)
    n = 2_000 if options.smoke else 1_000_000
    measure(report, "example", "example", ss.load_example(), n)
    if not options.smoke:
        scores = make_scores(SYSTEMS, SEGMENTS, METRICS)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scores.zarr"
            ss.write_scores(scores, path)
            size = f"{SYSTEMS} systems, {SEGMENTS:,} segments"
            measure(report, size, str(path), scores, n, least=4)
    report.end()


if __name__ == "__main__":
    main()
