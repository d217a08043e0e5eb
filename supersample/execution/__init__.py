"""Blocks of replicates on dask, and stores; the only room that imports dask or zarr."""
