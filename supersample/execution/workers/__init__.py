"""Who computes: threads, processes, a dask cluster, SLURM."""
