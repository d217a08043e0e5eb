"""Correlations of metrics with human scores, with intervals."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import DegenerateScoreWarning, check_choice, check_confidence_level, warn
from supersample.inference.one_correlation.coefficients import COEFFICIENTS
from supersample.results.comparisons import identical_items
from supersample.results.ranking import warn_if_reversed
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.system_level import (
    HYBRIDS,
    ORIENTATIONS,
    SYSTEMS,
    WITHOUT_OUTLIERS,
    bases_of,
    outlier_names,
    system_level_scores,
)

BASIS = ("basis",)


def correlate(
    data: xr.Dataset,
    *,
    coefficient: str = "pearson",
    bases: Sequence[str] | None = None,
    orientation: str = "declared",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Correlate every metric with the human scores, and metrics with each other.

    Orientation is declared, never guessed. Scores for which lower is better are negated first, so a
    larger r always means better agreement. A metric whose declared orientation is wrong has a
    negative r.

    Parameters
    ----------
    A sample of `hybrid_supersample`, lazy or not: correlations over hybrids and over the
    original systems. Or Scores (over the systems, on the common mask), or a result of
    `make_system_scores`.
    coefficient : {"pearson", "spearman", "kendall"} or a registered one, default "pearson"
        Kendall's is tau-b. Intervals are Fisher's; for ranks with the variances of Bonett and
        Wright.
    bases : sequence of str, optional
        Any of "hybrids", "systems" and "systems without outliers" (see `outlier_systems`). Default:
        "hybrids", if there are any, and "systems".
    orientation : {"declared", "absolute"}, default "declared"
        "absolute" takes the absolute value of every r, as some papers did. It hides metrics that
        point the wrong way; use it only to reproduce those papers. The result says so.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        ``basis`` says what n counts: ``n`` (basis); ``value`` (basis, metric) and its limits
        ``lower`` and ``upper``; ``metric_r`` (basis, metric, other_metric); ``identical``
        (metric, other_metric): the two metrics have the same oriented scores, except for an offset,
        a scale and rounding. Limits are NaN if n < 4 (n < 5 for Kendall's tau).

    Raises
    ------
    InputError
        If `data` has another type, or an option is unknown.

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
    sample", Metron 1. Bonett and Wright (2000), "Sample size requirements for estimating Pearson,
    Kendall and Spearman correlations", Psychometrika 65.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> r = correlate(hybrid_supersample(load_example(), n=1000, seed=0))
    >>> [round(float(x), 2) for x in r["value"].sel(metric="strong-98")]
    [0.9, 0.92]
    """
    check_confidence_level(confidence_level)
    check_choice("coefficient", coefficient, COEFFICIENTS)
    check_choice("orientation", orientation, ORIENTATIONS)
    oriented = bases_of(data, bases)
    matrix = np.stack([_matrix(basis.scores, coefficient) for basis in oriented])
    n = np.array([basis.scores.shape[0] for basis in oriented])
    counted = [basis.counted for basis in oriented]
    systems = system_level_scores(data)
    outliers = {"outliers": outlier_names(systems)} if WITHOUT_OUTLIERS in counted else {}
    metrics = systems["metric"].to_numpy()
    _warn_degenerate(matrix, counted, metrics)
    if orientation == "declared" and SYSTEMS in counted:
        place = counted.index(SYSTEMS)
        warn_if_reversed(metrics, matrix[place, 0, 1:], int(n[place]))
    # the smallest basis first: fewest metrics are identical there
    columns = [[b.scores[:, i] for b in reversed(oriented)] for i in range(1, matrix.shape[-1])]
    if orientation == "absolute":
        matrix = np.abs(matrix)
    correlations = xr.Dataset(
        {
            **_of_matrices(matrix, n),
            **result_variables(
                {
                    "identical": identical_items(columns),
                    "higher_is_better": systems["higher_is_better"].to_numpy(),
                }
            ),
        },
        coords={"basis": counted, "metric": metrics, "other_metric": metrics},
        attrs=result_attrs(
            {**systems.attrs, **outliers},
            statistic=coefficient,
            method=COEFFICIENTS[coefficient].interval_name,
            interval=COEFFICIENTS[coefficient].interval_name,
            alternative="two-sided",
            n=n,
            counted=counted,
            orientation=orientation,
            coefficient=coefficient,
            confidence_level=confidence_level,
        ),
    )
    return with_limits(correlations, confidence_level)


def correlations_dataset(
    sample: xr.Dataset,
    other_bases: xr.Dataset,
    matrix: Floats,
    same: NDArray[np.bool_],
    n: int,
    *,
    hybrids_alone: bool,
    confidence_level: float,
) -> xr.Dataset:
    """Make a result of `correlate` from correlations over hybrids that were computed elsewhere.

    Parameters
    ----------
    sample : xarray.Dataset
        The hybrids; lazy arrays stay lazy.
    other_bases : xarray.Dataset
        Result of `correlate` for the sample on other bases.
    matrix : ndarray, shape (1 + metrics, 1 + metrics)
        Oriented correlations over the hybrids; the human scores come first.
    same : ndarray of bool, shape (metrics, metrics)
        Whether two metrics have the same oriented scores of every hybrid.
    n : int
        Number of hybrids.
    hybrids_alone : bool
        Whether `other_bases` only describes the metrics and is not part of the result.
    confidence_level : float
    """
    metrics = other_bases["metric"].to_numpy()
    _warn_degenerate(matrix[np.newaxis], [HYBRIDS], metrics)
    result = xr.Dataset(
        _of_matrices(matrix[np.newaxis], np.array([n])),
        coords={"basis": [HYBRIDS], "metric": metrics, "other_metric": metrics},
    )
    if not hybrids_alone:
        result = xr.concat([result, other_bases[list(result)]], "basis", join="exact")
        same = (same | (matrix[1:, 1:] > 1 - 1e-14)) & other_bases["identical"].to_numpy()
    of_metrics = {"higher_is_better": other_bases["higher_is_better"]}
    result = result.assign(result_variables({"identical": same}) | of_metrics)
    result.attrs = result_attrs(
        {**sample.attrs, **other_bases.attrs},
        n=result["n"].to_numpy(),
        counted=[str(name) for name in result["basis"].to_numpy()],
    )
    return with_limits(result, confidence_level)


def _of_matrices(matrix: Floats, n: NDArray[np.int64]) -> dict[str, xr.Variable]:
    """Variables of correlation matrices (basis, scorer, scorer); human scores come first."""
    return result_variables(
        {"n": n, "value": matrix[:, 0, 1:], "metric_r": matrix[:, 1:, 1:]}, BASIS
    )


def with_limits(correlations: xr.Dataset, confidence_level: float) -> xr.Dataset:
    """Correlations with the limits of each r at this level."""
    coefficient = COEFFICIENTS[correlations.attrs["coefficient"]]
    r, n = correlations["value"].to_numpy(), correlations["n"].to_numpy()
    lower, upper = np.full_like(r, np.nan), np.full_like(r, np.nan)
    enough = n >= coefficient.smallest_n
    if enough.any():
        lower[enough], upper[enough] = coefficient.interval(
            r[enough], n[enough, np.newaxis], confidence_level=confidence_level
        )
    return correlations.assign(result_variables({"lower": lower, "upper": upper}, BASIS))


def _matrix(scores: Floats, coefficient: str) -> Floats:
    if scores.shape[0] < 2:
        return np.full((scores.shape[1], scores.shape[1]), np.nan)
    return COEFFICIENTS[coefficient].matrix(scores)


def _warn_degenerate(matrix: Floats, counted: list[str], metrics: NDArray[np.str_]) -> None:
    """Warn of scorers that do not vary or lack scores, and therefore have no correlation."""
    for correlations, basis in zip(matrix, counted, strict=True):
        undefined = np.isnan(np.diag(correlations))
        if undefined[0]:
            text = f"the human scores do not vary over the {basis}: every r is NaN"
            warn(text, DegenerateScoreWarning, stacklevel=3)
        elif undefined.any():
            names = ", ".join(metrics[undefined[1:]])
            text = f"no variance, or a missing score, over the {basis}: r is NaN for {names}"
            warn(text, DegenerateScoreWarning, stacklevel=3)
