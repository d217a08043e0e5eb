"""Estimands as sums of the two exact moments: which ``a B + b S`` a correlation is of."""

from typing import NamedTuple

from supersample.engine.designs import Design, PairHybrids


class MomentWeights(NamedTuple):
    """Weights of the covariance of scores (B) and of the mean covariance of units (S)."""

    scores: float
    units: float


def observed_weights() -> MomentWeights:
    """System scores on the segments that there are: B itself."""
    return MomentWeights(1.0, 0.0)


def true_weights(units: int) -> MomentWeights:
    """Weights of true scores, on infinitely many units: B less what the units' noise adds to it.

    A unit's contributions are true scores plus noise, independent between units, so that with U
    units ``E B = T + N / U`` and ``E S = T + N``; hence ``T = B - (S - B) / (U - 1)``. Spearman's
    (1904) correction for attenuation, of covariances and so also for noise that scorers share.
    """
    return MomentWeights(1.0 + 1.0 / (units - 1), -1.0 / (units - 1))


def hybrid_weights(design: Design, systems: int, units: int) -> MomentWeights:
    """Infinitely many hybrids of these systems; see `supersample.engine.moments`.

    For pairs of k systems, with v the variance of the share, ``((k - 2) / (2 k) + 2 v) B + 2 (1/4 -
    v) / U S``; for mixes of all, ``(k - 1) / (k U) S``.
    """
    if not isinstance(design, PairHybrids):
        return MomentWeights(0.0, (systems - 1) / (systems * units))
    variance = 1.0 / 12.0 if isinstance(design.share, str) else (design.share - 0.5) ** 2
    between = (systems - 2) / (2.0 * systems)
    return MomentWeights(between + 2.0 * variance, 2.0 * (0.25 - variance) / units)
