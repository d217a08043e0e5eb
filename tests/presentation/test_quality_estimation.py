"""Tables and figures of predictions: what they say. How they look is looked at."""

import csv
import io
from contextlib import nullcontext

import numpy as np
import pytest
from matplotlib.colors import to_hex

import supersample as ss
from supersample.errors import DegenerateScoreWarning
from supersample.presentation import quality_estimation as tables
from supersample.presentation import quality_figures as figures
from supersample.presentation.densities import density
from supersample.presentation.style import styled
from supersample.presentation.table import Column, Table, to_csv
from supersample.quality_estimation.rescaling import rescaled_predictions

RNG = np.random.default_rng(8)
GOLD = np.stack([RNG.random(60), RNG.gamma(2, 20, 60)])


def made(systems=5, flat=False, trained=True, gold=("HTER", "PET")):
    noise = np.linspace(0.9, 0.1, systems)[:, np.newaxis]
    prediction = GOLD[0] + noise * RNG.normal(size=(systems, 60))
    prediction[0] = GOLD[0] + 1.0
    if flat:
        prediction[1] = 0.25
    return ss.make_predictions(
        prediction,
        GOLD[: len(gold)],
        systems=[f"a-long-name-of-a-system-{i}" for i in range(systems)],
        gold=gold,
        trained_on=["HTER"] * systems if trained else None,
    )


DATA = made()
EVALUATION = ss.evaluate_predictions(DATA)
STUDY = ss.rescaling_study(DATA)


def texts(labels):
    return [label.get_text() for label in labels]


def best_first(gold):
    own = EVALUATION.sel(gold=gold)
    return list(own["system"].values[np.argsort(-own["r"].values)])


def test_the_table_has_every_number_best_first():
    rows = list(csv.DictReader(io.StringIO(to_csv(tables.evaluation_table(EVALUATION)))))
    assert [row["gold"] for row in rows] == ["HTER"] * 5 + ["PET"] * 5
    for gold in ("HTER", "PET"):
        own = [row for row in rows if row["gold"] == gold]
        assert [row["system"] for row in own] == best_first(gold)
        for row in own:
            one = EVALUATION.sel(gold=gold, system=row["system"])
            for name in ("r", "lower", "upper", "rank", "wins", "cluster"):
                assert float(row[name]) == one[name].item()
            assert row["trained_on"] == row["predicts"] == "HTER"
            assert row["mae"] == ("" if gold == "PET" else repr(one["mae"].item()))


def test_the_printed_table_says_what_a_reader_must_know():
    table = tables.printed_evaluation(EVALUATION, "HTER")
    assert table.cells()[0][:4] == [
        "1",
        "a-long-name-of-a-system-0",
        "HTER",
        "1.000 [1.000, 1.000]",
    ]
    assert "judged by HTER over 60 segments, Pearson's r with 95 % intervals (Fisher)" in (
        table.caption
    )
    assert tables.UNITS_NOTE in table.notes
    assert (
        "a-long-name-of-a-system-0 has r = 1 with HTER: it predicts exactly that but for location "
        "and scale, MAE 1.000."
    ) in table.notes
    assert "trained on" not in [
        column.heading
        for column in tables.printed_evaluation(
            ss.evaluate_predictions(made(trained=False)), "PET"
        ).columns
    ]


def test_opposite_and_few_are_said():
    data = ss.make_predictions([-GOLD[0, :3]], GOLD[:1, :3], systems=["a"], gold=["HTER"])
    notes = tables.notes(ss.evaluate_predictions(data))
    assert any("a has r = -1 with HTER" in note and "a negative scale" in note for note in notes)
    assert "No interval or test with HTER: at least 4 segments are needed, there are 3." in notes


def test_differences_name_the_higher_r_first():
    rows = list(csv.DictReader(io.StringIO(to_csv(tables.differences_table(EVALUATION)))))
    assert len(rows) == 20
    for row in rows:
        one = EVALUATION.sel(
            gold=row["gold"], system=row["system"], other_system=row["other_system"]
        )
        assert one["difference"].item() >= 0
        assert float(row["p_value"]) == one["p_value"].item()
        assert float(row["lower"]) == one["difference_lower"].item()
        assert row["significant"] == str(one["wins_over"].item()).lower()


def test_rescaling_shows_errors_and_that_r_stays():
    table = tables.rescaling_table(STUDY, EVALUATION)
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert [row["system"] for row in rows[:5]] == best_first("HTER")
    for row in rows[:5]:
        own = STUDY.sel(gold="HTER", system=row["system"])
        assert float(row["mae_to_gold"]) == own["mae"].sel(rescaling="to gold").item()
        assert float(row["rmse_to_own"]) == own["rmse"].sel(rescaling="to own").item()
        assert float(row["change_of_r"]) < 1e-14
    assert "0.5 of their standard deviation" in table.notes[0]


def test_lines_count_wins_and_segments():
    wins = int(EVALUATION["wins_over"].sel(gold="HTER").sum())
    assert tables.significance_line(EVALUATION, "HTER") == (
        f"HTER: {wins} of 10 pairs differ significantly (williams1959, one-sided, p < 0.05)"
    )
    assert tables.source_lines(DATA, EVALUATION) == [
        "predictions: 5 systems, 60 segments; judged by HTER 60/60, PET 60/60"
    ]


def test_a_terminal_gets_the_first_rows_of_a_long_table():
    table = Table((Column("a", "a"),), tuple((i,) for i in range(250)), "many")
    short = tables.leading_rows(table)
    assert short.rows == table.rows[:100]
    assert short.caption == "many; the first 100 of 250 rows, --out writes all"
    assert tables.leading_rows(short) is short


def test_density_is_that_of_gaussian_kernels():
    scores, grid = RNG.gamma(2, 1, 3000), np.linspace(-3, 25, 4001)
    ours = density(scores, grid)
    assert np.trapezoid(ours, grid) == pytest.approx(1, abs=1e-4)
    iqr = np.subtract(*np.percentile(scores, [75, 25])) / 1.34
    width = 0.9 * min(iqr, scores.std(ddof=1)) * 3000**-0.2
    one = np.mean(np.exp(-(((2.0 - scores) / width) ** 2) / 2)) / (width * np.sqrt(2 * np.pi))
    assert density(scores, np.array([2.0]))[0] == pytest.approx(one)
    assert np.isnan(density(np.ones(5), grid)).all()
    assert np.isfinite(density(np.array([1.0, 1, 1, 1, 1, 9]), grid)).all()


def test_shades_tell_levels_of_p_apart():
    figure = figures.significance_shades(EVALUATION, "HTER")
    axes = figure.axes[0]
    order = best_first("HTER")
    assert texts(axes.get_yticklabels()) == [f"{name} (HTER)" for name in order]
    p = EVALUATION["p_value"].sel(gold="HTER", system=order, other_system=order).values
    image = axes.images[0]
    shades = [to_hex(c).upper() for c in image.cmap(image.norm(image.get_array())).reshape(-1, 4)]
    expected = [
        figures.SHADES[int(np.searchsorted(figures.LEVELS, value, side="right"))]
        for value in p.ravel()
    ]
    assert shades == [shade.upper() for shade in expected]
    assert texts(figure.legends[0].get_texts()) == ["p < 0.05", "p < 0.01", "p < 0.001"]


def test_the_matrix_prints_correlations_of_predictions():
    axes = figures.prediction_matrix(EVALUATION, "PET").axes[0]
    order = best_first("PET")
    values = EVALUATION["prediction_r"].sel(gold="PET", system=order, other_system=order).values
    printed = [float(text) for text in texts(axes.texts)]
    np.testing.assert_allclose(printed, values[np.tril_indices(5, -1)], atol=0.00501)


def test_densities_show_each_rescaling():
    rescaled = rescaled_predictions(DATA, "HTER", systems=best_first("HTER")[:2])
    figure = figures.densities(rescaled)
    assert len(figure.axes) == 6
    assert texts([axes.title for axes in figure.axes[:3]]) == [
        "as predicted", "gold mean, 0.5 gold sd", "own mean, 0.5 own sd",
    ]  # fmt: skip
    maes = rescaled["mae"].values.T.ravel()
    assert [axes.texts[0].get_text() for axes in figure.axes] == [f"MAE {mae:.4f}" for mae in maes]
    own = rescaled["prediction"].transpose("system", "rescaling", "segment").values.reshape(6, -1)
    for axes, predictions in zip(figure.axes, own, strict=True):
        [curve] = axes.lines
        np.testing.assert_allclose(curve.get_ydata(), density(predictions, curve.get_xdata()))
        assert curve.get_ydata().max() <= axes.get_ylim()[1]


def test_scatters_have_standard_scores_and_the_slope_r():
    rescaled = rescaled_predictions(DATA, "HTER", systems=best_first("HTER"))
    figure = figures.standard_scatters(rescaled)
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == 5
    for axes, r in zip(panels, rescaled["r"].values, strict=True):
        points, line = axes.lines
        for values in (points.get_xdata(), points.get_ydata()):
            assert np.mean(values) == pytest.approx(0, abs=1e-12)
            assert np.std(values, ddof=1) == pytest.approx(1)
        assert np.polyfit(points.get_xdata(), points.get_ydata(), 1)[0] == pytest.approx(r)
        assert line.get_slope() == r
        assert axes.get_title().endswith(f"r = {r:.3f}")


@pytest.mark.parametrize("systems", [1, 2, 25])
def test_every_figure_can_be_laid_out_also_where_r_is_undefined(systems):
    flat = systems == 2
    data = made(systems, flat=flat)
    with pytest.warns(DegenerateScoreWarning) if flat else nullcontext():
        evaluation = ss.evaluate_predictions(data)
    rescaled = rescaled_predictions(data, "PET", systems=list(data["system"].values)[:3])
    for figure in (
        figures.significance_shades(evaluation, "PET"),
        figures.prediction_matrix(evaluation, "PET"),
        figures.densities(rescaled),
        figures.standard_scatters(rescaled),
    ):
        with styled():
            figure.draw_without_rendering()


def test_many_systems_are_cut_and_the_title_says_so():
    evaluation = ss.evaluate_predictions(made(62, trained=False, gold=("HTER",)))
    for draw in (figures.significance_shades, figures.prediction_matrix):
        axes = draw(evaluation, "HTER").axes[0]
        assert len(axes.get_xticklabels()) == 60
        assert "the leading 60 of 62 systems" in axes.get_title()
