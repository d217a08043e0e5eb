"""The table and the figure of a sampling distribution."""

import numpy as np
import pytest

import supersample as ss
from supersample.presentation.sampling import moments_line, sampling_figure, sampling_table

FOUND = ss.intervals_of_r(0.91, 5, draws=3_000)


def test_the_table_has_a_row_an_interval_with_its_distances_from_r():
    table = sampling_table(FOUND)
    assert [row[:2] for row in table.rows] == [
        ("r of samples", "exact"),
        ("r of samples", "simulated"),
        ("population's r", "exact"),
        ("population's r", "Fisher"),
        ("population's r", "symmetric"),
    ]
    for _, _, lower, upper, below, above in table.rows:
        assert (0.91 - below, 0.91 + above) == pytest.approx((lower, upper))
    assert "3,000 samples of normal(0.91)" in table.notes[0]
    assert any("beyond 1" in note for note in table.notes)
    within = sampling_table(ss.intervals_of_r(0.1, 50, draws=50))
    assert not any("beyond 1" in note for note in within.notes)


def test_the_moments_are_in_one_line():
    assert moments_line(FOUND).startswith("skew -3.8425 exact, ")
    assert moments_line(ss.intervals_of_r(1, 5, draws=50)).startswith("no skew; mean 1.0000 exact")


@pytest.mark.parametrize("r", [-1, -0.5, 0, 0.91, 1])
def test_the_figure_shows_all_intervals_and_the_density_where_there_is_one(r):
    found = ss.intervals_of_r(r, 5, draws=500)
    figure = sampling_figure(found)
    above, below = figure.axes
    figure.draw_without_rendering()
    low, high = below.get_xlim()
    assert low < found["lower"].min()
    assert high > found["upper"].max()
    labels = [text.get_text() for text in above.get_legend().get_texts()]
    assert ("exact density (normal population)" in labels) == (abs(r) < 1)
    assert len(below.get_yticklabels()) == 5


def test_the_histogram_has_the_exact_density_laid_over():
    found = ss.intervals_of_r(0.5, 12, draws=60_000, bins=20)
    above, _ = sampling_figure(found).axes
    heights, edges, _ = above.patches[0].get_data()
    assert np.sum(heights * np.diff(edges)) == pytest.approx(1)
    middle = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_allclose(heights, ss.density_of_r(middle, 0.5, 12), atol=0.05)
