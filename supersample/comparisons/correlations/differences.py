"""Compare two metrics' correlations with human scores by formula: tests and intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.correlations.coefficients import BASIS, correlate, with_limits
from supersample.comparisons.pairwise import of_copies
from supersample.engine import Floats
from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.inference.two_correlations.registry import OVERLAPPING
from supersample.inference.two_correlations.system_scores import SYSTEM_METHOD
from supersample.measures.formulas import (
    differences_by_formula,
    differences_of_r,
    outside_measured_range,
)
from supersample.results.comparisons import (
    ALTERNATIVES,
    adjusted_p_values,
    difference_matrix,
    excludes_zero,
    is_significant,
)
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.system_level import HYBRIDS, SYSTEMS, bases_of


def compare_correlations(
    data: xr.Dataset,
    *,
    method: str = "zou2007",
    alternative: str = "two-sided",
    bases: Sequence[str] | None = None,
    orientation: str = "declared",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare the Pearson correlations of each pair of metrics with the human scores.

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, Scores, system-level scores, or a result of `correlate`.
    method : str, default "zou2007"
        A test of two overlapping dependent correlations: pearson1898, hotelling1940, williams1959,
        olkin1967, dunn1969, hendrickson1970, steiger1980, meng1992, hittner2003; or zou2007, an
        interval, whose p-value inverts it; or fisher-jackknife, the default test over systems,
        which is robust to heavy tails, has the interval that is its test turned round, and compares
        all metrics at once. fisher-jackknife needs the scores of systems; it does not accept
        hybrids, which are not independent. Its level and coverage were measured for 8 to 24
        systems, r from .7 to .99 and a confidence level of 95 % (``experiments/difference``).
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater": `metric` agrees better with people than `other_metric`. Applies to ``p_value``
        and its adjusted values; p-values for all metrics at once are two-sided.
    bases, orientation, confidence_level
        As in `correlate`; if `data` is a result of `correlate`, its bases and orientation are
        used. The default basis of fisher-jackknife is "systems".

    Returns
    -------
    xarray.Dataset
        The variables of `correlate` and, with dims (basis, metric, other_metric):

        ``difference``
            r of `metric` minus r of `other_metric`.
        ``statistic``, ``p_value``
            Statistic and p-value of the test.
        ``p_holm``, ``p_bh``
            Adjusted for all pairs of metrics of the basis, by Holm, and by Benjamini and Hochberg;
            with a one-sided alternative, for all ordered pairs.
        ``difference_lower``, ``difference_upper``
            Limits, if the method has an interval: meng1992 of the difference of Fisher's z, others
            of the difference of r.
        ``significant``
            Whether p <= 1 - confidence_level, unadjusted.
        ``p_simultaneous``
            Only fisher-jackknife: the p-value of the pair, corrected for all pairs jointly.
        ``p_best`` (basis, metric)
            Only fisher-jackknife: the p-value of the hypothesis that the metric is among the
            best. Metrics with a p-value above 1 - confidence_level could be the best.

        Values are NaN, and not significant, if n < 4 (n < 5 for all metrics at once) or an r is
        NaN. Metrics whose scores are identical, except for an offset and a scale, have difference
        0, interval [0, 0] and p 1.

    Raises
    ------
    InputError
        As `correlate`; or if the method or alternative is unknown or does not fit the data, or the
        coefficient is not Pearson's.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. Williams (1959), "The comparison of regression variables", JRSS B 21. The others: see
    `supersample.inference.two_correlations.overlapping`.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> d = compare_correlations(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> bool(d["significant"].sel(basis="hybrids", metric="good-90", other_metric="weak-40"))
    True
    >>> over_systems = compare_correlations(load_example(), method="fisher-jackknife")
    >>> int((over_systems["p_best"] > 0.05).sum())
    7
    """
    check_choice("method", method, [*OVERLAPPING, SYSTEM_METHOD])
    check_choice("alternative", alternative, ALTERNATIVES)
    check_confidence_level(confidence_level)
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    if method == SYSTEM_METHOD:
        names = [SYSTEMS] if bases is None else bases
        if HYBRIDS in names or "metric_r" in data or orientation != "declared":
            raise InputError(
                f"{SYSTEM_METHOD} needs scores of systems, not correlations alone, and hybrids are "
                "not independent; choose another method, such as zou2007"
            )
        return compare_on_bases(data, data, method=method, bases=names, **how)
    correlations = _correlated(data, confidence_level, bases=bases, orientation=orientation)
    if correlations.attrs["coefficient"] != "pearson":
        raise InputError(
            f"{method} compares only Pearson correlations; compare others by resampling (compare)"
        )
    return with_differences(correlations, _tested(correlations, method, how), method=method, **how)


def compare_on_bases(
    data: xr.Dataset,
    sample: xr.Dataset,
    *,
    method: str,
    bases: Sequence[str],
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare over hybrids by a method, and over systems always by fisher-jackknife.

    Parameters
    ----------
    data : xarray.Dataset
        A sample, or its correlations on these bases.
    sample : xarray.Dataset
        The sample; it may lack the hybrids' scores.
    method : str
        As in `compare_correlations`. If it is not fisher-jackknife, the attribute
        ``systems_method`` names the test over systems. Variables that the method lacks are NaN over
        hybrids.
    bases, alternative, confidence_level
        As in `compare_correlations`.
    """
    correlations = _correlated(data, confidence_level, bases=bases)
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    r, names = correlations["value"].to_numpy(), [basis for basis in bases if basis != HYBRIDS]
    on_systems = np.isin(correlations["basis"].to_numpy(), names)
    n = int(correlations["n"].to_numpy()[on_systems][0])
    outside = outside_measured_range(n, confidence_level, r[on_systems][0])  # not without outliers
    facts: dict[str, Any] = {"outside_measured_range": ", ".join(outside)}
    values = {"difference": difference_matrix(r)}
    if method != SYSTEM_METHOD:
        values = _tested(correlations, method, how)
        facts["systems_method"] = SYSTEM_METHOD
    parts = [differences_of_r(basis.scores, **how) for basis in bases_of(sample, names)]
    for name, first in parts[0].items():
        missing = np.full((len(r), *first.shape), np.nan)
        values.setdefault(name, missing)[on_systems] = np.stack([part[name] for part in parts])
    return with_differences(correlations, values, method=method, **facts, **how)


def _correlated(data: xr.Dataset, confidence_level: float, **options: Any) -> xr.Dataset:
    """Correlate a sample; if `data` are correlations, only add limits."""
    if "metric_r" in data:
        return with_limits(data, confidence_level)
    return correlate(data, confidence_level=confidence_level, **options)


def _tested(correlations: xr.Dataset, method: str, how: Mapping[str, Any]) -> dict[str, Floats]:
    """Test each pair of metrics by three correlations; add the interval, if the method has one."""
    r = correlations["value"].to_numpy()
    between, n = correlations["metric_r"].to_numpy(), correlations["n"].to_numpy()
    found = differences_by_formula(r, between, n, method, **how)
    return {"difference": difference_matrix(r), **found}


def with_differences(
    correlations: xr.Dataset,
    values: Mapping[str, Floats],
    *,
    method: str,
    alternative: str,
    confidence_level: float,
    **facts: Any,
) -> xr.Dataset:
    """Add differences, adjusted p-values and significance to correlations.

    Parameters
    ----------
    correlations : xarray.Dataset
        A result of `correlate`.
    values : mapping of str to ndarray, shape (basis, metric, other_metric)
        Result variables. Significance is decided by the p-value; without p-values, a difference is
        significant if its interval excludes zero.
    method, alternative, confidence_level, **facts
        Attributes of the result.
    """
    found = dict(values) | of_copies(values, correlations["identical"].to_numpy())
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
