"""Declare each variable of a Dataset once, and check Datasets against the declaration."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError, check_alike, check_text, quoted
from supersample.inference.arguments import ABSENT, numbers_of

# Largest score, and inverse of the smallest, so that sums of fourth powers stay finite.
LARGEST = 1e60

# Scores above the first limit may be at most this many times their range.
SMALL, FURTHEST = 1e6, 2.0**40


@dataclass(frozen=True)
class Variable:
    """Declaration of one variable: name, dims, dtype kinds, units and meaning."""

    name: str
    dims: tuple[str, ...]
    kinds: str
    units: str
    doc: str
    optional: bool = False

    def of(self, data: xr.Dataset) -> NDArray[Any]:
        """Values in a Dataset, along the declared dimensions in their order."""
        return data.variables[self.name].transpose(*self.dims).to_numpy()


def check_declared(scores: xr.Dataset, variable: Variable, what: str = "Scores") -> None:
    """Check that a variable exists, unless it is optional, with its dimensions and dtype."""
    name = quoted(variable.name)
    if variable.name not in scores:
        if variable.optional:
            return
        raise InputError(f"{what} lack {name} {variable.dims}: {variable.doc}")
    array = scores.variables[variable.name]
    if set(array.dims) != set(variable.dims):
        raise InputError(f"{name} has dimensions {array.dims}; {what} declare {variable.dims}")
    if array.dtype.kind not in variable.kinds:
        raise InputError(
            f"{name} has dtype {array.dtype}; {what} declare kind '{variable.kinds}' "
            f"({variable.doc})"
        )


def check_dataset(
    data: xr.Dataset, what: str, variables: Iterable[Variable], fewest: Mapping[str, int]
) -> None:
    """Check variables and texts, and that each dimension has enough labels without duplicates."""
    check_texts(data, what)
    for variable in variables:
        check_declared(data, variable, what)
    for dimension, number in fewest.items():
        if dimension not in data.coords:
            raise InputError(f"{what} lack labels for the dimension '{dimension}'")
        index = data.indexes[dimension]
        name = "gold standard" if dimension == "gold" else dimension
        if not index.is_unique:
            repeated = quoted(index[index.duplicated()][0])
            raise InputError(f"the {name} {repeated} occurs more than once")
        if len(index) < number:
            raise InputError(f"at least {number} {name}s are needed, there are {len(index)}")


def check_texts(data: xr.Dataset, what: str) -> None:
    """Refuse labels and attributes that no file can hold, and names that look the same."""
    source = str(data.attrs.get("source", what))
    for name in data.coords:
        labels = np.ascontiguousarray(data[name].to_numpy()).ravel()
        if labels.dtype.kind == "U":  # fast for millions of labels
            codes = labels.astype(labels.dtype.newbyteorder("=")).view(np.uint32)
            if codes.max(initial=0) < 128:
                continue
        check_text(f"{what}, {name}", labels)
        check_alike(f"{source}, the {name}", labels)
    check_text(f"attributes of {what}", data.attrs.values())


def check_numbers(what: str, values: Floats, data: xr.Dataset, *dims: str) -> None:
    """Refuse numbers whose sums of powers overflow or underflow, and values that are all missing.

    `data` labels the dimensions.
    """
    if np.isnan(values).all():
        raise InputError(f"there is no number in {what}; leave it out or supply some")
    lowest, highest = np.nanmin(values), np.nanmax(values)
    largest = max(-lowest, highest)
    if largest > LARGEST:
        place = np.unravel_index(np.nanargmax(np.abs(values)), values.shape)
        at = ", ".join(
            f"{name} {quoted(data[name].values[i])}" for name, i in zip(dims, place, strict=True)
        )
        kind = "an infinite value" if np.isinf(largest) else f"a value beyond {LARGEST:g}"
        raise InputError(f"{kind} in {what}: {at}")
    spread = highest - lowest
    if spread and largest > max(SMALL, spread * FURTHEST):
        raise InputError(
            f"{what} differ by {spread:g} at {largest:g}, and sums of numbers this large lose the "
            "differences; subtract the same number from all"
        )
    if 0 < largest < 1 / LARGEST:
        raise InputError(f"no value in {what} reaches {1 / LARGEST:g}; rescale them")


def switches_of(what: str, values: object) -> NDArray[np.bool_]:
    """Convert answers to yes or no; texts and missing ones are refused."""
    array = numbers_of(what, values)
    if not np.isin(array, (0, 1)).all():
        raise InputError(f"{what} must be True or False, not {quoted(values)}")
    return np.asarray(array == 1)


def make_declared(
    what: str,
    variables: Iterable[Variable],
    values: Mapping[str, Any],
    labels: Mapping[str, Sequence[Any] | None],
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Dataset of the declared variables with values; texts become coordinates.

    `labels` are by dimension; None numbers the last dimension of the first variable.

    Raises
    ------
    InputError
        If values are not numbers, a label is missing, or shapes and labels do not fit together.
    """
    arrays: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    for variable in variables:
        name, given = variable.name, values.get(variable.name)
        about = {"units": variable.units, "long_name": variable.doc}
        if given is not None and variable.kinds == "UOT":
            coordinates[name] = (variable.dims, checked_labels(name, given), about)
        elif given is not None:
            whole = (switches_of if variable.kinds == "b" else numbers_of)(name, given)
            arrays[name] = (variable.dims, whole, about)
    shape = next(iter(arrays.values()))[1].shape
    numbered = [str(i) for i in range(shape[-1] if shape else 0)]
    for dim, names in labels.items():
        coordinates[dim] = (dim, checked_labels(dim, numbered if names is None else names))
    try:
        return xr.Dataset(arrays, coordinates, dict(attrs or {}))
    except ValueError as error:
        raise InputError(f"{what} and labels do not fit together: {error}") from error


def checked_labels(what: str, labels: Iterable[Any]) -> Any:
    """List labels; refuse masked and missing ones (None, NA, NaN)."""
    found = list(labels)
    kinds = {type(label) for label in found}
    absent = {kind for kind in kinds if kind.__name__ in ABSENT or issubclass(kind, float)}
    for number, label in enumerate(found if absent else ()):
        if type(label).__name__ in ABSENT or label != label:
            raise InputError(f"label {number + 1} of '{what}' is missing")
    return found or np.empty(0, dtype=str)  # an empty list would become floats
