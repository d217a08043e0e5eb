"""Statistics of texts are kept under keys of all that counts, or people are told that they are not.

`tests/faults/test_stores.py` damages them.
"""

import numpy as np
import pytest

from supersample.execution.stores import user_cache
from supersample.scores.corpus.metrics import keep_statistics, statistics_key


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
        keep_statistics(tmp_path / "file" / "cache", "key", np.zeros(2))


def test_the_users_cache_is_the_platforms():
    pytest.importorskip("platformdirs", reason="the extra 'text' is not installed")
    assert user_cache("texts", extra="text").parts[-2:] == ("supersample", "texts")
