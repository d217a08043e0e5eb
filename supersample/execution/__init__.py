"""Who computes and where it is kept; the only room that imports dask, zarr and fsspec."""
