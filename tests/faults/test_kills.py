"""SIGKILL at random moments: what was finished stays, and resuming gives the same bits."""

import os
import random
import signal
import subprocess

import pytest

import supersample as ss
from tests.faults.runs import OPTIONS, RUN, begin, left, wait_for, wait_for_moment
from tests.stores import contents, recorded

pytestmark = pytest.mark.posix("processes are killed by signals")

LONG = pytest.mark.faults


def kill(pid):
    """Kill a process, if it has not ended."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def check_resumed(path, undisturbed):
    """Resume what was killed; a finished chunk is not computed again."""
    before = recorded(path)
    status = ss.hybrids.run_hybrids(ss.load_example(), path, **RUN)
    assert status.became.get("kept", 0) >= before
    assert contents(path) == undisturbed


def kill_some(path, scheduler, rng, others=list):
    """Kill a run, or one of its worker processes, which it outlives."""
    process = begin(path, scheduler)
    wait_for_moment(process, path, rng)
    workers = [pid for pid in left(process.pid) if pid != process.pid] or others()
    kill(rng.choice(workers) if workers and rng.random() < 0.5 else process.pid)
    process.communicate()
    wait_for(lambda: left(process.pid) == [])


@LONG
@pytest.mark.parametrize("scheduler", ["processes", "threads"])
def test_killed_runs_are_resumed_to_the_same_bits(tmp_path, undisturbed, scheduler):
    rng = random.Random(scheduler)
    for i in range(25):
        kill_some(tmp_path / f"{i}.zarr", scheduler, rng)
        check_resumed(tmp_path / f"{i}.zarr", undisturbed)


@LONG
def test_killed_clients_and_workers_of_dask_change_nothing(tmp_path, undisturbed, address):
    from distributed import Client

    rng = random.Random("dask")
    with Client(address, set_as_default=False) as client:
        for i in range(25):
            wait_for(lambda: len(client.scheduler_info()["workers"]) == 2)
            path = tmp_path / f"{i}.zarr"
            kill_some(path, address, rng, lambda: list(client.run(os.getpid).values()))
            check_resumed(path, undisturbed)


@LONG
def test_killed_jobs_of_slurm_change_nothing(tmp_path, undisturbed, slurm, array):
    def say(*command):
        done = subprocess.run(
            command, env=slurm, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    rng = random.Random("slurm")
    for i in range(25):
        path = tmp_path / f"{i}.zarr"
        batch = ["--parsable", "--array=1-2", "--mem=1G", array, *OPTIONS, "--out", path]
        job, many = say("sbatch", *batch).partition(";")[0], rng.randrange(0, 100)
        wait_for(lambda path=path, many=many: recorded(path) > many or not say("squeue", "-h"))
        say("scancel", "--full", "--signal=KILL", f"{job}_{rng.choice([1, 2])}")
        wait_for(lambda: not say("squeue", "-h"))
        check_resumed(path, undisturbed)
