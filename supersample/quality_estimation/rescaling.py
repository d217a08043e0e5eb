"""Measure how shifting and rescaling predictions lowers errors without changing r."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supersample.engine import Floats
from supersample.errors import InputError, check_choice
from supersample.execution.checksums import content_code
from supersample.inference.one_correlation.coefficients import pearson_with
from supersample.quality_estimation.evaluation import (
    GoldStandard,
    common_predictions,
    exact_ones,
    warn_degenerate,
)
from supersample.results.signature import result_attrs

ORIGINAL, TO_GOLD, TO_OWN = "original", "to gold", "to own"
RESCALINGS = (ORIGINAL, TO_GOLD, TO_OWN)
"""Predictions as they are; rescaled to the labels; rescaled to their own mean and spread."""


def rescaled_predictions(
    data: xr.Dataset, gold: str, *, systems: Sequence[str] | None = None, share: float = 0.5
) -> xr.Dataset:
    """Rescale predictions by one gold standard, for figures of `rescaling_study`.

    Parameters
    ----------
    data : xarray.Dataset
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
    >>> from supersample.scores.predictions import make_predictions
    >>> data = make_predictions(
    ...     [[0.0, 0.4, 0.8]], [[0.1, 0.2, 0.6]], systems=["A"], gold=["HTER"]
    ... )
    >>> rescaled_predictions(data, "HTER")["prediction"].sel(rescaling="to own").values
    array([[0.2, 0.4, 0.6]])
    """
    golds = {common.name: common for common in common_predictions(data)}
    check_choice("gold standard", gold, golds)
    systems_of_data = [str(name) for name in data["system"].to_numpy()]
    chosen = systems_of_data if systems is None else list(systems)
    for name in chosen:
        check_choice("system", name, systems_of_data)
    common = golds[gold].of([systems_of_data.index(name) for name in chosen])
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
        attrs={**data.attrs, "gold": gold, "share": share},
    )


def rescaling_study(data: xr.Dataset, *, share: float = 0.5) -> xr.Dataset:
    """Measure predictions before and after rescaling: errors fall, correlations do not change.

    Parameters
    ----------
    data : xarray.Dataset
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
        If `data` are not Predictions, fewer than two segments are left, or the share is not
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
    >>> from supersample.scores.predictions import make_predictions
    >>> data = make_predictions(
    ...     [[0.0, 0.9, 0.2, 1.4]], [[0.3, 0.5, 0.4, 0.6]], systems=["bold"], gold=["HTER"]
    ... )
    >>> study = rescaling_study(data)
    >>> study["mae"].values.ravel().round(3), study["r"].values.ravel().round(3)
    (array([0.425, 0.047, 0.175]), array([0.981, 0.981, 0.981]))
    """
    golds = common_predictions(data)
    shape = (len(RESCALINGS), len(golds), data.sizes["system"])
    values = {name: np.full(shape, np.nan) for name in ("mae", "rmse", "r")}
    for g, gold in enumerate(golds):
        for k, rescaling in enumerate(RESCALINGS):
            predictions = _rescaled(gold, rescaling, share)
            # predictions then have its units
            errors = gold.errors(predictions, of_all=rescaling == TO_GOLD)
            for name, error in errors.items():
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
            {**data.attrs, "share": share, "scores": content_code(data)},
            kind="rescaling",
            statistic="mae, rmse and pearson",
            method=f"rescaling({share:g} sd)",
            n=n,
            counted=[f"segments of {gold.name}" for gold in golds],
            mask=", ".join(gold.mask for gold in golds),
        ),
    )


def _rescaled(gold: GoldStandard, rescaling: str, share: float) -> Floats:
    """Predictions (systems, n) under one of the rescalings."""
    if rescaling == TO_GOLD:
        return rescale_to_gold(gold.predictions, gold.labels, share=share)
    if rescaling == ORIGINAL:
        return gold.predictions
    return rescale_to_own(gold.predictions, share=share)


def _check_share(share: float) -> None:
    if not share > 0:
        raise InputError(f"the share of a standard deviation must be positive, not {share}")


def rescale_to_gold(prediction: ArrayLike, gold: ArrayLike, *, share: float = 0.5) -> Floats:
    """Rescale predictions to the mean of the labels and a share of their standard deviation.

    ``(p - mean(p)) / sd(p) share sd(g) + mean(g)`` over the last axis, sd with n - 1. With half of
    the deviation, these are the rescaled columns of Tables 2 and 3 of Graham (2015). NaN if
    predictions do not vary. The share must be positive, and n at least 2 (else InputError).

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL,
    section 2.2.

    Examples
    --------
    >>> rescale_to_gold([10, 20, 30], [1, 2, 3])
    array([1.5, 2. , 2.5])
    """
    p, g = _vectors(prediction, share), _vectors(gold, share)
    target = share * g.std(axis=-1, ddof=1, keepdims=True)
    return np.asarray(_standard(p) * target + g.mean(axis=-1, keepdims=True))


def rescale_to_own(prediction: ArrayLike, *, share: float = 0.5) -> Floats:
    """Shrink predictions towards their mean, to a share of their standard deviation.

    ``(p - mean(p)) share + mean(p)`` over the last axis. With half of the deviation, this is Figure
    2b of Graham (2015). The share must be positive, and n at least 2 (else InputError).

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL, Figure 2.

    Examples
    --------
    >>> rescale_to_own([10, 20, 30])
    array([15., 20., 25.])
    """
    p = _vectors(prediction, share)
    mean = p.mean(axis=-1, keepdims=True)
    return np.asarray((p - mean) * share + mean)


def _vectors(values: ArrayLike, share: float) -> Floats:
    _check_share(share)
    array = np.asarray(values, dtype=np.float64)
    if array.shape[-1] < 2:
        raise InputError("a standard deviation needs at least two numbers")
    return array


def _standard(values: Floats) -> Floats:
    """Z-scores along the last axis; NaN if values do not vary."""
    constant = np.ptp(values, axis=-1, keepdims=True) == 0
    deviation = np.where(constant, np.nan, values.std(axis=-1, ddof=1, keepdims=True))
    return np.asarray((values - values.mean(axis=-1, keepdims=True)) / deviation)
