"""Statistics come back from disk whole, or are counted anew."""

import numpy as np
import pytest

from supersample.scores.corpus.adding import (
    load_statistics,
    statistics_key,
    store_statistics,
    user_cache,
)

VALUES = np.arange(6, dtype=np.float64).reshape(3, 2)


def test_what_is_stored_is_loaded(tmp_path):
    folder = tmp_path / "deep" / "cache"
    assert load_statistics(folder, "key", (3, 2)) is None
    store_statistics(folder, "key", VALUES)
    np.testing.assert_array_equal(load_statistics(folder, "key", (3, 2)), VALUES)
    assert [path.name for path in folder.iterdir()] == ["key.npy"]


@pytest.mark.parametrize("left", [0, 40, 130])
def test_a_file_cut_short_is_passed_over(tmp_path, left):
    store_statistics(tmp_path, "key", VALUES)
    path = tmp_path / "key.npy"
    path.write_bytes(path.read_bytes()[:left])
    assert load_statistics(tmp_path, "key", (3, 2)) is None


def test_another_shape_or_dtype_is_passed_over(tmp_path):
    store_statistics(tmp_path, "key", VALUES)
    assert load_statistics(tmp_path, "key", (2, 3)) is None
    np.save(tmp_path / "key.npy", VALUES.astype(np.int64))
    assert load_statistics(tmp_path, "key", (3, 2)) is None


def test_keys_know_all_that_counts():
    inputs = [
        ("bleu", ["a", "b"], [["r", "s"]]),
        ("chrf", ["a", "b"], [["r", "s"]]),
        ("bleu", ["a", "c"], [["r", "s"]]),
        ("bleu", ["a", "b"], [["r", "t"]]),
        ("bleu", ["a", "b"], [["r", "s"], ["r", "s"]]),
        ("bleu", ["a", "b", "r"], [["s"]]),
    ]
    keys = {statistics_key(*own) for own in inputs}
    assert len(keys) == len(inputs)
    assert statistics_key("bleu", ("a", "b"), [("r", "s")]) in keys


def test_a_folder_that_cannot_be_is_warned_of(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.warns(UserWarning, match="not cached"):
        store_statistics(tmp_path / "file" / "cache", "key", VALUES)


def test_the_users_cache_is_the_platforms():
    pytest.importorskip("platformdirs", reason="the extra 'text' is not installed")
    assert user_cache().parts[-2:] == ("supersample", "texts")
