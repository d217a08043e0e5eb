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
from supersample.inference.arguments import numbers_of
from supersample.inference.coefficients import pearson
from supersample.inference.one_correlation import fisher_interval, interval_of_r
from supersample.inference.two_correlations import (
    INDEPENDENT,
    NON_OVERLAPPING,
    OVERLAPPING,
    ComparisonMethod,
)
from supersample.inference.two_correlations.fisher_jackknife import SYSTEM_METHOD
from supersample.measures.formulas import (
    differences_by_formula,
    differences_of_r,
    outside_measured_range,
)
from supersample.presentation.labels import LEAD, WHOLE, names_of
from supersample.results.pairs import ALTERNATIVES, concluded, difference_matrix, identical_items
from supersample.results.ranks_and_clusters import warn_if_reversed
from supersample.results.variables import PAIR, result_attrs, result_variables, signature
from supersample.scores.outliers import (
    OUTLIER_CUTOFF,
    WITHOUT_OUTLIERS,
    distances_from_median,
    outlier_names,
)
from supersample.scores.schema import TEAMS, teams_of_systems
from supersample.scores.system_level import (
    HYBRIDS,
    SYSTEMS,
    orientation_signs,
    oriented_scores,
    system_level_scores,
)

FEWEST_HYBRIDS = 4


def correlate(
    scores: xr.Dataset, *, bases: Sequence[str] | None = None, confidence_level: float = 0.95
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
    return correlated(scores, bases_of(scores, bases), confidence_level)


class Basis(NamedTuple):
    """Oriented system-level scores, and what n counts.

    Attributes
    ----------
    scores
        Shape (n, 1 + metrics), human scores first; signs make larger scores better.
    teams
        Team of each system, shape (n,); None of hybrids.
    """

    counted: str
    scores: Floats
    teams: NDArray[np.str_] | None = None


def bases_of(data: xr.Dataset, wanted: Sequence[str] | None = None) -> list[Basis]:
    """Oriented scores on each wanted basis: hybrids, systems, or systems without outliers.

    The default is hybrids (if there are any) and systems.
    """
    systems = system_level_scores(data)
    existing = [HYBRIDS, SYSTEMS] if "hybrid" in data.dims else [SYSTEMS]
    bases = []
    for basis in existing if wanted is None else wanted:
        check_choice("basis", basis, [*existing, WITHOUT_OUTLIERS])
        if basis == HYBRIDS:
            drawn = data[["human", "score"]].compute()  # lazy arrays share their chunks
            human, score = drawn["human"], drawn["score"].transpose("hybrid", "metric")
            rows = np.column_stack([human.to_numpy(), score.to_numpy()])
            bases.append(Basis(basis, rows * orientation_signs(human, systems)))
            continue
        rows, teams = oriented_scores(systems), teams_of_systems(systems)
        if basis == WITHOUT_OUTLIERS:
            near = distances_from_median(rows[:, 0]) <= OUTLIER_CUTOFF
            rows, teams = rows[near], teams[near]
        bases.append(Basis(basis, rows, teams))
    return bases


class OverHybrids(NamedTuple):
    """Correlations over hybrids that were computed elsewhere."""

    n: int
    matrix: Floats
    """Of oriented scores, (1 + metrics, 1 + metrics); the human scores come first."""
    same: NDArray[np.bool_]
    """Whether two metrics have the same oriented scores of every hybrid."""
    counted: str = HYBRIDS


def correlated(
    scores: xr.Dataset, bases: Sequence[Basis | OverHybrids], confidence_level: float
) -> xr.Dataset:
    """Correlate as `correlate`, on bases of these Scores; warn of what is odd."""
    check_confidence_level(confidence_level)
    if not bases:
        raise InputError(f"name at least one basis, such as {SYSTEMS}")
    systems = system_level_scores(scores)
    metrics, higher = systems["metric"].to_numpy(), systems["higher_is_better"].to_numpy()
    rows: list[dict[str, Any]] = []
    identical = np.ones((1, metrics.size, metrics.size), np.bool_)
    for basis in bases:
        if isinstance(basis, OverHybrids):
            n, matrix, same, _ = basis
        else:
            n, columns = basis.scores.shape
            matrix = np.full((columns, columns), np.nan) if n < 2 else pearson(basis.scores)
            same = identical_items([(column,) for column in basis.scores[:, 1:].T])
        _warn_if_undefined(basis.counted, np.isnan(np.diag(matrix)), metrics)
        if basis.counted == SYSTEMS:
            warn_if_reversed(metrics, higher, matrix[0, 1:], n)
        lower, upper = _limits(basis, n, matrix[0, 1:], confidence_level)
        found = {"n": n, "value": matrix[0, 1:], "lower": lower, "upper": upper}
        rows.append({**found, "metric_r": matrix[1:, 1:]})
        identical &= same
    stacked = {name: np.array([[row[name]] for row in rows])[np.newaxis] for name in rows[0]}
    counted = [basis.counted for basis in bases]
    outliers = {"outliers": outlier_names(systems)} if WITHOUT_OUTLIERS in counted else {}
    over_hybrids = f"{SYSTEM_METHOD}; over hybrids Fisher" if counted[1:] else "Fisher"
    name = over_hybrids if HYBRIDS in counted else SYSTEM_METHOD
    return xr.Dataset(
        {
            **result_variables(stacked, LEAD),
            **result_variables({"identical": identical}, ("group",)),
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
            n=[row["n"] for row in rows],
            counted=counted,
            coefficient="pearson",
            confidence_level=confidence_level,
        ),
    )


def _limits(
    basis: Basis | OverHybrids, n: int, r: Floats, confidence_level: float
) -> tuple[Floats, Floats]:
    """Robust limits of r over systems, Fisher's over hybrids; NaN with too few of them."""
    if isinstance(basis, Basis) and basis.counted != HYBRIDS:
        return interval_of_r(basis.scores, teams=basis.teams, confidence_level=confidence_level)
    if n < FEWEST_HYBRIDS:
        return np.full_like(r, np.nan), np.full_like(r, np.nan)
    return fisher_interval(r, n, confidence_level=confidence_level)


def _warn_if_undefined(
    counted: str, undefined: NDArray[np.bool_], metrics: NDArray[np.str_]
) -> None:
    """Warn of scorers that do not vary or lack scores, and therefore have no correlation."""
    if undefined.any():
        names = ", ".join(metrics[undefined[1:]])
        text = f"no variance, or a missing score, over the {counted}: r is NaN for {names}"
        every = f"the human scores do not vary over the {counted}: every r is NaN"
        warn(every if undefined[0] else text, DegenerateScoreWarning, stacklevel=4)


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
    known, robust = "metric_r" in scores, method == SYSTEM_METHOD
    if robust:
        bases = [SYSTEMS] if bases is None else bases
        if HYBRIDS in bases or known:
            raise InputError(
                f"{SYSTEM_METHOD} needs scores of systems, not correlations alone, and hybrids are "
                "not independent; choose another method, such as zou2007"
            )
    r = scores if known else correlate(scores, bases=bases, confidence_level=confidence_level)
    if (level := float(r.attrs["confidence_level"])) != confidence_level:
        raise InputError(
            f"these correlations have limits of the level {level:g}, not {confidence_level:g}; "
            "compute them with the same confidence_level"
        )
    if not robust and TEAMS in r.attrs and names_of(r, "basis") != [HYBRIDS]:
        raise InputError(
            f"{method} takes systems as independent, but there are {r.attrs[TEAMS]}; "
            f"{SYSTEM_METHOD} knows teams, and declare_teams takes a system out of its team "
            f"(on the command line: --team SYSTEM=SYSTEM)"
        )
    return compare_on_bases(r, scores if robust else None, method, alternative)


def compare_on_bases(
    correlations: xr.Dataset, sample: xr.Dataset | None, method: str, alternative: Any = "two-sided"
) -> xr.Dataset:
    """Compare over hybrids by a method, and over systems by fisher-jackknife.

    Parameters
    ----------
    correlations : xarray.Dataset
        The correlations of the sample, from `correlate`.
    sample : xarray.Dataset or None
        The sample; it may lack the hybrids' scores. None: compare by the method on every basis.
    method : str
        As in `compare_correlations`. If it is not fisher-jackknife, the attribute
        ``systems_method`` names the test over systems. Variables that the method lacks are NaN over
        hybrids.
    alternative : str
        As in `compare_correlations`.
    """
    level = correlations.attrs["confidence_level"]
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": level}
    r, n = correlations["value"].to_numpy(), correlations["n"].to_numpy()
    values = {"difference": difference_matrix(r)}
    if method != SYSTEM_METHOD:
        between = correlations["metric_r"].to_numpy()
        values |= differences_by_formula(r, between, n, method, **how)
    bases = names_of(correlations, "basis")
    tests, facts = [method] * len(bases), dict(correlations.attrs)
    of_systems = [basis for basis in bases if basis != HYBRIDS]
    robust = [] if sample is None else bases_of(sample, of_systems)
    for basis in robust:
        at = bases.index(basis.counted)
        tests[at] = SYSTEM_METHOD
        found = differences_of_r(basis.scores, teams=basis.teams, **how)
        for name, of_basis in found.items():
            missing = np.full((1, len(bases), 1, *of_basis.shape), np.nan)
            values.setdefault(name, missing)[0, at, 0] = of_basis
    if robust:
        first = bases.index(of_systems[0])  # not without outliers
        outside = outside_measured_range(int(n[0, first, 0]), level, r[0, first, 0])
        facts["outside_measured_range"] = ", ".join(outside)
        facts |= {} if method == SYSTEM_METHOD else {"systems_method": SYSTEM_METHOD}
    same = correlations["identical"].to_numpy()
    found = concluded(values, same, 1.0 - level, alternative)
    result = correlations.assign(result_variables(found, LEAD))
    result = result.assign_coords(tested_by=(LEAD[:2], [tests]))
    result.attrs = result_attrs(
        facts,
        kind="comparison",
        statistic="difference of pearson",
        method=method,
        n=n.ravel(),
        counted=bases,
        alternative=alternative,
        confidence_level=level,
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
    told = signature(statistic=f"difference of pearson({numbers})", alternative=alternative)
    names = ("statistic", "p_value", "lower", "upper")
    return xr.Dataset(
        {name: ("test", of_tests) for name, of_tests in zip(names, values, strict=True)},
        coords={"test": list(methods), "scale": ("test", scales)},
        attrs={
            **args,
            "kind": "tests",
            "alternative": alternative,
            "confidence_level": confidence_level,
            "signature": told,
        },
    )
