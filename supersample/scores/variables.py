"""What a variable of a Dataset is, declared once and checked from the declaration."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, quoted


@dataclass(frozen=True)
class Variable:
    """What one variable of a Dataset is: name, dims, dtype kinds, units and meaning."""

    name: str
    dims: tuple[str, ...]
    kinds: str
    units: str
    doc: str
    optional: bool = False


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


def check_labels(data: xr.Dataset, dimension: str, fewest: int, what: str = "Scores") -> None:
    """Check that a dimension has labels, each once, and enough of them."""
    if dimension not in data.coords:
        raise InputError(f"{what} lack labels for the dimension '{dimension}'")
    index = data.indexes[dimension]
    name = "gold standard" if dimension == "gold" else dimension
    if not index.is_unique:
        raise InputError(f"the {name} {quoted(index[index.duplicated()][0])} occurs more than once")
    if len(index) < fewest:
        raise InputError(f"at least {fewest} {name}s are needed, there are {len(index)}")


def check_numbers(what: str, values: NDArray[np.float64], data: xr.Dataset, *dims: str) -> None:
    """Refuse an infinite number, and values that are all missing; `data` labels the dimensions."""
    if np.isfinite(values).all():
        return
    infinite = np.argwhere(np.isinf(values))
    if infinite.size:
        places = zip(dims, infinite[0], strict=True)
        at = ", ".join(f"{name} {quoted(data[name].values[i])}" for name, i in places)
        raise InputError(f"an infinite value in {what}: {at}")
    if np.isnan(values).all():
        raise InputError(f"there is no number at all in {what}; leave it out or supply some")


def annotate(data: xr.Dataset, variables: Iterable[Variable]) -> None:
    """Set units and meaning of declared variables."""
    for variable in variables:
        if variable.name in data:
            data[variable.name].attrs.update(units=variable.units, long_name=variable.doc)
