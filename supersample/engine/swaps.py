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

System totals are linear in the mask: a swapped metric's total is the part that A keeps plus B's
part, so one masked sum per *metric* serves every *pair* of metrics. For sums of squared differences
of systems, this holds for ``inputs``.

A corpus metric has no segment scores. Where metrics swap scores, and in paired permutations, its
segment scores are their contributions to the corpus score (`contributions`).
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.engine.additive import Finalizer, sum_over_units
from supersample.engine.kernel import masked_sums, signed_sums_by_column, zeros
from supersample.engine.streams import coin_words, pack_coins, stream_key, take_coins, unpack_coins
from supersample.errors import InputError, check_choice

PERMUTATION = "paired permutation"


def permutation_words(
    units: int, *, seed: int, replicates: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Coins of the sign masks, packed: bit 1 keeps a unit's sign, bit 0 flips it.

    Shape (replicates, ceil(units / 64)). A mask depends on the seed and its replicate's number, and
    is shared by all systems and scorers.

    Examples
    --------
    >>> words = permutation_words(100, seed=1, replicates=np.arange(5, dtype=np.uint64))
    >>> words.shape
    (5, 2)
    """
    return np.asarray(coin_words(stream_key(seed, PERMUTATION), replicates, units))


def signed_totals(
    words: NDArray[np.uint64], by_unit: Floats, units: NDArray[np.intp], out: Floats | None = None
) -> Floats:
    """Totals of some units under sign masks, ``sum_l s[b, l] * x[l, m, i]``.

    Scores, units first, have the shape (units, scorers, systems), and the signs come from
    `permutation_words`; the totals have the shape (scorers, systems, permutations), and overwrite
    `out` if it is given. Computed as twice the sum over kept units minus the sum over all, each in
    the fixed order of `supersample.engine.kernel`; identical columns give identical totals, bit for
    bit.
    """
    _, scorers, systems = by_unit.shape
    values = by_unit.reshape(len(by_unit), -1)
    out = zeros(scorers, systems, len(words)) if out is None else out
    signed_sums_by_column(take_coins(words, units), values, units, out.reshape(-1, len(words)))
    return out


def permuted_totals(values: Floats, *, seed: int, replicates: int = 1000) -> Floats:
    """Signed totals of every system and scorer under paired permutations.

    Finite scores of shape (scorers, systems, units) give (scorers, systems, replicates); the null
    difference of pair (i, j) is ``totals[:, i] - totals[:, j]``. Every run has the same bits,
    because there is no matrix product that depends on a BLAS or on blocks.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), section 3.3.

    Examples
    --------
    >>> values = np.array([[[1.0, 2.0], [0.0, 0.0]]])
    >>> totals = permuted_totals(values, seed=0, replicates=4)
    >>> set(np.abs(totals[0, 0]).tolist()) <= {1.0, 3.0}, totals[0, 1].tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """
    if not np.isfinite(values).all():
        raise InputError("permuted scores must be finite; drop or mask missing ones first")
    numbers = np.arange(replicates, dtype=np.uint64)
    units = values.shape[2]
    words = permutation_words(units, seed=seed, replicates=numbers)
    return signed_totals(words, values.transpose(2, 0, 1).copy(), np.arange(units))


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


SWAP = "metric swap"
Scheme = Literal["inputs", "systems", "both"]


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


def contributions(values: Floats, finalizer: Finalizer) -> Floats:
    """Estimate the contribution of each segment to its system's corpus score, to first order.

    These are jackknife pseudo-values ``L f(T) - (L - 1) f(T - x(l))`` of the score f of totals T,
    shifted so that a system's mean is its score; shape (systems, segments), from statistics
    (systems, segments, columns) of at least two segments. If f is a mean, they are the segment
    scores.

    References
    ----------
    Tukey (1958), "Bias and confidence in not-quite large samples", Annals of Mathematical
    Statistics 29; Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 11.

    Examples
    --------
    >>> from supersample.engine.additive import Mean
    >>> contributions(np.array([[[1.0, 1.0], [2.0, 1.0], [6.0, 1.0]]]), Mean())
    array([[1., 2., 6.]])
    """
    count = values.shape[1]
    totals = values.sum(axis=1)
    whole = finalizer(totals)[:, np.newaxis]
    left = finalizer(totals[:, np.newaxis] - values)
    pseudo = count * whole - (count - 1) * left
    return np.asarray(pseudo + (whole - pseudo.mean(axis=1, keepdims=True)))
