"""What figures of rankings say: labels, titles and marks. How they look is looked at."""

from contextlib import nullcontext

import numpy as np
import pytest

import supersample as ss
from supersample import DegenerateScoreWarning, InputError
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation import labels
from supersample.presentation.figures import rankings, style
from supersample.presentation.labels import part_of, place
from tests.rankings import sample_and_ranking, scores_of

MANY = [f"metric-with-a-long-name-{i:02d}" for i in range(25)]
CASES = {count: sample_and_ranking(MANY[:count]) for count in (1, 2, 25)}
PLAIN = [f"m{i}" for i in range(6)]
SAMPLE, RANKING = sample_and_ranking(PLAIN)
SYSTEMS = ss.rank(
    ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife")
)


def all_figures(sample, ranking, width="acl2"):
    return {
        "forest": style.figure_of(rankings.plot_forest(ranking, width=width)),
        "differences": style.figure_of(rankings.plot_differences(ranking, width=width)),
        "scatter": rankings.scatter_panels(sample, ranking, width=width),
        "correlations": style.figure_of(rankings.plot_correlations(ranking, width=width)),
        "significance": style.figure_of(rankings.plot_significance(ranking, width=width)),
    }


def texts(labels):
    return [label.get_text() for label in labels]


def names_of(ranking):
    return list(ranking["metric"].values)


def written(axes):
    """Short texts in the cells of a matrix, by (row, column)."""
    return {
        (int(row), int(column)): line.get_gid()
        for line in axes.lines
        if line.get_gid()
        for column, row in line.get_xydata()
    }


def lay_out(figure):
    with style.styled():
        figure.draw_without_rendering()


@pytest.mark.parametrize(("count", "width"), [(1, "acl2"), (2, "acl1"), (25, "acl1"), (25, "acl2")])
def test_every_figure_fits_its_width_with_type_of_seven_to_nine_points(count, width):
    for figure in all_figures(*CASES[count], width).values():
        lay_out(figure)
        assert figure.get_figwidth() == style.inches(width)
        shown = [text for text in figure.findobj(style.mpl.text.Text) if text.get_text()]
        assert {text.get_fontsize() for text in shown} <= {7, 8, 9}
        reach = figure.get_tightbbox()
        assert reach.x0 > -0.05
        assert reach.x1 < style.inches(width) + 0.05


def test_the_forest_has_each_value_with_its_limits_on_each_basis():
    axes = rankings.plot_forest(RANKING)
    assert texts(axes.get_yticklabels()) == names_of(RANKING)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    values = [line for line in axes.lines if not line.get_label().startswith("_")]
    for b, basis in enumerate(("systems", "hybrids")):
        own = RANKING.sel(basis=basis).squeeze()
        np.testing.assert_array_equal(values[b].get_xdata(), own["value"])
        ends = np.array(axes.collections[b].get_segments())[:, :, 0]
        np.testing.assert_array_equal(ends, np.column_stack([own["lower"], own["upper"]]))
    names = texts(axes.get_legend().get_texts())
    assert names == ["8 systems", "60 hybrids (these systems alone)"]
    assert "intervals: of hybrids, for these systems" in axes.get_xlabel()
    assert "simulated" in (title := axes.get_title(loc="left"))
    assert "interval" not in title


def test_differences_are_from_the_baseline_that_is_named():
    axes = rankings.plot_differences(SYSTEMS, baseline="weak-40")
    part = part_of(SYSTEMS, {})
    column = part.sel(other_metric="weak-40")
    segments = [each for lines in axes.collections for each in lines.get_segments()]
    ends = np.array(sorted(segments, key=lambda ends: ends[0, 1]))[:, :, 0]
    limits = np.column_stack([column["difference_lower"], column["difference_upper"]])
    np.testing.assert_array_equal(ends, limits[np.isfinite(limits[:, 0])])
    filled, empty = [line for line in axes.lines if line.get_marker() == "o"]
    differs = column["p_simultaneous"].values <= 0.05
    np.testing.assert_array_equal(filled.get_xdata(), column["difference"][differs])
    np.testing.assert_array_equal(empty.get_xdata(), column["difference"][~differs])
    assert "12 systems: r minus that of weak-40" in axes.get_title(loc="left")
    assert "corrected for comparing all metrics" in axes.get_xlabel().replace("\n", " ")


def test_the_best_twelve_and_those_that_are_named_are_drawn():
    axes = rankings.plot_differences(CASES[25][1], baseline=names_of(part_of(CASES[25][1]))[-1])
    assert len(axes.get_yticklabels()) == 13
    assert "12 other metrics are not drawn" in axes.get_xlabel()
    assert len(rankings.plot_forest(CASES[25][1], most=25).get_yticklabels()) == 25
    assert texts(axes.get_legend().get_texts()) == ["no difference shown"]  # no mark is filled


def test_two_bad_metrics_do_not_stretch_the_axis():
    part = SYSTEMS.copy(deep=True)
    last = {"metric": names_of(part_of(part))[-1], "basis": "systems"}
    for name in ("value", "lower", "upper"):
        part[name].loc[last] = -50.0
    axes = rankings.plot_forest(part)
    assert -2 < axes.get_xlim()[0] < axes.get_xlim()[1] < 2
    assert "arrows: beyond the axis, with the value" in axes.get_xlabel()
    assert "−50.00" in texts(axes.texts)


def test_a_title_is_chosen_or_left_out():
    assert rankings.plot_forest(SYSTEMS, title="Mine").get_title(loc="left") == "Mine"
    assert rankings.plot_significance(SYSTEMS, title=None).get_title(loc="left") == ""


def test_the_matrix_has_stars_above_the_diagonal_and_hundredths_below():
    axes = rankings.plot_significance(SYSTEMS)
    part = part_of(SYSTEMS, {})
    p, difference = part["p_simultaneous"].values, part["difference"].values
    either = part["significant"].values | part["significant"].values.T
    cells = written(axes)
    for i, j in zip(*np.triu_indices(len(p), 1), strict=True):
        stars = "*" * sum(p[i, j] <= level for level in (0.05, 0.01, 0.001))
        assert cells.get((i, j), "") == (stars or ("+" if either[i, j] else ""))
        assert cells[j, i] == f"{100 * difference[i, j]:.0f}"
        assert difference[i, j] >= 0
    assert "*" in cells.values()
    np.testing.assert_array_equal(axes.images[0].get_array(), difference)
    assert texts(axes.get_xticklabels()) == texts(axes.get_yticklabels())
    assert texts(axes.get_xticklabels()) == labels.marked_labels(part)


def test_metrics_stand_in_order_of_the_basis_that_is_drawn():
    r = RANKING["value"].sel(basis="systems").squeeze()
    order = list(RANKING["metric"].values[np.argsort(-r.values, kind="stable")])
    axes = rankings.plot_significance(RANKING, basis="systems")
    assert texts(axes.get_yticklabels()) == order
    assert place(part_of(RANKING, {"basis": "systems"})).endswith("8 systems")
    with pytest.raises(InputError, match="no basis 'segments'; there are systems, hybrids"):
        rankings.plot_significance(RANKING, basis="segments")
    with pytest.raises(InputError, match="no dimension 'domain'; there are measure"):
        rankings.plot_significance(RANKING, domain="en-de")
    with pytest.raises(InputError, match="no baseline 'x'; there are m"):
        rankings.plot_differences(RANKING, baseline="x")


def test_the_matrix_writes_each_correlation_once():
    axes = rankings.plot_correlations(RANKING, basis="hybrids")
    part = part_of(RANKING, {"basis": "hybrids"})
    assert texts(axes.get_xticklabels()) == names_of(part) != names_of(RANKING)
    values = part["metric_r"].values
    below = zip(*np.tril_indices(6, -1), strict=True)
    expected = {(i, j): f"{100 * values[i, j]:.0f}".replace("-", "−") for i, j in below}
    assert written(axes) == expected


def test_long_names_are_shortened_and_stay_different():
    axes = style.axes_of(None, "acl1", 2)
    names = ["a" * 40 + "x" * 9, "a" * 40 + "y" + "x" * 9, "short"]
    shown = style.short_names(names, axes)
    assert max(map(len, shown)) <= 16
    assert len(set(shown)) == 3
    assert shown[2] == "short"
    assert "…" in shown[0]


def test_the_scatter_has_hybrids_behind_systems():
    figure = rankings.scatter_panels(SAMPLE, RANKING)
    name = names_of(RANKING)[0]
    hybrids, _, systems = figure.axes[0].lines
    np.testing.assert_array_equal(hybrids.get_xdata(), SAMPLE["score"].sel(metric=name))
    np.testing.assert_array_equal(hybrids.get_ydata(), SAMPLE["human"])
    np.testing.assert_array_equal(systems.get_xdata(), SAMPLE["system_score"].sel(metric=name))
    assert texts(figure.legends[0].get_texts()) == ["60 hybrids", "8 systems"]
    r = RANKING["value"].sel(basis="hybrids", metric=name).item()
    assert figure.axes[0].get_title() == f"{name}\nr = {r:.3f}"
    assert "r over 60 hybrids" in figure.get_suptitle()


def test_names_have_their_marks_which_are_explained():
    sample = ss.hybrid_supersample(ss.load_example(), n=50)
    ranking = ss.rank(ss.correlations.compare_correlations(sample))
    ranking = ranking.assign(reference_free=ranking["metric"] == "strong-95")
    drawn = rankings.scatter_panels(sample, ranking)
    inverted = {each.get_title().split("\n")[0]: each.xaxis_inverted() for each in drawn.axes}
    assert inverted["errors-85 ↓"]
    assert not inverted["strong-95*"]
    for draw in (rankings.plot_forest, rankings.plot_significance, rankings.plot_differences):
        axes = draw(ranking)
        assert {"errors-85 ↓", "strong-95*"} <= {*texts(axes.get_yticklabels())}
        for note in (labels.FREE_NOTE, labels.LOWER_NOTE):
            assert note in axes.get_xlabel().replace("\n", " ")


def test_at_most_ten_thousand_hybrids_are_drawn():
    figure = rankings.scatter_panels(*sample_and_ranking(["a"], n=10_100))
    assert figure.axes[0].lines[0].get_xdata().size == 10_000
    assert texts(figure.legends[0].get_texts())[0] == "10,000 of 10,100 hybrids"


def test_groups_have_marks_of_different_colours():
    scores = {name: scores_of(["a", "b"], systems=7 + i) for i, name in enumerate("uvwxyz")}
    ranking = ss.rank(compare_over_groups(scores, n=30))
    axes = rankings.plot_forest(ranking)
    shown = [line for line in axes.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in shown][1:] == list("uvwxyz")
    looks = {(line.get_color(), line.get_marker()) for line in shown}
    assert len(looks) == len({colour for colour, _ in looks}) == 7
    lay_out(style.figure_of(axes))
    part = part_of(ranking, {"group": "v", "basis": "systems"})
    assert "v, 8 systems" in place(part)
    assert "systems," not in place(part_of(ranking, {}))


def test_what_is_undefined_is_left_out_and_said():
    with pytest.warns(DegenerateScoreWarning):
        sample, ranking = sample_and_ranking(["a", "b", "c"], flat=["b"])
    drawn = all_figures(sample, ranking)
    for figure in drawn.values():
        lay_out(figure)
    assert "b\nr undefined" in [axes.get_title() for axes in drawn["scatter"].axes]
    assert len(written(drawn["correlations"].axes[0])) == 1


def test_nothing_defined_can_still_be_drawn():
    with pytest.warns(DegenerateScoreWarning):
        sample, ranking = sample_and_ranking(["a", "b"], n=1)
    for figure in all_figures(sample, ranking).values():
        lay_out(figure)


def test_axes_that_are_given_are_drawn_into():
    _, axes = style.panel_rows(2, 2, 6, 3)
    assert rankings.plot_forest(RANKING, ax=axes[0]) is axes[0]
    assert rankings.plot_significance(RANKING, ax=axes[1]) is axes[1]


def test_figures_are_saved_as_png_and_pdf_also_without_room(tmp_path, full_figures):
    no_room = pytest.warns(UserWarning, match="Try making figure larger")
    for height, told in ((3.0, nullcontext()), (0.4, no_room)):
        axes = style.axes_of(None, "acl1", height)
        with told:
            style.save(rankings.plot_forest(RANKING, ax=axes), tmp_path, "forest")
        assert (tmp_path / "forest.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "forest.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("width", ["acl3", "1", "nan", 100])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(InputError, match=r"a figure's width is acl1, acl2 or 1\.5 to 60 inches"):
        style.inches(width)


@pytest.fixture(scope="module")
def sets():
    """Six sets with systems of their own."""
    return ss.rank(
        {
            f"set {i}": ss.simulate_scores(
                systems=9, segments=20, correlations={"a": 0.9, "b": 0.8, "c": 0.5}, seed=i
            )
            for i in range(6)
        },
        n=20,
    )


def test_the_forest_by_set_has_the_average_and_a_new_set(sets):
    axes = rankings.plot_sets(sets, metric="a", baseline="c")
    ticks = [tick.get_text() for tick in axes.get_yticklabels()]
    rows = ["average, new systems", "average, new sets", "in a new set"]
    assert ticks == [*(f"set {i}" for i in range(6)), *rows]
    marks = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    own = sets["difference"].sel(metric="a", other_metric="c", basis="systems").squeeze()
    np.testing.assert_allclose(marks[:6], own.sel(group=sets["group"][1:]))
    np.testing.assert_allclose(marks[6:], own.sel(group="average").item())
    assert axes.get_title(loc="left") == "difference in r, a minus c"
    best, other, _ = names_of(part_of(sets))
    assert (
        rankings.plot_sets(sets).get_title(loc="left") == f"difference in r, {best} minus {other}"
    )
    with pytest.raises(ss.InputError, match="no metric 'x'"):
        rankings.plot_sets(sets, metric="x")
    with pytest.raises(ss.InputError, match="has none"):
        rankings.plot_sets(SYSTEMS)


def test_values_by_set(sets):
    axes = rankings.plot_values(sets)
    assert [tick.get_text() for tick in axes.get_xticklabels()][:2] == ["average", "set 0"]
    values = axes.images[0].get_array()
    part = part_of(sets)
    np.testing.assert_allclose(values[:, 0], part["value"])
    one_low = sets.assign(value=sets["value"].copy())
    one_low["value"].loc[{"metric": "c", "group": "set 1"}] = -5.0
    axes = rankings.plot_values(one_low)
    low, high = axes.images[0].get_clim()
    assert 0 < high - low < 1.5
    assert "−500" in {line.get_gid() for line in axes.lines}
    assert "numbers beyond" in axes.get_xlabel()
