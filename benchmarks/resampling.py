"""Speed of the bootstrap over systems, as ratios against a loop and scipy in the same run.

    python -m benchmarks.resampling            # the sizes that are promised
    python -m benchmarks.resampling --smoke    # seconds, for the tests

The loop draws systems, computes each metric's r with `numpy.corrcoef` and takes the differences of
all pairs; it is timed on some resamples and scaled. `scipy.stats.bootstrap` computes the limits of
each metric's r alone.
"""

import numpy as np
import xarray as xr
from scipy import stats

import supersample as ss
from benchmarks._report import Report, best, parser


def loop_seconds(scores: xr.Dataset, resamples: int) -> float:
    """Seconds per resample of the loop."""
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


def scipy_seconds(scores: xr.Dataset, method: str, resamples: int) -> float:
    """Seconds of scipy's limits of one metric's r, times the number of metrics."""
    systems = ss.system_level_scores(scores)
    human, metric = systems["system_human"].values, systems["system_score"].values[:, 0]
    names = {"bca": "BCa", "percentile": "percentile"}

    def run() -> None:
        stats.bootstrap(
            (human, metric),
            lambda x, y, axis=-1: stats.pearsonr(x, y, axis=axis).statistic,
            paired=True,
            n_resamples=resamples,
            method=names[method],
            rng=np.random.default_rng(0),
        )

    return best(run, 3) * systems.sizes["metric"]


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("resampling", options)
    smoke = options.smoke
    systems, metrics, resamples = (6, 4, 50) if smoke else (15, 25, 9_999)
    scores = ss.simulate_scores(
        systems=systems,
        segments=100 if smoke else 1177,
        correlations={f"metric-{k}": 1 - k / metrics for k in range(metrics)},
    )
    loop = loop_seconds(scores, 10 if smoke else 300)
    print(f"{systems} systems, {metrics} metrics, all pairs, {resamples:,} resamples")
    for method in ("percentile", "bca"):
        seconds = best(
            lambda method=method: ss.compare(
                scores, random="systems", method=method, resamples=resamples
            ),
            1 if smoke else 3,
        )
        report.add(f"bootstrap, {method}", seconds, "s", at_most=2)
        ratio = loop * resamples / seconds
        report.add(f"bootstrap, {method}, times faster than the loop", ratio, "x")
        ratio = scipy_seconds(scores, method, resamples) / seconds
        report.add(f"bootstrap, {method}, times faster than scipy.stats.bootstrap", ratio, "x")
    drawn = {"method": "percentile", "resamples": resamples}
    for random in ("segments", "systems+segments"):
        seconds = best(lambda random=random: ss.compare(scores, random=random, **drawn), 1)
        report.add(f"bootstrap over {random}, percentile", seconds, "s", at_most=10)
    report.end()


if __name__ == "__main__":
    main()
