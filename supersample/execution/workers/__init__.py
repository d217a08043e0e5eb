"""Who computes: threads, processes, a dask cluster, SLURM; one `Client` for all."""
