"""p-values of every pair of systems by every scorer: how sure one system is better.

`system_p_values` uses the observed scores; `swap_scores` chooses the kernel of PA and SPA for
metrics that swap their scores.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from supersample.engine import Floats
from supersample.engine.swaps import (
    input_swapped_sums,
    permutation_words,
    permuted_totals,
    signed_totals,
    swap_masks,
    swapped_totals,
)
from supersample.errors import InputError, check_choice, check_count
from supersample.execution.limits import check_memory
from supersample.inference.accuracies import (
    Convention,
    InputMoments,
    SwappedAccuracies,
    monte_carlo_p_values,
    monte_carlo_swaps,
    normal_p_values,
    normal_swaps,
    pair_differences,
)
from supersample.inference.arguments import Map

Method = Literal["normal", "monte_carlo"]
Unit = Literal["segment", "document"] | int
MOST_PERMUTATIONS = 1 << 24
BYTES_A_DRAW = 50.0
"""Memory per resample, metric and pair of systems: measured with 60 to 400 systems."""


@dataclass(frozen=True)
class PValues:
    """Options of the paired permutation test of "system i is better than system j".

    The p-value is small if i is better, large if j is better, and near 0.5 if neither shows.

    Parameters
    ----------
    method : {"normal", "monte_carlo"}, default "normal"
        "normal": the limit of the permutation test for many units, p = Phi(-sum d / sqrt(sum d^2)),
        with paired differences d. "monte_carlo": random permutations, as in Thompson et al. (2024).
    convention : {"mid", "at_least"}, default "mid"
        "mid": P(null > observed) + P(null = observed) / 2, so p_ij + p_ji = 1, identical systems
        get 0.5, and the order of systems has no effect. "at_least": P(null >= observed), as in
        Thompson et al. (2024, section 3.2); on tied data p_ij + p_ji > 1, and accuracies depend on
        the order of systems.
    unit : {"segment", "document"} or int, default "segment"
        What is permuted together: a segment, a document, or a window of this many consecutive
        segments (numbered before any segment is left out), for scores that span several segments.
        Metrics swap their scores by the same unit.
    permutations : int, default 1000
        Number of permutations B that "monte_carlo" draws, the same for all scorers.

    Raises
    ------
    InputError
        If an option is unknown or out of range.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy", WMT, sections 3.2 and 3.3.

    Examples
    --------
    >>> PValues("monte_carlo", permutations=10_000).convention
    'mid'
    """

    method: Method = "normal"
    convention: Convention = "mid"
    unit: Unit = "segment"
    permutations: int = 1000

    @property
    def unused(self) -> tuple[str, ...]:
        """Options that the method does not use."""
        return () if self.method == "monte_carlo" else ("permutations",)

    def __post_init__(self) -> None:
        check_choice("method of p-values", self.method, get_args(Method))
        check_choice("convention of p-values", self.convention, get_args(Convention))
        whole = isinstance(self.unit, int) and not isinstance(self.unit, bool)
        if whole:
            check_count("unit", self.unit)  # type: ignore[arg-type]
        if not (whole and self.unit >= 1) and self.unit not in ("segment", "document"):  # type: ignore[operator]
            raise InputError(
                f"the unit must be 'segment', 'document' or a number of segments, not {self.unit!r}"
            )
        if not 1 <= self.permutations <= MOST_PERMUTATIONS:
            raise InputError(
                f"permutations must be 1 to {MOST_PERMUTATIONS:,}, not {self.permutations}"
            )


def as_p_values(p_values: PValues | str) -> PValues:
    """Convert the name of a method to `PValues` with defaults."""
    return PValues(p_values) if isinstance(p_values, str) else p_values  # type: ignore[arg-type]


def system_p_values(scorers: Floats, p_values: PValues, *, seed: int) -> Floats:
    """p-values of every pair of systems by every scorer.

    Parameters
    ----------
    scorers : ndarray, shape (scorers, systems, units)
        Finite scores; larger is better.
    p_values : PValues
        Method; the scores are already summed by its unit.
    seed : int
        Seed of the permutations of "monte_carlo".

    Returns
    -------
    ndarray, shape (scorers, pairs)
        Pairs in the order of `supersample.inference.accuracies.system_pairs`.
    """
    convention = p_values.convention
    if p_values.method == "monte_carlo":
        null = permuted_totals(scorers, seed=seed, replicates=p_values.permutations)
        return monte_carlo_p_values(null, scorers, convention=convention)
    # one scorer at a time: its differences fit the cache
    return np.stack([normal_p_values(pair_differences(x), convention=convention) for x in scorers])


def swap_scores(
    z: Floats,
    human: tuple[Floats, Floats],
    p_values: PValues,
    swap: dict[str, Any],
    mapped: Map,
) -> SwappedAccuracies:
    """PA and SPA of each pair of metrics after each swap of their inputs.

    Parameters
    ----------
    z : ndarray, shape (metrics, systems, units)
        Scores standardised over systems and segments, and summed by unit.
    human : tuple of ndarray, each of shape (pairs,)
        People's p-values of pairs of systems, and their rounded preferences.
    p_values : PValues
    swap : dict
        The seed, and the numbers of the replicates.
    mapped : callable
        The map of workers that share memory; results do not depend on them.
    """
    options: dict[str, Any] = {"convention": p_values.convention, "mapped": mapped}
    if p_values.method == "normal":
        return normal_swaps(*human, _input_moments(z, swap, mapped), **options)
    systems, units = z.shape[1:]
    masks = swap_masks("inputs", systems=systems, segments=units, **swap)
    permutations = np.arange(p_values.permutations, dtype=np.uint64)
    words = permutation_words(units, seed=swap["seed"], replicates=permutations)
    by_unit = z.transpose(2, 0, 1).copy()
    return monte_carlo_swaps(
        *human,
        z,
        signed_totals(words, by_unit, np.arange(units)),
        lambda r: signed_totals(words, by_unit, np.flatnonzero(masks[r])),
        swapped_totals(z, masks),
        **options,
    )


def _input_moments(z: Floats, swap: dict[str, Any], mapped: Map) -> InputMoments:
    """Moments of all metrics: linear in the mask."""
    pairs = z.shape[1] * (z.shape[1] - 1) // 2
    needed = BYTES_A_DRAW * len(z) * pairs * swap["replicates"].size
    check_memory(needed, f"swaps of {len(z)} metrics on {pairs:,} pairs of systems")

    def moments(scores: Floats) -> InputMoments:
        d = pair_differences(scores)
        both = input_swapped_sums(np.concatenate([d, d * d]).T, **swap)
        return InputMoments.of(d, *np.split(both, 2, axis=1))

    return InputMoments(*map(np.stack, zip(*mapped(moments, z), strict=True)))
