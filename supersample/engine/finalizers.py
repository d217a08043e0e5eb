"""Finalizers: pure functions from summed statistics to system-level scores.

The finalizers of corpus-level BLEU, chrF and TER give sacrebleu's score of the whole corpus, also
in corner cases (no matches, an empty side). All options that act on sums are here. Options that act
on texts (tokenizer, case) are applied when the statistics are counted.
"""

import math
from dataclasses import dataclass
from operator import index
from typing import ClassVar, Literal, Protocol, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError, check_choice, shortened

Smoothing = Literal["exp", "floor", "add-k", "none"]
_EXP, _FLOOR, _ADD_K = 1, 2, 3  # for the compiled loop; 0 is no smoothing
_SMOOTHINGS = {"exp": _EXP, "floor": _FLOOR, "add-k": _ADD_K}
SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}  # as in Chen and Cherry (2014)
MOST_ORDER = 100  # largest order of n-grams
EPSILON = 1e-16  # for chrF's epsilon smoothing
LOG_OF_ZERO = -9999999999.0  # a precision of 0 makes BLEU 0
_BLOCK = 512  # scores whose columns stay in the first-level cache


class Finalizer(Protocol):
    """Turns totals of `width` statistics, on the last axis, into a score."""

    @property
    def width(self) -> int:
        """Number of statistics on the last axis of the totals."""
        ...

    def __call__(self, totals: Floats) -> Floats:
        """Scores of the shape of `totals` without its last axis; `totals` is not changed."""
        ...


@dataclass(frozen=True)
class Mean:
    """Mean of (sum, count); NaN if the count is 0.

    Parameters
    ----------
    centre : float, default 0.0
        Number that was subtracted from each number before summing; it is added to the mean.

    Examples
    --------
    >>> Mean()(np.array([[6.0, 3.0], [0.0, 0.0]]))
    array([ 2., nan])
    """

    centre: float = 0.0
    width: ClassVar[int] = 2
    """Sum and count."""

    def __call__(self, totals: Floats) -> Floats:
        """Divide the sums by the counts."""
        sums, counts = totals[..., 0], totals[..., 1]
        means = np.full(counts.shape, np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return means + self.centre


@njit(cache=True, nogil=True)
def fill_means(
    totals: Floats, columns: NDArray[np.int64], scorers: NDArray[np.int64], out: Floats
) -> None:
    """Compute `Mean` for many scorers in one pass, from any columns of sums and counts.

    `columns`, shape (scorers, 2), are the columns of each scorer's sum and count in the totals,
    shape (replicates, columns); `scorers` are the positions of the means on the last axis of `out`.
    """
    for r in range(totals.shape[0]):
        for k in range(scorers.size):
            count = totals[r, columns[k, 1]]
            total = totals[r, columns[k, 0]]
            out[r, scorers[k]] = total / count if count > 0.0 else np.nan


@dataclass(frozen=True)
class CorpusBLEU:
    """BLEU of (hypothesis length, reference length, matches of each order, n-grams of each order).

    ``BP * exp(sum_n log p_n / N)`` with ``p_n = matches_n / ngrams_n`` and the brevity penalty
    ``BP = min(1, exp(1 - reference / hypothesis))``, from 0 to 100 (Papineni et al. 2002). Without
    any match it is 0, for any smoothing.

    Parameters
    ----------
    max_order : int, default 4
        N, the length of the longest n-grams.
    smoothing : {"exp", "floor", "add-k", "none"}, default "exp"
        Treatment of orders without matches (Chen and Cherry 2014). "exp": the k-th such order
        counts 2**-k matches. "floor": `smoothing_value` matches. "add-k": `smoothing_value` is
        added to matches and n-grams of all orders above 1.
    smoothing_value : float, optional
        By default 0.1 for "floor" and 1 for "add-k".
    effective_order : bool, default False
        Whether to use only orders for which the hypothesis has n-grams.

    Raises
    ------
    InputError
        If an option is out of range, or the smoothing has no smoothing value.

    Examples
    --------
    >>> totals = np.array([[10.0, 10.0, 8.0, 6.0, 4.0, 3.0, 10.0, 9.0, 8.0, 7.0]])
    >>> CorpusBLEU()(totals).round(2)
    array([58.14])
    """

    max_order: int = 4
    smoothing: Smoothing = "exp"
    smoothing_value: float | None = None
    effective_order: bool = False

    def __post_init__(self) -> None:
        check_order("max_order", self.max_order, 1)
        check_choice("smoothing", self.smoothing, get_args(Smoothing))
        if self.smoothing_value is not None:
            if self.smoothing not in SMOOTHING_VALUES:
                raise InputError(f"smoothing '{self.smoothing}' has no smoothing value")
            if not 0 <= self.smoothing_value < math.inf:
                raise InputError(f"the smoothing value is not negative: {self.smoothing_value}")

    @property
    def width(self) -> int:
        """Two lengths, and matches and n-grams of each order."""
        return 2 + 2 * self.max_order

    def __call__(self, totals: Floats) -> Floats:
        """Scores from 0 to 100."""
        columns = _columns(totals, self.width)
        logs, exponents = (np.empty((n, columns.shape[1])) for n in (self.max_order, 2))
        orders = np.full(columns.shape[1], float(self.max_order))
        value = self.smoothing_value
        if value is None:
            value = SMOOTHING_VALUES.get(self.smoothing, 0.0)
        code = _SMOOTHINGS.get(self.smoothing, 0)
        # NumPy computes many logarithms at a time; the rest is division and counting
        _bleu_percents(columns, code, value, self.effective_order, logs, exponents[1], orders)
        np.log(logs, out=logs)
        _average_logs(logs, orders, exponents[0])
        precision, penalty = np.exp(exponents, out=exponents)
        return np.asarray((precision * penalty).reshape(totals.shape[:-1]))


def _columns(totals: Floats, width: int) -> Floats:
    """Totals with the statistics on the first axis; copied only if necessary."""
    first = np.moveaxis(np.asarray(totals, np.float64), -1, 0)
    return np.ascontiguousarray(first).reshape(width, -1)


@njit(cache=True, nogil=True, error_model="numpy")
def _bleu_percents(
    columns: Floats,
    smoothing: int,
    value: float,
    effective: bool,
    percents: Floats,
    penalties: Floats,
    orders: Floats,
) -> None:
    """Precisions in percent, (orders, scores), logarithms of brevity penalties, numbers of orders.

    A precision is infinite if an order counts as 0, and 1 if it does not count. Without any match,
    and for an empty hypothesis, the penalty is 0. Loops select and never branch, so that they can
    be vectorised.
    """
    longest = percents.shape[0]
    present, matches, unmatched = np.empty((3, _BLOCK))
    for start in range(0, columns.shape[1], _BLOCK):
        block = slice(start, min(start + _BLOCK, columns.shape[1]))
        count = block.stop - block.start
        present[:], matches[:], unmatched[:] = 1.0, 0.0, 1.0
        for n in range(longest):
            added = value if smoothing == _ADD_K and n > 0 else 0.0
            matching, counting = columns[2 + n, block], columns[2 + longest + n, block]
            out, last = percents[n, block], orders[block]
            for r in range(count):
                matched, counted = matching[r] + added, counting[r] + added
                matches[r] = 1.0 if matching[r] != 0.0 else matches[r]
                present[r] = present[r] if counted != 0.0 else 0.0
                there = present[r] != 0.0
                last[r] = n + 1.0 if effective & there else last[r]
                missed = there & (matched == 0.0)
                unmatched[r] = unmatched[r] / 2.0 if missed else unmatched[r]
                if smoothing == _EXP:
                    matched = unmatched[r] if missed else matched
                elif smoothing == _FLOOR:
                    matched = value if missed else matched
                counts = there & (matched != 0.0)
                percent = 100.0 * (matched / (counted if counts else 1.0))
                out[r] = percent if counts else np.inf if n < last[r] else 1.0
        for n in range(longest):
            out = percents[n, block]
            for r in range(count):
                out[r] = out[r] if matches[r] != 0.0 else 1.0
        hypotheses, references, out = columns[0, block], columns[1, block], penalties[block]
        for r in range(count):
            short = hypotheses[r] < references[r]
            nothing = (matches[r] == 0.0) | (short & (hypotheses[r] <= 0.0))
            logarithm = 1.0 - references[r] / (hypotheses[r] if short & ~nothing else 1.0)
            out[r] = -np.inf if nothing else logarithm if short else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _average_logs(logs: Floats, orders: Floats, out: Floats) -> None:
    """Average logarithms of precisions over orders."""
    out[:] = 0.0
    for n in range(logs.shape[0]):
        for r in range(out.size):
            out[r] += LOG_OF_ZERO if logs[n, r] == np.inf else logs[n, r]
    for r in range(out.size):
        out[r] /= orders[r]


@dataclass(frozen=True)
class CorpusChrF:
    """Compute chrF of (hypothesis, reference, matching n-grams) of each order, characters first.

    With P and R the precisions and recalls averaged over orders,
    ``100 (1 + beta^2) P R / (beta^2 P + R)`` (Popović 2015, 2017).

    Parameters
    ----------
    char_order : int, default 6
        Length of the longest character n-grams.
    word_order : int, default 0
        Length of the longest word n-grams; 2 gives chrF++.
    beta : int, default 2
        Weight of recall relative to precision.
    smoothing : {"effective-order", "epsilon"}, default "effective-order"
        "effective-order": average precision and recall over the orders that both sides have.
        "epsilon": average the F-scores of all orders, with 1e-16 as precision and recall of an
        absent order.

    Raises
    ------
    InputError
        If an option is out of range.

    Examples
    --------
    >>> CorpusChrF(char_order=2)(np.array([[10.0, 12.0, 8.0, 9.0, 11.0, 5.0]])).round(2)
    array([58.07])
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    smoothing: Literal["effective-order", "epsilon"] = "effective-order"

    def __post_init__(self) -> None:
        check_order("char_order", self.char_order, 1)
        check_order("word_order", self.word_order, 0)
        check_order("beta", self.beta, 1)
        check_choice("smoothing", self.smoothing, ("effective-order", "epsilon"))

    @property
    def width(self) -> int:
        """Three counts of each order."""
        return 3 * (self.char_order + self.word_order)

    def __call__(self, totals: Floats) -> Floats:
        """Scores from 0 to 100."""
        columns = _columns(totals, self.width)
        scores = np.empty(columns.shape[1])
        fill = _fill_average_f if self.smoothing == "epsilon" else _fill_f_of_averages
        fill(columns, float(self.beta**2), scores)
        return scores.reshape(totals.shape[:-1])


@njit(cache=True, nogil=True, error_model="numpy")
def _f_score(precision: float, recall: float, weight: float, undefined: float) -> float:
    """F-score with the square of beta; `undefined` if precision and recall are both 0."""
    weighted = weight * precision + recall
    defined = weighted > 0.0
    f_score = (1.0 + weight) * precision * recall / (weighted if defined else 1.0)
    return f_score if defined else undefined


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_f_of_averages(columns: Floats, weight: float, scores: Floats) -> None:
    """F-scores of precisions and recalls averaged over the orders that both sides have.

    Loops select and never branch, so that they can be vectorised.
    """
    precisions, recalls, orders = np.empty((3, _BLOCK))
    for start in range(0, scores.size, _BLOCK):
        block = slice(start, min(start + _BLOCK, scores.size))
        count = block.stop - block.start
        precisions[:], recalls[:], orders[:] = 0.0, 0.0, 0.0
        for n in range(0, len(columns), 3):
            hypotheses, references = columns[n, block], columns[n + 1, block]
            matches = columns[n + 2, block]
            for r in range(count):
                counts = (hypotheses[r] > 0.0) & (references[r] > 0.0)
                matched = matches[r] if counts else 0.0
                precisions[r] += matched / (hypotheses[r] if counts else 1.0)
                recalls[r] += matched / (references[r] if counts else 1.0)
                orders[r] += 1.0 if counts else 0.0
        out = scores[block]
        for r in range(count):
            among = max(orders[r], 1.0)
            out[r] = 100.0 * _f_score(precisions[r] / among, recalls[r] / among, weight, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_average_f(columns: Floats, weight: float, scores: Floats) -> None:
    """Average the F-scores of all orders, with EPSILON as precision and recall of absent orders."""
    scores[:] = 0.0
    for n in range(0, len(columns), 3):
        for r in range(scores.size):
            hypothesis, reference, matches = columns[n, r], columns[n + 1, r], columns[n + 2, r]
            precision = matches / hypothesis if hypothesis > 0.0 else EPSILON
            recall = matches / reference if reference > 0.0 else EPSILON
            scores[r] += _f_score(precision, recall, weight, EPSILON)
    for r in range(scores.size):
        scores[r] = 100.0 * scores[r] / (len(columns) // 3)


@dataclass(frozen=True)
class CorpusTER:
    """Translation edit rate of (edits, mean reference length): 100 * edits / length.

    Empty references give 100 if there are edits and 0 otherwise (Snover et al. 2006; corner cases
    as in sacrebleu).

    Examples
    --------
    >>> CorpusTER()(np.array([[3.0, 12.0], [3.0, 0.0], [0.0, 0.0]]))
    array([ 25., 100.,   0.])
    """

    @property
    def width(self) -> int:
        """Two: the edits and the reference length."""
        return 2

    def __call__(self, totals: Floats) -> Floats:
        """Scores from 0; lower is better."""
        edits, length = totals[..., 0], totals[..., 1]
        rate = np.where(edits > 0, 1.0, 0.0)
        np.divide(edits, length, out=rate, where=length > 0)
        return 100.0 * rate


def check_order(what: str, value: int, least: int) -> None:
    """Refuse values that are not whole numbers, too small, or too large to count."""
    try:
        fits = least <= index(value) <= MOST_ORDER
    except TypeError as error:
        raise InputError(f"{what} is a whole number, not {value!r}") from error
    if not fits:
        raise InputError(f"{what} is {least} to {MOST_ORDER}, not {shortened(value)}")
