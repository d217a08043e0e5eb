"""Differences of two metrics' correlations with human scores: tests and intervals by formula."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.correlations.correlate import BASIS, correlate, with_limits
from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.inference.two_correlations.registry import OVERLAPPING
from supersample.results.comparisons import (
    ALTERNATIVES,
    adjusted_p_values,
    excludes_zero,
    is_significant,
)
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables

SMALLEST_N = 4
_OF_COPIES = {"difference": 0.0, "difference_lower": 0.0, "difference_upper": 0.0, "p_value": 1.0}
"""What holds of metrics with identical scores, whatever rounding made of it."""


def compare_correlations(
    data: xr.Dataset,
    *,
    method: str = "zou2007",
    alternative: str = "two-sided",
    bases: Sequence[str] | None = None,
    orientation: str = "declared",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare every two metrics' Pearson correlations with the human scores.

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, Scores, system-level scores, or what `correlate` gave.
    method : str, default "zou2007"
        A test of two overlapping dependent correlations: pearson1898, hotelling1940, williams1959,
        olkin1967, dunn1969, hendrickson1970, steiger1980, meng1992, hittner2003, or zou2007, the
        interval, whose p-value inverts it.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" is that `metric` agrees better with people than `other_metric`.
    bases, orientation, confidence_level
        As for `correlate`; bases and orientation are settled where `data` is its result.

    Returns
    -------
    xarray.Dataset
        Everything that `correlate` gives and, along (basis, metric, other_metric):

        ``difference``
            r of `metric` less r of `other_metric`.
        ``statistic``, ``p_value``
            Of the test.
        ``p_holm``, ``p_bh``
            Adjusted for all pairs of metrics of the basis, by Holm, and by Benjamini and Hochberg;
            for a one-sided alternative, for all ordered pairs.
        ``difference_lower``, ``difference_upper``
            Limits where the method has an interval: zou2007 of the difference, meng1992 of the
            difference of Fisher's z.
        ``significant``
            Whether p <= 1 - confidence_level, unadjusted.

        NaN, and not significant, where n < 4 or an r is NaN. Metrics with identical scores, but
        for an offset and a scale, have difference 0, interval [0, 0] and p 1.

    Raises
    ------
    InputError
        As `correlate`, or if the method or alternative is unknown, or the coefficients are not
        Pearson's.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. Williams (1959), "The comparison of regression variables", JRSS B 21. The others are named
    in `supersample.inference.two_correlations.overlapping`.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> d = compare_correlations(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> bool(d["significant"].sel(basis="hybrids", metric="good-90", other_metric="weak-40"))
    True
    """
    check_choice("method", method, OVERLAPPING)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_confidence_level(confidence_level)
    if "metric_r" in data:
        correlations = with_limits(data, confidence_level)
    else:
        correlations = correlate(
            data, bases=bases, orientation=orientation, confidence_level=confidence_level
        )
    if correlations.attrs["coefficient"] != "pearson":
        raise InputError(
            f"{method} compares Pearson correlations; compare others by resampling (compare)"
        )
    return with_differences(
        correlations,
        _tested(correlations, method, alternative, confidence_level),
        method=method,
        alternative=alternative,
        confidence_level=confidence_level,
    )


def _tested(
    correlations: xr.Dataset, method: str, alternative: str, confidence_level: float
) -> dict[str, NDArray[np.float64]]:
    """Test, and interval where the method has one, of every ordered pair of metrics."""
    r = correlations["value"].to_numpy()
    r12, r13, r23, n = np.broadcast_arrays(
        r[:, :, np.newaxis],
        r[:, np.newaxis, :],
        correlations["metric_r"].to_numpy(),
        correlations["n"].to_numpy()[:, np.newaxis, np.newaxis],
    )
    use = n >= SMALLEST_N
    arguments = (r12[use], r13[use], r23[use], n[use])
    chosen = OVERLAPPING[method]
    test = chosen.test(*arguments, alternative=alternative)
    computed = {"statistic": test.statistic, "p_value": test.p_value}
    if chosen.interval is not None:
        limits = chosen.interval(*arguments, confidence_level=confidence_level)
        computed |= {"difference_lower": limits.lower, "difference_upper": limits.upper}
    same = correlations["identical"].to_numpy() & ~np.isnan(r12) & use
    values = {"difference": r12 - r13}
    for name, of_pairs in computed.items():
        values[name] = np.full(r12.shape, np.nan)
        values[name][use] = of_pairs
        values[name][same] = 1.0 if name == "p_value" else 0.0
    return values


def with_differences(
    correlations: xr.Dataset,
    values: Mapping[str, NDArray[np.float64]],
    *,
    method: str,
    alternative: str,
    confidence_level: float,
    **facts: Any,
) -> xr.Dataset:
    """Correlations with their differences, adjusted p-values, and what is significant.

    Parameters
    ----------
    correlations : xarray.Dataset
        What `correlate` gives.
    values : mapping of str to ndarray, shape (basis, metric, other_metric)
        Result variables. A difference is significant by its p-value; without p-values, where its
        interval excludes zero.
    method, alternative, confidence_level, **facts
        Attributes of the result.
    """
    found = dict(values)
    for name in found.keys() & _OF_COPIES.keys():
        same = correlations["identical"].to_numpy() & ~np.isnan(found[name])
        found[name] = np.where(same, _OF_COPIES[name], found[name])
    if "p_value" in values:
        significant = is_significant(found["p_value"], 1.0 - confidence_level)
        found |= adjusted_p_values(found["p_value"], alternative)
    else:
        significant = excludes_zero(found["difference_lower"], found["difference_upper"])
    result = correlations.assign(result_variables({**found, "significant": significant}, BASIS))
    result.attrs = result_attrs(
        {**correlations.attrs, **facts},
        statistic=f"difference of {correlations.attrs['coefficient']}",
        method=method,
        n=correlations["n"].to_numpy(),
        counted=[str(basis) for basis in correlations["basis"].to_numpy()],
        alternative=alternative,
        confidence_level=confidence_level,
    )
    return result
