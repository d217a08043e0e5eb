"""What errors gain, and r does not, when predictions are moved and rescaled."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, check_choice
from supersample.inference.one_correlation.coefficients import pearson_with
from supersample.inference.one_correlation.prediction_errors import (
    mean_absolute_error,
    rescale_to_gold,
    rescale_to_own,
    root_mean_squared_error,
)
from supersample.quality_estimation.evaluation import (
    GoldStandard,
    common_predictions,
    exact_ones,
    warn_degenerate,
)
from supersample.results.signature import result_attrs

ORIGINAL, TO_GOLD, TO_OWN = "original", "to gold", "to own"
RESCALINGS = (ORIGINAL, TO_GOLD, TO_OWN)
"""As predicted; to the gold mean and a share of the gold standard deviation; to the own ones."""


def rescaled_predictions(
    data: xr.Dataset, gold: str, *, systems: Sequence[str] | None = None, share: float = 0.5
) -> xr.Dataset:
    """Rescale predictions by one gold standard, for figures of what `rescaling_study` measures.

    Parameters
    ----------
    data : xarray.Dataset
        Predictions.
    gold : str
        The gold standard.
    systems : sequence of str, optional
        Which systems, in which order; all by default. The segments are those of all systems.
    share : float, default 0.5
        Of the standard deviation that predictions are given.

    Returns
    -------
    xarray.Dataset
        ``prediction`` (rescaling, system, segment), ``label`` (segment), ``mae`` (rescaling,
        system), NaN where the units differ, and ``r`` (system).

    Raises
    ------
    InputError
        As `rescaling_study`, or if the gold standard or a system is unknown.

    Examples
    --------
    >>> from supersample.scores.predictions import make_predictions
    >>> data = make_predictions(
    ...     [[0.0, 0.4, 0.8]], [[0.1, 0.2, 0.6]], systems=["A"], gold=["HTER"]
    ... )
    >>> rescaled_predictions(data, "HTER")["prediction"].sel(rescaling="to own").values
    array([[0.2, 0.4, 0.6]])
    """
    _check_share(share)
    golds = {common.name: common for common in common_predictions(data)}
    check_choice("gold standard", gold, golds)
    systems_of_data = [str(name) for name in data["system"].to_numpy()]
    chosen = systems_of_data if systems is None else list(systems)
    for name in chosen:
        check_choice("system", name, systems_of_data)
    common = golds[gold].of([systems_of_data.index(name) for name in chosen])
    rescaled = np.stack([_rescaled(common, rescaling, share) for rescaling in RESCALINGS])
    mae = [_errors(common, x, k)["mae"] for k, x in zip(RESCALINGS, rescaled, strict=True)]
    return xr.Dataset(
        {
            "prediction": (("rescaling", "system", "segment"), rescaled),
            "label": ("segment", common.labels),
            "mae": (("rescaling", "system"), np.stack(mae)),
            "r": ("system", exact_ones(pearson_with(common.labels, common.predictions))),
        },
        coords={"rescaling": list(RESCALINGS), "system": chosen},
        attrs={**data.attrs, "gold": gold, "share": share},
    )


def rescaling_study(data: xr.Dataset, *, share: float = 0.5) -> xr.Dataset:
    """Measure predictions as they are and rescaled: errors fall, correlations stay.

    Parameters
    ----------
    data : xarray.Dataset
        Predictions, of `read_predictions` or `make_predictions`.
    share : float, default 0.5
        Of the standard deviation that predictions are given.

    Returns
    -------
    xarray.Dataset
        Along ``rescaling``: "original"; "to gold", to the mean of the gold labels and a share of
        their standard deviation (Tables 2 and 3 of Graham 2015); and "to own", to the system's own
        mean and a share of its own standard deviation (her Figure 2b):

        ``mae``, ``rmse`` (rescaling, gold, system)
            NaN where the system predicts in other units, except to gold, whose units it then has.
        ``r`` (rescaling, gold, system)
            Computed for each rescaling.
        ``n`` (gold)
            Segments.

        NaN for predictions that do not vary, where rescaling or r is undefined.

    Raises
    ------
    InputError
        If `data` are no Predictions, fewer than two segments are left, or the share is not
        positive.

    Warns
    -----
    DegenerateScoreWarning
        Where predictions or labels do not vary, r is NaN; the warning names the systems.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL,
    section 2.2.

    Examples
    --------
    >>> from supersample.scores.predictions import make_predictions
    >>> data = make_predictions(
    ...     [[0.0, 0.9, 0.2, 1.4]], [[0.3, 0.5, 0.4, 0.6]], systems=["bold"], gold=["HTER"]
    ... )
    >>> study = rescaling_study(data)
    >>> study["mae"].values.ravel().round(3), study["r"].values.ravel().round(3)
    (array([0.425, 0.047, 0.175]), array([0.981, 0.981, 0.981]))
    """
    _check_share(share)
    golds = common_predictions(data)
    shape = (len(RESCALINGS), len(golds), data.sizes["system"])
    values = {name: np.full(shape, np.nan) for name in ("mae", "rmse", "r")}
    for g, gold in enumerate(golds):
        for k, rescaling in enumerate(RESCALINGS):
            predictions = _rescaled(gold, rescaling, share)
            for name, error in _errors(gold, predictions, rescaling).items():
                values[name][k, g] = error
            values["r"][k, g] = exact_ones(pearson_with(gold.labels, predictions))
        warn_degenerate(values["r"][0, g], gold.name, data["system"].to_numpy())
    n = np.array([gold.labels.size for gold in golds])
    return xr.Dataset(
        {"n": ("gold", n), **{m: (("rescaling", "gold", "system"), x) for m, x in values.items()}},
        coords={
            **data["prediction"].drop_vars("segment").coords,
            "gold": data["gold"].to_numpy(),
            "rescaling": list(RESCALINGS),
        },
        attrs=result_attrs(
            {**data.attrs, "share": share},
            statistic="mae, rmse and pearson",
            method=f"rescaling({share:g} sd)",
            n=n,
            counted=[f"segments of {gold.name}" for gold in golds],
            mask=", ".join(gold.mask for gold in golds),
        ),
    )


def _rescaled(gold: GoldStandard, rescaling: str, share: float) -> NDArray[np.float64]:
    """Predictions (systems, n) under one of the rescalings."""
    if rescaling == TO_GOLD:
        return rescale_to_gold(gold.predictions, gold.labels, share=share)
    if rescaling == ORIGINAL:
        return gold.predictions
    return rescale_to_own(gold.predictions, share=share)


def _errors(
    gold: GoldStandard, predictions: NDArray[np.float64], rescaling: str
) -> dict[str, NDArray[np.float64]]:
    """MAE and RMSE of each system, NaN where units differ; to gold, they are those of the gold."""
    measured = gold.same_units | (rescaling == TO_GOLD)
    return {
        "mae": np.where(measured, mean_absolute_error(predictions, gold.labels), np.nan),
        "rmse": np.where(measured, root_mean_squared_error(predictions, gold.labels), np.nan),
    }


def _check_share(share: float) -> None:
    if not share > 0:
        raise InputError(f"the share of a standard deviation is positive, not {share}")
