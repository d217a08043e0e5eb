"""Speed of the paired bootstrap and of swapping, as ratios against plain loops in the same run.

    python -m benchmarks.resampling            # the sizes that are promised
    python -m benchmarks.resampling --smoke    # seconds, for the tests

The loop draws systems, computes each metric's r with `numpy.corrcoef` and takes the differences of
all pairs; it is timed on some resamples and scaled.
"""

import argparse

import numpy as np
import xarray as xr

import supersample as ss
from benchmarks.hybrids import best


def loop_seconds(scores: xr.Dataset, resamples: int) -> float:
    """Seconds a resample of the loop."""
    sample = ss.hybrid_supersample(scores, n=4)
    both = np.column_stack([sample["system_human"], sample["system_score"]])
    first, second = np.triu_indices(both.shape[1] - 1, 1)
    rng = np.random.default_rng(0)

    def run() -> None:
        for _ in range(resamples):
            drawn = both[rng.integers(0, len(both), len(both))]
            r = np.array([np.corrcoef(drawn[:, 0], column)[0, 1] for column in drawn.T[1:]])
            r[first] - r[second]

    return best(run, 3) / resamples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    systems, metrics, resamples = (6, 4, 50) if smoke else (15, 25, 9_999)
    scores = ss.simulate_scores(
        systems=systems,
        segments=100 if smoke else 1177,
        correlations={f"metric-{k}": 1 - k / metrics for k in range(metrics)},
    )
    loop = loop_seconds(scores, 10 if smoke else 300)
    print(f"{systems} systems, {metrics} metrics, all pairs, {resamples:,} resamples")
    for method in ("percentile", "basic", "bca"):
        seconds = best(
            lambda method=method: ss.compare_by_bootstrap(
                scores, method=method, resamples=resamples
            ),
            1 if smoke else 3,
        )
        ratio = loop * resamples / seconds
        print(
            f"bootstrap {method:>10}: {seconds:6.2f} s, {ratio:6.1f} times faster than the loop "
            f"({1e6 * loop:.0f} us a resample)"
        )


if __name__ == "__main__":
    main()
