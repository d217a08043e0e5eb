"""Runs in a bucket of a real S3 server on this machine, with processes killed and side by side."""

import os
import signal
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.execution.stores import places
from supersample.execution.stores.datasets import create_run, match_layout
from supersample.execution.stores.places import STORE, place_of
from supersample.execution.stores.store import Run, Store, lengthen, run_of
from supersample.hybrids.run_progress import run_store
from tests.buckets import Killed, assert_same, killed, once_after, process_in
from tests.long_tables import check_refused
from tests.stores import SCORES

FEW = {"n": 30, "chunk": 10}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    path = tmp_path_factory.mktemp("local") / "run.zarr"
    ss.hybrids.run_hybrids(SCORES, path, **FEW)
    return path


def test_a_run_is_begun_made_longer_mended_and_ranked(bucket, local, command, tmp_path):
    url = f"{bucket}/commands/run.zarr"
    began = command("run", local, "--out", url, "-n", "13", "--chunk", "10", "-q")
    assert began == (0, "", "")
    place_of(url).put("score/0.0", b"damaged")
    assert command("run", "--status", url).out.startswith(f"{url}: 13 of 13 hybrids, 2 of 2 chunks")
    with pytest.raises(ss.InputError, match=f"{url}: score/0.0 is damaged; repair it: supersample"):
        ss.hybrids.open_run(url)["score"].load()
    assert command("run", "--resume", url, "-n", "30")[:2] == (0, "")
    lengthen(run_store(url), run_of(run_store(url)), 20)  # as another process that read it before
    assert command("rank", url)[1] == command("rank", local)[1]
    assert_same(url, local)
    copied = tmp_path / "copied.zarr"
    places.file_system("s3", os.getpid()).get(url, str(copied), recursive=True)
    assert ss.hybrids.resume_run(copied).n == 30
    xr.testing.assert_identical(
        ss.hybrids.open_run(copied).load(), ss.hybrids.open_run(local).load()
    )


@pytest.mark.posix("processes are forked and killed")
def test_killed_processes_and_others_beside_them_lose_nothing(bucket, local):
    url = f"{bucket}/killed/run.zarr"
    with once_after("scores/.zgroup", killed), pytest.raises(Killed):  # within the inputs
        ss.hybrids.run_hybrids(SCORES, url, **FEW)
    with pytest.raises(ss.InputError, match="is not complete; give the command run again"):
        ss.hybrids.resume_run(url)

    def other():
        process = process_in(url, FEW, "score/1.0")  # within a chunk
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert str(ss.hybrids.run_status(url)).startswith(f"{url}: 10 of 30 hybrids, 1 of 3 chunks")

    with once_after("score/0.0", other):
        assert ss.hybrids.run_hybrids(SCORES, url, workers="synchronous", **FEW).complete
    assert dict(ss.hybrids.resume_run(url).became) == {"kept": 3}
    assert_same(url, local)


def tiny(run):
    return xr.Dataset({"x": ("row", np.zeros(run.n))}).chunk()


@pytest.mark.parametrize("where", ["folder", "bucket"])
def test_of_two_lengths_the_longer_holds(tmp_path, request, where):
    """Another process makes the run longer still while one writes its layout."""
    root = tmp_path if where == "folder" else request.getfixturevalue("bucket")
    store = Store(place_of(f"{root}/lengths/run.zarr"), "toy")
    begun = Run("a", 10, 10, {})
    others = iter([partial(lengthen, store, begun, 40)])

    def template(run):
        for other in others:
            other()
        return tiny(run)

    assert create_run(store, begun, tiny(begun), xr.Dataset())
    assert not create_run(store, replace(begun, identity="b"), tiny(begun), xr.Dataset())
    assert match_layout(store, 20, template) == replace(begun, n=40)
    assert xr.open_zarr(str(store.place)).sizes == {"row": 40}


def test_stores_of_other_software_are_read_with_a_word(bucket, tmp_path):
    SCORES.to_zarr(tmp_path / "foreign.zarr", zarr_format=2)
    url = f"{bucket}/foreign.zarr"
    places.file_system("s3", os.getpid()).put(str(tmp_path / "foreign.zarr"), url, recursive=True)
    with pytest.warns(ss.UncheckedWarning, match="foreign.zarr has no checksums, so damage"):
        read = ss.read_dataset(url)
    xr.testing.assert_equal(read, SCORES)


def test_mistakes_are_one_line(bucket, command, monkeypatch):
    begin = ("run", "example", "-n", "10", "-q", "--out")
    check_refused(
        command("run", "--status", f"{bucket}/none.zarr"), f"there is no run {bucket}/none.zarr"
    )
    check_refused(command("rank", f"{bucket}/none.zarr"), f"there is no folder {bucket}/none.zarr")
    nobody = "s3://nobody/run.zarr"
    check_refused(command(*begin, nobody), f"{nobody}/{STORE} cannot be written: there is no")
    check_refused(command(*begin, "http://a/run.zarr"), "begins with s3:// or gs://")
    folder = command("rank", "example", "--out", "s3://nobody/results")
    check_refused(folder, "results go to a folder; only hybrids (run) can go to buckets")
    check_refused(command("rank", "s3://nobody/x.nc"), "only a .zarr is read from a bucket")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    missing = "this needs gcsfs: pip install 'supersample[gcs]'"
    check_refused(command(*begin, "gs://runs/run.zarr"), missing)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr(places, "file_system", places.file_system.__wrapped__)  # a new one
    check_refused(
        command("run", "--status", f"{bucket}/run.zarr"), "cannot be read or written: Could not"
    )
