"""Means and centred products of scores, by blocks that are merged in a fixed order.

One pass over hybrids, without storing them, is enough for all correlations: the centred products of
a block lose no digits, and two blocks merge exactly except for rounding (Chan, Golub and LeVeque
1979, "Updating formulae and a pairwise algorithm for computing sample variances", equation 2.1b).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.moments import correlation_of


class CoMoments(NamedTuple):
    """Means and centred products of some rows of scores, (rows, scorers)."""

    rows: int
    means: Floats
    products: Floats
    """Sums of products of deviations from the means, shape (scorers, scorers)."""
    lowest: Floats
    highest: Floats
    same: NDArray[np.bool_]
    """Whether two scorers have the same score in every row, shape (scorers, scorers)."""


def co_moments(scores: Floats) -> CoMoments:
    """Co-moments of scores, shape (rows, scorers), at least one row; NaN if a score is NaN."""
    rows = np.ascontiguousarray(scores, dtype=np.float64)
    if not len(rows):
        raise ValueError("co-moments need at least one row")
    return CoMoments(rows.shape[0], *_centred_products(rows), _same(rows))


@njit(cache=True, nogil=True)
def _centred_products(scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Means, centred products, lowest and highest scores.

    Sums are in the order of the rows, so that the bits do not depend on a BLAS. They use
    differences from the first row, because sums of scores far from zero would lose the digits in
    which scores differ.
    """
    count, scorers = scores.shape
    means = np.zeros(scorers)
    lowest, highest = scores[0].copy(), scores[0].copy()
    for row in range(count):
        for k in range(scorers):
            score = scores[row, k]
            means[k] += score - scores[0, k]
            if score < lowest[k] or np.isnan(score):
                lowest[k] = score
            if score > highest[k] or np.isnan(score):
                highest[k] = score
    means /= count
    products = np.zeros((scorers, scorers))
    deviations = np.empty(scorers)
    for row in range(count):
        for k in range(scorers):
            deviations[k] = scores[row, k] - scores[0, k] - means[k]
        for i in range(scorers):
            for j in range(scorers):
                products[i, j] += deviations[i] * deviations[j]
    return scores[0] + means, products, lowest, highest


@njit(cache=True, nogil=True)
def _same(scores: Floats) -> NDArray[np.bool_]:
    count, scorers = scores.shape
    same = np.ones((scorers, scorers), np.bool_)
    for i in range(scorers):
        for j in range(i + 1, scorers):
            row = 0
            while row < count and scores[row, i] == scores[row, j]:
                row += 1
            same[i, j] = same[j, i] = row == count
    return same


def merged(first: CoMoments, second: CoMoments) -> CoMoments:
    """Co-moments of the rows of `first` followed by those of `second`."""
    count = first.rows + second.rows
    apart = second.means - first.means
    share = second.rows / count
    return CoMoments(
        count,
        first.means + apart * share,
        first.products + second.products + np.outer(apart, apart) * (first.rows * share),
        np.minimum(first.lowest, second.lowest),
        np.maximum(first.highest, second.highest),
        first.same & second.same,
    )


def correlations(moments: CoMoments) -> Floats:
    """Pearson correlations of all scorers, shape (scorers, scorers); NaN where scores are equal."""
    varies = moments.highest > moments.lowest
    products = moments.products.copy()
    np.fill_diagonal(products, np.where(varies, np.diag(products), 0.0))
    r = correlation_of(products)
    np.fill_diagonal(r, np.where(varies, 1.0, np.nan))
    return np.asarray(np.clip(r, -1.0, 1.0))
