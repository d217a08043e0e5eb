"""A sweep against separate streaming of its combinations, in the same run.

python -m benchmarks.sweep            # the sizes that are promised
python -m benchmarks.sweep --smoke    # seconds, for the tests
"""

import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import supersample as ss
from benchmarks._report import Report, parser

METHODS = ("zou2007", "williams1959", "steiger1980", "meng1992", "hittner2003", "hotelling1940")
SEEDS = (0, 1)


def run_sweep(grid: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ss.sweep(grid, Path(folder) / "sweep")


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("sweep", options)
    n = 2_000 if options.smoke else 1_000_000
    grid: dict[str, Any] = {"inputs": [{"example": True}], "methods": [*METHODS]}
    grid |= {"n": [n], "seeds": [*SEEDS]}
    scores = ss.load_example()
    run_sweep(grid | {"n": [100]})  # compiled and imported before anything is timed
    start = time.perf_counter()
    run_sweep(grid)
    together = time.perf_counter() - start
    start = time.perf_counter()
    for method, seed in product(METHODS, SEEDS):
        streamed = ss.stream_correlations(scores, n=n, seed=seed)
        ss.rank(ss.compare_correlations(streamed, method=method))
    apart = time.perf_counter() - start
    what = f"sweep of {len(METHODS) * len(SEEDS)} combinations x {n:,}"
    report.add(what, together, "s")
    report.add(f"{what}, times faster than one by one", apart / together, "x", at_least=4)
    report.end()


if __name__ == "__main__":
    main()
