"""Evaluate predictions by gold labels: r and its tests, errors, rescaling."""

from collections.abc import Sequence
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
    check_names,
    listed,
    warn,
)
from supersample.execution.checksums import content_code
from supersample.execution.limits import check_memory
from supersample.inference.coefficients import pearson, pearson_with
from supersample.inference.one_correlation import fisher_interval
from supersample.measures.formulas import SMALLEST_N, differences_by_formula
from supersample.results.pairs import (
    adjusted_p_values,
    difference_matrix,
    is_significant,
    of_copies,
)
from supersample.results.ranks_and_clusters import greedy_clusters, ranks
from supersample.results.variables import result_attrs, result_variables
from supersample.scores.schema import LABEL, LENGTH, PREDICTION, PREDICTS, validate_predictions

BYTES_A_PAIR = 200.0
"""Memory per pair of systems and gold standard: correlations, tests, intervals, p-values."""
ROUNDING = 64 * np.finfo(np.float64).eps
"""Distance from 1 at which an |r| counts as exactly 1."""


class GoldStandard(NamedTuple):
    """Labels of one gold standard and predictions, on the segments where all have a number."""

    name: str
    labels: Floats
    """Shape (n,)."""
    predictions: Floats
    """Shape (systems, n)."""
    same_units: NDArray[np.bool_]
    """Whether each system predicts in the units of this gold standard, or in undeclared ones."""
    mask: str

    def errors(self, predictions: Floats, *, of_all: bool = False) -> dict[str, Floats]:
        """MAE and RMSE of each system's predictions; NaN if units differ, unless `of_all`."""
        measured, apart = self.same_units | of_all, predictions - self.labels
        mae, rmse = np.abs(apart).mean(axis=-1), np.sqrt((apart**2).mean(axis=-1))
        return {"mae": np.where(measured, mae, np.nan), "rmse": np.where(measured, rmse, np.nan)}


def evaluate_predictions(predictions: xr.Dataset, *, confidence_level: float = 0.95) -> xr.Dataset:
    """Evaluate segment-level predictions by their Pearson correlation with gold labels.

    r does not depend on the units or the spread of predictions, so systems trained on other labels
    can be compared, too. The result also has the mean absolute and root mean squared errors; a
    system can get lower errors by predicting less variation (see `rescaling_study`).

    Parameters
    ----------
    predictions : xarray.Dataset
        Predictions, from `read_predictions` or `make_predictions`.
    confidence_level : float, default 0.95
        Level of intervals; a test is significant at level 1 minus this.

    Returns
    -------
    xarray.Dataset
        For each gold standard, on the segments with its label and a prediction of every system:

        ``n`` (gold)
            Number of these segments.
        ``mae``, ``rmse`` (gold, system)
            NaN if the system predicts in other units (``predicts``).
        ``value``, ``lower``, ``upper`` (gold, system)
            Pearson's r and Fisher's limits. An r that is 1 (or -1) except for rounding (64 units in
            the last place) is set to exactly 1, for instance for labels plus a constant.
        ``prediction_r`` (gold, system, other_system)
            r between predictions, on which the test of a difference depends.
        ``difference`` (gold, system, other_system)
            r of `system` minus r of `other_system`.
        ``statistic``, ``p_value``, ``p_holm`` (gold, system, other_system)
            Williams' test, one-sided: r of `system` is greater. Adjusted for all ordered pairs.
        ``difference_lower``, ``difference_upper`` (gold, system, other_system)
            Zou's interval.
        ``wins_over`` (gold, system, other_system), ``wins`` (gold, system)
            Whether p <= 1 - confidence_level, unadjusted, and how often. They do not determine the
            order, because the power of the test depends on how predictions correlate.
        ``rank``, ``cluster`` (gold, system)
            Rank by r (1 is the highest), and greedy significance clusters as in `rank`.

        Limits and tests are NaN with fewer than four segments. Predictions that are a linear
        function of each other have difference 0, interval [0, 0] and p 1.

    Raises
    ------
    InputError
        If `predictions` are not Predictions, or fewer than two segments are left.

    Warns
    -----
    DegenerateScoreWarning
        If predictions or labels do not vary, r is NaN; the warning names the systems.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL. Williams
    (1959), "The comparison of regression variables", JRSS B 21. Zou (2007), Psychological
    Methods 12. Fisher (1921), Metron 1.

    Examples
    --------
    >>> from supersample.scores.schema import make_predictions
    >>> hter = [0.1, 0.4, 0.2, 0.9, 0.5]
    >>> data = make_predictions(
    ...     [[1.1, 1.4, 1.2, 1.9, 1.5], [0.2, 0.3, 0.2, 0.4, 0.4]],
    ...     [hter], systems=["gold plus 1", "cautious"], gold=["HTER"],
    ... )
    >>> result = evaluate_predictions(data)
    >>> result["value"].values.round(3), result["mae"].values.round(3)
    (array([[1.   , 0.883]]), array([[1.  , 0.16]]))
    """
    check_confidence_level(confidence_level)
    systems = predictions.sizes["system"]
    needed = BYTES_A_PAIR * predictions.sizes["gold"] * systems**2
    check_memory(needed, f"comparisons of {systems:,} systems", "keep fewer systems")
    golds = common_predictions(predictions)
    results = [_evaluate(gold, confidence_level) for gold in golds]
    for gold, result in zip(golds, results, strict=True):
        warn_degenerate(result["value"], gold.name, predictions["system"].to_numpy())
    n = np.array([gold.labels.size for gold in golds])
    values = {name: np.stack([result[name] for result in results]) for name in results[0]}
    coordinates = {
        "measure": "pearson",
        "gold": predictions["gold"].to_numpy(),
        "other_system": predictions["system"].to_numpy(),
    }
    return xr.Dataset(
        result_variables({"n": n, **values}, ("gold",), item="system"),
        coords={**predictions["prediction"].drop_vars("segment").coords, **coordinates},
        attrs=result_attrs(
            {**predictions.attrs, "scores": content_code(predictions)},
            kind="evaluation",
            statistic="difference of pearson",
            method="williams1959",
            interval="Fisher",
            difference_interval="zou2007",
            alternative="greater",
            coefficient="pearson",
            n=n,
            counted=[f"segments of {gold.name}" for gold in golds],
            mask=", ".join(gold.mask for gold in golds),
            confidence_level=confidence_level,
        ),
    )


def to_post_edit_rates(
    predictions: xr.Dataset, *, time: str = "PET", rate: str = "PER"
) -> xr.Dataset:
    """Convert post-edit times to post-edit rates, for the gold standard and for predictions.

    ``rate = time / length``, in time per word: longer translations take longer to edit even if they
    are not worse.

    Parameters
    ----------
    predictions : xarray.Dataset
        Predictions with lengths.
    time : str, default "PET"
        The gold standard with post-edit times. Its labels, and the predictions of all systems that
        predict it, are divided by length; other systems are not changed. If it is the only gold
        standard, systems predict it unless they say otherwise.
    rate : str, default "PER"
        Name of the rates.

    Returns
    -------
    xarray.Dataset
        Predictions with the gold standard `rate` in place of `time`, also in ``predicts``;
        ``trained_on`` is unchanged.

    Raises
    ------
    InputError
        If there are no lengths, `time` does not exist or `rate` exists; or if, with several gold
        standards, it is unknown what a system predicts (``trained_on``), or its name there differs
        from `time` only in capital letters.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL,
    section 2.1.

    Examples
    --------
    >>> from supersample.scores.schema import make_predictions
    >>> data = make_predictions(
    ...     [[30.0, 10.0]], [[40.0, 5.0]], systems=["A"], gold=["PET"], length=[10, 5]
    ... )
    >>> rates = to_post_edit_rates(data)
    >>> rates["label"].values, rates["prediction"].values
    (array([[4., 1.]]), array([[3., 2.]]))
    """
    validate_predictions(predictions)
    gold = [str(name) for name in predictions["gold"].to_numpy()]
    check_names("gold standard", [time], gold)
    if rate in gold:
        raise InputError(f"a gold standard '{rate}' already exists")
    if LENGTH.name not in predictions:
        raise InputError("post-edit rates need the lengths of translations; name their column")
    predicted, labels, length = (predictions[x.name] for x in (PREDICTION, LABEL, LENGTH))
    predicts = [str(name) for name in predictions[PREDICTS.name].to_numpy()]
    unknown = predictions["system"].to_numpy()[[name == "" for name in predicts]]
    if unknown.size and len(gold) > 1:
        raise InputError(
            f"{listed(unknown, 5)}: it is unknown whether this predicts '{time}', whose "
            "predictions are divided by length, or another gold standard; name it in the column "
            "trained_on"
        )
    alike = [name for name in predicts if name != time and name.casefold() == time.casefold()]
    if alike and alike[0] not in gold:
        raise InputError(
            f"trained_on has '{alike[0]}', and the gold standard is '{time}'; write both in the "
            "same way, so that both are divided by length"
        )
    others = ~predictions[PREDICTS.name].isin([time, ""])
    rates = {
        PREDICTION.name: predicted.where(others, predicted / length),
        LABEL.name: labels.where(predictions["gold"] != time, labels / length),
    }
    return predictions.assign(rates).assign_coords(
        gold=[rate if name == time else name for name in gold],
        predicts=("system", [rate if name == time else name for name in predicts]),
    )


def _evaluate(gold: GoldStandard, confidence_level: float) -> dict[str, NDArray[Any]]:
    result: dict[str, NDArray[Any]] = {**gold.errors(gold.predictions)}
    matrix = exact_ones(pearson(np.vstack([gold.labels, gold.predictions]).T))
    r, between = matrix[0, 1:], matrix[1:, 1:]
    lower = upper = np.full(r.shape, np.nan)
    if gold.labels.size >= SMALLEST_N:
        lower, upper = fisher_interval(r, gold.labels.size, confidence_level=confidence_level)
    result |= {"value": r, "lower": lower, "upper": upper, "prediction_r": between}
    result |= _differences(r, between, gold.labels.size, confidence_level)
    wins_over = is_significant(result["p_value"], 1.0 - confidence_level)
    return result | {
        "wins_over": wins_over,
        "wins": wins_over.sum(axis=1),
        "rank": ranks(r),
        "cluster": greedy_clusters(r, wins_over),
    }


def _differences(r: Floats, between: Floats, n: int, confidence_level: float) -> dict[str, Floats]:
    """Williams' one-sided test and Zou's interval of every ordered pair."""
    how: dict[str, Any] = {"alternative": "greater", "confidence_level": confidence_level}
    found = differences_by_formula(r, between, n, "williams1959", bounds="zou2007", **how)
    found |= {"difference": difference_matrix(r)}
    found |= of_copies(found, between == 1)
    return found | adjusted_p_values(found["p_value"], "greater")


def common_predictions(data: xr.Dataset) -> list[GoldStandard]:
    """Select the common segments of each gold standard, in the order of gold standards.

    Raises
    ------
    InputError
        If `data` are not Predictions, or a gold standard has fewer than two segments left.
    """
    validate_predictions(data)
    predictions = data[PREDICTION.name].transpose(*PREDICTION.dims).to_numpy()
    predicted = ~np.isnan(predictions)
    predicts = np.array([str(name) for name in data[PREDICTS.name].to_numpy()])
    golds = []
    labels = data[LABEL.name].transpose(*LABEL.dims).to_numpy()
    for name, of_gold in zip(data["gold"].to_numpy(), labels, strict=True):
        labelled = ~np.isnan(of_gold)
        use = labelled & predicted.all(axis=0)
        left = int(use.sum())
        if left < 2:
            least = int((predicted & labelled).sum(axis=1).argmin())
            raise InputError(
                f"only {left} segments have both a label of '{name}' and a prediction of every "
                f"system; '{data['system'].values[least]}' has the fewest, leave it out"
            )
        same = (predicts == str(name)) | (predicts == "")
        kept = predictions if use.all() else predictions[:, use]
        mask = f"{name} {left}/{use.size}"
        golds.append(GoldStandard(str(name), of_gold[use], kept, same, mask))
    return golds


def exact_ones(r: Floats) -> Floats:
    """Set correlations that differ from 1 or -1 only by rounding to exactly 1 or -1."""
    return np.where(1 - np.abs(r) <= ROUNDING, np.sign(r), r)


def warn_degenerate(r: Floats, gold: str, systems: NDArray[np.str_]) -> None:
    """Warn of constant predictions or labels, which have no correlation."""
    undefined = np.isnan(r)
    if undefined.all():
        text = f"the labels of '{gold}', or all predictions, do not vary: every r is NaN"
        warn(text, DegenerateScoreWarning, stacklevel=3)
    elif undefined.any():
        text = f"predictions do not vary: r with {gold} is NaN for {', '.join(systems[undefined])}"
        warn(text, DegenerateScoreWarning, stacklevel=3)


ORIGINAL, TO_GOLD, TO_OWN = "original", "to gold", "to own"
RESCALINGS = (ORIGINAL, TO_GOLD, TO_OWN)
"""Predictions as they are; rescaled to the labels; rescaled to their own mean and spread."""


def rescaled_predictions(
    predictions: xr.Dataset, gold: str, *, systems: Sequence[str] | None = None, share: float = 0.5
) -> xr.Dataset:
    """Rescale predictions by one gold standard, for figures of `rescaling_study`.

    Parameters
    ----------
    predictions : xarray.Dataset
        Predictions.
    gold : str
        Name of the gold standard.
    systems : sequence of str, optional
        Systems, in this order; all by default. Segments are those common to all systems.
    share : float, default 0.5
        New standard deviation, as a share of the deviation of the labels or predictions.

    Returns
    -------
    xarray.Dataset
        ``prediction`` (rescaling, system, segment), ``label`` (segment), ``mae`` (rescaling,
        system), NaN if the units differ, and ``r`` (system).

    Raises
    ------
    InputError
        As `rescaling_study`; or if the gold standard or a system is unknown.

    Examples
    --------
    >>> from supersample.scores.schema import make_predictions
    >>> data = make_predictions(
    ...     [[0.0, 0.4, 0.8]], [[0.1, 0.2, 0.6]], systems=["A"], gold=["HTER"]
    ... )
    >>> rescaled_predictions(data, "HTER")["prediction"].sel(rescaling="to own").values
    array([[0.2, 0.4, 0.6]])
    """
    golds = {common.name: common for common in common_predictions(predictions)}
    check_choice("gold standard", gold, golds)
    systems_of_data = [str(name) for name in predictions["system"].to_numpy()]
    chosen = systems_of_data if systems is None else list(systems)
    for name in chosen:
        check_choice("system", name, systems_of_data)
    at, of_all = [systems_of_data.index(name) for name in chosen], golds[gold]
    common = of_all._replace(predictions=of_all.predictions[at], same_units=of_all.same_units[at])
    rescaled = np.stack([_rescaled(common, rescaling, share) for rescaling in RESCALINGS])
    mae = [
        common.errors(x, of_all=k == TO_GOLD)["mae"]
        for k, x in zip(RESCALINGS, rescaled, strict=True)
    ]
    return xr.Dataset(
        {
            "prediction": (("rescaling", "system", "segment"), rescaled),
            "label": ("segment", common.labels),
            "mae": (("rescaling", "system"), np.stack(mae)),
            "r": ("system", exact_ones(pearson_with(common.labels, common.predictions))),
        },
        coords={"rescaling": list(RESCALINGS), "system": chosen},
        attrs={**predictions.attrs, "gold": gold, "share": share},
    )


def rescaling_study(predictions: xr.Dataset, *, share: float = 0.5) -> xr.Dataset:
    """Measure predictions before and after rescaling: errors fall, correlations do not change.

    Parameters
    ----------
    predictions : xarray.Dataset
        Predictions, from `read_predictions` or `make_predictions`.
    share : float, default 0.5
        New standard deviation, as a share of the deviation of the labels or predictions.

    Returns
    -------
    xarray.Dataset
        Dim ``rescaling``: "original"; "to gold", rescaled to the mean of the gold labels and a
        share of their standard deviation (Tables 2 and 3 of Graham 2015); and "to own", rescaled to
        the system's own mean and a share of its own standard deviation (her Figure 2b):

        ``mae``, ``rmse`` (rescaling, gold, system)
            NaN if the system predicts in other units; "to gold" gives it the units of gold.
        ``r`` (rescaling, gold, system)
            Computed for each rescaling.
        ``n`` (gold)
            Segments.

        Values are NaN for predictions that do not vary.

    Raises
    ------
    InputError
        If `predictions` are not Predictions, fewer than two segments are left, or the share is not
        positive.

    Warns
    -----
    DegenerateScoreWarning
        If predictions or labels do not vary, r is NaN; the warning names the systems.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL,
    section 2.2.

    Examples
    --------
    >>> from supersample.scores.schema import make_predictions
    >>> data = make_predictions(
    ...     [[0.0, 0.9, 0.2, 1.4]], [[0.3, 0.5, 0.4, 0.6]], systems=["bold"], gold=["HTER"]
    ... )
    >>> study = rescaling_study(data)
    >>> study["mae"].values.ravel().round(3), study["r"].values.ravel().round(3)
    (array([0.425, 0.047, 0.175]), array([0.981, 0.981, 0.981]))
    """
    golds = common_predictions(predictions)
    shape = (len(RESCALINGS), len(golds), predictions.sizes["system"])
    values = {name: np.full(shape, np.nan) for name in ("mae", "rmse", "r")}
    for g, gold in enumerate(golds):
        for k, rescaling in enumerate(RESCALINGS):
            rescaled = _rescaled(gold, rescaling, share)
            # they then have its units
            errors = gold.errors(rescaled, of_all=rescaling == TO_GOLD)
            for name, error in errors.items():
                values[name][k, g] = error
            values["r"][k, g] = exact_ones(pearson_with(gold.labels, rescaled))
        warn_degenerate(values["r"][0, g], gold.name, predictions["system"].to_numpy())
    n = np.array([gold.labels.size for gold in golds])
    return xr.Dataset(
        {"n": ("gold", n), **{m: (("rescaling", "gold", "system"), x) for m, x in values.items()}},
        coords={
            **predictions["prediction"].drop_vars("segment").coords,
            "gold": predictions["gold"].to_numpy(),
            "rescaling": list(RESCALINGS),
        },
        attrs=result_attrs(
            {**predictions.attrs, "share": share, "scores": content_code(predictions)},
            kind="rescaling",
            statistic="mae, rmse and pearson",
            method=f"rescaling({share:g} sd)",
            n=n,
            counted=[f"segments of {gold.name}" for gold in golds],
            mask=", ".join(gold.mask for gold in golds),
        ),
    )


def _rescaled(gold: GoldStandard, rescaling: str, share: float) -> Floats:
    """Predictions (systems, n) under one of the rescalings; NaN if they do not vary.

    "to gold" is ``(p - mean(p)) / sd(p) share sd(g) + mean(g)``, "to own" ``(p - mean(p)) share +
    mean(p)``, with sd of n - 1. With half of the deviation, these are Tables 2 and 3 of Graham
    (2015) and her Figure 2b.
    """
    if not share > 0:
        raise InputError(f"the share of a standard deviation must be positive, not {share}")
    if rescaling == ORIGINAL:
        return gold.predictions
    mean = gold.predictions.mean(axis=-1, keepdims=True)
    centred = gold.predictions - mean
    if rescaling == TO_OWN:
        return np.asarray(centred * share + mean)
    constant = np.ptp(gold.predictions, axis=-1, keepdims=True) == 0
    deviation = gold.predictions.std(axis=-1, ddof=1, keepdims=True)
    z = centred / np.where(constant, np.nan, deviation)
    return np.asarray(z * (share * gold.labels.std(ddof=1)) + gold.labels.mean())
