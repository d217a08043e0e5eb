"""The Predictions Dataset: segment-level predictions of quality and the gold standards for them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError, quoted
from supersample.scores.variables import Variable, check_declared

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
    "gold standard in whose units the system predicts; empty where nobody said",
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
        What each system predicts for each segment, NaN where missing.
    label : array_like, shape (gold standards, segments)
        Labels of each gold standard, such as HTER or post-edit time, NaN where missing.
    systems, gold : sequence of str
        Names, without duplicates.
    segments : sequence of str, optional
        Labels; "0", "1", ... by default.
    length : array_like, shape (segments,), optional
        Words of each translation, for post-edit rates.
    trained_on : sequence of str, optional
        Labels that each system was trained on, perhaps those of another gold standard: they are the
        units of its predictions, and its errors are meaningful against that gold standard alone.
        By default, with one gold standard, all systems predict that one.
    attrs : mapping, optional
        Where the predictions come from; carried into results.

    Returns
    -------
    xarray.Dataset
        ``prediction`` (system, segment), ``label`` (gold, segment), optionally ``length``
        (segment), and the coordinates ``predicts`` (system) and optionally ``trained_on`` (system).

    Raises
    ------
    InputError
        If shapes do not fit the names, names repeat, a number is infinite, a system or gold
        standard has no number at all, a length is not positive, or there are fewer than two
        segments.

    Examples
    --------
    >>> data = make_predictions([[0.2, 0.4]], [[0.1, 0.5]], systems=["A"], gold=["HTER"])
    >>> dict(data.sizes)
    {'system': 1, 'segment': 2, 'gold': 1}
    """
    try:
        arrays = [np.asarray(values, dtype=np.float64) for values in (prediction, label)]
        lengths = None if length is None else np.asarray(length, dtype=np.float64)
    except ValueError as error:
        raise InputError(
            f"the predictions are no numbers in a rectangular array: {error}"
        ) from error
    count = arrays[0].shape[-1] if arrays[0].ndim else 0
    only = gold[0] if len(gold) == 1 else ""
    labels = None if trained_on is None else list(trained_on)
    coordinates: dict[str, tuple[str, Any]] = {
        "system": ("system", list(systems)),
        "segment": ("segment", [str(i) for i in range(count)] if segments is None else segments),
        "gold": ("gold", list(gold)),
        PREDICTS.name: ("system", _texts([only] * len(systems) if labels is None else labels)),
    }
    if labels is not None:
        coordinates[TRAINED_ON.name] = ("system", _texts(labels))
    variables = {PREDICTION.name: (PREDICTION.dims, arrays[0]), LABEL.name: (LABEL.dims, arrays[1])}
    try:
        data = xr.Dataset(variables, coords=coordinates, attrs=dict(attrs or {}))
        if lengths is not None:
            data[LENGTH.name] = (LENGTH.dims, lengths)
    except ValueError as error:
        raise InputError(f"predictions and names do not fit together: {error}") from error
    for variable in PREDICTIONS:
        if variable.name in data:
            data[variable.name].attrs.update(units=variable.units, long_name=variable.doc)
    validate_predictions(data)
    return data


def _texts(texts: Sequence[str]) -> NDArray[np.str_]:
    return np.array(texts, dtype=np.str_)


def validate_predictions(data: xr.Dataset) -> None:
    """Check a Dataset against the declaration of Predictions."""
    for variable in PREDICTIONS:
        check_declared(data, variable, "Predictions")
    for dimension, fewest in (("system", 1), ("gold", 1), ("segment", 2)):
        _check_names(data, dimension, fewest)
    for variable in (PREDICTION, LABEL):
        _check_numbers(data, variable)
    if LENGTH.name in data:
        lengths = data[LENGTH.name].to_numpy()
        wrong = np.flatnonzero(np.isinf(lengths) | (lengths <= 0))
        if wrong.size:
            raise InputError(
                f"the length of segment {quoted(data['segment'].values[wrong[0]])} is "
                f"{lengths[wrong[0]]:g}; a length is a positive number of words"
            )


def _check_names(data: xr.Dataset, dimension: str, fewest: int) -> None:
    if dimension not in data.coords:
        raise InputError(f"Predictions lack names for the dimension '{dimension}'")
    index = data.indexes[dimension]
    what = "gold standard" if dimension == "gold" else dimension
    if not index.is_unique:
        raise InputError(f"the {what} {quoted(index[index.duplicated()][0])} occurs more than once")
    if len(index) < fewest:
        raise InputError(f"at least {fewest} {what}s are needed, there are {len(index)}")


def _check_numbers(data: xr.Dataset, variable: Variable) -> None:
    dimension = variable.dims[0]
    what = "the gold standard" if dimension == "gold" else "the system"
    values = data[variable.name].transpose(*variable.dims).to_numpy()
    for name, numbers in zip(data[dimension].to_numpy(), values, strict=True):
        infinite = np.flatnonzero(np.isinf(numbers))
        if infinite.size:
            segment = data["segment"].values[infinite[0]]
            raise InputError(
                f"an infinite number of {what} {quoted(name)} for segment {quoted(segment)}"
            )
        if np.isnan(numbers).all():
            raise InputError(f"there is no number at all of {what} {quoted(name)}; leave it out")
