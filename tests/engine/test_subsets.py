"""Systems drawn from a finite population."""

import numpy as np
from scipy import stats

from supersample.engine.streams import stream_key
from supersample.engine.subsets import with_replacement, without_replacement

KEY = stream_key(0, "test")
REPLICATES = np.arange(60_000, dtype=np.uint64)


def test_every_order_of_every_subset_is_equally_likely():
    drawn = without_replacement(KEY, REPLICATES, 3, 5)
    orders, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 60  # 5 * 4 * 3, so none with a system twice
    assert stats.chisquare(counts).pvalue > 0.001


def test_with_replacement_every_tuple_is_equally_likely():
    _, counts = np.unique(with_replacement(KEY, REPLICATES, 2, 5), axis=0, return_counts=True)
    assert len(counts) == 25
    assert stats.chisquare(counts).pvalue > 0.001


def test_a_draw_depends_on_its_number_alone():
    for drawing in (with_replacement, without_replacement):
        whole = drawing(KEY, REPLICATES[:50], 6, 9)
        np.testing.assert_array_equal(drawing(KEY, REPLICATES[[30, 7]], 6, 9), whole[[30, 7]])


def test_all_systems_drawn_without_replacement_are_all_systems():
    drawn = without_replacement(KEY, REPLICATES[:20], 9, 9)
    np.testing.assert_array_equal(np.sort(drawn, axis=1), np.tile(np.arange(9), (20, 1)))
