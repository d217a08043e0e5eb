"""p-values of every pair of systems by every scorer: how sure one system is better.

`system_p_values` and `corpus_p_values` use the observed scores; `swap_scores` chooses the kernel of
PA and SPA for metrics that swap their scores.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.buffers import Workspace
from supersample.engine.streams import take_coins
from supersample.engine.swaps import (
    EntryMoments,
    MaskSharing,
    ScaledCorpus,
    Scheme,
    exchange_differences,
    input_swapped_sums,
    permutation_words,
    permuted_part,
    permuted_totals,
    swap_masks,
    swapped_parts,
    swapped_signed_totals,
    swapped_totals,
    system_swapped_moments,
)
from supersample.errors import InputError, check_choice, check_count
from supersample.execution.limits import check_memory
from supersample.inference.accuracies import (
    Convention,
    InputMoments,
    Moments,
    Sizes,
    SwappedAccuracies,
    monte_carlo_p_values,
    normal_p_values,
    normal_p_values_of_moments,
    normal_swaps,
    p_values_of_counts,
    pair_differences,
    system_pairs,
)
from supersample.inference.arguments import SUM_TIE, Estimator, Map
from supersample.inference.swapped_monte_carlo import RecomputedParts, monte_carlo_swaps

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
        Number of permutations B that "monte_carlo" draws.
    estimator : {"k/B", "(k+1)/(B+1)"}, default "k/B"
        For "monte_carlo": the share of permutations, as in the paper, or the estimate that counts
        the observed value among them and is never 0.
    masks : {"shared", "independent"}, default "shared"
        For "monte_carlo": whether all scorers share their permutations.

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
    estimator: Estimator = "k/B"
    masks: MaskSharing = "shared"

    @property
    def unused(self) -> tuple[str, ...]:
        """Options that the method does not use."""
        return () if self.method == "monte_carlo" else ("permutations", "estimator", "masks")

    def __post_init__(self) -> None:
        check_choice("method of p-values", self.method, get_args(Method))
        check_choice("convention of p-values", self.convention, get_args(Convention))
        check_choice("estimator of p-values", self.estimator, get_args(Estimator))
        check_choice("sharing of masks", self.masks, get_args(MaskSharing))
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
    if p_values.method == "monte_carlo":
        values = scorers.transpose(1, 2, 0)
        null = permuted_totals(
            values, seed=seed, replicates=p_values.permutations, masks=p_values.masks
        )
        return monte_carlo_p_values(
            null, values, convention=p_values.convention, estimator=p_values.estimator
        )
    # one scorer at a time: its differences fit the cache
    convention = p_values.convention
    return np.stack([normal_p_values(pair_differences(x), convention=convention) for x in scorers])


def corpus_p_values(metric: ScaledCorpus, p_values: PValues, *, seed: int, scorer: int) -> Floats:
    """p-values of every pair of systems by a corpus metric.

    Parameters
    ----------
    metric : ScaledCorpus
        The metric, by unit.
    p_values : PValues
        Method. "monte_carlo" scores the two permuted corpora of every pair and permutation again.
        "normal" is the limit for many units, with the first-order variance of the difference
        between the two corpora.
    seed : int
        Seed of the permutations, which are those of the other scorers.
    scorer : int
        Number of the metric among all scorers, for independent masks.

    Returns
    -------
    ndarray, shape (pairs,)
    """
    scores, room = metric.scaled(metric.values.sum(axis=1), metric.sizes.sum()), metric.magnitudes()
    first, second = np.triu_indices(scores.size, 1)
    if p_values.method == "normal":
        squares = np.square(exchange_differences(metric)).sum(axis=-1)
        sums = scores[first] - scores[second]
        return normal_p_values_of_moments(sums, squares, convention=p_values.convention)
    words = permutation_words(
        metric.sizes.size,
        seed=seed,
        replicates=np.arange(p_values.permutations, dtype=np.uint64),
        scorer=None if p_values.masks == "shared" else scorer,
    )
    everything = np.arange(metric.sizes.size)
    observed, null = permuted_part(metric, words, everything, Workspace())
    slack = SUM_TIE * (room[first] + room[second])
    above = (null > (observed + slack)[:, np.newaxis]).sum(axis=1)
    equal = (null >= (observed - slack)[:, np.newaxis]).sum(axis=1) - above
    return p_values_of_counts(
        above,
        equal,
        p_values.permutations,
        convention=p_values.convention,
        estimator=p_values.estimator,
    )


def swap_scores(
    z: Floats,
    corpus: tuple[ScaledCorpus, ...],
    human: tuple[Floats, Floats],
    p_values: PValues,
    scheme: Scheme,
    swap: dict[str, Any],
    mapped: Map,
    teams: NDArray[np.int64] | None = None,
) -> SwappedAccuracies:
    """PA and SPA of each pair of metrics after each swap of their scores.

    Parameters
    ----------
    z : ndarray, shape (metrics, systems, units)
        Scores standardised over systems and segments, and summed by unit. With "systems" and
        "both", a pair of systems mixes two metrics; there, contributions of segments replace the
        scores of a corpus metric.
    corpus : tuple of ScaledCorpus
        Corpus metrics; with "inputs", both parts are scored again.
    human : tuple of ndarray, each of shape (pairs,)
        People's p-values of pairs of systems, and their rounded preferences.
    p_values : PValues
        With shared masks.
    scheme : {"systems", "inputs", "both"}
        Unit that is swapped.
    swap : dict
        The seed, and the numbers of the replicates.
    mapped : callable
        The map of workers that share memory; results do not depend on them.
    teams : ndarray, shape (systems,), optional
        Number of each system's team, which is swapped as a whole.
    """
    p, rounded = human
    masks = partial(swap_masks, scheme, systems=z.shape[1], segments=z.shape[2], teams=teams)
    if p_values.method == "monte_carlo":
        return _drawn(z, corpus, p, rounded, p_values, masks(**swap), swap, mapped)
    moments: Moments
    if scheme == "inputs":
        of_inputs = _input_moments(z, corpus, swap, mapped)
        sizes, moments = of_inputs.sizes, of_inputs.swapped
    else:
        sizes, moments = Sizes.of(pair_differences(z)), _moments(z, masks(**swap), scheme, mapped)
    options: dict[str, Any] = {"convention": p_values.convention, "mapped": mapped}
    return normal_swaps(p, rounded, sizes, moments, replicates=swap["replicates"].size, **options)


def _moments(z: Floats, masks: NDArray[np.bool_], scheme: Scheme, mapped: Map) -> Moments:
    """Compute moments of pairs of metrics whose systems or single scores are swapped."""
    if scheme == "systems":
        return lambda first, second: (
            system_swapped_moments(z[a], z[b], masks) for a, b in zip(first, second, strict=True)
        )
    entries = EntryMoments.of(z, masks, mapped=mapped)
    return lambda first, second: zip(*entries.swapped(first, second), strict=True)


def _input_moments(
    z: Floats, corpus: tuple[ScaledCorpus, ...], swap: dict[str, Any], mapped: Map
) -> InputMoments:
    """Moments of all metrics: linear in the mask, except for corpus metrics, which are rescored."""
    pairs = z.shape[1] * (z.shape[1] - 1) // 2
    needed = BYTES_A_DRAW * len(z) * pairs * swap["replicates"].size
    check_memory(needed, f"swaps of {len(z)} metrics on {pairs:,} pairs of systems")

    def moments(scores: Floats) -> InputMoments:
        d = pair_differences(scores)
        both = input_swapped_sums(np.concatenate([d, d * d]).T, **swap)
        return InputMoments.of(d, *np.split(both, 2, axis=1))

    found = [*mapped(moments, z), *(_corpus_input_moments(metric, swap) for metric in corpus)]
    return InputMoments(*map(np.stack, zip(*found, strict=True)))


def _corpus_input_moments(metric: ScaledCorpus, swap: dict[str, Any]) -> tuple[Floats, ...]:
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
    z: Floats,
    corpus: tuple[ScaledCorpus, ...],
    human: Floats,
    rounded: Floats,
    p_values: PValues,
    masks: NDArray[np.bool_],
    swap: dict[str, Any],
    mapped: Map,
) -> SwappedAccuracies:
    """Swap with drawn permutations of systems, the same for every metric and resample."""
    systems, units = z.shape[1:]
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
