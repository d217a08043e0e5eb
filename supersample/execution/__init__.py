"""Workers and stores; the only package that imports dask, zarr and fsspec."""
