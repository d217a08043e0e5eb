"""Shapes of systems' quality and of metrics' errors, mean 0 and variance 1 in the population.

Every shape takes a parameter in [0, 1], which each turns into its own.
"""

from functools import cache
from math import erf, exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

QUALITIES = ("normal", "skewed", "ceiling", "clusters", "outliers", "t4", "t6", "levels")
ERRORS = ("normal", "t4", "t6", "laplace", "skewed", "growing", "biased")


def quality(name: str, shape: float, rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Quality of systems.

    normal; skewed (minus a gamma, skewness -0.7 to -2); ceiling (nothing above 0 to 1.2 standard
    deviations); clusters (two, 2 to 5 standard deviations apart); outliers (4 to 12 % of systems, 3
    to 6 below the others); t4 and t6; levels (4 to 7 groups of equally good systems).
    """
    z = rng.standard_normal(size)
    if name == "normal":
        return z
    if name == "skewed":
        k = 8.0 - 7.0 * shape
        return np.asarray((k - rng.standard_gamma(k, size)) / sqrt(k))
    if name == "ceiling":
        return _ceiling(z, 1.2 * shape)
    if name == "clusters":
        return _two_groups(z, rng, 2.0 + 3.0 * shape, 0.25 + 0.25 * (10 * shape % 1))
    if name == "outliers":
        return _two_groups(z, rng, 3.0 + 3.0 * shape, 0.04 + 0.08 * (10 * shape % 1))
    if name in ("t4", "t6"):
        return student(int(name[1]), rng, z)
    if name == "levels":
        return _levels(z, 4 + int(3.999 * shape))
    raise ValueError(f"no shape of quality '{name}'")


def error(
    name: str, shape: float, rng: np.random.Generator, q: Floats, scale: float = 1.0
) -> Floats:
    """Errors of a metric, uncorrelated with the quality q.

    normal; t4 and t6; laplace; skewed (a gamma, skewness 1 to 2, to either side); growing (3 to 6
    times as large for the worst systems as for the best); biased (15 to 50 % of systems are of a
    kind that the metric scores 1 to 3 standard deviations lower).
    """
    z = rng.standard_normal(q.shape)
    if name in ("t4", "t6"):
        return student(int(name[1]), rng, z)
    if name == "laplace":
        return np.asarray(z * np.sqrt(rng.standard_exponential(q.shape)))
    if name == "skewed":
        k = 1.0 + 3.0 * abs(2 * shape - 1)
        side = 1.0 if shape < 0.5 else -1.0
        return np.asarray(side * (rng.standard_gamma(k, q.shape) - k) / sqrt(k))
    if name == "growing":
        return np.asarray(z * growth(q, shape) / scale)
    if name == "biased":
        return _two_groups(z, rng, 1.0 + 2.0 * shape, 0.15 + 0.35 * (10 * shape % 1))
    if name == "normal":
        return z
    raise ValueError(f"no shape of errors '{name}'")


def joint_errors(
    name: str, shape: float, rho: float, rng: np.random.Generator, q: Floats, scale: float = 1.0
) -> Floats:
    """Errors of two metrics that fail on the same systems, correlation rho, shape (2, ...).

    Elliptical t and Laplace, correlated chi squares, one kind of system that both score lower.
    """
    z = rng.standard_normal((2, *q.shape))
    z[1] = rho * z[0] + sqrt(1 - rho**2) * z[1]
    if name in ("t4", "t6"):
        return student(int(name[1]), rng, z)
    if name == "laplace":
        return np.asarray(z * np.sqrt(rng.standard_exponential(q.shape)))
    if name == "growing":
        return np.asarray(z * growth(q, shape) / scale)
    if name == "skewed":
        degrees = 2 + 2 * int(3.999 * abs(2 * shape - 1))
        total = np.zeros((2, *q.shape))
        for _ in range(degrees):
            w = rng.standard_normal((2, *q.shape))
            w[1] = sqrt(rho) * w[0] + sqrt(1 - rho) * w[1]
            total += w**2 - 1
        return np.asarray((1.0 if shape < 0.5 else -1.0) * total / sqrt(2 * degrees))
    if name == "biased":
        return _two_groups(z, rng, 1.0 + 2.0 * shape, 0.15 + 0.35 * (10 * shape % 1))
    return z


def student(freedom: int, rng: np.random.Generator, z: Floats) -> Floats:
    """Student's t of variance 1 from normal z, one scale for all z of a system."""
    return np.asarray(z * np.sqrt((freedom - 2) / rng.chisquare(freedom, z.shape[-2:])))


def growth(q: Floats, shape: float) -> Floats:
    """Spread of errors where quality is q: logistic, 3 to 6 times as large at the bottom."""
    return np.asarray(1.0 + (2.0 + 3.0 * shape) / (1.0 + np.exp(2.0 * q + 1.0)))


@cache
def growth_scale(name: str, quality_shape: float, shape: float) -> float:
    """Root mean square of `growth` in a population, of 2^18 systems drawn for this alone."""
    q = quality(name, quality_shape, np.random.default_rng(7), (512, 512))
    return float(np.sqrt((growth(q, shape) ** 2).mean()))


def _two_groups(z: Floats, rng: np.random.Generator, gap: float, share: float) -> Floats:
    """Lower a share of normal scores by a gap, and standardise."""
    low = rng.random(z.shape[-2:]) < share
    return np.asarray((z - gap * (low - share)) / sqrt(1 + gap**2 * share * (1 - share)))


def _ceiling(z: Floats, top: float) -> Floats:
    below, density = 0.5 * (1 + erf(top / sqrt(2))), exp(-top * top / 2) / sqrt(2 * pi)
    mean = -density + top * (1 - below)
    square = below - top * density + top * top * (1 - below)
    return np.asarray((np.minimum(z, top) - mean) / sqrt(square - mean**2))


def _levels(z: Floats, count: int) -> Floats:
    step = 5.0 / count
    lowest, highest = -((count - 1) // 2), count // 2
    values = step * np.arange(lowest, highest + 1)
    shares = np.diff(ndtr(np.concatenate([[-np.inf], values[:-1] + step / 2, [np.inf]])))
    mean = (shares * values).sum()
    deviation = np.sqrt((shares * (values - mean) ** 2).sum())
    return np.asarray((step * np.clip(np.round(z / step), lowest, highest) - mean) / deviation)
