"""Workers and stores; the only package that imports dask and fsspec."""
