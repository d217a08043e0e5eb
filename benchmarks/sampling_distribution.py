"""Speed of drawing r, as ratios against plain loops in the same run.

    python -m benchmarks.sampling_distribution            # the sizes that are promised
    python -m benchmarks.sampling_distribution --smoke    # seconds, for the tests

The loop draws n systems by NumPy's normal numbers and one Cholesky factor, and computes each
metric's r with `numpy.corrcoef`; it is timed on some samples and scaled. Seconds are of the wall
and, of all threads together, of the processor, which others' work on the machine changes less.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import supersample as ss

REPEATS = 3


def best(run: Callable[[], object]) -> tuple[float, float]:
    """Least seconds of the wall and of the processor, after a first run that compiles."""
    run()
    wall, processor = [], []
    for _ in range(REPEATS):
        started, used = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
    return min(wall), min(processor)


def loop_seconds(matrix: np.ndarray, n: int, samples: int) -> float:
    """Processor seconds a sample of the plain loop."""
    rng = np.random.default_rng(0)
    factor = np.linalg.cholesky(matrix)

    def run() -> None:
        for _ in range(samples):
            drawn = rng.standard_normal((n, len(matrix))) @ factor.T
            [np.corrcoef(drawn[:, 0], column)[0, 1] for column in drawn.T[1:]]

    return best(run)[1] / samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    for metrics, n, draws in ((1, 5, 1_000_000), (25, 15, 100_000)):
        matrix = np.full((1 + metrics, 1 + metrics), 0.8)
        np.fill_diagonal(matrix, 1.0)
        population = ss.NormalPopulation(matrix)
        count = draws // 1000 if smoke else draws
        loop = loop_seconds(matrix, n, 10 if smoke else 20_000 // metrics)
        print(f"{count:,} draws of {metrics} r at n = {n}; loop {1e6 * loop:.1f} us a draw")
        for keep in ("draws", "histogram"):
            for coefficient in ("pearson", "spearman", "kendall"):
                wall, processor = best(
                    partial(
                        ss.sampling_distribution,
                        population,
                        n,
                        count,
                        coefficient=coefficient,
                        keep=keep,
                    )
                )
                print(
                    f"  {coefficient:>8}, {keep:<9} {wall:6.2f} s, processor {processor:6.2f} s, "
                    f"{loop * count / processor:6.1f} times less than the loop of Pearson's"
                )
    probabilities = np.linspace(0.001, 0.999, 20 if smoke else 1000)
    wall, processor = best(lambda: ss.quantile_of_r(probabilities, 0.91, 5))
    print(f"exact quantiles of r: {1e6 * wall / probabilities.size:.0f} us each")


if __name__ == "__main__":
    main()
