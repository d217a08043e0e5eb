"""What the intervals and tests accept: every argument is checked here and nowhere else."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Alternative = Literal["two-sided", "greater", "less"]

ROUNDING = 1e-10
"""How far below zero a determinant or an eigenvalue may fall by rounding alone."""


def check_alternative(alternative: str) -> None:
    """Refuse an alternative that is none of scipy's three names."""
    if alternative not in get_args(Alternative):
        names = ", ".join(repr(name) for name in get_args(Alternative))
        raise ValueError(f"alternative is one of {names}, not {alternative!r}")


def check_confidence_level(confidence_level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1."""
    if not 0 < confidence_level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {confidence_level}")


def sample_size(n: ArrayLike, *, smallest: int, formula: str) -> NDArray[np.float64]:
    """`n` as floats, refused where below the smallest n of the formula (or not a number)."""
    sizes = np.asarray(n, dtype=np.float64)
    if not np.all(sizes >= smallest):
        raise ValueError(f"{formula} needs n >= {smallest}, got n = {np.min(sizes):g}")
    return sizes


def correlations(**named: ArrayLike) -> list[NDArray[np.float64]]:
    """Correlations as broadcast float arrays, refused where outside [-1, 1]; NaN passes."""
    arrays = {name: np.asarray(r, dtype=np.float64) for name, r in named.items()}
    for name, r in arrays.items():
        outside = np.abs(r) > 1
        if np.any(outside):
            raise ValueError(f"a correlation lies in [-1, 1], but {name} = {r[outside].flat[0]!r}")
    return [np.asarray(r) for r in np.broadcast_arrays(*arrays.values())]


def determinant(
    r12: NDArray[np.float64], r13: NDArray[np.float64], r23: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the determinant of a 3 x 3 correlation matrix, exactly 0 where r23 is 1 or -1.

    ``1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``, with the terms in ``1 - r23`` collected, so that
    identical and opposite metrics leave no rounding behind.
    """
    spread = (1 - r23) * ((1 + r23) - 2 * r12 * r13) - (r12 - r13) ** 2
    return np.asarray(spread)


def overlapping_correlations(
    r12: ArrayLike, r13: ArrayLike, r23: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Three correlations as broadcast arrays, refused where no three variables can have them."""
    a, b, c = correlations(r12=r12, r13=r13, r23=r23)
    impossible = determinant(a, b, c) < -ROUNDING
    if np.any(impossible):
        first = ", ".join(
            f"{name} = {r[impossible].flat[0]:g}"
            for name, r in (("r12", a), ("r13", b), ("r23", c))
        )
        raise ValueError(f"no three variables correlate so: {first} (not positive semidefinite)")
    return a, b, c
