"""Runs on a dask cluster of three hosts, network namespaces with a bridge, whose network fails."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import supersample as ss
from tests.stores import contents, recorded

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 120  # seconds
HEAD, PORT = "10.213.7.1", 8786
ADDRESSES = {"one": "10.213.7.2", "two": "10.213.7.3"}
N, CHUNK = 500_000, 2_500  # 200 chunks
QUICK = {  # until what is silent is given up: usually 30, 30 and 300 seconds
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s",
}
DASK = {"NO_COLOR": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(REPOSITORY), **QUICK}


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=PATIENCE)


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


@dataclass
class Hosts:
    """A host for scheduler and client, and one for each worker; all see the same files."""

    folder: Path
    prefix: str
    processes: list[subprocess.Popen]

    def start(self, host, *arguments):
        """Start a module of Python on a host; what it prints is in a file of the host's name."""
        with (self.folder / f"{host}.log").open("ab") as log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self.prefix + host, sys.executable, "-m", *arguments],
                env={**os.environ, **DASK}, cwd=self.folder, stdout=log, stderr=log,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def start_worker(self, worker):
        """Start a worker, and wait until the scheduler has it."""
        options = ["--nthreads", "1", "--no-dashboard", "--local-directory", self.folder / worker]
        before = self.registered(worker)
        self.start(worker, "distributed.cli.dask_worker", f"tcp://{HEAD}:{PORT}", *options)
        until(lambda: self.registered(worker) > before, lambda: self.printed(worker))

    def printed(self, host):
        return (self.folder / f"{host}.log").read_text()

    def cut(self, worker):
        ip("-n", f"{self.prefix}head", "link", "set", worker, "down")

    def mend(self, worker):
        ip("-n", f"{self.prefix}head", "link", "set", worker, "up")

    def registered(self, worker):
        """How often a worker came to the scheduler."""
        lines = self.printed("head").splitlines()
        return sum("Register worker" in line and ADDRESSES[worker] in line for line in lines)


def lay_cables(prefix):
    """Make the hosts, and connect them by a bridge on the first."""
    head = f"{prefix}head"
    for host in ("head", *ADDRESSES):
        ip("netns", "add", prefix + host)
        ip("-n", prefix + host, "link", "set", "lo", "up")
    ip("-n", head, "link", "add", "bridge", "type", "bridge")
    ip("-n", head, "address", "add", f"{HEAD}/24", "dev", "bridge")
    ip("-n", head, "link", "set", "bridge", "up")
    for worker, address in ADDRESSES.items():
        there = prefix + worker
        ip("-n", head, "link", "add", worker, "type", "veth", "peer", "eth0", "netns", there)
        ip("-n", head, "link", "set", worker, "master", "bridge", "up")
        ip("-n", there, "address", "add", f"{address}/24", "dev", "eth0")
        ip("-n", there, "link", "set", "eth0", "up")


@pytest.fixture
def hosts(tmp_path):
    """Hosts with a scheduler and two workers."""
    if shutil.which("ip") is None:
        pytest.skip("network namespaces are made by the command ip, of iproute2, which is not here")
    if os.geteuid() != 0:
        pytest.skip("network namespaces are made by root alone: sudo make test-hosts")
    prefix = f"supersample-{os.getpid()}-"
    hosts = Hosts(tmp_path, prefix, [])
    try:
        try:
            lay_cables(prefix)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"network namespaces are not allowed here: {error.stderr.strip()}")
        scheduler = ["distributed.cli.dask_scheduler", "--host", HEAD, "--port", str(PORT)]
        hosts.start("head", *scheduler, "--no-dashboard")
        for worker in ADDRESSES:
            hosts.start_worker(worker)
        yield hosts
    finally:
        for process in hosts.processes:
            process.terminate()
        for process in hosts.processes:
            process.wait(timeout=PATIENCE)
        for host in ("head", *ADDRESSES):
            subprocess.run(["ip", "netns", "delete", prefix + host], capture_output=True)


@pytest.mark.faults
def test_workers_that_are_cut_off_and_come_back_lose_nothing(hosts, tmp_path):
    path = tmp_path / "run.zarr"
    options = ["-n", str(N), "--chunk", str(CHUNK), "--scheduler", f"tcp://{HEAD}:{PORT}"]
    run = hosts.start("head", "supersample", "run", "example", "--out", path, *options)

    def all_printed():
        return "\n".join(hosts.printed(host) for host in ("head", *ADDRESSES))

    def until_finished(count):
        until(lambda: recorded(path) >= count, all_printed)

    until_finished(10)
    hosts.cut("two")  # shortly: its connections last
    time.sleep(1)
    hosts.mend("two")
    until_finished(recorded(path) + 10)
    hosts.cut("one")
    until_finished(recorded(path) + 10)  # by the other
    hosts.cut("two")  # now the run cannot end
    for address in ADDRESSES.values():
        removed = f"Remove worker addr: tcp://{address}"
        until(lambda removed=removed: removed in hosts.printed("head"), all_printed)
    assert run.poll() is None, all_printed()
    for worker in ADDRESSES:  # dask's workers end when the scheduler is lost
        hosts.mend(worker)
        hosts.start_worker(worker)
    assert run.wait(timeout=PATIENCE) == 0, all_printed()
    undisturbed = tmp_path / "undisturbed.zarr"
    ss.hybrids.run_hybrids(ss.load_example(), undisturbed, n=N, chunk=CHUNK)
    assert contents(path) == contents(undisturbed)
    assert dict(ss.hybrids.resume_run(path).became) == {"kept": 200}
