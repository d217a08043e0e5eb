"""The figure of the influence of single systems."""

import numpy as np

import supersample as ss
from supersample.presentation.figures.rankings import plot_influence
from supersample.presentation.figures.style import figure_of, styled

INFLUENCE = ss.leave_one_out(ss.system_level_scores(ss.load_example()))


def test_changes_of_r_are_drawn_and_written_in_hundredths():
    axes = plot_influence(INFLUENCE)
    change = INFLUENCE["value_without"] - INFLUENCE["value"]
    change = change[0].transpose("metric", "system").values
    np.testing.assert_array_equal(axes.images[0].get_array(), change)
    for line in axes.lines:
        for column, row in line.get_xydata():
            value = float(line.get_gid().replace("−", "-"))
            assert abs(100 * change[int(row), int(column)] - value) <= 0.5
    assert [text.get_text() for text in axes.get_xticklabels()] == list(INFLUENCE["system"].values)
    assert "12 systems" in axes.get_title(loc="left")


def test_a_narrow_figure_has_colours_alone():
    axes = plot_influence(INFLUENCE, width=1.5)
    with styled():
        figure_of(axes).draw_without_rendering()
    assert not axes.lines
