"""Tables of agreement on segments: what their caption counts, and thresholds."""

import numpy as np

import supersample as ss
from supersample.presentation.rankings import ranking_table


def test_systems_of_groups_are_not_summed_and_rounding_is_no_threshold():
    scores = ss.load_example()
    scores = scores.assign_coords(domain=("segment", np.repeat(["u", "v"], 250)))
    compared = ss.compare(scores, "acc_eq", by="domain", resamples=9)
    table = ranking_table(ss.rank(compared))
    counted = "5,797 translations of 485 segments, 12 systems in each"
    assert table.caption == f"Agreement on segments, average over 2 domains: {counted}"
    one = ss.rank(ss.compare(scores, "acc_eq", resamples=9))
    table = ranking_table(one.assign(threshold=one["threshold"] * 0 + 3.5e-15))
    column = [column.field for column in table.columns].index("threshold_acc_eq/item")
    assert [cells[column] for cells in table.cells()] == ["0"] * 8
