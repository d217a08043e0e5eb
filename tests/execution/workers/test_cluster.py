"""Workers of a dask cluster: the same store, also when one of them is killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import dask
import pytest

import supersample as ss
from supersample.execution.stores import Place
from tests.stores import MANY, SCORES, contents, forked, recorded, run_many
from tests.toy_sets import write_test_set

distributed = pytest.importorskip("distributed", reason="the extra 'distributed' is not installed")

# distributed leaves sockets and loops to the garbage collector when a cluster ends
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    forked()  # of which the workers are forks too
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def inside():
    """A cluster within this process, which starts quickly."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "run.zarr"
    run_many(path)
    return contents(path)


@pytest.mark.posix("processes are killed by signals")
def test_a_cluster_gives_the_same_store_also_if_a_worker_is_killed(cluster, tmp_path, undisturbed):
    path = tmp_path / "run.zarr"
    workers = ss.Workers(cluster.scheduler_address)
    killed = []

    def kill_one():
        while recorded(path) <= 2:
            time.sleep(0.002)
        victim = next(iter(cluster.workers.values())).pid
        os.kill(victim, signal.SIGKILL)
        killed.append(recorded(path))

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    status = ss.hybrids.run_hybrids(SCORES, path, **MANY, workers=workers)
    killer.join()
    assert 2 < killed[0] < 59
    assert status.complete
    assert contents(path) == undisturbed


def test_workers_reduce_the_chunks_of_a_run_and_the_client_reads_none(
    cluster, tmp_path, monkeypatch
):
    path = tmp_path / "run.zarr"
    ss.hybrids.run_hybrids(SCORES, path, n=300_000, chunk=65_536)
    sample = ss.hybrids.open_run(path)
    alone = ss.rank(sample, workers="synchronous")
    assert alone.identical(ss.rank(sample, workers=ss.Workers("threads", 3)))
    read = Place.read

    def read_no_chunk(place, file):
        assert not file.startswith(("score/c", "human/c"))
        return read(place, file)

    monkeypatch.setattr(Place, "read", read_no_chunk)
    with ss.connect(cluster.scheduler_address) as client:
        assert ss.rank(sample, workers=client).identical(alone)
        path.rename(tmp_path / "elsewhere.zarr")
        with pytest.raises(ss.InputError, match=r"a worker cannot read .*run\.zarr, to which all"):
            ss.correlations.stream_correlations(sample, bases=["hybrids"], workers=client)


def test_one_client_serves_several_runs(cluster, tmp_path, capsys):
    with ss.connect(ss.Workers(cluster.scheduler_address)) as client:
        for seed in (0, 1):
            path = tmp_path / f"{seed}.zarr"
            ss.hybrids.run_hybrids(SCORES, path, n=100, seed=seed, workers=client, progress=True)
            assert ss.hybrids.resume_run(path, workers=client).became == {"kept": 1}
    assert capsys.readouterr().err.count("dashboard: http://") == 2


def test_a_study_connects_once_and_gives_the_same_bits(inside, tmp_path, monkeypatch):
    connected = []

    class Counted(distributed.Client):
        def __init__(self, *arguments, **options):
            connected.append(arguments)
            super().__init__(*arguments, **options)

    address = inside.scheduler_address
    matrix = [[1, 0.9, 0.8], [0.9, 1, 0.8], [0.8, 0.8, 1]]
    population = ss.simulation.Population(matrix)
    sizes = {"systems": [5, 6], "segments": [10], "sets": [1], "replicates": 4}
    grid = {"inputs": ["example"], "n": [50, 60], "seeds": [0, 1]}
    plain = (ss.simulation.plan(population, **sizes), ss.simulation.sweep(grid, tmp_path / "plain"))
    monkeypatch.setattr(distributed, "Client", Counted)
    assert ss.simulation.plan(population, **sizes, workers=address).identical(plain[0])
    assert connected == [(address,)]
    assert ss.simulation.sweep(grid, tmp_path / "s", workers=ss.Workers(address)).equals(plain[1])
    assert connected == [(address,)] * 2


def test_what_a_task_raises_comes_through(cluster):
    def broken(item):
        raise ss.InputError(f"no such luck with {item}")

    with (
        ss.connect(ss.Workers(cluster.scheduler_address)) as client,
        pytest.raises(ss.InputError, match="no such luck with 3"),
    ):
        list(client.completed(broken, [3]))


def test_a_worker_elsewhere_says_that_it_does_not_see_the_store(cluster, tmp_path, monkeypatch):
    path = tmp_path / "run.zarr"
    monkeypatch.setattr(Place, "absolute", lambda place: place.within("elsewhere"))
    with pytest.raises(ss.InputError, match=r"a worker cannot read .*elsewhere, to which all"):
        ss.hybrids.run_hybrids(SCORES, path, n=100, workers=ss.Workers(cluster.scheduler_address))
    assert ss.hybrids.run_status(path).finished == 0


@pytest.fixture(scope="module")
def other_version(tmp_path_factory):
    """Address of a scheduler whose worker has another version of supersample."""
    named = tmp_path_factory.mktemp("other") / "supersample-0.1.dist-info" / "METADATA"
    named.parent.mkdir()
    named.write_text("Metadata-Version: 2.1\nName: supersample\nVersion: 0.1\n")
    paths = [str(named.parents[1]), str(Path(ss.__file__).parents[1])]
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        worker = subprocess.Popen(
            [*command, "--no-nanny", "--nthreads", "1", "--no-dashboard"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            cwd=named.parents[1],
            stderr=subprocess.DEVNULL,
        )
        with distributed.Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
        yield cluster.scheduler_address
        worker.kill()
        worker.wait()


def computed_task(address, path):
    data = write_test_set(path / "sets")
    pairs = ["en-de", "zh-en"]
    ss.tasks.run_tasks("wmt23", data, language_pairs=pairs, workers=address)


def computed_lazily(address, path):
    with distributed.Client(address, set_as_default=False) as client:
        ss.hybrid_supersample(SCORES, n=100, chunks=50)["score"].compute(scheduler=client)


@pytest.mark.parametrize(
    "compute",
    [
        computed_task,
        computed_lazily,
        lambda address, path: ss.hybrids.run_hybrids(SCORES, path, n=100, workers=address),
        lambda address, path: ss.hybrid_supersample(SCORES, n=100, workers=address),
    ],
)
def test_workers_of_another_version_are_refused(other_version, tmp_path, compute):
    with pytest.raises(ss.InputError, match=r"a worker has supersample 0\.1, and the process"):
        compute(other_version, tmp_path / "kept.zarr")


def test_nobody_at_an_address_is_one_line(monkeypatch):
    monkeypatch.setattr("supersample.execution.workers.PATIENCE", 0.2)
    with (
        pytest.raises(ss.InputError, match=r"no dask scheduler answers at tcp://127.0.0.1:9"),
        ss.connect(ss.Workers("tcp://127.0.0.1:9")),
    ):
        pass


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:9", "slurm"])
def test_what_is_not_installed_is_named(monkeypatch, scheduler):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr("supersample.execution.workers.import_module", absent)
    extra = "slurm" if scheduler == "slurm" else "distributed"
    with (
        pytest.raises(ss.InputError, match=rf"pip install 'supersample\[{extra}\]'"),
        ss.connect(ss.Workers(scheduler)),
    ):
        pass


@pytest.mark.posix("a script stands in for sbatch")
def test_slurm_that_is_absent_or_refuses_a_job_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ss.InputError, match="no SLURM here"), ss.connect(ss.Workers("slurm")):
        pass
    refusing = tmp_path / "sbatch"
    refusing.write_text("#!/bin/sh\necho 'invalid partition specified: none' >&2\nexit 1\n")
    refusing.chmod(0o755)
    with (
        pytest.raises(ss.InputError, match="refuses this job: invalid partition specified: none"),
        ss.connect(ss.Workers("slurm")),
    ):
        pass


def test_workers_that_die_again_and_again_are_given_up(cluster):
    class Future:
        def result(self):
            raise distributed.KilledWorker("task", SimpleNamespace(address="tcp://there:1"), 3)

    with (
        ss.connect(ss.Workers(cluster.scheduler_address)) as client,
        pytest.raises(ss.InputError, match=r"killed again and again \(tcp://there:1\)"),
    ):
        client._result(Future())
