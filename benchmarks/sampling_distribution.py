"""Speed of drawing r, as ratios against plain loops in the same run.

    python -m benchmarks.sampling_distribution            # the sizes that are promised
    python -m benchmarks.sampling_distribution --smoke    # seconds, for the tests

The loop draws n systems by NumPy's normal numbers and one Cholesky factor, and computes each
metric's r with `numpy.corrcoef`; it is timed on some samples and scaled. Seconds are wall-clock
time; ratios use the processor time of all threads, which other work on the machine changes less.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

import supersample as ss
from benchmarks._report import Report, parser

REPEATS = 3


def best(run: Callable[[], object]) -> tuple[float, float]:
    """Shortest wall-clock and processor times, after a first run that compiles."""
    run()
    wall, processor = [], []
    for _ in range(REPEATS):
        started, used = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
    return min(wall), min(processor)


def loop_seconds(matrix: np.ndarray, n: int, samples: int) -> float:
    """Processor seconds per sample of the plain loop."""
    rng = np.random.default_rng(0)
    factor = np.linalg.cholesky(matrix)

    def run() -> None:
        for _ in range(samples):
            drawn = rng.standard_normal((n, len(matrix))) @ factor.T
            [np.corrcoef(drawn[:, 0], column)[0, 1] for column in drawn.T[1:]]

    return best(run)[1] / samples


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("sampling_distribution", options)
    smoke = options.smoke
    for metrics, n, draws, limit in ((1, 5, 1_000_000, 0.5), (25, 15, 100_000, 5.0)):
        matrix = np.full((1 + metrics, 1 + metrics), 0.8)
        np.fill_diagonal(matrix, 1.0)
        population = ss.simulation.Population(matrix)
        count = draws // 1000 if smoke else draws
        loop = loop_seconds(matrix, n, 10 if smoke else 20_000 // metrics)
        print(f"{count:,} draws of {metrics} r at n = {n}; loop {1e6 * loop:.1f} us a draw")
        for coefficient in ("pearson", "spearman", "kendall"):
            wall, processor = best(
                partial(
                    ss.simulation.sampling_distribution,
                    population,
                    n,
                    count,
                    coefficient=coefficient,
                )
            )
            what = f"{count:,} draws of {metrics} r, {coefficient}"
            report.add(what, wall, "s", at_most=limit if coefficient == "pearson" else None)
            ratio = loop * count / processor
            report.add(f"{what}, times less processor time than Pearson's loop", ratio, "x")
    probabilities = np.linspace(0.001, 0.999, 20 if smoke else 1000)
    wall, _ = best(lambda: ss.inference.quantile_of_r(probabilities, 0.91, 5))
    report.add("exact quantiles of r, each", 1e6 * wall / probabilities.size, "us")
    report.end()


if __name__ == "__main__":
    main()
