"""Correlations of metrics with human scores, and how far apart two of them are."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.data.schema import validate_scores
from supersample.data.selection import select_segments
from supersample.engine.statistics import Statistics
from supersample.errors import DegenerateScoreWarning, InputError
from supersample.hybrids import unit_statistics
from supersample.inference.coefficients import pearson
from supersample.inference.intervals import fisher_interval
from supersample.inference.overlapping import williams1959, zou2007
from supersample.signature import signature

SMALLEST_N = 4
METHODS = ("zou2007", "williams1959")


class _Basis(NamedTuple):
    """System-level scores of what is counted: (n,) and (n, metrics), human and metrics."""

    counted: str
    human: NDArray[np.float64]
    score: NDArray[np.float64]


def correlate(data: xr.Dataset, *, confidence_level: float = 0.95) -> xr.Dataset:
    """Pearson correlation of every metric with the human scores, and of metrics with each other.

    Orientation is declared, never guessed: scores that are lower-is-better are negated first, so
    that larger r always means better agreement, and a metric that points the wrong way shows a
    negative r.

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, lazy or not: correlations over hybrids and over its
        original systems. Or Scores: over the systems alone, on the common mask.
    confidence_level : float, default 0.95
        Of Fisher's interval for each r.

    Returns
    -------
    xarray.Dataset
        Along ``basis``, which says what n counts ("hybrids" and "systems"): ``n`` (basis), ``r``
        (basis, metric), its Fisher limits ``lower`` and ``upper``, ``metric_r`` (basis, metric,
        other_metric), and ``identical`` (metric, other_metric): the two have the same scores,
        orientation included. Limits are NaN where n < 4.

    Raises
    ------
    InputError
        If `data` is neither, or the confidence level is not between 0 and 1.

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
    sample", Metron 1.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> r = correlate(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> [round(float(x), 2) for x in r["r"].sel(metric="strong-98")]
    [0.9, 0.92]
    """
    _check_confidence_level(confidence_level)
    bases, attrs = _bases(data)
    human_sign = 1.0 if data["human"].attrs.get("higher_is_better", 1) else -1.0
    signs = np.where(data["higher_is_better"].to_numpy(), 1.0, -1.0)
    oriented = [np.column_stack([b.human * human_sign, b.score * signs]) for b in bases]
    matrix = np.stack([_pearson(values) for values in oriented])
    n = np.array([basis.human.size for basis in bases])
    metrics = data["metric"].to_numpy()
    counted = [basis.counted for basis in bases]
    _warn_degenerate(matrix, counted, metrics)
    correlations = xr.Dataset(
        {
            "n": ("basis", n),
            "r": (("basis", "metric"), matrix[:, 0, 1:]),
            "metric_r": (("basis", "metric", "other_metric"), matrix[:, 1:, 1:]),
            "identical": (("metric", "other_metric"), _identical(oriented)[1:, 1:]),
            "higher_is_better": ("metric", data["higher_is_better"].to_numpy()),
        },
        coords={"basis": counted, "metric": metrics, "other_metric": metrics},
        attrs=_result_attrs(attrs, "pearson", "fisher1921", n, counted, confidence_level),
    )
    return _with_limits(correlations, confidence_level)


def _with_limits(correlations: xr.Dataset, confidence_level: float) -> xr.Dataset:
    """Fisher's limits of each r at this level, in place of those at another."""
    r, n = correlations["r"].to_numpy(), correlations["n"].to_numpy()
    lower, upper = np.full_like(r, np.nan), np.full_like(r, np.nan)
    enough = n >= SMALLEST_N
    if enough.any():
        interval = fisher_interval(
            r[enough], n[enough, np.newaxis], confidence_level=confidence_level
        )
        lower[enough], upper[enough] = interval
    dims = ("basis", "metric")
    return correlations.assign(lower=(dims, lower), upper=(dims, upper))


def compare_correlations(
    data: xr.Dataset, *, method: str = "zou2007", confidence_level: float = 0.95
) -> xr.Dataset:
    """Compare every two metrics' correlations with the human scores.

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, or Scores, or what `correlate` gave for either.
    method : {"zou2007", "williams1959"}, default "zou2007"
        Zou's (2007) interval of the difference, significant where it excludes zero, or Williams'
        (1959) two-sided test, significant where p < 1 - confidence_level.
    confidence_level : float, default 0.95
        Also of Fisher's limits for each r, at whatever level `correlate` gave them.

    Returns
    -------
    xarray.Dataset
        Everything that `correlate` gives and, along (basis, metric, other_metric), ``difference``
        (r of `metric` less r of `other_metric`), ``significant``, and ``difference_lower`` and
        ``difference_upper`` (zou2007) or ``statistic`` and ``p_value`` (williams1959). NaN, and not
        significant, where n < 4 or an r is NaN. Identical metrics have difference 0, interval
        [0, 0] and p 1.

    Raises
    ------
    InputError
        As `correlate`, or if the method is unknown.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. Williams (1959), "The comparison of regression variables", JRSS B 21.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> d = compare_correlations(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> bool(d["significant"].sel(basis="hybrids", metric="good-90", other_metric="weak-40"))
    True
    """
    if method not in METHODS:
        raise InputError(f"no method '{method}'; there are {', '.join(METHODS)}")
    _check_confidence_level(confidence_level)
    if "metric_r" in data:
        correlations = _with_limits(data, confidence_level)
    else:
        correlations = correlate(data, confidence_level=confidence_level)
    pair = ("basis", "metric", "other_metric")
    r = correlations["r"].to_numpy()
    r12, r13 = r[:, :, np.newaxis], r[:, np.newaxis, :]
    r23 = correlations["metric_r"].to_numpy()
    n = correlations["n"].to_numpy()
    shape = r23.shape
    variables: dict[str, Any] = {"difference": (pair, r12 - r13)}
    enough = n >= SMALLEST_N
    arguments = (r12[enough], r13[enough], r23[enough], n[enough, np.newaxis, np.newaxis])
    first, second = np.full(shape, np.nan), np.full(shape, np.nan)
    same = correlations["identical"].to_numpy() & ~np.isnan(r12) & enough[:, None, None]
    if method == "zou2007":
        if enough.any():
            first[enough], second[enough] = zou2007(*arguments, confidence_level=confidence_level)
        first[same] = second[same] = 0.0
        significant = (first > 0) | (second < 0)
        variables["difference_lower"] = (pair, first)
        variables["difference_upper"] = (pair, second)
    else:
        if enough.any():
            first[enough], second[enough] = williams1959(*arguments)
        first[same], second[same] = 0.0, 1.0
        significant = second < 1.0 - confidence_level
        variables["statistic"] = (pair, first)
        variables["p_value"] = (pair, second)
    variables["significant"] = (pair, significant)
    result = correlations.assign(variables)
    counted = [str(basis) for basis in correlations["basis"].to_numpy()]
    result.attrs = _result_attrs(
        correlations.attrs, "difference of pearson", method, n, counted, confidence_level
    )
    return result


def _bases(data: xr.Dataset) -> tuple[list[_Basis], dict[Any, Any]]:
    if "system_score" in data and "hybrid" in data.dims:
        human = np.asarray(data["human"].data)
        score = np.asarray(data["score"].transpose("hybrid", "metric").data)
        systems = data["system_score"].transpose("system", "metric").to_numpy()
        original = _Basis("systems", data["system_human"].to_numpy(), systems)
        return [_Basis("hybrids", human, score), original], data.attrs
    if "segment" in data.dims:
        validate_scores(data)
        selected = select_segments(data)
        system_scores = _finalized(unit_statistics(selected, "segment", "ratings"))
        attrs = {**selected.attrs, "human_mean": "ratings"}
        return [_Basis("systems", system_scores[:, 0], system_scores[:, 1:])], attrs
    raise InputError("expected a sample of hybrid_supersample or Scores")


def _finalized(statistics: Statistics) -> NDArray[np.float64]:
    return statistics.finalize(statistics.values.sum(axis=1))


def _pearson(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.shape[0] < 2:
        return np.full((values.shape[1], values.shape[1]), np.nan)
    return pearson(values)


def _identical(bases: list[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Whether two scorers have bitwise the same scores on every basis."""
    scorers = bases[0].shape[1]
    same = np.eye(scorers, dtype=bool)
    for i, j in zip(*np.triu_indices(scorers, 1), strict=True):
        same[i, j] = same[j, i] = all(np.array_equal(b[:, i], b[:, j]) for b in reversed(bases))
    return same


def _check_confidence_level(confidence_level: float) -> None:
    if not 0 < confidence_level < 1:
        raise InputError(f"the confidence level lies between 0 and 1, not {confidence_level}")


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


def _result_attrs(
    attrs: dict[Any, Any],
    statistic: str,
    method: str,
    n: NDArray[np.int64],
    counted: list[str],
    confidence_level: float,
) -> dict[Any, Any]:
    sizes = ", ".join(f"{size} {name}" for size, name in zip(n, counted, strict=True))
    facts = {**attrs, "confidence_level": confidence_level, "method": method}
    facts["signature"] = signature(**{**facts, "statistic": statistic, "n": sizes})
    return facts
