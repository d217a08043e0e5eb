"""Run a command of supersample by workers of dask, each a job of SLURM.

``python jobs.py 16 --memory 2GB --walltime 01:00:00 supersample run scores.csv --out run.zarr``.
Other settings are those of the site, from dask's configuration (see ``jobqueue.yaml``).
"""

import argparse
import subprocess
import sys

from dask_jobqueue import SLURMCluster

ONE_THREAD = [f"export {name}_NUM_THREADS=1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")]


def main() -> int:
    """Start the jobs, and the command with the address of their scheduler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=int)
    for name, usual in (("memory", "4GB"), ("walltime", None), ("queue", None)):
        parser.add_argument(f"--{name}", default=usual)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = vars(parser.parse_args())
    jobs, command = options.pop("jobs"), options.pop("command")
    given = {name: value for name, value in options.items() if value is not None}
    with SLURMCluster(cores=1, job_script_prologue=ONE_THREAD, **given) as cluster:
        cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)
        ended = subprocess.run([*command, "--scheduler", cluster.scheduler_address], check=False)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
