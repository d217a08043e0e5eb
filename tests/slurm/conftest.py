"""A SLURM of one node on this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
CLUSTER = REPOSITORY / "experiments" / "cluster"
COMMAND = f"{sys.executable} -m supersample"
PATIENCE = 120  # seconds


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Environment of commands that use a SLURM of our own."""
    if "SUPERSAMPLE_SLURM" not in os.environ:
        pytest.skip("run by make test-slurm and make faults alone: it starts daemons")
    absent = [name for name in ("slurmctld", "slurmd", "munged") if shutil.which(name) is None]
    if absent:
        pytest.skip(f"no SLURM here: {', '.join(absent)} not found")
    if os.geteuid() != 0:
        pytest.skip("SLURM's daemons are started as root")
    folder = tmp_path_factory.mktemp("slurm")
    subprocess.run([HERE / "start.sh", folder], check=True, timeout=PATIENCE)
    yield {
        **os.environ,
        "SLURM_CONF": str(folder / "slurm.conf"),
        "SUPERSAMPLE": COMMAND,
        "PYTHONPATH": str(REPOSITORY),
    }
    subprocess.run([HERE / "stop.sh", folder], check=True, timeout=PATIENCE)
