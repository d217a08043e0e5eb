"""Compare two correlations given as numbers, such as those in papers, by every method."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from supersample.errors import InputError, shortened
from supersample.inference.arguments import numbers_of
from supersample.inference.two_correlations.registry import (
    INDEPENDENT,
    NON_OVERLAPPING,
    OVERLAPPING,
    ComparisonMethod,
)
from supersample.results.variables import signature


def compare_overlapping(
    r12: float,
    r13: float,
    r23: float,
    n: int,
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare r12 with r13, two correlations with one variable in common, by every method.

    Parameters
    ----------
    r12, r13 : float
        Pearson correlations of metrics a and b with the shared variable 1, the human scores.
    r23 : float
        Correlation of the two metrics.
    n : int
        Number of systems, at least 4.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" means r12 > r13.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        Dim (test): ``statistic``, ``p_value``, and ``lower`` and ``upper`` if the method has an
        interval; the coordinate ``scale`` names its quantity: "r", r12 - r13 (zou2007), or "z", the
        difference of Fisher's z (meng1992).

    Raises
    ------
    InputError
        If a correlation lies outside [-1, 1], the three are impossible together, n is too small,
        or an option is unknown.

    Examples
    --------
    >>> result = compare_overlapping(0.971, 0.881, 0.9, 12, alternative="greater")
    >>> round(float(result["p_value"].sel(test="williams1959")), 4)
    0.0172
    """
    args = {"r12": r12, "r13": r13, "r23": r23, "n": n}
    return _compare(OVERLAPPING, args, alternative, confidence_level)


def compare_non_overlapping(
    r12: float,
    r34: float,
    r13: float,
    r14: float,
    r23: float,
    r24: float,
    n: int,
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare r12 with r34, two correlations over the same systems without a variable in common.

    For example, two metrics with two different human scores.

    Parameters
    ----------
    r12, r34 : float
        The Pearson correlations to compare.
    r13, r14, r23, r24 : float
        The four cross correlations.
    n : int
        Number of systems, at least 4.
    alternative, confidence_level
        As in `compare_overlapping`; "greater" means r12 > r34.

    Returns
    -------
    xarray.Dataset
        As `compare_overlapping`.

    Raises
    ------
    InputError
        As `compare_overlapping`.

    Examples
    --------
    >>> result = compare_non_overlapping(0.9, 0.7, 0.5, 0.4, 0.4, 0.5, 20)
    >>> round(float(result["p_value"].sel(test="steiger1980")), 3)
    0.042
    """
    args = {"r12": r12, "r34": r34, "r13": r13, "r14": r14, "r23": r23, "r24": r24, "n": n}
    return _compare(NON_OVERLAPPING, args, alternative, confidence_level)


def compare_independent(
    r1: float,
    r2: float,
    n1: int,
    n2: int,
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare r1 with r2, correlations over different systems, such as two language pairs.

    Parameters
    ----------
    r1, r2 : float
        Pearson correlations.
    n1, n2 : int
        Numbers of systems, at least 4.
    alternative, confidence_level
        As in `compare_overlapping`; "greater" means r1 > r2.

    Returns
    -------
    xarray.Dataset
        As `compare_overlapping`.

    Raises
    ------
    InputError
        As `compare_overlapping`.

    Examples
    --------
    >>> result = compare_independent(0.9, 0.7, 12, 15)
    >>> round(float(result["p_value"].sel(test="fisher1925")), 3)
    0.17
    """
    args = {"r1": r1, "r2": r2, "n1": n1, "n2": n2}
    return _compare(INDEPENDENT, args, alternative, confidence_level)


def _check_number(name: str, value: object) -> None:
    number, counts = numbers_of(name, value), name.startswith("n")
    whole = not counts or (number.ndim == 0 and float(number).is_integer())
    if isinstance(value, str) or number.ndim or np.isnan(number) or not whole:
        what = "a whole number, such as 12" if counts else "a number, such as 0.9"
        raise InputError(f"{name} must be {what}, not {shortened(value)}")


def _compare(
    methods: Mapping[str, ComparisonMethod],
    args: dict[str, float],
    alternative: str,
    confidence_level: float,
) -> xr.Dataset:
    for name, value in args.items():
        _check_number(name, value)
    values = np.full((4, len(methods)), np.nan)
    for i, method in enumerate(methods.values()):
        values[:2, i] = method.test(**args, alternative=alternative)
        if method.interval is not None:
            values[2:, i] = method.interval(**args, confidence_level=confidence_level)
    scales = ["" if method.interval is None else method.scale for method in methods.values()]
    numbers = ",".join(f"{name}={value:g}" for name, value in args.items())
    return xr.Dataset(
        {
            name: ("test", of_tests)
            for name, of_tests in zip(
                ("statistic", "p_value", "lower", "upper"), values, strict=True
            )
        },
        coords={"test": list(methods), "scale": ("test", scales)},
        attrs={
            **args,
            "kind": "tests",
            "alternative": alternative,
            "confidence_level": confidence_level,
            "signature": signature(
                statistic=f"difference of pearson({numbers})", alternative=alternative
            ),
        },
    )
