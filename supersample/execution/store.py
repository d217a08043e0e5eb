"""Datasets on disk."""

from pathlib import Path

import dask
import xarray as xr

from supersample.execution.blocks import Scheduler


def write_zarr(dataset: xr.Dataset, path: str | Path, *, scheduler: Scheduler = "threads") -> None:
    """Write a Dataset, lazy or not, as a new Zarr store that plain xarray opens.

    Raises
    ------
    FileExistsError
        If the path exists.
    """
    with dask.config.set(scheduler=scheduler):
        dataset.to_zarr(Path(path), mode="w-", zarr_format=2, consolidated=True)
