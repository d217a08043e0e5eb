"""Correlations of metrics with human scores, and their differences, by formula or from numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    check_choice,
    check_confidence_level,
    shortened,
    warn,
)
from supersample.inference.arguments import Alternative, Interval, numbers_of
from supersample.inference.coefficients import pearson
from supersample.inference.one_correlation import fisher_interval
from supersample.inference.two_correlations import (
    INDEPENDENT,
    NON_OVERLAPPING,
    OVERLAPPING,
    ComparisonMethod,
)
from supersample.inference.two_correlations.fisher_jackknife import SYSTEM_METHOD, interval_of_r
from supersample.measures.formulas import (
    differences_by_formula,
    differences_of_r,
    outside_measured_range,
)
from supersample.presentation.labels import LEAD, WHOLE
from supersample.results.pairs import (
    ALTERNATIVES,
    concluded,
    difference_matrix,
    identical_items,
)
from supersample.results.ranks_and_clusters import warn_if_reversed
from supersample.results.variables import PAIR, result_attrs, result_variables, signature
from supersample.scores.schema import TEAMS
from supersample.scores.system_level import (
    HYBRIDS,
    SYSTEMS,
    WITHOUT_OUTLIERS,
    Basis,
    bases_of,
    outlier_names,
    system_level_scores,
)

FEWEST_HYBRIDS = 4


def correlate(
    scores: xr.Dataset,
    *,
    bases: Sequence[str] | None = None,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Correlate every metric with the human scores by Pearson's r, and metrics with each other.

    Orientation is declared, never guessed. Scores for which lower is better are negated first, so a
    larger r always means better agreement. A metric whose declared orientation is wrong has a
    negative r.

    Parameters
    ----------
    A sample of `hybrid_supersample`, lazy or not: correlations over hybrids and over the
    original systems. Or Scores (over the systems, on the common mask), or a result of
    `make_system_scores`.
    bases : sequence of str, optional
        Any of "hybrids", "systems" and "systems without outliers" (see `outlier_systems`). Default:
        "hybrids", if there are any, and "systems".
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        Dims (measure, basis, group, ...) with "pearson" as ``measure``, and "all" as ``group``.
        ``basis`` says what n counts: ``n``; ``value`` (..., metric) and its limits
        ``lower`` and ``upper``; ``metric_r`` (..., metric, other_metric); ``identical`` (group,
        metric, other_metric): the two metrics have the same oriented scores, except for an offset,
        a scale and rounding. Over systems, limits are those of fisher-jackknife (see
        `interval_of_r`), over hybrids Fisher's. They are NaN if n < 5 (n < 4 over hybrids).

    Raises
    ------
    InputError
        If `scores` has another type, or an option is unknown.

    Warns
    -----
    DegenerateScoreWarning
        If scores do not vary, r is NaN; the warning names the metrics.
    OrientationWarning
        If r over the systems is clearly negative; see `warn_if_reversed`.

    Notes
    -----
    Over hybrids, the interval only measures how precisely n draws estimate a number that these
    systems and segments already determine; see `docs/architecture.md`, "What an interval answers".

    References
    ----------
    Fisher (1921), "On the 'probable error' of a coefficient of correlation deduced from a small
    sample", Metron 1.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> r = correlate(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> [round(float(x), 2) for x in r["value"].sel(metric="strong-98").squeeze()]
    [0.9, 0.92]
    """
    check_confidence_level(confidence_level)
    on_bases = [_on_basis(basis, confidence_level) for basis in bases_of(scores, bases)]
    return _dataset(scores, on_bases, confidence_level)


class _OnBasis(NamedTuple):
    """Correlations on one basis."""

    counted: str
    n: int
    matrix: Floats
    """Of oriented scores, (1 + metrics, 1 + metrics); the human scores come first."""
    limits: Interval
    """Limits of each metric's r, (metrics,)."""
    same: NDArray[np.bool_]
    """Whether two metrics have the same scores."""


def _on_basis(basis: Basis, confidence_level: float) -> _OnBasis:
    """Correlate scores; robust limits over systems, Fisher's over hybrids."""
    scores, n = basis.scores, len(basis.scores)
    matrix = np.full((scores.shape[1],) * 2, np.nan) if n < 2 else pearson(scores)
    if basis.counted == HYBRIDS:
        limits = _fisher_limits(matrix, n, confidence_level)
    else:
        limits = interval_of_r(scores, teams=basis.teams, confidence_level=confidence_level)
    same = identical_items([(column,) for column in scores[:, 1:].T])
    return _OnBasis(basis.counted, n, matrix, limits, same)


def _fisher_limits(matrix: Floats, n: int, confidence_level: float) -> Interval:
    """Fisher's limits of each metric's r; NaN with too few hybrids."""
    if n < FEWEST_HYBRIDS:
        return Interval(*np.full((2, len(matrix) - 1), np.nan))
    return fisher_interval(matrix[0, 1:], n, confidence_level=confidence_level)


def correlate_beside(
    sample: xr.Dataset,
    matrix: Floats,
    same: NDArray[np.bool_],
    n: int,
    *,
    bases: Sequence[str],
    confidence_level: float,
) -> xr.Dataset:
    """Correlate as `correlate`, given correlations over hybrids that were computed elsewhere.

    Parameters
    ----------
    sample : xarray.Dataset
        The sample, with or without the hybrids; lazy arrays stay lazy.
    matrix : ndarray, shape (1 + metrics, 1 + metrics)
        Oriented correlations over the hybrids; the human scores come first.
    same : ndarray of bool, shape (metrics, metrics)
        Whether two metrics have the same oriented scores of every hybrid.
    n : int
        Number of hybrids.
    bases : sequence of str
        Bases beside the hybrids.
    confidence_level : float
    """
    same = same | (matrix[1:, 1:] > 1 - 1e-14)
    limits = _fisher_limits(matrix, n, confidence_level)
    others = [_on_basis(basis, confidence_level) for basis in bases_of(sample, bases)]
    drawn = _OnBasis(HYBRIDS, n, matrix, limits, same)
    return _dataset(sample, [drawn, *others], confidence_level)


def _dataset(
    scores: xr.Dataset, on_bases: Sequence[_OnBasis], confidence_level: float
) -> xr.Dataset:
    """Make the result of `correlate`, and warn of what is odd."""
    systems = system_level_scores(scores)
    metrics, higher = systems["metric"].to_numpy(), systems["higher_is_better"].to_numpy()
    for basis in on_bases:
        _warn_degenerate(basis, metrics)
        if basis.counted == SYSTEMS:
            warn_if_reversed(metrics, higher, basis.matrix[0, 1:], basis.n)
    counted, n = [basis.counted for basis in on_bases], np.array([basis.n for basis in on_bases])
    matrix = np.stack([basis.matrix for basis in on_bases])
    lower, upper = (np.stack(side) for side in zip(*(x.limits for x in on_bases), strict=True))
    found = {"n": n, "value": matrix[:, 0, 1:], "lower": lower, "upper": upper}
    found["metric_r"] = matrix[:, 1:, 1:]
    same = np.logical_and.reduce([basis.same for basis in on_bases])
    outliers = {"outliers": outlier_names(systems)} if WITHOUT_OUTLIERS in counted else {}
    name = _interval_name(counted)
    return xr.Dataset(
        {
            **result_variables({k: x[np.newaxis, :, np.newaxis] for k, x in found.items()}, LEAD),
            **result_variables({"identical": same[np.newaxis]}, ("group",)),
            **result_variables({"higher_is_better": higher}),
        },
        coords={"measure": ["pearson"], "basis": counted, "group": [WHOLE]}
        | dict.fromkeys(PAIR, metrics),
        attrs=result_attrs(
            {**systems.attrs, **outliers},
            kind="agreement",
            statistic="pearson",
            method=name,
            interval=name,
            alternative="two-sided",
            n=n,
            counted=counted,
            coefficient="pearson",
            confidence_level=confidence_level,
        ),
    )


def _interval_name(counted: Sequence[str]) -> str:
    """Name the interval of r on these bases; hybrids need no robust one."""
    if list(counted) == [HYBRIDS]:
        return "Fisher"
    return f"{SYSTEM_METHOD}; over hybrids Fisher" if HYBRIDS in counted else SYSTEM_METHOD


def _warn_degenerate(basis: _OnBasis, metrics: NDArray[np.str_]) -> None:
    """Warn of scorers that do not vary or lack scores, and therefore have no correlation."""
    undefined = np.isnan(np.diag(basis.matrix))
    if undefined[0]:
        text = f"the human scores do not vary over the {basis.counted}: every r is NaN"
        warn(text, DegenerateScoreWarning, stacklevel=4)
    elif undefined.any():
        names = ", ".join(metrics[undefined[1:]])
        text = f"no variance, or a missing score, over the {basis.counted}: r is NaN for {names}"
        warn(text, DegenerateScoreWarning, stacklevel=4)


def compare_correlations(
    scores: xr.Dataset,
    *,
    method: str = "zou2007",
    alternative: str = "two-sided",
    bases: Sequence[str] | None = None,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Compare the Pearson correlations of each pair of metrics with the human scores.

    Parameters
    ----------
    scores : xarray.Dataset
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
    bases, confidence_level
        As in `correlate`; if `scores` is a result of `correlate`, its bases are used. The
        default basis of fisher-jackknife is "systems".

    Returns
    -------
    xarray.Dataset
        The variables of `correlate` and, with dims (measure, basis, group, metric, other_metric):

        ``difference``
            r of `metric` minus r of `other_metric`.
        ``statistic``, ``p_value``
            Statistic and p-value of the test.
        ``p_holm``
            Adjusted for all pairs of metrics of the basis, by Holm; with a one-sided alternative,
            for all ordered pairs.
        ``difference_lower``, ``difference_upper``
            Limits, if the method has an interval: meng1992 of the difference of Fisher's z, others
            of the difference of r.
        ``significant``
            Whether p <= 1 - confidence_level, unadjusted.
        ``p_simultaneous``
            Only fisher-jackknife: the p-value of the pair, corrected for all pairs jointly.
        ``p_best`` (..., metric)
            Only fisher-jackknife: the p-value of the hypothesis that the metric is among the
            best. Metrics with a p-value above 1 - confidence_level could be the best.

        Values are NaN, and not significant, if n < 4 (n < 5 for all metrics at once) or an r is
        NaN. Metrics whose scores are identical, except for an offset and a scale, have difference
        0, interval [0, 0] and p 1.

    Raises
    ------
    InputError
        As `correlate`; or if the method or alternative is unknown or does not fit the data.

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
    6
    """
    check_choice("method", method, [*OVERLAPPING, SYSTEM_METHOD])
    check_choice("alternative", alternative, ALTERNATIVES)
    check_confidence_level(confidence_level)
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    if method == SYSTEM_METHOD:
        names = [SYSTEMS] if bases is None else bases
        if HYBRIDS in names or "metric_r" in scores:
            raise InputError(
                f"{SYSTEM_METHOD} needs scores of systems, not correlations alone, and hybrids are "
                "not independent; choose another method, such as zou2007"
            )
        return compare_on_bases(scores, scores, method=method, bases=names, **how)
    correlations = _correlated(scores, confidence_level, bases=bases)
    of_systems = any(str(name) != HYBRIDS for name in correlations["basis"].to_numpy())
    if TEAMS in correlations.attrs and of_systems:
        raise InputError(
            f"{method} takes systems as independent, but there are {correlations.attrs[TEAMS]}; "
            f"{SYSTEM_METHOD} knows teams, and declare_teams takes a system out of its team "
            f"(on the command line: --team SYSTEM=SYSTEM)"
        )
    return _compared(correlations, [], method, **how)


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
    of_systems = bases_of(sample, [basis for basis in bases if basis != HYBRIDS])
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    return _compared(correlations, of_systems, method, **how)


def _correlated(data: xr.Dataset, confidence_level: float, **options: Any) -> xr.Dataset:
    """Correlate a sample; or take correlations, whose limits must be of this level."""
    if "metric_r" not in data:
        return correlate(data, confidence_level=confidence_level, **options)
    if (level := float(data.attrs["confidence_level"])) != confidence_level:
        raise InputError(
            f"these correlations have limits of the level {level:g}, not {confidence_level:g}; "
            "compute them with the same confidence_level"
        )
    return data


def _compared(
    correlations: xr.Dataset,
    of_systems: Sequence[Basis],
    method: str,
    *,
    alternative: Alternative,
    confidence_level: float,
) -> xr.Dataset:
    """Test each pair of metrics by three correlations, or by fisher-jackknife on these bases."""
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    r, n = correlations["value"].to_numpy(), correlations["n"].to_numpy()
    values = {"difference": difference_matrix(r)}
    if method != SYSTEM_METHOD:
        between = correlations["metric_r"].to_numpy()
        values |= differences_by_formula(r, between, n, method, **how)
    bases = [str(basis) for basis in correlations["basis"].to_numpy()]
    tests, facts = [method] * len(bases), dict(correlations.attrs)
    for basis in of_systems:
        found = differences_of_r(basis.scores, teams=basis.teams, **how)
        at = bases.index(basis.counted)
        tests[at] = SYSTEM_METHOD
        for name, of_basis in found.items():
            missing = np.full((1, len(bases), 1, *of_basis.shape), np.nan)
            values.setdefault(name, missing)[0, at, 0] = of_basis
    if of_systems:
        first = bases.index(of_systems[0].counted)  # not without outliers
        outside = outside_measured_range(int(n[0, first, 0]), confidence_level, r[0, first, 0])
        facts["outside_measured_range"] = ", ".join(outside)
        facts |= {} if method == SYSTEM_METHOD else {"systems_method": SYSTEM_METHOD}
    same, level = correlations["identical"].to_numpy(), 1.0 - confidence_level
    result = correlations.assign(
        result_variables(concluded(values, same, level, alternative), LEAD)
    )
    result = result.assign_coords(tested_by=(LEAD[:2], [tests]))
    result.attrs = result_attrs(
        facts,
        kind="comparison",
        statistic="difference of pearson",
        method=method,
        n=n.ravel(),
        counted=bases,
        alternative=alternative,
        confidence_level=confidence_level,
    )
    return result


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
