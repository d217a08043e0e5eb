"""What a variable of a Dataset is, declared once and checked from the declaration."""

from dataclasses import dataclass

import xarray as xr

from supersample.errors import InputError


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
    """Check that a variable is there, unless it is optional, with its dimensions and dtype."""
    if variable.name not in scores:
        if variable.optional:
            return
        raise InputError(f"{what} lack '{variable.name}' {variable.dims}: {variable.doc}")
    array = scores.variables[variable.name]
    if set(array.dims) != set(variable.dims):
        raise InputError(
            f"'{variable.name}' has dimensions {array.dims}; {what} declare {variable.dims}"
        )
    if array.dtype.kind not in variable.kinds:
        raise InputError(
            f"'{variable.name}' has dtype {array.dtype}; {what} declare kind '{variable.kinds}' "
            f"({variable.doc})"
        )
