"""Runs: what is in a store, that it can be gone on with, and what is refused."""

import re
import shutil

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from tests.stores import SCORES, contents, written

MADE_OF = ["first_system", "second_system", "share"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.zarr"


def assert_holds(path, expected):
    with xr.open_zarr(path) as stored:
        for name in ("human", "score", *MADE_OF):
            if name in expected:
                np.testing.assert_array_equal(stored[name], expected[name])
        assert expected.attrs.items() <= stored.attrs.items()
    opened = ss.hybrids.open_run(path)
    xr.testing.assert_identical(opened.load(), expected)


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_a_store_holds_what_is_computed_in_memory(clients, path, tmp_path, name):
    status = ss.hybrids.run_hybrids(SCORES, path, n=1_050, seed=7, chunk=200, workers=clients[name])
    assert (status.n, status.finished, status.finished_hybrids) == (1_050, 6, 1_050)
    assert status.became == {"computed": 6}
    assert status.complete
    assert_holds(path, ss.hybrid_supersample(SCORES, n=1_050, seed=7))
    ss.hybrids.run_hybrids(SCORES, tmp_path / "other.zarr", n=1_050, seed=7, chunk=200)
    assert contents(path) == contents(tmp_path / "other.zarr")
    assert list(tmp_path.rglob("*.partial")) == []


@pytest.mark.parametrize(
    ("design", "options"),
    [
        (ss.MixHybrids(), {"mask": "all"}),
        (ss.PairHybrids(pairs="random", share="uniform"), {"human_mean": "segments"}),
        (ss.PairHybrids(unit="document", share=0.25), {}),
    ],
)
def test_every_design_can_be_stored_and_resumed(path, design, options):
    scores = ss.load_example()
    ss.hybrids.run_hybrids(scores, path, n=300, chunk=100, design=design, **options)
    ss.hybrids.resume_run(path, n=500)
    assert_holds(path, ss.hybrid_supersample(scores, n=500, design=design, **options))


def test_a_longer_run_keeps_all_chunks(path, tmp_path):
    """The last one has hybrids that are not used yet."""
    ss.hybrids.run_hybrids(SCORES, path, n=30, chunk=100)
    assert_holds(path, ss.hybrid_supersample(SCORES, n=30))
    before = written(path)
    assert ss.hybrids.run_hybrids(SCORES, path, n=950).became == {"kept": 1, "computed": 9}
    assert before.items() < written(path).items()
    assert_holds(path, ss.hybrid_supersample(SCORES, n=950))
    ss.hybrids.run_hybrids(SCORES, tmp_path / "at-once.zarr", n=950, chunk=100)
    assert contents(path) == contents(tmp_path / "at-once.zarr")


def test_parts_make_a_whole_and_tell_strangers_what_is_there(path, tmp_path):
    options = {"n": 1_050, "chunk": 100}
    first = ss.hybrids.run_hybrids(SCORES, path, part=(1, 3), **options)
    assert (first.finished, first.became) == (4, {"computed": 4})
    assert re.fullmatch(
        r".*run\.zarr: 400 of 1,050 hybrids, 4 of 11 chunks; "
        r"go on with: supersample run --resume .*run\.zarr",
        str(first),
    )
    with xr.open_zarr(path) as unfinished:
        computed = np.arange(1_050) // 100 % 3 == 0
        np.testing.assert_array_equal(unfinished["human"].notnull(), computed)
    with pytest.raises(ss.InputError, match="4 of 11 chunks; finish it: supersample run --resume"):
        ss.hybrids.open_run(path)
    assert ss.hybrids.resume_run(path, part=(3, 3)).finished == 7
    assert ss.hybrids.run_hybrids(SCORES, path, part=(2, 3), **options).complete
    assert ss.hybrids.resume_run(path, part=(12, 12)).became == {}
    ss.hybrids.run_hybrids(SCORES, tmp_path / "whole.zarr", **options)
    assert contents(path) == contents(tmp_path / "whole.zarr")


@pytest.mark.parametrize("part", [(0, 2), (3, 2), (1, 0)])
def test_parts_that_are_not_there_are_refused(path, part):
    with pytest.raises(ss.InputError, match="there is no part"):
        ss.hybrids.run_hybrids(SCORES, path, n=10, part=part)
    assert not path.exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"seed": 1}, "seed 0, not 1"),
        ({"chunk": 99}, "chunk 100, not 99"),
        ({"mask": "all", "seed": 1}, "seed 0, not 1; mask common, not all"),
        ({"design": ss.PairHybrids(share=0.3)}, "design .*0.5.*, not .*0.3"),
        ({"n": 499}, "500 hybrids, more than 499"),
    ],
)
def test_other_parameters_are_refused_by_name(path, options, named):
    ss.hybrids.run_hybrids(SCORES, path, n=500, chunk=100)
    before = contents(path)
    with pytest.raises(ss.InputError, match=named):
        ss.hybrids.run_hybrids(SCORES, path, **{"n": 600, **options})
    assert contents(path) == before


def test_other_scores_and_versions_are_refused(path, monkeypatch):
    ss.hybrids.run_hybrids(SCORES, path, n=100)
    with pytest.raises(ss.InputError, match="begun with other scores; go on with the same"):
        ss.hybrids.run_hybrids(SCORES.assign(score=SCORES["score"] + 1), path, n=100)
    monkeypatch.setattr("supersample.hybrids.resuming.version", lambda _: "99")
    with pytest.raises(ss.InputError, match=r"version \S+, not 99"):
        ss.hybrids.resume_run(path)


def test_what_is_no_run_stays_as_it_is(tmp_path, path):
    (tmp_path / "folder.zarr").mkdir()
    (tmp_path / "folder.zarr" / "mine").write_text("mine")
    (tmp_path / "file.zarr").write_text("mine")
    ss.write_scores(SCORES, tmp_path / "scores.zarr")
    ss.hybrids.run_hybrids(SCORES, path, n=10)
    (path / "zarr.json").unlink()  # whose chunks may be of any run
    before = contents(tmp_path)
    for other in ("folder.zarr", "file.zarr", "scores.zarr", "run.zarr"):
        with pytest.raises(ss.InputError, match=r"is no run of supersample|: Not a directory$"):
            ss.hybrids.run_hybrids(SCORES, tmp_path / other, n=10)
    assert contents(tmp_path) == before
    with pytest.raises(ss.InputError, match="there is no run"):
        ss.hybrids.run_status(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "counted from 1"),
        ({"chunk": 0}, "at least one hybrid"),
        ({"mask": "some"}, "there are common, complete, all"),
    ],
)
def test_bad_options_are_named_and_leave_no_store(path, options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.hybrids.run_hybrids(SCORES, path, **{"n": 10, **options})
    assert not path.exists()


def test_a_store_ends_in_zarr(tmp_path):
    with pytest.raises(ss.InputError, match=r"run: the name of a run's store ends in \.zarr"):
        ss.hybrids.run_hybrids(SCORES, tmp_path / "run", n=10)


def test_samples_of_a_billion_are_a_small_graph():
    sample = ss.hybrid_supersample(SCORES, n=10**9, chunks=10**6)
    lazy = [sample[name].data for name in ("human", "score", *MADE_OF)]
    assert all(len(values.__dask_graph__()) < 5_000 for values in lazy)
    assert sample["score"].shape == (10**9, 2)
    block = sample[["first_system", "share"]].isel(hybrid=slice(999_999_990, None)).compute()
    assert set(block["share"].values) == {0.5}
    lazy = ss.hybrid_supersample(SCORES, n=30, chunks=7)
    xr.testing.assert_identical(lazy.compute(), ss.hybrid_supersample(SCORES, n=30))


def test_chunks_of_several_blocks_hold_the_same(path, monkeypatch):
    monkeypatch.setattr("supersample.hybrids.resuming.LARGEST_BLOCK", 30)
    ss.hybrids.run_hybrids(SCORES, path, n=150, seed=2, chunk=100)
    assert_holds(path, ss.hybrid_supersample(SCORES, n=150, seed=2))


def test_scores_that_a_run_lacks_are_written_again(path):
    ss.hybrids.run_hybrids(SCORES, path, n=400, chunk=100)
    finished = contents(path)
    shutil.rmtree(path / "scores")
    ss.hybrids.run_hybrids(SCORES, path, n=400, chunk=100)
    assert contents(path) == finished


def test_plain_xarray_takes_a_run(path, tmp_path):
    """As a stranger would: a tree, a correlation, groups, memory of a cluster, another store."""
    ss.hybrids.run_hybrids(SCORES, path, n=3_000)
    assert ss.hybrids.run_status(path).chunk == 1_024
    xr.testing.assert_equal(ss.read_dataset(path), SCORES)
    run = ss.hybrids.open_run(path)
    expected = ss.hybrid_supersample(SCORES, n=3_000)
    with xr.open_datatree(path, engine="zarr") as tree:
        np.testing.assert_array_equal(tree["human"], expected["human"])
    r = xr.corr(run["human"], run["score"], dim="hybrid").sel(metric="good")
    own = np.corrcoef(expected["human"], expected["score"].sel(metric="good"))[0, 1]
    assert float(r) == pytest.approx(own, abs=1e-12)
    with xr.open_zarr(path) as opened:
        plain = xr.corr(opened["human"], opened["score"], dim="hybrid").sel(metric="good")
        assert float(plain) == pytest.approx(own, abs=1e-12)
    grouped = run["human"].groupby("first_system").mean().compute()
    xr.testing.assert_allclose(grouped, expected["human"].groupby("first_system").mean())
    names = run["first_system"].attrs["flag_meanings"].split()
    assert names == run["system"].to_numpy().tolist()
    assert run["score"].attrs["long_name"] == "metric score of the hybrid"
    xr.testing.assert_identical(run.persist().load(), run.compute())
    run.to_zarr(tmp_path / "copy.zarr", zarr_format=2)
    with xr.open_zarr(tmp_path / "copy.zarr") as copy:
        xr.testing.assert_identical(copy.load(), run.compute())
    assert int(run.sel(hybrid=[7, 8])["first_system"][1]) == int(expected["first_system"][8])
