"""Exchanged scores: of two systems (paired permutations) and of two metrics (swaps).

Paired permutations
-------------------

A paired permutation exchanges the outputs of two systems on each unit with probability one half.
With mask s (+1 or -1 on each unit), the permuted difference of systems i and j is ``sum_l s_l
x_i(l) - sum_l s_l x_j(l)``. It is linear in systems, so one signed total per system and scorer
serves every pair (Thompson et al. 2024, section 3.3).

Swaps of metrics
----------------
The null hypothesis is that metrics A and B agree with people equally well. Then their scores of the
same translation may be exchanged (Deutsch, Dror and Roth 2021, "A Statistical Analysis of
Summarization Evaluation Metrics Using Resampling Methods", TACL 9). There are three schemes of what
is exchanged together, each with probability one half:

- ``systems`` (PERM-SYSTEMS): all scores of a system;
- ``inputs`` (PERM-INPUTS): the scores of all systems on a segment, as in the SPA paper;
- ``both`` (PERM-BOTH): each single score, one coin per (system, segment). The paper's experiments
  and the WMT metrics task swap in this way; a later package of the first author swaps systems and
  then inputs, which is a different, coarser null distribution.

System totals are linear in the
mask for all three schemes: a swapped metric's total is the part that A keeps plus B's part, so one
masked sum per *metric* serves every *pair* of metrics. For sums of squared differences of systems,
this holds only for ``inputs``; `EntryMoments` covers the general case.

Swaps of corpus metrics
-----------------------
A corpus metric has no segment score, only a score f of the totals of a set of segments. Swapping
two metrics on a mask of segments splits a system into two parts, the segments K that a metric keeps
and the segments W that it gets from its partner. Each part is a corpus. With |K| + |W| = L
segments, a swapped metric's score of a system is

    ( |K| z_A(f_A(K)) + |W| z_B(f_B(W)) ) / L,

where each part is scored again from its sums. If f is a mean, this is the mean of the swapped
z-scores, as in PERM-INPUTS for other metrics (Deutsch, Dror and Roth 2021, TACL 9).

For the scale z, other metrics use the mean and the standard deviation of their segment scores. Here
it comes from jackknife pseudo-values ``L f(T) - (L - 1) f(T - x(l))`` (Tukey 1958; Efron and
Tibshirani 1993, chapter 11), shifted so that their mean is the score itself. To first order, they
are each segment's contribution to the score; if f is a mean, they are the segment scores.

The variance of a score difference under paired permutations comes, to first order, from exchanging
one segment l of a pair of systems while half of the others are exchanged. With M the mean of the
two totals and h half the difference of the segment's statistics, the main effect of one sign is
``f(M + h) - f(M - h)``. It uses no derivatives, because smoothing and the brevity penalty have
kinks.

Paired permutations need no approximation. With mask s (+1 or -1 on each unit), systems i and j
exchange the units that have -1. Let T be the totals of the statistics and S the signed totals,
``sum_l s_l x(l)``. Then the permuted systems have the totals ``(T_i + T_j) / 2 +- (S_i - S_j) /
2``. These are linear in systems, so one signed total per system and statistic serves every pair,
and the score of every permutation is the exact score of its text.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, NamedTuple, get_args

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats, Map
from supersample.engine.additive import Finalizer, sum_over_units
from supersample.engine.buffers import Workspace
from supersample.engine.masked_sums import masked_sums, signed_sums_by_column
from supersample.engine.streams import coin_words, pack_coins, stream_key, take_coins, unpack_coins
from supersample.errors import InputError, check_choice

PERMUTATION = "paired permutation"
MaskSharing = Literal["shared", "independent"]


def permutation_words(
    units: int, *, seed: int, replicates: NDArray[np.uint64], scorer: int | None = None
) -> NDArray[np.uint64]:
    """Coins of the sign masks, packed: bit 1 keeps a unit's sign, bit 0 flips it.

    Shape (replicates, ceil(units / 64)). A mask depends on the seed and its replicate's number, and
    is shared by all scorers unless `scorer` is a number.

    Examples
    --------
    >>> words = permutation_words(100, seed=1, replicates=np.arange(5, dtype=np.uint64))
    >>> words.shape
    (5, 2)
    """
    purpose = PERMUTATION if scorer is None else f"{PERMUTATION} of scorer {scorer}"
    return np.asarray(coin_words(stream_key(seed, purpose), replicates, units))


def signed_totals(words: NDArray[np.uint64], values: Floats) -> Floats:
    """Totals under sign masks: ``sum_l s[r, l] * values[l, c]``, shape (replicates, columns).

    Computed as twice the sum over kept units minus the sum over all, each in the fixed order of
    `supersample.engine.masked_sums`; identical columns give identical totals, bit for bit.
    """
    everything = np.full((1, words.shape[1]), 0xFFFFFFFFFFFFFFFF, np.uint64)
    return np.asarray(2.0 * masked_sums(words, values) - masked_sums(everything, values))


def permuted_totals(
    values: Floats, *, seed: int, replicates: int = 1000, masks: MaskSharing = "shared"
) -> Floats:
    """Signed totals of every system and scorer under paired permutations.

    Finite scores of shape (systems, units, scorers) give (replicates, systems, scorers); the null
    difference of pair (i, j) is ``totals[:, i] - totals[:, j]``. Scorers share their masks, or have
    different ones ("independent"). Every run has the same bits, because there is no matrix product
    that depends on a BLAS or on blocks.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), section 3.3.

    Examples
    --------
    >>> values = np.array([[[1.0], [2.0]], [[0.0], [0.0]]])
    >>> totals = permuted_totals(values, seed=0, replicates=4)
    >>> set(np.abs(totals[:, 0, 0]).tolist()) <= {1.0, 3.0}, totals[:, 1, 0].tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """
    systems, units, scorers = values.shape
    if not np.isfinite(values).all():
        raise InputError("permuted scores must be finite; drop or mask missing ones first")
    numbers = np.arange(replicates, dtype=np.uint64)
    by_unit = np.ascontiguousarray(values.transpose(1, 0, 2))
    if masks == "shared":
        words = permutation_words(units, seed=seed, replicates=numbers)
        totals = signed_totals(words, by_unit.reshape(units, systems * scorers))
        return totals.reshape(replicates, systems, scorers)
    out = np.empty((replicates, systems, scorers))
    for scorer in range(scorers):
        words = permutation_words(units, seed=seed, replicates=numbers, scorer=scorer)
        out[:, :, scorer] = signed_totals(words, np.ascontiguousarray(by_unit[:, :, scorer]))
    return out


def unit_totals(values: Floats, labels: ArrayLike) -> Floats:
    """Sum segments into the units that are permuted together, such as documents.

    Labels name each segment's unit. Values of shape (systems, segments, ...) give sums of shape
    (systems, units, ...). These are not means, so a permuted document has the weight of its
    segments. Units are in the order of their first segment; segments are added in their order.

    Examples
    --------
    >>> unit_totals(np.array([[1.0, 2.0, 4.0]]), ["b", "a", "b"])
    array([[5., 2.]])
    """
    names = np.asarray(labels)
    if names.shape != (values.shape[1],):
        raise InputError(
            f"one unit label per segment is needed: {names.size} labels, {values.shape[1]} segments"
        )
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    position = np.argsort(np.argsort(first))[inverse]
    flat = values.reshape(*values.shape[:2], -1)
    sums = sum_over_units(flat, position, first.size)
    return sums.reshape(values.shape[0], first.size, *values.shape[2:])


def windows(segments: int, size: int) -> NDArray[np.int64]:
    """Window numbers of consecutive segments, `size` per window (the last may be shorter).

    Examples
    --------
    >>> windows(5, 2)
    array([0, 0, 1, 1, 2])
    """
    if size < 1:
        raise InputError(f"a window needs at least one segment, not {size}")
    return np.arange(segments, dtype=np.int64) // size


SWAP = "metric swap"
Scheme = Literal["systems", "inputs", "both"]


def standardise(scores: Floats) -> Floats:
    """Convert metrics to one scale for swapping: z-scores over all systems and segments.

    ``(x - mean) / sd`` with mean and sd (population, ddof 0) over systems and segments of each
    metric, shape (..., systems, segments). A metric whose scores do not vary becomes zeros. Scores
    must be finite: first drop segments that are missing for any scorer, so that swaps compare equal
    sets.

    References
    ----------
    Deutsch, Dror and Roth (2021): scores are standardised before they are permuted.

    Examples
    --------
    >>> standardise(np.array([[1.0, 3.0], [1.0, 3.0]]))
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    if not np.isfinite(scores).all():
        raise InputError(
            "scores to be swapped must be finite: keep the segments that every metric has for "
            "every system"
        )
    centred = scores - scores.mean(axis=(-2, -1), keepdims=True)
    spread = scores.std(axis=(-2, -1), keepdims=True)
    constant = np.ptp(scores, axis=(-2, -1), keepdims=True) == 0
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))


def swap_masks(
    scheme: Scheme,
    *,
    systems: int,
    segments: int,
    seed: int,
    replicates: NDArray[np.uint64],
    teams: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Which (system, segment) entries two metrics exchange, for each resample.

    If systems are exchanged, those of one team are exchanged together; `teams` are the numbers of
    each system's team, by default its own.

    Shape (replicates, systems, 1), (replicates, 1, segments) or (replicates, systems, segments).
    A replicate's mask depends only on its number, the seed and the scheme; all pairs of metrics
    have the same masks.

    Examples
    --------
    >>> numbers = np.arange(3, dtype=np.uint64)
    >>> swap_masks("inputs", systems=2, segments=5, seed=0, replicates=numbers).shape
    (3, 1, 5)
    """
    check_choice("swap scheme", scheme, get_args(Scheme))
    key = stream_key(seed, f"{SWAP} {scheme}")
    if scheme == "systems":
        units = systems if teams is None else int(teams.max()) + 1
        coins = unpack_coins(coin_words(key, replicates, units), units)
        return (coins if teams is None else coins[:, teams])[:, :, None]
    rows = systems if scheme == "both" else 1
    per_row = (segments + 63) // 64
    words = [coin_words(key, replicates, segments, row * per_row) for row in range(rows)]
    return np.stack([unpack_coins(row, segments) for row in words], axis=1)


def input_swapped_sums(values: Floats, *, seed: int, replicates: NDArray[np.uint64]) -> Floats:
    """Sum values (segments, ...) over swapped inputs: what a metric gives to its partner.

    ``sum_l w[r, l] * values[l]``, shape (replicates, ...), under the ``inputs`` masks of
    `swap_masks`; a metric keeps its total minus this, and gets its partner's.
    """
    segments = values.shape[0]
    words = coin_words(stream_key(seed, f"{SWAP} inputs"), replicates, segments)
    sums = masked_sums(words, np.ascontiguousarray(values.reshape(segments, -1)))
    return np.asarray(sums).reshape(replicates.size, *values.shape[1:])


def swapped_totals(scores: Floats, masks: NDArray[np.bool_]) -> Floats:
    """System totals H over the swapped entries of each metric, under any scheme.

    Standardised scores of shape (metrics, systems, segments) and masks of `swap_masks` give
    (metrics, replicates, systems). With totals T, swapping A and B gives A the totals ``T_A - H_A +
    H_B`` and B the totals ``T_B - H_B + H_A``. Divided by the number of segments, these are the
    swapped system-level scores whose correlations with people are compared.
    """
    metrics, systems, segments = scores.shape
    whole = np.broadcast_to(masks, (masks.shape[0], systems, segments))
    out = np.empty((metrics, masks.shape[0], systems))
    for system in range(systems):
        words = pack_coins(whole[:, system])
        out[:, :, system] = masked_sums(words, np.ascontiguousarray(scores[:, system].T)).T
    return out


class EntryMoments(NamedTuple):
    """Unmixed parts of each metric's moments after swaps of single entries, for any partner.

    Pairs of systems i < j are in the order (0, 1), (0, 2), ..., (1, 2), ... If only one of the two
    systems is swapped on a segment, the pair mixes two metrics there and is not included.
    """

    scores: Floats
    """Standardised scores, shape (metrics, systems, segments)."""
    words: NDArray[np.uint64]
    """Masks, packed, shape (systems, replicates, words)."""
    kept: Floats
    """Totals of the systems over kept entries, (metrics, replicates, systems)."""
    brought: Floats
    """The same over swapped entries."""
    kept_squares: Floats
    """Sums of squared differences over segments where neither entry of a pair is swapped."""
    brought_squares: Floats
    """The same where both are swapped; both of shape (metrics, replicates, pairs)."""

    @classmethod
    def of(cls, scores: Floats, masks: NDArray[np.bool_], *, mapped: Map = map) -> "EntryMoments":
        """Compute sums that all pairs of metrics share, for masks of any scheme (`swap_masks`)."""
        metrics, systems, segments = scores.shape
        whole = np.broadcast_to(masks, (len(masks), systems, segments))
        words = np.stack([pack_coins(whole[:, i]) for i in range(systems)])
        first, second = np.triu_indices(systems, 1)
        squares = np.empty((2, first.size, len(masks), metrics))
        found = mapped(partial(_unmixed_squares, scores, words), zip(first, second, strict=True))
        for pair, both in enumerate(found):
            squares[:, pair] = both
        kept, brought = swapped_totals(scores, ~masks), swapped_totals(scores, masks)
        return cls(scores, words, kept, brought, *squares.transpose(0, 3, 2, 1).copy())

    def swapped(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Sum differences and squared differences of systems after swapping metrics a and b.

        ``sum_l d(l)`` and ``sum_l d(l)**2``, shapes (metric pairs, 2, replicates, pairs), with
        ``d = x_i - x_j`` of the swapped first (0) and second (1) metric of each pair. With masks w,
        squares of ``b_i - a_j`` are summed where ``w_i (1 - w_j)`` is 1, those of ``a_i - b_j``
        where ``(1 - w_i) w_j`` is, for all metric pairs at once: they are columns of the kernel.
        """
        first, second = np.triu_indices(len(self.words), 1)
        mixed = np.empty((first.size, 2, a.size, self.words.shape[1]))
        for pair, (i, j) in enumerate(zip(first, second, strict=True)):
            w, x, y = self.words, self.scores[:, i], self.scores[:, j]
            columns = np.square(np.concatenate([x[b] - y[a], x[a] - y[b]])).T
            of_i, of_j = np.split(
                masked_sums(np.concatenate([w[i] & ~w[j], ~w[i] & w[j]]), columns), 2
            )
            mixed[pair, 0] = (of_i[:, : a.size] + of_j[:, a.size :]).T
            mixed[pair, 1] = (of_i[:, a.size :] + of_j[:, : a.size]).T
        squares = mixed.transpose(2, 1, 3, 0).copy()
        totals = np.empty((a.size, 2, *self.kept.shape[1:]))
        for side, (metric, partner) in enumerate(((a, b), (b, a))):
            squares[:, side] += self.kept_squares[metric] + self.brought_squares[partner]
            totals[:, side] = self.kept[metric] + self.brought[partner]
        return totals[..., first] - totals[..., second], squares


def _unmixed_squares(
    scores: Floats, words: NDArray[np.uint64], pair: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Sum the squared differences of two systems where neither entry is swapped, and where both."""
    i, j = pair
    values = np.square(scores[:, i] - scores[:, j]).T
    neither, both = ~(words[i] | words[j]), words[i] & words[j]
    return masked_sums(neither, values), masked_sums(both, values)


@njit(cache=True, nogil=True)
def system_swapped_moments(
    first: Floats, second: Floats, masks: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Sum differences and squared differences of systems under the scheme ``systems``.

    ``sum_l d(l)`` and ``sum_l d(l)**2``, shapes (2, replicates, pairs), with ``d = x_i - x_j`` of
    the swapped first (0) and second (1) metric, and pairs i < j in the order (0, 1), (0, 2), ...,
    (1, 2), ... Scores are standardised, (systems, segments). A swapped system is one of 2 x systems
    whole rows, so the moments of all pairs of rows, summed once, serve every resample.
    """
    systems, segments = first.shape
    rows = np.concatenate((first, second))
    row_sums = np.zeros((2 * systems, 2 * systems))
    row_squares = np.zeros((2 * systems, 2 * systems))
    for i in range(2 * systems):
        for j in range(2 * systems):
            for segment in range(segments):
                difference = rows[i, segment] - rows[j, segment]
                row_sums[i, j] += difference
                row_squares[i, j] += difference * difference
    pairs = systems * (systems - 1) // 2
    sums = np.empty((2, masks.shape[0], pairs))
    squares = np.empty((2, masks.shape[0], pairs))
    for r in range(masks.shape[0]):
        for side in range(2):
            pair = 0
            for i in range(systems):
                row = i + systems * (masks[r, i, 0] ^ (side == 1))
                for j in range(i + 1, systems):
                    other_row = j + systems * (masks[r, j, 0] ^ (side == 1))
                    sums[side, r, pair] = row_sums[row, other_row]
                    squares[side, r, pair] = row_squares[row, other_row]
                    pair += 1
    return sums, squares


def swapped_signed_totals(
    sign_words: NDArray[np.uint64], by_unit: Floats, mask: NDArray[np.bool_], workspace: Workspace
) -> Floats:
    """Signed totals of the swapped entries of one resample, under every sign mask.

    ``sum_l s[b, l] * w[i, l] * x[l, m, i]``, shape (metrics, systems, permutations), with signs s
    from `supersample.engine.swaps.permutation_words`, the resample's mask w from
    `swap_masks` (all true: whole metrics), and standardised scores x, units first. If whole inputs
    are swapped, only those are summed. The totals are memory of the workspace, until it is used
    again.
    """
    segments, metrics, systems = by_unit.shape
    if mask.shape == (1, segments):
        units = np.flatnonzero(mask)
        values, words = by_unit, take_coins(sign_words, units)
    else:
        units = np.arange(segments)
        values, words = np.where(mask.T[:, np.newaxis], by_unit, 0.0), sign_words
    totals = signed_sums_by_column(words, values.reshape(segments, -1), units, workspace)
    return totals.reshape(metrics, systems, len(sign_words))


_TOTALS = 1 << 18  # permuted at once, 2 MiB: with fewer, threads wait for each other in Python


@dataclass(frozen=True)
class ScaledCorpus:
    """A corpus metric on the scale of swapped metrics; larger is better."""

    values: Floats
    """Additive statistics, shape (systems, units, columns)."""
    sizes: Floats
    """Number of segments of each unit."""
    finalizer: Finalizer
    sign: float
    """1 if larger scores are better, else -1."""
    centre: float
    """Mean of the oriented pseudo-values over systems and segments."""
    spread: float
    """Their population standard deviation; if it is 0, all scores are 0."""
    contributions: Floats
    """Standardised pseudo-values, summed over each unit, shape (systems, units)."""

    @cached_property
    def by_unit(self) -> Floats:
        """Values arranged for sums, the same for every resample; (units, columns * systems)."""
        systems, units, columns = self.values.shape
        return self.values.transpose(1, 2, 0).reshape(units, columns * systems)

    @property
    def scores(self) -> Floats:
        """Oriented scores of the whole systems, in the metric's units; shape (systems,)."""
        return np.asarray(self.sign * self.finalizer(self.values.sum(axis=1)))

    def scaled(self, totals: Floats, sizes: Floats | float) -> Floats:
        """Scale scores of parts to sums of z-scores over their segments; 0 for an empty part."""
        if self.spread == 0:
            return np.zeros(totals.shape[:-1])
        z = np.array(self.finalizer(totals), np.float64, order="C")
        sizes = np.full(z.shape, sizes)
        _scale(z.reshape(-1), sizes.reshape(-1), self.sign, self.centre, self.spread)
        return z

    def magnitudes(self) -> Floats:
        """Magnitude of the terms of a pair's difference, for ties; shape (systems,)."""
        if self.spread == 0:
            return np.zeros(self.values.shape[0])
        return np.asarray(self.sizes.sum() * np.abs(self.scores) / self.spread)


@njit(cache=True, nogil=True, error_model="numpy")
def _scale(scores: Floats, sizes: Floats, sign: float, centre: float, spread: float) -> None:
    """Convert flat scores to sums of z-scores over their segments, in place."""
    for r in range(scores.size):
        z = (sign * scores[r] - centre) / spread * sizes[r]
        scores[r] = z if sizes[r] > 0.0 else 0.0


def pseudo_values(values: Floats, finalizer: Finalizer) -> Floats:
    """Estimate the contribution of each segment to its system's corpus score, to first order.

    These are jackknife pseudo-values, shifted so that a system's mean is its score; shape
    (systems, segments), from statistics (systems, segments, columns) of at least two segments.

    References
    ----------
    Tukey (1958), "Bias and confidence in not-quite large samples", Annals of Mathematical
    Statistics 29.

    Examples
    --------
    >>> from supersample.engine.additive import Mean
    >>> pseudo_values(np.array([[[1.0, 1.0], [2.0, 1.0], [6.0, 1.0]]]), Mean())
    array([[1., 2., 6.]])
    """
    count = values.shape[1]
    totals = values.sum(axis=1)
    whole = finalizer(totals)[:, np.newaxis]
    left = finalizer(totals[:, np.newaxis] - values)
    pseudo = count * whole - (count - 1) * left
    return np.asarray(pseudo + (whole - pseudo.mean(axis=1, keepdims=True)))


def scaled_corpus(
    values: Floats,
    finalizer: Finalizer,
    *,
    higher_is_better: bool,
    units: NDArray[np.generic] | None = None,
) -> ScaledCorpus:
    """Convert a corpus metric to the scale on which metrics are swapped.

    The statistics have shape (systems, segments, columns). The scale is that of segments, also if
    `units` has the label of each segment's unit.
    """
    sign = 1.0 if higher_is_better else -1.0
    pseudo = sign * pseudo_values(values, finalizer)
    z = standardise(pseudo)
    sizes = np.ones(values.shape[1])
    spread = float(pseudo.std()) if np.ptp(pseudo) > 0 else 0.0
    centre = float(pseudo.mean())
    if units is not None:
        values, z = unit_totals(values, units), unit_totals(z, units)
        sizes = unit_totals(sizes[np.newaxis], units)[0]
    return ScaledCorpus(values, sizes, finalizer, sign, centre, spread, z)


def exchange_differences(metric: ScaledCorpus) -> Floats:
    """Scaled effect of exchanging each unit of a pair of systems, the others half exchanged.

    ``L (f(M + h) - f(M - h)) / spread``, shape (pairs, units), with pairs i < j in the order (0,
    1), (0, 2), ... If f is a mean, these are paired differences of z-scores. To first order, their
    sum of squares over units is the variance of the permuted difference.

    Examples
    --------
    >>> from supersample.engine.additive import Mean
    >>> values = np.array([[[1.0, 1.0], [2.0, 1.0]], [[0.0, 1.0], [1.0, 1.0]]])
    >>> mean = scaled_corpus(values, Mean(), higher_is_better=True)
    >>> exchange_differences(mean) * mean.spread
    array([[1., 1.]])
    """
    first, second = np.triu_indices(metric.values.shape[0], 1)
    totals = metric.values.sum(axis=1)
    out = np.zeros((first.size, metric.values.shape[1]))
    if metric.spread == 0:
        return out
    scale = metric.sign * metric.sizes.sum() / metric.spread
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        middle = (totals[i] + totals[j]) / 2
        half = (metric.values[i] - metric.values[j]) / 2
        out[pair] = scale * (metric.finalizer(middle + half) - metric.finalizer(middle - half))
    return out


def swapped_parts(metric: ScaledCorpus, masks: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Score the part of each system that a metric keeps, and the part that it gives away.

    Masks come from `supersample.engine.swaps.swap_masks`, for any scheme. Returns ``|K| z(f(K))``
    and ``|W| z(f(W))``, both of shape (replicates, systems): swapping A and B gives A the score
    ``kept_A + brought_B``.
    """
    systems, units, _ = metric.values.shape
    whole = np.broadcast_to(masks, (masks.shape[0], systems, units))
    kept, brought = np.empty((2, masks.shape[0], systems))
    sizes = metric.sizes[:, np.newaxis]
    for i in range(systems):
        columns = np.ascontiguousarray(np.hstack([metric.values[i], sizes]))
        for mask, out in ((~whole[:, i], kept), (whole[:, i], brought)):
            totals = masked_sums(pack_coins(mask), columns)
            out[:, i] = metric.scaled(totals[:, :-1], totals[:, -1])
    return kept, brought


def permuted_part(
    metric: ScaledCorpus,
    sign_words: NDArray[np.uint64],
    units: NDArray[np.intp],
    workspace: Workspace,
    null: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Score differences of every pair on some units, observed and permuted.

    Both are ``|part| / spread`` times the difference, computed from the sums of the systems. The
    observed ones have shape (pairs,), the permuted ones (pairs, permutations), in the memory of
    `null`. Sign masks are those of the chosen units, from `streams.take_coins`.
    """
    systems, _, width = metric.values.shape
    first, second = np.triu_indices(systems, 1)
    size, totals = float(metric.sizes[units].sum()), metric.values[:, units].sum(axis=1)
    permutations = len(sign_words)
    signed = signed_sums_by_column(sign_words, metric.by_unit, units, workspace)
    signed = signed.reshape(width, systems, permutations)
    null = np.empty((first.size, permutations)) if null is None else null
    together = max(1, _TOTALS // (width * 2 * permutations))
    for start in range(0, first.size, together):
        i, j = first[start : start + together], second[start : start + together]
        both = workspace.take("both", width, 2, i.size, permutations)
        _exchange((totals[i] + totals[j]) / 2, signed, i, j, both)
        permuted = metric.scaled(np.moveaxis(both, 0, -1), size)
        np.subtract(permuted[0], permuted[1], out=null[start : start + together])
    scores = metric.scaled(totals, size)
    return scores[first] - scores[second], null


@njit(cache=True, nogil=True)
def _exchange(
    middles: Floats, signed: Floats, first: NDArray[np.intp], second: NDArray[np.intp], out: Floats
) -> None:
    """Totals of the permuted first and second system: ``middle +- (first - second) / 2``.

    Statistics come first, (columns, 2, pairs, permutations), except in the middles.
    """
    for c in range(len(signed)):
        for k in range(first.size):
            middle, one, other = middles[k, c], signed[c, first[k]], signed[c, second[k]]
            up, down = out[c, 0, k], out[c, 1, k]
            for r in range(one.size):
                half = (one[r] - other[r]) / 2
                up[r], down[r] = middle + half, middle - half
