"""Integrals over the exact distribution of r.

The variable of integration is v with ``cosh(d)^-m = exp(-v^2 / 2)``, d and m as in
`distribution_of_r`: on it the density is a standard normal one times a slowly varying factor, at
any rho and n, and Gauss and Legendre's rule on a few panels is exact to rounding.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import hyp2f1, poch

_PANEL, _NODES = 2.0, 20  # the nearest singularity, at n = 4 and rho = 0.999, is 1 off the axis
_TAIL_PANELS, _SIDE_PANELS = 5, 6  # 10 and 12 standard deviations
_AT, _WEIGHTS = np.polynomial.legendre.leggauss(_NODES)

Array = NDArray[np.float64]


def constant(n: Array) -> Array:
    """``(n - 2) Gamma(n - 1) / (sqrt(2 pi) Gamma(n - 1/2))``, by the Pochhammer symbol."""
    return np.asarray((n - 2) / (np.sqrt(2 * np.pi) * poch(n - 1, 0.5)))


def position(r: Array, rho: Array, n: Array) -> Array:
    """Position v of r: ``sign(d) sqrt(2 m log cosh d)``; |r| and |rho| below 1."""
    s = (r - rho) / (1 - rho * r)
    near = np.abs(s) < 0.5  # elsewhere s rounds away how far |r| is from 1
    d = np.where(near, np.arctanh(np.where(near, s, 0)), np.arctanh(r) - np.arctanh(rho))
    return np.asarray(np.sign(d) * np.sqrt(2 * (n - 1.5) * _log_cosh(d)))


def r_at(v: Array, rho: Array, n: Array) -> Array:
    """Invert `position`."""
    return np.asarray(np.tanh(_distance(v, n) + np.arctanh(rho)))


def weight(v: Array, rho: Array, n: Array) -> Array:
    """Density of v."""
    m = n - 1.5
    zeta = np.arctanh(rho)
    z = _distance(v, n) + zeta
    t = np.sqrt(-np.expm1(-(v**2) / m))  # |tanh d|
    # dd / dv = |v| / (m tanh |d|), whose limit at d = 0 is 1 / sqrt(m)
    jacobian = np.where(t > 0, np.abs(v) / (m * np.where(t > 0, t, 1.0)), 1 / np.sqrt(m))
    shape = np.exp(-(v**2) / 2 + (_log_cosh(z) - _log_cosh(zeta)) / 2)
    factor = hyp2f1(0.5, 0.5, n - 0.5, (1 + rho * np.tanh(z)) / 2)
    return np.asarray(constant(n) * jacobian * shape * factor)


def lower_tail(v: Array, rho: Array, n: Array) -> Array:
    """Probability below v, for v <= 0, shape (elements,)."""
    nodes, weights = _rule(-_TAIL_PANELS, 0)
    at = v[:, np.newaxis] + nodes
    return np.asarray(weight(at, rho[:, np.newaxis], n[:, np.newaxis]) @ weights)


def moments_about_rho(rho: Array, n: Array) -> Array:
    """Means of r - rho and its square and cube, shape (3, elements)."""
    v, weights = _rule(-_SIDE_PANELS, _SIDE_PANELS)
    p, size = rho[:, np.newaxis], n[:, np.newaxis]
    mass = weight(v[np.newaxis], p, size) * weights
    s = np.sign(v) * np.sqrt(-np.expm1(-(v**2) / (size - 1.5)))
    off = s * (1 - p**2) / (1 + p * s)  # r - rho, without a difference
    return np.stack([(mass * off**power).sum(axis=1) for power in (1, 2, 3)])


def _rule(first: int, stop: int) -> tuple[Array, Array]:
    """Nodes and weights on panels `first` to `stop` - 1, of which panel 0 starts at 0."""
    nodes = _PANEL * (np.arange(first, stop)[:, np.newaxis] + (_AT + 1) / 2)
    return np.asarray(nodes.ravel()), np.tile(_WEIGHTS * _PANEL / 2, stop - first)


def _distance(v: Array, n: Array) -> Array:
    """Distance d of Fisher's z of r from that of rho."""
    return np.asarray(np.sign(v) * np.arcsinh(np.sqrt(np.expm1(v**2 / (n - 1.5)))))


def _log_cosh(x: Array) -> Array:
    size = np.abs(x)
    small = np.log1p(2 * np.sinh(np.minimum(size, 1) / 2) ** 2)
    return np.asarray(np.where(size < 1, small, size + np.log1p(np.exp(-2 * size)) - np.log(2)))
