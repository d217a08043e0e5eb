"""The Predictions Dataset: segment-level predictions of quality and the gold standards for them."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supersample.errors import InputError, quoted
from supersample.scores.variables import Variable, check_dataset, check_numbers, make_declared

PREDICTION = Variable(
    "prediction", ("system", "segment"), "f", "label", "predicted quality, NaN where missing"
)
LABEL = Variable(
    "label", ("gold", "segment"), "f", "label", "label of the gold standard, NaN where missing"
)
LENGTH = Variable("length", ("segment",), "f", "words", "length of the translation", optional=True)
TRAINED_ON = Variable(
    "trained_on", ("system",), "UOT", "1", "labels the system was trained on", optional=True
)
PREDICTS = Variable(
    "predicts",
    ("system",),
    "UOT",
    "1",
    "gold standard whose units the predictions have; empty if unknown",
)

PREDICTIONS = (PREDICTION, LABEL, LENGTH, TRAINED_ON, PREDICTS)


def make_predictions(
    prediction: ArrayLike,
    label: ArrayLike,
    *,
    systems: Sequence[str],
    gold: Sequence[str],
    segments: Sequence[str] | None = None,
    length: ArrayLike | None = None,
    trained_on: Sequence[str] | None = None,
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Predictions Dataset from arrays, and validate it.

    Parameters
    ----------
    prediction : array_like, shape (systems, segments)
        Prediction of each system for each segment, NaN where missing.
    label : array_like, shape (gold standards, segments)
        Labels of each gold standard, such as HTER or post-edit time, NaN where missing.
    systems, gold : sequence of str
        Names, without duplicates.
    segments : sequence of str, optional
        Labels; "0", "1", ... by default.
    length : array_like, shape (segments,), optional
        Number of words of each translation, for post-edit rates.
    trained_on : sequence of str, optional
        Labels that each system was trained on, perhaps those of another gold standard. They are
        the units of its predictions, so its errors are meaningful only against that gold standard.
        By default, with one gold standard, all systems predict that one.
    attrs : mapping, optional
        Attributes, such as the source; they are copied into results.

    Returns
    -------
    xarray.Dataset
        ``prediction`` (system, segment), ``label`` (gold, segment), optionally ``length``
        (segment), and the coordinates ``predicts`` (system) and optionally ``trained_on`` (system).

    Raises
    ------
    InputError
        If shapes do not fit the names, names repeat, a number is infinite, a system or gold
        standard has no number, a length is not positive, or there are fewer than two segments.

    Examples
    --------
    >>> data = make_predictions([[0.2, 0.4]], [[0.1, 0.5]], systems=["A"], gold=["HTER"])
    >>> dict(data.sizes)
    {'system': 1, 'segment': 2, 'gold': 1}
    """
    units = [gold[0] if len(gold) == 1 else ""] * len(systems)
    values = {
        "prediction": prediction,
        "label": label,
        "length": length,
        "trained_on": trained_on,
        "predicts": units if trained_on is None else trained_on,
    }
    labels = {"system": systems, "segment": segments, "gold": gold}
    named = {**(attrs or {}), "kind": "predictions"}
    data = make_declared("predictions", PREDICTIONS, values, labels, named)
    validate_predictions(data)
    return data


def validate_predictions(data: xr.Dataset) -> None:
    """Check a Dataset against the declaration of Predictions."""
    check_dataset(data, "Predictions", PREDICTIONS, {"system": 1, "gold": 1, "segment": 2})
    for variable, what in ((PREDICTION, "system"), (LABEL, "gold standard")):
        names = data[variable.dims[0]].to_numpy()
        for name, numbers in zip(names, variable.of(data), strict=True):
            check_numbers(f"the {what} {quoted(name)}", numbers, data, "segment")
    if LENGTH.name in data:
        lengths = data[LENGTH.name].to_numpy()
        wrong = np.flatnonzero(np.isinf(lengths) | (lengths <= 0))
        if wrong.size:
            raise InputError(
                f"the length of segment {quoted(data['segment'].values[wrong[0]])} is "
                f"{lengths[wrong[0]]:g}; a length must be a positive number of words"
            )
