"""Read files of xarray: NetCDF (.nc) and Zarr (.zarr)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from supersample.errors import InputError, UncheckedWarning, check_names, printable
from supersample.execution.datasets import INPUTS, load_netcdf, load_zarr, run_facts
from supersample.execution.stores import place_of
from supersample.scores.schema import validate_scores
from supersample.scores.system_level import check_system_scores

SUFFIXES = (".nc", ".zarr")


def read_dataset(path: str | Path, *, lower_is_better: Sequence[str] = ()) -> xr.Dataset:
    """Read Scores, or system-level scores, from a NetCDF file or a Zarr store.

    Parameters
    ----------
    path : str or Path
        Must end in .nc or .zarr. The store of a run (see `run_hybrids`) gives the run's Scores.
    lower_is_better : sequence of str
        Metrics for which higher scores mean worse translations, in addition to the file's own.

    Returns
    -------
    xarray.Dataset
        The Scores, in memory, as from `make_scores` or `make_system_scores`.

    Raises
    ------
    InputError
        If the file does not exist, cannot be read, was changed after writing, has another format
        than this version reads, or contains something else; or if a metric of a given name does not
        exist.

    Warns
    -----
    UncheckedWarning
        If the file has no checksum, because other software wrote it.

    Examples
    --------
    >>> read_dataset("nowhere.nc")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.nc
    """
    place = place_of(path)
    path = Path(path)
    if place.suffix not in SUFFIXES:
        raise InputError(f"{place}: a file of xarray ends in .nc or .zarr")
    is_store = place.suffix == ".zarr"
    if not is_store and isinstance(place.path, str):
        raise InputError(f"{place}: only a .zarr is read from a bucket; copy the file")
    if not (place.names() if is_store else path.is_file()):
        raise InputError(f"there is no {'folder' if is_store else 'file'} {place}")
    try:
        if is_store:
            data = load_zarr(place if run_facts(place) is None else place.within(INPUTS))
        else:
            data = load_netcdf(path)
    except (InputError, MemoryError, UncheckedWarning):
        raise
    except Exception as error:  # other packages do not document what they raise on damaged files
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{place} cannot be read as {place.suffix[1:]}: {reason}") from error
    for name in data.variables:
        data[name].encoding = {}
        if data[name].dtype.kind in "OT":
            data[name] = data[name].astype(str)
    if "higher_is_better" in data and data["higher_is_better"].dtype.kind in "iu":
        data["higher_is_better"] = data["higher_is_better"].astype(bool)
    system_level = "system_score" in data and "segment" not in data.dims
    try:
        check = check_system_scores if system_level else validate_scores
        check(data)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    if not system_level:
        data = data.assign_attrs(source=data.attrs.get("source", printable(place)))
    if lower_is_better:
        metrics, higher = data["metric"].to_numpy().astype(str), data["higher_is_better"]
        check_names("metric", lower_is_better, metrics, str(place))
        declared = higher.to_numpy() & ~np.isin(metrics, lower_is_better)
        data = data.assign(higher_is_better=higher.copy(data=declared))
    return data
