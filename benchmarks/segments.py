"""Speed of calibrated accuracy against plain NumPy in the same run, and of swaps.

    python -m benchmarks.segments            # the sizes of WMT23 zh-en, 43 metrics
    python -m benchmarks.segments --smoke    # seconds, for the tests

The plain way is that of mt-metrics-eval: a loop over sorted pairs updates the counts of a segment
and the mean over segments for each pair.
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
    for name, method in (("acc_eq/item", "inputs"), ("pdp/item", "both"), ("pearson/item", "both")):
        options = {"method": method, "resamples": resamples}
        seconds[name] = best(
            lambda name=name, options=options: ss.compare(scores, name, **options), 1
        )
        what = f"{name}, {pairs} pairs, {resamples} swaps"
        report.add(what, seconds[name], "s", at_most=60)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    report.add("peak memory", peak, "GB", at_most=2)
    report.end()


if __name__ == "__main__":
    main()
