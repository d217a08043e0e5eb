"""Correlations of metrics with human scores, and how far apart two of them are."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import DegenerateScoreWarning, InputError
from supersample.inference.one_correlation.coefficients import kendall, pearson, spearman
from supersample.inference.one_correlation.intervals import (
    fisher_interval,
    kendall_interval,
    spearman_interval,
)
from supersample.inference.resampling.multiplicity import benjamini_hochberg, holm
from supersample.inference.two_correlations.methods import OVERLAPPING_INTERVALS, OVERLAPPING_TESTS
from supersample.results.signature import signature
from supersample.scores.system_level import (
    HYBRIDS,
    ORIENTATIONS,
    WITHOUT_OUTLIERS,
    bases_of,
    outlier_systems,
    system_level,
)

COEFFICIENTS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
# name of the method, function, and the smallest n it takes
INTERVALS: dict[str, tuple[str, Any, int]] = {
    "pearson": ("Fisher", fisher_interval, 4),
    "spearman": ("Bonett-Wright", spearman_interval, 4),
    "kendall": ("Bonett-Wright", kendall_interval, 5),
}
ALTERNATIVES = ("two-sided", "greater", "less")
SMALLEST_N = 4
PAIR = ("basis", "metric", "other_metric")


def correlate(
    data: xr.Dataset,
    *,
    coefficient: str = "pearson",
    bases: Sequence[str] | None = None,
    orientation: str = "declared",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Correlation of every metric with the human scores, and of metrics with each other.

    Orientation is declared, never guessed: scores that are lower-is-better are negated first, so
    that larger r always means better agreement, and a metric that points the wrong way shows a
    negative r.

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, lazy or not: correlations over hybrids and over its
        original systems. Or Scores (over the systems, on the common mask), or what
        `make_system_scores` gives.
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
        Kendall's is tau-b. Their intervals are Fisher's, and Fisher's with the variances that
        Bonett and Wright give for ranks.
    bases : sequence of str, optional
        Among "hybrids", "systems" and "systems without outliers" (see `outlier_systems`); hybrids,
        where there are any, and systems by default.
    orientation : {"declared", "absolute"}, default "declared"
        "absolute" takes the absolute value of every r, as some papers did. It hides metrics that
        point the wrong way, and exists to reproduce those papers; the result says so.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        Along ``basis``, which says what n counts: ``n`` (basis), ``r`` (basis, metric), its limits
        ``lower`` and ``upper``, ``metric_r`` (basis, metric, other_metric), and ``identical``
        (metric, other_metric): the two have the same scores, orientation included. Limits are NaN
        where n < 4 (n < 5 for Kendall's tau).

    Raises
    ------
    InputError
        If `data` is none of these, or an option is unknown.

    Warns
    -----
    DegenerateScoreWarning
        Where scores do not vary, r is NaN; the warning names the metrics.

    Notes
    -----
    Over hybrids the interval measures only how well n draws pin down a number that these systems
    and segments already fix; see `docs/architecture.md`, "What an interval answers".

    References
    ----------
    Fisher (1921), "On the 'probable error' of a coefficient of correlation deduced from a small
    sample", Metron 1. Bonett and Wright (2000), "Sample size requirements for estimating Pearson,
    Kendall and Spearman correlations", Psychometrika 65.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> r = correlate(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> [round(float(x), 2) for x in r["r"].sel(metric="strong-98")]
    [0.9, 0.92]
    """
    check_confidence_level(confidence_level)
    check_choice("coefficient", coefficient, COEFFICIENTS)
    check_choice("orientation", orientation, ORIENTATIONS)
    oriented = bases_of(data, bases)
    matrix = np.stack([_matrix(basis.scores, coefficient) for basis in oriented])
    n = np.array([basis.scores.shape[0] for basis in oriented])
    counted = [basis.counted for basis in oriented]
    systems = system_level(data)
    metrics = systems["metric"].to_numpy()
    _warn_degenerate(matrix, counted, metrics)
    identical = _identical([basis.scores[:, 1:] for basis in oriented])
    if orientation == "absolute":
        matrix = np.abs(matrix)
    correlations = xr.Dataset(
        {
            "n": ("basis", n),
            "r": (("basis", "metric"), matrix[:, 0, 1:]),
            "metric_r": (PAIR, matrix[:, 1:, 1:]),
            "identical": (("metric", "other_metric"), identical),
            "higher_is_better": ("metric", systems["higher_is_better"].to_numpy()),
        },
        coords={"basis": counted, "metric": metrics, "other_metric": metrics},
        attrs=result_attrs(
            {**systems.attrs, **_outliers(systems, counted)},
            statistic=coefficient,
            method=INTERVALS[coefficient][0],
            interval=INTERVALS[coefficient][0],
            alternative="two-sided",
            n=n,
            counted=counted,
            orientation=orientation,
            coefficient=coefficient,
            confidence_level=confidence_level,
        ),
    )
    return _with_limits(correlations, confidence_level)


def correlations_dataset(
    sample: xr.Dataset,
    known: xr.Dataset,
    matrix: NDArray[np.float64],
    same: NDArray[np.bool_],
    n: int,
    *,
    hybrids_alone: bool,
    confidence_level: float,
) -> xr.Dataset:
    """Make what `correlate` gives of correlations over hybrids that were found elsewhere.

    Parameters
    ----------
    sample : xarray.Dataset
        The hybrids, which are not computed.
    known : xarray.Dataset
        `correlate` of it on other bases.
    matrix : ndarray, shape (1 + metrics, 1 + metrics)
        Oriented correlations over the hybrids, the human scores first.
    same : ndarray of bool, shape (metrics, metrics)
        Whether two metrics have the same oriented scores of every hybrid.
    n : int
        How many hybrids.
    hybrids_alone : bool
        Whether `known` is there for what it says of the metrics, not to stand in the result.
    confidence_level : float
    """
    counted = np.array([HYBRIDS])
    metrics = known["metric"].to_numpy()
    _warn_degenerate(matrix[np.newaxis], [HYBRIDS], metrics)
    names = ("n", "r", "metric_r")
    own = xr.Dataset(
        {
            "n": ("basis", np.array([n])),
            "r": (("basis", "metric"), matrix[np.newaxis, 0, 1:]),
            "metric_r": (PAIR, matrix[np.newaxis, 1:, 1:]),
        },
        coords={"basis": counted, "metric": metrics, "other_metric": metrics},
    )
    if not hybrids_alone:
        own = xr.concat([own, known[list(names)]], "basis", join="exact")
    identical = same if hybrids_alone else same & known["identical"].to_numpy()
    result = own.assign(identical=(PAIR[1:], identical), higher_is_better=known["higher_is_better"])
    result.attrs = result_attrs(
        {**sample.attrs, **known.attrs},
        n=result["n"].to_numpy(),
        counted=[str(name) for name in result["basis"].to_numpy()],
    )
    return _with_limits(result, confidence_level)


def _outliers(systems: xr.Dataset, counted: list[str]) -> dict[str, str]:
    """Names of the outliers, where some basis is without them."""
    if WITHOUT_OUTLIERS not in counted:
        return {}
    found = outlier_systems(systems)
    return {"outliers": ", ".join(found["system"].to_numpy()[found["outlier"].to_numpy()])}


def _with_limits(correlations: xr.Dataset, confidence_level: float) -> xr.Dataset:
    """Limits of each r at this level, in place of those at another."""
    _, interval, smallest = INTERVALS[correlations.attrs["coefficient"]]
    r, n = correlations["r"].to_numpy(), correlations["n"].to_numpy()
    lower, upper = np.full_like(r, np.nan), np.full_like(r, np.nan)
    enough = n >= smallest
    if enough.any():
        lower[enough], upper[enough] = interval(
            r[enough], n[enough, np.newaxis], confidence_level=confidence_level
        )
    dims = ("basis", "metric")
    return correlations.assign(lower=(dims, lower), upper=(dims, upper))


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
            Whether p <= 1 - confidence_level, unadjusted; two-sided zou2007: the interval excludes
            zero.

        NaN, and not significant, where n < 4 or an r is NaN. Identical metrics have difference 0,
        interval [0, 0] and p 1.

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
    check_choice("method", method, OVERLAPPING_TESTS)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_confidence_level(confidence_level)
    if "metric_r" in data:
        correlations = _with_limits(data, confidence_level)
    else:
        correlations = correlate(
            data, bases=bases, orientation=orientation, confidence_level=confidence_level
        )
    if correlations.attrs["coefficient"] != "pearson":
        raise InputError(
            f"{method} compares Pearson correlations; compare others by resampling "
            "(compare_by_bootstrap, compare_by_swapping)"
        )
    r = correlations["r"].to_numpy()
    n = correlations["n"].to_numpy()
    r12, r13, r23, size = np.broadcast_arrays(
        r[:, :, np.newaxis],
        r[:, np.newaxis, :],
        correlations["metric_r"].to_numpy(),
        n[:, np.newaxis, np.newaxis],
    )
    use = size >= SMALLEST_N
    given = (r12[use], r13[use], r23[use], size[use])
    same = correlations["identical"].to_numpy() & ~np.isnan(r12) & use
    values = {"difference": r12 - r13}
    values["statistic"], values["p_value"] = (np.full(r12.shape, np.nan) for _ in range(2))
    test = OVERLAPPING_TESTS[method](*given, alternative=alternative)
    values["statistic"][use], values["p_value"][use] = test
    values["statistic"][same], values["p_value"][same] = 0.0, 1.0
    if method in OVERLAPPING_INTERVALS:
        limits = OVERLAPPING_INTERVALS[method](*given, confidence_level=confidence_level)
        for name, limit in zip(("difference_lower", "difference_upper"), limits, strict=True):
            values[name] = np.full(r12.shape, np.nan)
            values[name][use] = limit
            values[name][same] = 0.0
    significant = is_significant(values["p_value"], confidence_level)
    if method == "zou2007" and alternative == "two-sided":
        significant = (values["difference_lower"] > 0) | (values["difference_upper"] < 0)
    return with_differences(
        correlations,
        values,
        significant,
        method=method,
        alternative=alternative,
        confidence_level=confidence_level,
    )


def with_differences(
    correlations: xr.Dataset,
    values: dict[str, NDArray[np.float64]],
    significant: NDArray[np.bool_],
    *,
    method: str,
    alternative: str,
    confidence_level: float,
    **facts: Any,
) -> xr.Dataset:
    """Correlations with what was found of their differences, p-values adjusted besides."""
    if "p_value" in values:
        values.update(adjusted_p_values(values["p_value"], alternative))
    variables: dict[str, Any] = {name: (PAIR, value) for name, value in values.items()}
    result = correlations.assign({**variables, "significant": (PAIR, significant)})
    coefficient = correlations.attrs["coefficient"]
    result.attrs = result_attrs(
        {**correlations.attrs, **facts},
        statistic=f"difference of {coefficient}",
        method=method,
        n=correlations["n"].to_numpy(),
        counted=[str(basis) for basis in correlations["basis"].to_numpy()],
        alternative=alternative,
        confidence_level=confidence_level,
    )
    return result


def result_attrs(
    attrs: dict[Any, Any], *, n: NDArray[np.int64], counted: list[str], **facts: Any
) -> dict[Any, Any]:
    """Attributes of a result: what its input said, the facts, and the signature of both."""
    sizes = ", ".join(f"{size} {name}" for size, name in zip(n, counted, strict=True))
    known = {**attrs, **facts}
    return {**known, "signature": signature(**{**known, "n": sizes})}


def check_choice(what: str, chosen: str, there: Sequence[str] | dict[str, Any] | Any) -> None:
    """Refuse what is not among the names that there are."""
    if chosen not in there:
        raise InputError(f"no {what} '{chosen}'; there are {', '.join(there)}")


def is_significant(p: NDArray[np.float64], confidence_level: float) -> NDArray[np.bool_]:
    """Whether p <= 1 - confidence_level, the bound free of rounding: 1 - 0.9 is below 0.1."""
    return np.asarray(p <= round(1.0 - confidence_level, 12))


def check_confidence_level(confidence_level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1."""
    if not 0 < confidence_level < 1:
        raise InputError(f"the confidence level lies between 0 and 1, not {confidence_level}")


def adjusted_p_values(
    p_values: NDArray[np.float64], alternative: str
) -> dict[str, NDArray[np.float64]]:
    """Holm's and Benjamini and Hochberg's p-values of each matrix (..., metric, other_metric).

    Adjusted for all pairs, or all ordered ones where one-sided; the diagonal is no hypothesis.
    """
    matrices = p_values.reshape(-1, *p_values.shape[-2:])
    return {
        name: np.stack([_adjusted(own, adjust, alternative) for own in matrices]).reshape(
            p_values.shape
        )
        for name, adjust in (("p_holm", holm), ("p_bh", benjamini_hochberg))
    }


def _adjusted(p: NDArray[np.float64], adjust: Any, alternative: str) -> NDArray[np.float64]:
    out = p.copy()
    if alternative == "two-sided":
        i, j = np.triu_indices(p.shape[0], 1)
        out[i, j] = adjust(p[i, j])
        out[j, i] = out[i, j]
    else:
        off = ~np.eye(p.shape[0], dtype=bool)
        out[off] = adjust(p[off])
    return out


def _matrix(scores: NDArray[np.float64], coefficient: str) -> NDArray[np.float64]:
    if scores.shape[0] < 2:
        return np.full((scores.shape[1], scores.shape[1]), np.nan)
    return COEFFICIENTS[coefficient](scores)


def _identical(bases: list[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Whether two metrics have bitwise the same scores on every basis."""
    metrics = bases[0].shape[1]
    same = np.eye(metrics, dtype=bool)
    for i, j in zip(*np.triu_indices(metrics, 1), strict=True):
        same[i, j] = same[j, i] = all(np.array_equal(b[:, i], b[:, j]) for b in reversed(bases))
    return same


def _warn_degenerate(
    matrix: NDArray[np.float64], counted: list[str], metrics: NDArray[np.str_]
) -> None:
    """Name what has no correlation because it does not vary, or has no score everywhere."""
    for own, basis in zip(matrix, counted, strict=True):
        undefined = np.isnan(np.diag(own))
        if undefined[0]:
            text = f"the human scores do not vary over the {basis}: every r is NaN"
            warnings.warn(text, DegenerateScoreWarning, stacklevel=3)
        elif undefined.any():
            names = ", ".join(metrics[undefined[1:]])
            text = f"no variance, or a missing score, over the {basis}: r is NaN for {names}"
            warnings.warn(text, DegenerateScoreWarning, stacklevel=3)
