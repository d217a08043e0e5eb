"""Figures of sampling distributions and plans: what they draw."""

import numpy as np
import pytest

import supersample as ss
from supersample.inference.one_correlation import density_of_r
from supersample.presentation.figures import studies as figures
from supersample.presentation.figures.studies import sampling_figure


@pytest.mark.parametrize("r", [-1, -0.5, 0, 0.91, 1])
def test_the_figure_shows_all_intervals_and_the_density_where_there_is_one(r):
    found = ss.simulation.intervals_of_r(r, 5, replicates=500)
    figure = sampling_figure(found)
    above, below = figure.axes
    figure.draw_without_rendering()
    low, high = below.get_xlim()
    assert low < found["lower"].min()
    assert high > found["upper"].max()
    labels = [text.get_text() for text in above.get_legend().get_texts()]
    assert ("exact: density (normal population)" in labels) == (abs(r) < 1)
    assert len(below.get_yticklabels()) == 4


def test_the_histogram_has_the_exact_density_laid_over():
    found = ss.simulation.intervals_of_r(0.5, 12, replicates=60_000, bins=20)
    above, _ = sampling_figure(found).axes
    heights, edges, _ = above.patches[0].get_data()
    assert np.sum(heights * np.diff(edges)) == pytest.approx(1)
    middle = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_allclose(heights, density_of_r(middle, 0.5, 12), atol=0.05)


def test_power_has_a_line_for_each_number_of_segments():
    found = ss.simulation.plan(
        ss.simulation.Population([[1.0, 0.95, 0.8], [0.95, 1.0, 0.7], [0.8, 0.7, 1.0]]),
        systems=[8, 16],
        segments=[20, 40, 80, 160, 320],
        replicates=40,
    )
    axes = figures.plot_power(found)
    shown = list(axes.containers)
    assert next(bars.get_label() for bars in shown) == "20 segments"
    colours = {bars.lines[0].get_color() for bars in shown}
    assert len(colours) == 5
    for bars, segments in zip(shown, found["segments"], strict=True):
        power = found["power"].sel(segments=segments)
        np.testing.assert_array_equal(bars.lines[0].get_ydata(), power)
