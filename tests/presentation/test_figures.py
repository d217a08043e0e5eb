"""What figures say: labels, titles and marks. How they look is looked at."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import supersample as ss
from supersample.errors import DegenerateScoreWarning
from supersample.presentation import figures
from supersample.presentation.style import BLUE, ORANGE, save, styled
from tests.rankings import sample_and_ranking, scores_of

MANY = [f"metric-with-a-long-name-{i:02d}" for i in range(25)]
CASES = {count: sample_and_ranking(MANY[:count]) for count in (1, 2, 25)}


def all_figures(sample, ranking):
    return {
        "forest": figures.forest(ranking),
        "scatter": figures.hybrid_scatter(sample, ranking),
        "correlations": figures.correlation_matrix(ranking, "hybrids"),
        "significance": figures.significance_heatmap(ranking, "systems"),
    }


def texts(labels):
    return [label.get_text() for label in labels]


def names_of(ranking):
    return list(ranking["metric"].values)


@pytest.mark.parametrize("count", CASES)
def test_every_figure_can_be_laid_out(count):
    for figure in all_figures(*CASES[count]).values():
        with styled():
            figure.draw_without_rendering()


@pytest.mark.parametrize("count", CASES)
def test_rows_win_over_columns_in_the_order_of_the_ranking(count):
    _, ranking = CASES[count]
    figure = figures.significance_heatmap(ranking, "hybrids")
    axes = figure.axes[0]
    assert texts(axes.get_xticklabels()) == texts(axes.get_yticklabels()) == names_of(ranking)
    wins = ranking["wins_over"].sel(basis="hybrids").values
    np.testing.assert_array_equal(axes.images[0].get_array(), wins)
    assert [to_hex(c) for c in axes.images[0].cmap([0, 1])] == ["#ffffff", BLUE.lower()]
    assert "Significant wins of the row over the column\n60 hybrids" in axes.get_title()
    pairs = count * (count - 1) / 2
    share = f"{100 * wins.sum() / max(1, pairs):.0f} % of pairs"
    assert share in axes.get_xlabel()
    assert "zou2007, 95 %" in axes.get_xlabel()


@pytest.mark.parametrize("count", CASES)
def test_the_matrix_prints_each_correlation_once(count):
    _, ranking = CASES[count]
    axes = figures.correlation_matrix(ranking, "hybrids").axes[0]
    assert texts(axes.get_xticklabels()) == names_of(ranking)
    values = ranking["metric_r"].sel(basis="hybrids").values
    printed = [float(text) for text in texts(axes.texts)]
    below = values[np.tril_indices(len(values), -1)]
    np.testing.assert_allclose(printed, below, atol=0.00501)
    assert axes.get_title() == "Correlation of metrics over 60 hybrids"


@pytest.mark.parametrize("count", CASES)
def test_the_forest_has_r_and_its_limits_on_each_basis_and_warns_of_overlap(count):
    _, ranking = CASES[count]
    figure = figures.forest(ranking)
    axes = figure.axes[0]
    assert texts(axes.get_yticklabels()) == names_of(ranking)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    for b, basis in enumerate(("hybrids", "systems")):
        own = ranking.sel(basis=basis)
        np.testing.assert_array_equal(axes.lines[b].get_xdata(), own["r"])
        ends = np.array(axes.collections[b].get_segments())[:, :, 0]
        np.testing.assert_array_equal(ends, np.column_stack([own["lower"], own["upper"]]))
    assert texts(figure.legends[0].get_texts()) == ["60 hybrids", "8 systems"]
    assert "overlap decides nothing about a difference" in figure.get_supxlabel()


@pytest.mark.parametrize("count", CASES)
def test_the_scatter_has_a_panel_a_metric(count):
    sample, ranking = CASES[count]
    figure = figures.hybrid_scatter(sample, ranking)
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == count
    for axes, name in zip(panels, names_of(ranking), strict=True):
        hybrids, systems = axes.lines
        np.testing.assert_array_equal(hybrids.get_xdata(), sample["score"].sel(metric=name))
        np.testing.assert_array_equal(hybrids.get_ydata(), sample["human"])
        np.testing.assert_array_equal(systems.get_xdata(), sample["system_score"].sel(metric=name))
        assert (hybrids.get_color(), systems.get_color()) == (BLUE, ORANGE)
        r = ranking["r"].sel(basis="hybrids", metric=name).item()
        assert axes.get_title() == f"{name}\nr = {r:.3f}"
    assert figure.get_supylabel() == "human score"
    assert "60 hybrids (blue) and 8 original systems (orange)" in figure.get_suptitle()


def test_at_most_ten_thousand_hybrids_are_drawn():
    sample, ranking = sample_and_ranking(["a"], n=10_100)
    figure = figures.hybrid_scatter(sample, ranking)
    assert figure.axes[0].lines[0].get_xdata().size == 10_000
    assert figure.get_suptitle().startswith("10,000 of 10,100 hybrids (blue)")


def test_what_is_undefined_is_left_out_and_said():
    with pytest.warns(DegenerateScoreWarning):
        sample, ranking = sample_and_ranking(["a", "b", "c"], flat=["b"])
    drawn = all_figures(sample, ranking)
    for figure in drawn.values():
        with styled():
            figure.draw_without_rendering()
    assert "b\nr undefined" in [axes.get_title() for axes in drawn["scatter"].axes]
    assert len(drawn["correlations"].axes[0].texts) == 1


def test_nothing_defined_can_still_be_drawn():
    with pytest.warns(DegenerateScoreWarning):
        sample, ranking = sample_and_ranking(["a", "b"], n=1)
    for figure in all_figures(sample, ranking).values():
        with styled():
            figure.draw_without_rendering()


def test_systems_alone_have_figures_too():
    ranking = ss.rank(ss.compare_correlations(scores_of(["a", "b"])))
    assert len(figures.forest(ranking).axes[0].lines) == 1
    assert "8 systems" in figures.significance_heatmap(ranking, "systems").axes[0].get_title()


def test_names_are_drawn_as_they_are():
    names = ["$\\frac", "a$b$c", "[/]", "x_y^z", "100%"]
    for figure in all_figures(*sample_and_ranking(names)).values():
        with styled():
            figure.draw_without_rendering()


def test_figures_are_saved_as_png_and_pdf(tmp_path):
    save(figures.forest(CASES[2][1]), tmp_path, "forest")
    assert (tmp_path / "forest.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "forest.pdf").read_bytes().startswith(b"%PDF")


def test_the_forest_names_its_coefficient_and_interval():
    comparisons = ss.compare_by_bootstrap(ss.load_example(), coefficient="kendall", resamples=99)
    axes = figures.forest(ss.rank(comparisons)).axes[0]
    assert axes.get_xlabel() == "Kendall correlation with human scores"
    assert "(bootstrap-bca)" in axes.get_title(loc="left")


def test_a_metric_of_errors_is_marked_in_the_scatter():
    example = ss.load_example()
    sample = ss.hybrid_supersample(example, n=50)
    drawn = figures.hybrid_scatter(sample, ss.rank(ss.compare_correlations(sample)))
    titles = [axes.get_title().split("\n")[0] for axes in drawn.axes]
    assert "errors-85 ↓" in titles
