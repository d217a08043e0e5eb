"""Figures of sampling distributions, coverage and plans: what they draw."""

import numpy as np
import pytest

import supersample as ss
from supersample.errors import InputError
from supersample.presentation.figures import sampling as figures
from supersample.presentation.figures.sampling import sampling_figure
from supersample.presentation.figures.style import figure_of, styled

R = [[1.0, 0.9, 0.9], [0.9, 1.0, 0.8], [0.9, 0.8, 1.0]]
SETTINGS = {f"{n} systems": ss.sampling.Setting(ss.sampling.Population(R), n, 20) for n in (8, 12)}
PROCEDURES = ["zou:systems:observed", "williams1959:systems"]
COVERAGE = ss.sampling.coverage(SETTINGS, PROCEDURES, replicates=60)


def texts(labels):
    return [label.get_text() for label in labels]


@pytest.mark.parametrize("r", [-1, -0.5, 0, 0.91, 1])
def test_the_figure_shows_all_intervals_and_the_density_where_there_is_one(r):
    found = ss.sampling.intervals_of_r(r, 5, draws=500)
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
    found = ss.sampling.intervals_of_r(0.5, 12, draws=60_000, bins=20)
    above, _ = sampling_figure(found).axes
    heights, edges, _ = above.patches[0].get_data()
    assert np.sum(heights * np.diff(edges)) == pytest.approx(1)
    middle = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_allclose(heights, ss.inference.density_of_r(middle, 0.5, 12), atol=0.05)


@pytest.mark.parametrize("width", ["acl1", "acl2"])
def test_coverage_and_rejections_fit_their_width(width):
    drawn = [
        figures.coverage_panels(COVERAGE, "difference", width=width),
        figure_of(figures.plot_coverage(COVERAGE, PROCEDURES[0], width=width)),
        figure_of(figures.plot_rejections(COVERAGE, width=width)),
        sampling_figure(ss.sampling.intervals_of_r(0.9, 5, draws=50), width=width),
    ]
    for figure in drawn:
        with styled():
            figure.draw_without_rendering()


def test_coverage_is_drawn_for_each_setting():
    axes = figures.plot_coverage(COVERAGE, PROCEDURES[0])
    assert texts(axes.get_yticklabels()) == list(SETTINGS)
    covered = COVERAGE["coverage"].sel(quantity="difference", procedure=PROCEDURES[0])
    points = np.concatenate([line.get_xdata() for line in axes.lines if line.get_marker() == "o"])
    np.testing.assert_array_equal(np.sort(points), np.sort(covered.values))
    with pytest.raises(InputError, match="no procedure 'williams1959:systems'; there are zou"):
        figures.plot_coverage(COVERAGE, PROCEDURES[1])


def test_what_all_settings_share_is_left_out():
    names = ["normal, 8 systems, 20 segments", "normal, 8 systems, 60 segments"]
    assert figures.brief(names) == ["20 segments", "60 segments"]
    assert figures.brief(names[:1]) == names[:1]


def test_rejections_are_percentages():
    axes = figures.plot_rejections(COVERAGE)
    rejected = COVERAGE["rejected"].sel(quantity="difference").transpose("procedure", "setting")
    cells = {
        (int(row), int(column)): line.get_gid()
        for line in axes.lines
        for column, row in line.get_xydata()
    }
    assert cells == {
        at: f"{100 * share:.0f}" for at, share in np.ndenumerate(rejected.values) if share == share
    }
    assert texts(axes.get_xticklabels()) == [f"{name} (type I)" for name in SETTINGS]


def test_power_has_a_line_for_each_number_of_segments():
    found = ss.sampling.plan(
        ss.sampling.Population([[1.0, 0.95, 0.8], [0.95, 1.0, 0.7], [0.8, 0.7, 1.0]]),
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
