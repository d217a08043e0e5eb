"""The store of results: what comes back, and what is refused; in folders and in buckets."""

import numpy as np
import pytest
import xarray as xr

from supersample.errors import InputError
from supersample.execution.stores.datasets import create_run
from supersample.execution.stores.places import STORE, Folder, place_of, sealed
from supersample.execution.stores.store import (
    FINISHED,
    ChunkWriter,
    Run,
    Store,
    finished_chunks,
    keyed,
    lengthen,
    open_store,
    run_of,
)


@pytest.mark.parametrize("where", ["folder", "bucket"])
def test_results_come_back_and_damage_is_seen(tmp_path, request, where):
    root = tmp_path if where == "folder" else f"{request.getfixturevalue('bucket')}/results"
    place = place_of(f"{root}/s")
    store = open_store(place, "study")
    key, other = keyed(seed=1), keyed(seed=2)
    assert store.read(key) is None
    store.write(key, b"numbers")
    store.write(other, b"others")
    assert open_store(place, "study").read_all({key: key, other: other, "x": "x"}) == {
        key: b"numbers",
        other: b"others",
    }
    assert store.times().keys() == {key, other}
    stored = place.read(f"{FINISHED}/{key}")
    of_other = place.read(f"{FINISHED}/{other}")  # whole, and copied over this one
    for broken in (stored[:-1], stored[:20], b"", stored[:-1] + b"?", of_other):
        place.put(f"{FINISHED}/{key}", broken)
        assert store.read(key) is None


def test_keys_tell_parameters_apart():
    assert len({keyed(a=1), keyed(a=2), keyed(b=1), keyed(a="1")}) == 4


def test_another_kind_or_format_is_refused(tmp_path):
    place = Folder(tmp_path / "s")
    open_store(place, "study")
    with pytest.raises(InputError, match="holds a study, not a sweep"):
        open_store(place, "sweep")
    (tmp_path / "s" / STORE).write_bytes(sealed(b'{"format": 99, "kind": "study"}', STORE))
    with pytest.raises(InputError, match="format 99"):
        open_store(place, "study")


def test_a_store_whose_maker_was_killed_is_begun_again_and_other_folders_are_left(tmp_path):
    (tmp_path / "killed" / "kept" / "partial").mkdir(parents=True)
    assert open_store(Folder(tmp_path / "killed"), "study").times() == {}
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is no study of supersample; name another"):
        open_store(Folder(tmp_path), "study")


def test_two_processes_do_not_share_a_folder(tmp_path):
    place = open_store(Folder(tmp_path / "s"), "study").place
    with place.lock(), pytest.raises(InputError, match="at work"), place.lock():
        pass


def test_sessions_come_in_order_and_what_is_none_is_passed_over(tmp_path):
    store = open_store(Folder(tmp_path / "s"), "study")
    for number in range(3):
        store.add_session({"number": number})
    (tmp_path / "s" / "kept" / "sessions" / "x.json").write_text("[]")
    (tmp_path / "s" / "kept" / "sessions" / "y.json").write_text("{")
    assert [session["number"] for _, session in store.sessions()] == [0, 1, 2]


def test_a_chunk_is_written_again_if_the_run_was_made_longer_meanwhile(tmp_path):
    store, run = Store(Folder(tmp_path / "run.zarr"), "toy"), Run("a", 10, 20, {})
    create_run(store, run, xr.Dataset({"x": ("row", np.zeros(10))}).chunk(), xr.Dataset())
    asked = []

    def columns(start, stop):
        if not asked:  # another process
            lengthen(store, run, 15)
        asked.append((start, stop))
        return {"x": np.arange(start, stop, dtype=float)}

    writer = ChunkWriter(store, run, columns)
    assert writer(0) == "computed"
    assert asked == [(0, 10), (0, 15)]
    assert [*finished_chunks(store, run_of(store))] == [0]
    assert writer(0) == "kept"
