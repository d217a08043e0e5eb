"""Accuracies of metrics whose scores were swapped: from Scores to the arrays of the engine."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersample.accuracies import rounded_preferences
from supersample.accuracy_inputs import Comparable
from supersample.engine.permutations import permutation_words
from supersample.engine.swaps import (
    Scheme,
    input_swapped_sums,
    standardise,
    swap_masks,
    swapped_moments,
    swapped_signed_totals,
    swapped_totals,
)
from supersample.inference.sign_flip import pair_differences
from supersample.inference.swapped_accuracies import (
    SwappedAccuracies,
    normal_input_swaps,
    normal_swaps,
)
from supersample.inference.swapped_monte_carlo import monte_carlo_swaps
from supersample.system_p_values import PValues, system_p_values


def swap_scores(
    group: Comparable, p_values: PValues, scheme: Scheme, resamples: int, threads: int
) -> SwappedAccuracies:
    """PA and SPA of every two metrics after each swap of their scores.

    Parameters
    ----------
    group : Comparable
        Scores; metrics are standardised over systems and segments, and summed by unit, before they
        are swapped.
    p_values : PValues
        Normal or Monte-Carlo, of shared masks.
    scheme : {"systems", "inputs", "both"}
        What is swapped together.
    resamples, threads : int
        Results do not depend on the threads.
    """
    z = group.by_unit(standardise(group.metrics))
    human = group.by_unit(group.human[np.newaxis])
    rounded = rounded_preferences(group)[0]
    p = system_p_values(human, p_values, seed=group.seed)[0]
    numbers = np.arange(resamples, dtype=np.uint64)
    swap: dict[str, Any] = {"seed": group.seed, "replicates": numbers}
    if p_values.method == "monte_carlo":
        return _drawn(z, p, rounded, p_values, scheme, swap, threads)
    differences = pair_differences(z)
    if scheme == "inputs":
        sums, squares = _input_moments(differences, swap, threads)
        return normal_input_swaps(
            p,
            rounded,
            differences,
            sums,
            squares,
            convention=p_values.convention,
            threads=threads,
        )
    masks = swap_masks(scheme, systems=z.shape[1], segments=z.shape[2], **swap)
    return normal_swaps(
        p,
        rounded,
        differences,
        lambda a, b: swapped_moments(z[a], z[b], masks),
        replicates=resamples,
        convention=p_values.convention,
        threads=threads,
    )


def _input_moments(
    differences: NDArray[np.float64], swap: dict[str, Any], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum d and d^2 of each metric over the swapped inputs: linear in the mask."""

    def moments(d: NDArray[np.float64]) -> NDArray[np.float64]:
        return input_swapped_sums(np.concatenate([d, d * d]).T, **swap)

    with ThreadPoolExecutor(threads) as pool:
        both = np.stack(list(pool.map(moments, differences)))
    sums, squares = np.split(both, 2, axis=2)
    return np.ascontiguousarray(sums), np.ascontiguousarray(squares)


def _drawn(
    z: NDArray[np.float64],
    human: NDArray[np.float64],
    rounded: NDArray[np.float64],
    p_values: PValues,
    scheme: Scheme,
    swap: dict[str, Any],
    threads: int,
) -> SwappedAccuracies:
    """Swap under drawn permutations of systems, the same for every metric and resample."""
    systems, units = z.shape[1:]
    masks = swap_masks(scheme, systems=systems, segments=units, **swap)
    permutations = np.arange(p_values.permutations, dtype=np.uint64)
    words = permutation_words(units, seed=swap["seed"], replicates=permutations)
    return monte_carlo_swaps(
        human,
        rounded,
        z,
        swapped_signed_totals(words, z, np.ones((1, 1), np.bool_)),
        lambda r: swapped_signed_totals(words, z, masks[r]),
        swapped_totals(z, masks),
        convention=p_values.convention,
        estimator=p_values.estimator,
        threads=threads,
    )
