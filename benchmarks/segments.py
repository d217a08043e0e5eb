"""Speed of calibrated accuracy and of swapped pairs against plain NumPy in the same run.

    python -m benchmarks.segments            # the sizes of WMT23 zh-en, 43 metrics
    python -m benchmarks.segments --smoke    # seconds, for the tests

The plain way is that of mt-metrics-eval. A loop over sorted pairs updates the counts of a segment
and the mean over segments for each pair. Matrices of the pairs of a segment are mixed again for
each resample; this is timed on some segments and scaled.
"""

import resource

import numpy as np
from numpy.typing import NDArray

import supersample as ss
from benchmarks._report import Report, best, best_in_turn, parser

Floats = NDArray[np.float64]


def plain_calibration(human: Floats, metric: Floats) -> float:
    """Best mean accuracy over segments, by a loop over pairs in the order of their differences."""
    first, second = np.triu_indices(len(human), 1)
    pairs = []
    for row, (h, x) in enumerate(zip(human.T, metric.T, strict=True)):
        for i, j in zip(first, second, strict=True):
            tied, alike = h[i] == h[j], (h[i] - h[j]) * (x[i] - x[j]) > 0
            pairs.append((abs(x[i] - x[j]), row, int(alike), int(tied)))
    right = np.zeros(human.shape[1])
    for _, row, alike, _ in pairs:
        right[row] += alike
    total, values = right.sum() / first.size, []
    for _, row, alike, tied in sorted(pairs):
        total -= right[row] / first.size
        right[row] += tied - alike
        total += right[row] / first.size
        values.append(total / human.shape[1])
    return max(values)


def plain_swaps(human: Floats, metrics: Floats, rng: np.random.Generator) -> float:
    """Difference of two metrics after one swap of pairs, segment by segment."""
    difference = 0.0
    for l in range(human.shape[1]):  # noqa: E741
        h = np.sign(human[:, l, None] - human[:, l])
        signs = [np.sign(x[:, l, None] - x[:, l]) for x in metrics]
        coins = np.triu(rng.integers(0, 2, h.shape))
        coins = coins + coins.T
        for side, (a, b) in zip((1, -1), (signs, signs[::-1]), strict=True):
            difference += side * (coins * (a == h) + (1 - coins) * (b == h)).mean()
    return difference


def main() -> None:
    """Time both, and the memory of all."""
    options = parser(__doc__).parse_args()
    report = Report("segments", options)
    systems, segments, metrics, resamples = (5, 20, 4, 9) if options.smoke else (15, 1177, 43, 1000)
    scores = ss.simulate_scores(
        systems=systems,
        segments=segments,
        correlations={f"metric-{k}": 1 - k / metrics for k in range(metrics)},
    )
    scores["human"] = scores["human"].round(1)  # people tie
    human, score = scores["human"].to_numpy(), scores["score"].to_numpy()
    one = scores.isel(metric=[0])
    shortest = best_in_turn(
        {
            "ours": lambda: ss.agreement(one, "acc_eq"),
            "plain": lambda: plain_calibration(human, score[0]),
        },
        1 if options.smoke else 3,
    )
    report.add("acc_eq of one metric", shortest["ours"], "s")
    ratio = shortest["plain"] / shortest["ours"]
    report.add("acc_eq, times faster than the plain way", ratio, "x", at_least=30)
    pairs = metrics * (metrics - 1) // 2
    seconds = {}
    for name, method in (("acc_eq/item", "pairs"), ("pdp/item", "both"), ("pearson/item", "both")):
        options = {"method": method, "resamples": resamples}
        seconds[name] = best(
            lambda name=name, options=options: ss.compare(scores, name, **options), 1
        )
        what = f"{name}, {pairs} pairs, {resamples} swaps"
        report.add(what, seconds[name], "s", at_most=60)
    rng, some = np.random.default_rng(0), slice(0, 100)
    each = best(lambda: plain_swaps(human[:, some], score[:2, :, some], rng), 1)
    plain = each * segments / min(segments, 100) * resamples * pairs
    report.add(
        "swapped pairs, times faster than the plain way", plain / seconds["acc_eq/item"], "x"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    report.add("peak memory", peak, "GB", at_most=2)
    report.end()


if __name__ == "__main__":
    main()
