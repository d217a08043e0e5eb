"""Runs to compare with, workers of dask and SLURM, and commands in a folder of their own."""

import pytest

import supersample as ss
from tests.buckets import bucket  # noqa: F401
from tests.faults.runs import RUN
from tests.slurm.conftest import CLUSTER, slurm  # noqa: F401
from tests.stores import contents


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """What a run holds in the end."""
    path = tmp_path_factory.mktemp("undisturbed") / "run.zarr"
    ss.hybrids.run_hybrids(ss.load_example(), path, **RUN)
    return contents(path)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Files of scores and of what is set beside them, for commands to use."""
    from tests.faults.test_options import made_files

    return made_files(tmp_path_factory.mktemp("files"))


@pytest.fixture
def no_page(monkeypatch):
    """Write no page, which nothing reads."""
    monkeypatch.setattr("supersample.results.outputs.write_report", lambda *_, **__: None)


@pytest.fixture(scope="module")
def address():
    """Workers of dask on this machine, which are started anew when they are killed."""
    distributed = pytest.importorskip("distributed", reason="the extra 'distributed' is missing")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def array():
    """Script of a job array that fills a store."""
    return CLUSTER / "array.sbatch"
