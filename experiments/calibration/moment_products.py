"""Covariances of system scores over drawn systems and drawn units: the two exact moments.

Observed system scores, true scores without the noise of segments, and infinitely many hybrids all
have correlations of the form ``a B + b S`` (`supersample.engine.moments.MomentWeights`). B is the
sample covariance over systems of their scores; S is the mean over units of the sample covariance
over systems of a unit's contributions. Resampling systems, units or both gives new B and S, and
needs no hybrids. Scorers are given as pairs (first, second), so that only necessary products are
computed.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats

ROUNDING = 1e-12  # largest excess of a correlation over 1


@njit(cache=True, nogil=True, error_model="numpy")
def score_products(
    scores: Floats, counts: Floats, first: NDArray[np.int64], second: NDArray[np.int64]
) -> Floats:
    """B: sample covariances of scores (systems, scorers) over drawn systems, (replicates, pairs).

    Counts, shape (replicates, systems), are the number of times that each system is drawn; the
    divisor is their sum minus 1.
    """
    systems, scorers = scores.shape
    out = np.zeros((counts.shape[0], first.size))
    centred = np.empty((systems, scorers))
    for r in range(counts.shape[0]):
        drawn = 0.0
        for s in range(systems):
            drawn += counts[r, s]
        for k in range(scorers):
            mean = 0.0
            for s in range(systems):
                mean += counts[r, s] * scores[s, k]
            mean /= drawn
            for s in range(systems):
                centred[s, k] = scores[s, k] - mean
        for s in range(systems):
            count = counts[r, s]
            if count != 0.0:
                for p in range(first.size):
                    out[r, p] += count * (centred[s, first[p]] * centred[s, second[p]])
        for p in range(first.size):
            out[r, p] /= drawn - 1.0
    return out


@njit(cache=True, nogil=True)
def products_of_each(
    scores: Floats, counts: Floats, first: NDArray[np.int64], second: NDArray[np.int64]
) -> Floats:
    """B for scores that differ by replicate, shape (replicates, systems, scorers)."""
    out = np.empty((scores.shape[0], first.size))
    for r in range(scores.shape[0]):
        products = score_products(scores[r], counts[r : r + 1], first, second)
        for p in range(first.size):
            out[r, p] = products[0, p]
    return out


@njit(cache=True, nogil=True)
def unit_grams(
    contributions: Floats, first: NDArray[np.int64], second: NDArray[np.int64]
) -> Floats:
    """Sum over units of products of two systems' contributions, shape (pairs, systems, systems).

    Contributions, shape (systems, units, scorers), are centred by `centre_over_systems`. The first
    scorer of a pair belongs to the row's system, the second to the column's.
    """
    systems, units, _ = contributions.shape
    grams = np.zeros((first.size, systems, systems))
    for s in range(systems):
        for t in range(systems):
            for unit in range(units):
                for p in range(first.size):
                    grams[p, s, t] += (
                        contributions[s, unit, first[p]] * contributions[t, unit, second[p]]
                    )
    return grams


@njit(cache=True, nogil=True, error_model="numpy")
def gram_products(grams: Floats, counts: Floats, units: int) -> Floats:
    """S over drawn systems and all units, from `unit_grams`; shape (replicates, pairs)."""
    pairs, systems, _ = grams.shape
    out = np.zeros((counts.shape[0], pairs))
    for r in range(counts.shape[0]):
        drawn = 0.0
        for s in range(systems):
            drawn += counts[r, s]
        for p in range(pairs):
            squares, cross = 0.0, 0.0
            for s in range(systems):
                count = counts[r, s]
                if count != 0.0:
                    squares += count * grams[p, s, s]
                    row = 0.0
                    for t in range(systems):
                        row += counts[r, t] * grams[p, s, t]
                    cross += count * row
            out[r, p] = (squares - cross / drawn) / ((drawn - 1.0) * units)
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def unit_products(
    contributions: Floats,
    system_counts: Floats,
    unit_counts: Floats,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> Floats:
    """S over drawn systems and drawn units, both counted anew in each replicate.

    Contributions are those of `unit_grams`, counts have the shapes (replicates, systems) and
    (replicates, units), and S (replicates, pairs).
    """
    systems, units, scorers = contributions.shape
    out = np.zeros((system_counts.shape[0], first.size))
    sums = np.empty(scorers)
    for r in range(system_counts.shape[0]):
        drawn_systems, drawn_units = 0.0, 0.0
        for s in range(systems):
            drawn_systems += system_counts[r, s]
        for unit in range(units):
            weight = unit_counts[r, unit]
            if weight == 0.0:
                continue
            drawn_units += weight
            sums[:] = 0.0
            for s in range(systems):
                count = system_counts[r, s]
                if count != 0.0:
                    for k in range(scorers):
                        sums[k] += count * contributions[s, unit, k]
                    scaled = weight * count
                    for p in range(first.size):
                        out[r, p] += scaled * (
                            contributions[s, unit, first[p]] * contributions[s, unit, second[p]]
                        )
            for p in range(first.size):
                out[r, p] -= weight * (sums[first[p]] * sums[second[p]] / drawn_systems)
        for p in range(first.size):
            out[r, p] /= (drawn_systems - 1.0) * drawn_units
    return out


def centre_over_systems(contributions: Floats) -> Floats:
    """Subtract the mean over systems from each unit's contributions, so products lose no digits."""
    return np.ascontiguousarray(contributions - contributions.mean(axis=0))


@njit(cache=True, nogil=True)
def centred_means(contributions: Floats) -> Floats:
    """Mean over units of contributions centred over systems, shape (systems, scorers).

    ``centre_over_systems(contributions).mean(axis=1)`` without an array of that size: the same bits
    for contiguous doubles of two or more scorers, and elsewhere the same up to rounding.
    """
    systems, units, scorers = contributions.shape
    means = np.zeros((units, scorers))
    for system in range(systems):
        for unit in range(units):
            for scorer in range(scorers):
                means[unit, scorer] += contributions[system, unit, scorer]
    means /= systems
    out = np.zeros((systems, scorers))
    for system in range(systems):
        for unit in range(units):
            for scorer in range(scorers):
                centred = contributions[system, unit, scorer] - means[unit, scorer]
                out[system, scorer] += centred
        for scorer in range(scorers):
            out[system, scorer] /= units
    return out


def product_pairs(scorers: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs for correlations with scorer 0: each with itself, then 0 with each other scorer."""
    every = np.arange(scorers)
    others = every[1:]
    return np.concatenate([every, np.zeros_like(others)]), np.concatenate([every, others])


def correlations_of_products(products: Floats) -> Floats:
    """R of scorer 0 with each other scorer, from products of `product_pairs` on the last axis.

    NaN if a variance is not positive, or the covariance is too large for the variances (a
    difference of covariances need not be a covariance): such a replicate has no correlation.
    """
    scorers = (products.shape[-1] + 1) // 2
    variances, covariances = products[..., :scorers], products[..., scorers:]
    return correlations_of_pairs(covariances, variances[..., :1], variances[..., 1:])


def correlations_of_pairs(covariances: Floats, first: Floats, second: Floats) -> Floats:
    """R of pairs from their covariances and both variances; NaN as `correlations_of_products`."""
    first, second = (np.where(v > 0, v, np.nan) for v in (first, second))
    r = covariances / np.sqrt(first * second)
    r = np.where(np.abs(r) > 1 + ROUNDING, np.nan, r)
    return np.asarray(np.clip(r, -1.0, 1.0))
