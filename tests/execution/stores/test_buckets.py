"""Runs in buckets: as in folders, also with processes killed and side by side."""

import os
import signal
import sys

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.execution import stores
from tests.buckets import assert_same, process_in
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
    stores.place_of(url).put("score/c/0/0", b"damaged")
    assert command("run", "--status", url).out.startswith(f"{url}: 13 of 13 hybrids, 2 of 2 chunks")
    with pytest.raises(ss.InputError, match=f"{url}: chunk 0 of score is damaged; repair it: sup"):
        ss.hybrids.open_run(url)["score"].load()
    assert command("run", "--resume", url, "-n", "30")[:2] == (0, "")
    assert command("rank", url)[1] == command("rank", local)[1]
    assert_same(url, local)
    xr.testing.assert_equal(ss.read_dataset(url), SCORES)
    copied = tmp_path / "copied.zarr"
    stores.file_system("s3", os.getpid()).get(url, str(copied), recursive=True)
    assert ss.hybrids.resume_run(copied).became == {"kept": 3}


@pytest.mark.posix("processes are forked and killed")
def test_killed_processes_and_others_beside_them_lose_nothing(bucket, local):
    url = f"{bucket}/killed/run.zarr"
    for last in ("scores/zarr.json", "run.zarr/zarr.json", "score/zarr.json", "score/c/1/0"):
        process = process_in(url, FEW, last)
        process.join()
        assert process.exitcode == -signal.SIGKILL
    assert str(ss.hybrids.run_status(url)).startswith(f"{url}: 10 of 30 hybrids, 1 of 3 chunks")
    pair = [process_in(url, FEW) for _ in range(2)]
    for process in pair:
        process.join()
    assert [process.exitcode for process in pair] == [0, 0]
    assert dict(ss.hybrids.resume_run(url).became) == {"kept": 3}
    assert_same(url, local)


def test_other_file_systems_of_fsspec_do_as_well():
    url = "memory://some/run.zarr"
    assert ss.hybrids.run_hybrids(SCORES, url, **FEW).complete
    with pytest.raises(ss.InputError, match="seed 0, not 1"):
        ss.hybrids.run_hybrids(SCORES, url, seed=1, **FEW)
    with xr.open_zarr(url) as stored:
        np.testing.assert_array_equal(stored["human"], ss.hybrid_supersample(SCORES, n=30)["human"])


def test_stores_of_other_software_are_read_with_a_word(bucket, tmp_path):
    SCORES.to_zarr(tmp_path / "foreign.zarr", zarr_format=2)
    url = f"{bucket}/foreign.zarr"
    stores.file_system("s3", os.getpid()).put(str(tmp_path / "foreign.zarr"), url, recursive=True)
    with pytest.warns(ss.UncheckedWarning, match="foreign.zarr has no checksum, so damage"):
        read = ss.read_dataset(url)
    xr.testing.assert_equal(read, SCORES)


def test_mistakes_are_one_line(bucket, command, monkeypatch):
    begin = ("run", "example", "-n", "10", "-q", "--out")
    check_refused(
        command("run", "--status", f"{bucket}/none.zarr"), f"there is no run {bucket}/none.zarr"
    )
    check_refused(command("rank", f"{bucket}/none.zarr"), f"there is no folder {bucket}/none.zarr")
    nobody = "s3://nobody/run.zarr"
    check_refused(command(*begin, nobody), "cannot be written: there is no such object or bucket")
    check_refused(command(*begin, "http://a/run.zarr"), "begins with s3:// or gs://")
    folder = command("rank", "example", "--out", "s3://nobody/results")
    check_refused(folder, "results go to a folder; only hybrids (run) can go to buckets")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    missing = "this needs gcsfs: pip install 'supersample[gcs]'"
    check_refused(command(*begin, "gs://runs/run.zarr"), missing)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr(stores, "file_system", stores.file_system.__wrapped__)  # a new one
    check_refused(
        command("run", "--status", f"{bucket}/run.zarr"), "cannot be read or written: Could not"
    )
