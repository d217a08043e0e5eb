"""Speed and memory of soft pairwise accuracy and of PERM-INPUTS over all pairs of metrics.

    SUPERSAMPLE_DATA=... python -m benchmarks.soft_pairwise_accuracy    # WMT23
    python -m benchmarks.soft_pairwise_accuracy --smoke                 # the example, few resamples

The reference is the usual way, timed in the same run on a few resamples of one pair of metrics:
swap the scores, then compute SPA of both metrics again.
"""

import os
import resource
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

import supersample as ss
from benchmarks._report import Report, parser
from supersample.engine.swaps import (
    input_swapped_sums,
    permutation_words,
    permuted_totals,
    signed_totals,
    standardise,
    swap_masks,
    swapped_totals,
)
from supersample.inference.pairs_of_systems import (
    InputMoments,
    SwappedAccuracies,
    mean_agreement,
    monte_carlo_p_values,
    monte_carlo_swaps,
    normal_p_values,
    pair_differences,
    preferences,
)
from supersample.inference.pairs_of_systems import normal_swaps as accuracies_of_swaps

DATA = os.environ.get("SUPERSAMPLE_DATA", "../shared/data")
SAMPLE = 50  # resamples of one pair of metrics that the straightforward way is timed on
THREADS = ss.Workers("threads", 2)
SEED = 0
Array = NDArray[np.float64]


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """Best of some timings, after a first run that compiles."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def straightforward_normal(x: Array) -> list[float]:
    pairs = [(i, j) for i in range(len(x)) for j in range(i + 1, len(x))]
    differences = (x[i] - x[j] for i, j in pairs)
    return [norm.cdf(-d.sum() / np.sqrt((d * d).sum())) for d in differences]


def straightforward_monte_carlo(x: Array, signs: Array) -> list[float]:
    """Shared, cached masks and a product linear in systems, as the paper's code."""
    null, total = signs @ x.T, x.sum(axis=1)
    pairs = [(i, j) for i in range(len(x)) for j in range(i + 1, len(x))]
    return [np.mean(null[:, i] - null[:, j] >= total[i] - total[j]) for i, j in pairs]


def straightforward_swaps(
    human: Array, metrics: Array, p_values: Callable[[Array], list[float]], count: int
) -> float:
    """Seconds for `count` resamples of one pair of metrics."""
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(count):
        swap = rng.random(metrics.shape[2]) < 0.5
        first = np.where(swap, metrics[1], metrics[0])
        second = np.where(swap, metrics[0], metrics[1])
        for x in (first, second):
            np.mean(1.0 - np.abs(human - np.array(p_values(x))))
    return time.perf_counter() - start


def normal_swaps(people: Array, metrics: Array, resamples: NDArray[np.uint64]) -> SwappedAccuracies:
    d, h = pair_differences(standardise(metrics)), pair_differences(people)

    def moments(x: Array) -> Array:
        values = np.concatenate([x, x * x]).T
        return input_swapped_sums(values, seed=SEED, replicates=resamples)

    with ss.connect(THREADS) as client:
        sums, squares = np.split(np.stack([*client.map(moments, d)]), 2, axis=2)
        found = InputMoments.of(d, sums, squares)
        return accuracies_of_swaps(normal_p_values(h), preferences(h), found, mapped=client.map)


def drawn_swaps(people: Array, metrics: Array, resamples: NDArray[np.uint64]) -> SwappedAccuracies:
    systems, segments = people.shape
    values = people[None]
    human = monte_carlo_p_values(permuted_totals(values, seed=SEED), values)[0]
    z = standardise(metrics)
    masks = swap_masks(
        "inputs", systems=systems, segments=segments, seed=SEED, replicates=resamples
    )
    words = permutation_words(segments, seed=SEED, replicates=np.arange(1000, dtype=np.uint64))
    by_unit = z.transpose(2, 0, 1).copy()
    with ss.connect(THREADS) as client:
        return monte_carlo_swaps(
            human,
            preferences(pair_differences(people)),
            z,
            signed_totals(words, by_unit, np.arange(segments)),
            lambda r, out: signed_totals(words, by_unit, np.flatnonzero(masks[r]), out),
            swapped_totals(z, masks),
            mapped=client.map,
        )


def accuracies(scores: Array, p_values: Callable[[Array], Array]) -> Array:
    p = p_values(scores)
    return mean_agreement(p[0], p[1:])


def drawn_p_values(scores: Array) -> Array:
    return monte_carlo_p_values(permuted_totals(scores, seed=SEED), scores)


def normal_route(scores: Array) -> Array:
    return normal_p_values(pair_differences(scores))


def report_accuracies(report: Report, pair: str, scores: Array) -> None:
    for name, route in (("normal", normal_route), ("drawn", drawn_p_values)):
        taken = seconds(partial(accuracies, scores, route))
        report.add(f"{pair}, SPA, {name} p-values", taken, "s", at_most=0.3)


def report_swaps(report: Report, pair: str, people: Array, metrics: Array, count: int) -> None:
    human, z = normal_route(people), standardise(metrics[:2])
    signs = np.sign(np.random.default_rng(1).random((1000, people.shape[1])) - 0.5)
    pairs = len(metrics) * (len(metrics) - 1) // 2
    resamples = np.arange(count, dtype=np.uint64)
    share = SAMPLE / (pairs * count)
    drawn_way = partial(straightforward_monte_carlo, signs=signs)
    slow_normal = straightforward_swaps(human, z, straightforward_normal, SAMPLE) / share
    slow_drawn = straightforward_swaps(human, z, drawn_way, SAMPLE) / share
    normal = seconds(partial(normal_swaps, people, metrics, resamples))
    drawn = seconds(partial(drawn_swaps, people, metrics, resamples), 1)
    what = f"{pair}, PERM-INPUTS, {pairs} pairs x {count}"
    report.add(f"{what}, normal", normal, "s", at_most=1.5)
    report.add(
        f"{what}, normal, times faster than the usual way", slow_normal / normal, "x", at_least=1000
    )
    report.add(f"{what}, drawn", drawn, "s", at_most=6)
    report.add(f"{what}, drawn, times faster than the usual way", slow_drawn / drawn, "x")


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("soft_pairwise_accuracy", options)
    smoke = options.smoke
    for pair in ("example",) if smoke else ("en-de", "zh-en"):
        read = (
            ss.load_example()
            if smoke
            else ss.read_mtme(f"{DATA}/mt-metrics-eval-v2", "wmt23", pair, metrics="reference")
        )
        selected = ss.select_segments(read)
        people, metrics = selected["human"].to_numpy(), selected["score"].to_numpy()
        sizes = {name: selected.sizes[name] for name in ("system", "segment", "metric")}
        print(f"{pair}: {sizes}")
        report_accuracies(report, pair, np.concatenate([people[None], metrics]))
        report_swaps(report, pair, people, metrics, 20 if smoke else 1000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    report.add("peak memory", peak, "MB", at_most=2000)
    report.end()


if __name__ == "__main__":
    main()
