"""PA and SPA of metrics that swap their scores: which kernel computes them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersample.engine.bits import take_coins
from supersample.engine.corpus_swaps import (
    ScaledCorpus,
    exchange_differences,
    permuted_part,
    swapped_parts,
)
from supersample.engine.memory import Workspace
from supersample.engine.permutations import permutation_words
from supersample.engine.swaps import (
    EntryMoments,
    Scheme,
    input_swapped_sums,
    swap_masks,
    swapped_signed_totals,
    swapped_totals,
    system_swapped_moments,
)
from supersample.execution.memory import check_memory
from supersample.inference.accuracies.sign_flip import pair_differences, system_pairs
from supersample.inference.accuracies.swapped import (
    InputMoments,
    Moments,
    SwappedAccuracies,
    normal_input_swaps,
    normal_swaps,
)
from supersample.inference.accuracies.swapped_monte_carlo import RecomputedParts, monte_carlo_swaps
from supersample.inference.arguments import Map
from supersample.measures.p_values import PValues

BYTES_A_DRAW = 50.0
"""Of a resample, a metric and a pair of systems: measured with 60 to 400 systems."""


def swap_scores(
    z: NDArray[np.float64],
    corpus: tuple[ScaledCorpus, ...],
    human: tuple[NDArray[np.float64], NDArray[np.float64]],
    p_values: PValues,
    scheme: Scheme,
    swap: dict[str, Any],
    mapped: Map,
) -> SwappedAccuracies:
    """PA and SPA of every two metrics after each swap of their scores.

    Parameters
    ----------
    z : ndarray, shape (metrics, systems, units)
        Scores that were standardised over systems and segments, and summed by unit. Under "systems"
        and "both", where a pair of systems mixes two metrics, contributions of segments stand in
        for a corpus metric's scores.
    corpus : tuple of ScaledCorpus
        Corpus metrics, which are scored anew on both parts under "inputs".
    human : tuple of ndarray, each of shape (pairs,)
        p-values of pairs of systems by people, and rounded preferences.
    p_values : PValues
        Normal or Monte-Carlo, of shared masks.
    scheme : {"systems", "inputs", "both"}
        What is swapped together.
    swap : dict
        The seed, and the numbers of the replicates.
    mapped : callable
        The map of workers that share memory; results do not depend on them.
    """
    p, rounded = human
    if p_values.method == "monte_carlo":
        return _drawn(z, corpus, p, rounded, p_values, scheme, swap, mapped)
    if scheme == "inputs":
        return normal_input_swaps(
            p,
            rounded,
            _input_moments(z, corpus, swap, mapped),
            convention=p_values.convention,
            mapped=mapped,
        )
    masks = swap_masks(scheme, systems=z.shape[1], segments=z.shape[2], **swap)
    return normal_swaps(
        p,
        rounded,
        pair_differences(z),
        _moments(z, masks, scheme, mapped),
        replicates=swap["replicates"].size,
        convention=p_values.convention,
        mapped=mapped,
    )


def _moments(
    z: NDArray[np.float64], masks: NDArray[np.bool_], scheme: Scheme, mapped: Map
) -> Moments:
    """Give the moments of pairs of metrics where systems or single scores are swapped."""
    if scheme == "systems":
        return lambda first, second: (
            system_swapped_moments(z[a], z[b], masks) for a, b in zip(first, second, strict=True)
        )
    entries = EntryMoments.of(z, masks, mapped=mapped)
    return lambda first, second: zip(*entries.swapped(first, second), strict=True)


def _input_moments(
    z: NDArray[np.float64],
    corpus: tuple[ScaledCorpus, ...],
    swap: dict[str, Any],
    mapped: Map,
) -> InputMoments:
    """Moments of all metrics: linear in the mask, but for corpus metrics, which are scored anew."""
    pairs = z.shape[1] * (z.shape[1] - 1) // 2
    needed = BYTES_A_DRAW * len(z) * pairs * swap["replicates"].size
    check_memory(needed, f"swaps of {len(z)} metrics on {pairs:,} pairs of systems")

    def moments(scores: NDArray[np.float64]) -> InputMoments:
        d = pair_differences(scores)
        both = input_swapped_sums(np.concatenate([d, d * d]).T, **swap)
        return InputMoments.of(d, *np.split(both, 2, axis=1))

    found = [*mapped(moments, z), *(_corpus_input_moments(metric, swap) for metric in corpus)]
    return InputMoments(*map(np.stack, zip(*found, strict=True)))


def _corpus_input_moments(
    metric: ScaledCorpus, swap: dict[str, Any]
) -> tuple[NDArray[np.float64], ...]:
    """Fields of `InputMoments` for one corpus metric."""
    systems, units, _ = metric.values.shape
    first, second = system_pairs(systems)
    masks = swap_masks("inputs", systems=systems, segments=units, **swap)
    kept, brought = (part[:, first] - part[:, second] for part in swapped_parts(metric, masks))
    squared = np.square(exchange_differences(metric))
    room = metric.magnitudes()
    magnitudes = room[first] + room[second]
    return magnitudes, kept, brought, squared.sum(axis=-1), input_swapped_sums(squared.T, **swap)


def _drawn(
    z: NDArray[np.float64],
    corpus: tuple[ScaledCorpus, ...],
    human: NDArray[np.float64],
    rounded: NDArray[np.float64],
    p_values: PValues,
    scheme: Scheme,
    swap: dict[str, Any],
    mapped: Map,
) -> SwappedAccuracies:
    """Swap under drawn permutations of systems, the same for every metric and resample."""
    systems, units = z.shape[1:]
    masks = swap_masks(scheme, systems=systems, segments=units, **swap)
    permutations = np.arange(p_values.permutations, dtype=np.uint64)
    words = permutation_words(units, seed=swap["seed"], replicates=permutations)

    first, _ = system_pairs(systems)
    by_unit = z.transpose(2, 0, 1).copy()
    of_sums, of_corpora = Workspace(), Workspace()

    def recomputed(r: int) -> RecomputedParts:
        observed = np.empty((2, len(corpus), first.size))
        null = of_corpora.take("null", *observed.shape, len(words))
        for part, chosen in enumerate((~masks[r, 0], masks[r, 0])):
            units_of = np.flatnonzero(chosen)
            signs = take_coins(words, units_of)
            for k, metric in enumerate(corpus):
                of_metric = permuted_part(metric, signs, units_of, of_corpora, null[part, k])
                observed[part, k] = of_metric[0]
        return RecomputedParts(observed, null)

    return monte_carlo_swaps(
        human,
        rounded,
        z,
        swapped_signed_totals(words, by_unit, np.ones((1, 1), np.bool_), Workspace()),
        lambda r: swapped_signed_totals(words, by_unit, masks[r], of_sums),
        swapped_totals(z, masks),
        recomputed=recomputed if corpus else None,
        recomputed_magnitudes=(
            np.stack([metric.magnitudes() for metric in corpus]) if corpus else None
        ),
        convention=p_values.convention,
        estimator=p_values.estimator,
        mapped=mapped,
    )
