"""Runs: what is in a store, that it can be gone on with, and what is refused."""

import errno
import re

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.execution.stores.datasets import open_run_arrays
from supersample.execution.stores.places import STORE, lock_store, sealed
from supersample.execution.stores.store import lengthen, run_of
from supersample.hybrids.run_progress import run_store
from supersample.hybrids.runs import template
from supersample.hybrids.samples import prepare_hybrids
from tests.stores import SCORES, contents, finished

MADE_OF = ["first_system", "second_system", "share"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.zarr"


def assert_holds(path, expected):
    with xr.open_zarr(path) as stored:
        loaded = stored.load()
    assert loaded["computed"].all()
    found = loaded.drop_vars("computed")
    xr.testing.assert_identical(found.drop_attrs(), expected.drop_vars("hybrid").drop_attrs())
    assert loaded.attrs == {**expected.attrs, "finished": 1}
    opened = ss.hybrids.open_run(path)
    xr.testing.assert_identical(opened.load(), expected.assign_attrs(finished=1))


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_a_store_holds_what_is_computed_in_memory(clients, path, tmp_path, name):
    status = ss.hybrids.run_hybrids(SCORES, path, n=1_050, seed=7, chunk=200, workers=clients[name])
    assert (status.n, status.finished, status.finished_hybrids) == (1_050, 6, 1_050)
    assert status.became == {"computed": 6}
    assert status.complete
    assert not status.at_work
    assert_holds(path, ss.hybrid_supersample(SCORES, n=1_050, seed=7))
    ss.hybrids.run_hybrids(SCORES, tmp_path / "other.zarr", n=1_050, seed=7, chunk=200)
    assert contents(path) == contents(tmp_path / "other.zarr")


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


def test_single_precision_is_rounded_doubles(path):
    ss.hybrids.run_hybrids(SCORES, path, n=500, precision="float32")
    sample = ss.hybrid_supersample(SCORES, n=500)
    with xr.open_zarr(path) as stored:
        assert stored["score"].dtype == stored["human"].dtype == np.float32
        np.testing.assert_array_equal(stored["score"], sample["score"].astype(np.float32))
    assert np.allclose(
        ss.correlations.correlate(ss.hybrids.open_run(path))["value"],
        ss.correlations.correlate(sample)["value"],
        atol=1e-6,
    )


def test_a_chunk_may_be_larger_than_the_run(path):
    ss.hybrids.run_hybrids(SCORES, path, n=30, chunk=100)
    assert_holds(path, ss.hybrid_supersample(SCORES, n=30))


def test_a_longer_run_keeps_whole_chunks(path, tmp_path):
    ss.hybrids.run_hybrids(SCORES, path, n=250, chunk=100)
    before = finished(path)
    status = ss.hybrids.run_hybrids(SCORES, path, n=1_000, chunk=100)
    assert status.became == {"kept": 2, "computed": 8}
    after = finished(path)
    changed = {file.name for file in before if before[file] != after[file]}
    assert changed == {"2", "2.0"}
    ss.hybrids.run_hybrids(SCORES, tmp_path / "at-once.zarr", n=1_000, chunk=100)
    assert contents(path) == contents(tmp_path / "at-once.zarr")


def test_a_run_that_is_laid_out_shorter_is_refused(path):
    ss.hybrids.run_hybrids(SCORES, path, n=250, chunk=100)
    before = contents(path)
    ss.hybrids.resume_run(path, n=300)
    for name in before:
        if "/." in f"/{name}" or name == "checksums":
            (path / name).write_bytes(before[name])
    with pytest.raises(ss.InputError, match="is incomplete; repair it"):
        ss.hybrids.open_run(path)
    assert ss.hybrids.resume_run(path).became == {"kept": 3}
    assert ss.hybrids.open_run(path).sizes["hybrid"] == 300


def test_the_layout_is_mended_where_a_run_was_killed_while_it_was_made_longer(path, tmp_path):
    ss.hybrids.run_hybrids(SCORES, path, n=250, chunk=100)
    lengthen(run_store(path), run_of(run_store(path)), 400)
    assert not ss.hybrids.run_status(path).complete
    ss.hybrids.resume_run(path)
    ss.hybrids.run_hybrids(SCORES, tmp_path / "at-once.zarr", n=400, chunk=100)
    assert contents(path) == contents(tmp_path / "at-once.zarr")


def test_parts_make_a_whole(path, tmp_path):
    options = {"n": 1_050, "chunk": 100}
    first = ss.hybrids.run_hybrids(SCORES, path, part=(1, 3), **options)
    assert (first.finished, first.became) == (4, {"computed": 4})
    assert not first.complete
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
        ({"mask": "all", "precision": "float32"}, "mask common, not all; precision float64, not"),
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
    monkeypatch.setattr("supersample.hybrids.runs.version", lambda _: "99")
    with pytest.raises(ss.InputError, match=r"version \S+, not 99"):
        ss.hybrids.resume_run(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (sealed(b'{"format": 2}', STORE), "format 2, and this version of supersample reads form"),
        (sealed(b'{"format": 1, "kind": "sweep"}', STORE), "holds a sweep, not a run; name anot"),
        (sealed(b'{"format": 1, "kind": "run"}', "elsewhere"), "kept/store is damaged"),
        (b'{"format": 1, "kind": "run"}', "kept/store is damaged"),
        (b"", "kept/store is damaged"),
    ],
)
def test_unknown_formats_and_other_kinds_are_refused(path, content, message):
    ss.hybrids.run_hybrids(SCORES, path, n=100)
    (path / STORE).write_bytes(content)
    before = contents(path)
    for go_on in (
        ss.hybrids.resume_run,
        ss.hybrids.run_status,
        ss.hybrids.open_run,
        ss.hybrids.run_options,
    ):
        with pytest.raises(ss.InputError, match=message):
            go_on(path)
    with pytest.raises(ss.InputError, match=message):
        ss.hybrids.run_hybrids(SCORES, path, n=100)
    assert contents(path) == before


def test_what_is_no_run_stays_as_it_is(tmp_path):
    (tmp_path / "folder.zarr").mkdir()
    (tmp_path / "file.zarr").write_text("mine")
    for path in (tmp_path / "folder.zarr", tmp_path / "file.zarr"):
        with pytest.raises(ss.InputError, match="is no run of supersample"):
            ss.hybrids.run_hybrids(SCORES, path, n=10)
    assert (tmp_path / "file.zarr").read_text() == "mine"
    assert list((tmp_path / "folder.zarr").iterdir()) == []
    with pytest.raises(ss.InputError, match="there is no run"):
        ss.hybrids.run_status(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "at least 1"),
        ({"precision": "float16"}, "'float64' or 'float32'"),
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


def test_one_process_at_a_time_or_each_its_part(path):
    ss.hybrids.run_hybrids(SCORES, path, n=400, chunk=100)
    with lock_store(path / "kept", "run.zarr"):
        assert ss.hybrids.run_status(path).at_work
        for part in (None, (1, 2)):
            with pytest.raises(ss.InputError, match=r"another process \(.*\) is at work on"):
                ss.hybrids.resume_run(path, part=part)
    with lock_store(path / "kept", "run.zarr", (1, 2)):
        assert ss.hybrids.run_status(path).at_work
        with pytest.raises(ss.InputError, match="another process"):
            ss.hybrids.resume_run(path)
        with pytest.raises(ss.InputError, match=r"\(.*\) is at work on part 1 of 2"):
            ss.hybrids.resume_run(path, part=(1, 2))
        assert ss.hybrids.resume_run(path, part=(2, 2)).became == {"kept": 2}
    assert not ss.hybrids.run_status(path).at_work


def test_a_file_system_without_locks_takes_runs_all_the_same(path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("supersample.execution.stores.places._flock", refuse)
    assert ss.hybrids.run_hybrids(SCORES, path, n=100).complete


def test_a_run_says_where_it_comes_from(path):
    ss.hybrids.run_hybrids(SCORES, path, n=400, chunk=100)
    ss.hybrids.resume_run(path, part=(1, 2))
    sessions = [session for _, session in run_store(path).sessions()]
    assert {session["part"] is None for session in sessions} == {True, False}
    for session in sessions:
        assert session["versions"]["supersample"]
        assert session["command"]
        assert session["machine"]["host"]
    assert re.fullmatch("[0-9a-f]{32}", run_of(run_store(path)).parameters["scores"])


def test_the_scores_of_a_run_are_scores(path):
    ss.hybrids.run_hybrids(SCORES, path, n=100)
    xr.testing.assert_equal(ss.read_dataset(path), SCORES)


def test_a_status_says_how_to_go_on(path):
    options = {"n": 400, "chunk": 100}
    partly = ss.hybrids.run_hybrids(SCORES, path, part=(1, 2), **options)
    assert partly.rate > 0
    assert re.fullmatch(
        r".*run\.zarr: 200 of 400 hybrids, 2 of 4 chunks; [\d,.]+ a second, 0:00:\d\d left; "
        r"go on with: supersample run --resume .*run\.zarr",
        str(partly),
    )
    with pytest.raises(ss.InputError, match="2 of 4 chunks; finish it: supersample run --resume"):
        ss.hybrids.open_run(path)


def test_samples_of_a_billion_are_a_small_graph():
    sample = ss.hybrid_supersample(SCORES, n=10**9, chunks=10**6)
    lazy = [sample[name].data for name in ("human", "score", *MADE_OF)]
    assert all(len(values.__dask_graph__()) < 5_000 for values in lazy)
    assert sample["score"].shape == (10**9, 2)
    block = sample[["first_system", "share"]].isel(hybrid=slice(999_999_990, None)).compute()
    assert set(block["share"].values) == {0.5}
    sample = ss.hybrid_supersample(SCORES, n=30)
    lazy = ss.hybrid_supersample(SCORES, n=30, chunks=7)
    xr.testing.assert_identical(lazy.compute(), sample)


def test_chunks_of_several_blocks_hold_the_same(path, monkeypatch):
    monkeypatch.setattr("supersample.hybrids.runs.LARGEST_BLOCK", 30)
    ss.hybrids.run_hybrids(SCORES, path, n=150, seed=2, chunk=100)
    assert_holds(path, ss.hybrid_supersample(SCORES, n=150, seed=2))


def test_a_layout_says_how_long_the_run_is_now(path):
    """Another process may have made it longer than this one asks for."""
    ss.hybrids.run_hybrids(SCORES, path, n=40, chunk=10)
    hybrids = prepare_hybrids(SCORES, n=20)
    layout = template(hybrids, run_store(path), run_of(run_store(path)))
    assert layout.sizes["hybrid"] == 40
    assert layout.attrs["signature"].startswith("statistic:mean|n:40 hybrids|")


def test_a_run_tells_strangers_whether_it_is_finished_and_which_rows_are(path):
    ss.hybrids.run_hybrids(SCORES, path, n=1_050, chunk=100, part=(1, 2))
    with xr.open_zarr(path) as unfinished:
        assert unfinished.attrs["finished"] == 0
        assert "|n:unfinished run of 1050 hybrids|" in unfinished.attrs["signature"]
        computed = unfinished["computed"].to_numpy()
        np.testing.assert_array_equal(computed, np.arange(1_050) // 100 % 2 == 0)
        np.testing.assert_array_equal(unfinished["human"].notnull(), computed)
    ss.hybrids.resume_run(path)
    with xr.open_zarr(path) as finished:
        assert finished.attrs["finished"] == 1
        assert finished.attrs["signature"] == ss.hybrids.open_run(path).attrs["signature"]
        assert "|n:1050 hybrids|" in finished.attrs["signature"]
    ss.hybrids.run_hybrids(SCORES, path, n=1_200, chunk=100, part=(1, 2))
    with xr.open_zarr(path) as longer:
        assert longer.attrs["finished"] == 0


def test_a_run_whose_process_was_killed_before_it_could_say_so_is_mended(path, monkeypatch):
    ss.hybrids.run_hybrids(SCORES, path, n=40, chunk=10, part=(1, 2))
    with monkeypatch.context() as patch:
        patch.setattr(
            "supersample.hybrids.runs.match_layout", lambda store, n, layout: run_of(store)
        )
        assert ss.hybrids.resume_run(path).complete
    with pytest.raises(ss.InputError, match="repair it: supersample run --resume"):
        ss.hybrids.open_run(path)
    with monkeypatch.context() as patch:
        opened = open_run_arrays(run_store(path)).drop_attrs()
        patch.setattr("supersample.hybrids.run_progress.open_run_arrays", lambda store: opened)
        with pytest.raises(ss.InputError, match="repair it: supersample run --resume"):
            ss.hybrids.open_run(path)
    ss.hybrids.resume_run(path)
    assert ss.hybrids.open_run(path).attrs["finished"] == 1


def test_plain_xarray_takes_a_run(path, tmp_path):
    """As a stranger would: a tree, a correlation, groups, memory of a cluster, another store."""
    ss.hybrids.run_hybrids(SCORES, path, n=3_000)
    assert ss.hybrids.run_status(path).chunk == 1_024
    run = ss.hybrids.open_run(path)
    expected = ss.hybrid_supersample(SCORES, n=3_000)
    with xr.open_datatree(path, engine="zarr") as tree:
        np.testing.assert_array_equal(tree["human"], expected["human"])
    r = xr.corr(run["human"], run["score"], dim="hybrid").sel(metric="good")
    own = np.corrcoef(expected["human"], expected["score"].sel(metric="good"))[0, 1]
    assert float(r) == pytest.approx(own, abs=1e-12)
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
