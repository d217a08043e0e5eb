"""The table of a sampling distribution."""

from functools import cache

import pytest

import supersample as ss
from supersample.presentation.studies import sampling_table

of_five = cache(lambda: ss.simulation.intervals_of_r(0.91, 5, replicates=3_000))


def test_the_table_has_a_row_an_interval_with_its_distances_from_r():
    table = sampling_table(of_five())
    assert [row[:2] for row in table.rows] == [
        ("r of samples", "exact"),
        ("r of samples", "simulated"),
        ("population's r", "Fisher"),
        ("population's r", "symmetric"),
    ]
    for _, _, lower, upper, below, above in table.rows:
        assert (0.91 - below, 0.91 + above) == pytest.approx((lower, upper))
    assert "3,000 samples of normal(0.91)" in table.notes[0]
    assert any("exceeds 1" in note for note in table.notes)
    within = sampling_table(ss.simulation.intervals_of_r(0.1, 50, replicates=50))
    assert not any("exceeds 1" in note for note in within.notes)


def test_the_moments_are_in_one_line():
    assert ss.show(of_five()).answer[-1].startswith("skew -3.8425 exact, ")
    constant = ss.simulation.intervals_of_r(1, 5, replicates=50)
    assert ss.show(constant).answer[-1].startswith("no skew; mean 1.0000 exact")
