"""Figures of predictions: labels, shades and curves. Their looks are checked by eye."""

from contextlib import nullcontext

import numpy as np
import pytest
from matplotlib.colors import to_hex

import supersample as ss
from supersample import DegenerateScoreWarning
from supersample.presentation.figures import studies as figures
from supersample.presentation.figures.studies import density
from supersample.presentation.figures.style import figure_of, short_names, styled
from supersample.quality_estimation.evaluation import rescaled_predictions
from tests.predictions import DATA, EVALUATION, best_first, predictions_of


def texts(labels):
    return [label.get_text() for label in labels]


def test_shades_tell_levels_of_p_apart():
    axes = figures.plot_shades(EVALUATION, "HTER")
    order = best_first("HTER")
    assert texts(axes.get_yticklabels()) == short_names([f"{name} (HTER)" for name in order], axes)
    p = EVALUATION["p_value"].sel(gold="HTER", system=order, other_system=order).values
    image = axes.images[0]
    shades = [to_hex(c).upper() for c in image.cmap(image.norm(image.get_array())).reshape(-1, 4)]
    expected = [
        figures.SHADES[int(np.searchsorted(figures.LEVELS, value, side="right"))]
        for value in p.ravel()
    ]
    assert shades == [shade.upper() for shade in expected]
    assert axes.get_xlabel().startswith("dark p < 0.001, middle p < 0.01, light p < 0.05")


def test_the_matrix_prints_correlations_of_predictions():
    axes = figures.plot_predictions(EVALUATION, "PET")
    order = best_first("PET")
    values = EVALUATION["prediction_r"].sel(gold="PET", system=order, other_system=order).values
    cells = {
        (int(row), int(column)): line.get_gid()
        for line in axes.lines
        for column, row in line.get_xydata()
    }
    below = zip(*np.tril_indices(5, -1), strict=True)
    assert cells == {(i, j): f"{100 * values[i, j]:.0f}" for i, j in below}


def test_densities_show_each_rescaling():
    rescaled = rescaled_predictions(DATA, "HTER", systems=best_first("HTER")[:2])
    figure = figures.densities(rescaled)
    assert len(figure.axes) == 6
    assert texts([axes.title for axes in figure.axes[:3]]) == [
        "as predicted", "gold mean,\n0.5 gold sd", "own mean,\n0.5 own sd",
    ]  # fmt: skip
    maes = rescaled["mae"].values.T.ravel()
    assert [axes.texts[0].get_text() for axes in figure.axes] == [f"MAE {mae:.4f}" for mae in maes]
    own = rescaled["prediction"].transpose("system", "rescaling", "segment").values.reshape(6, -1)
    for axes, predictions in zip(figure.axes, own, strict=True):
        [curve] = axes.lines
        np.testing.assert_allclose(curve.get_ydata(), density(predictions, curve.get_xdata()))
        assert (curve.get_xdata()[[0, -1]] == [predictions.min(), predictions.max()]).all()
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
    data = predictions_of(systems, flat=flat)
    with pytest.warns(DegenerateScoreWarning) if flat else nullcontext():
        evaluation = ss.quality_estimation.evaluate_predictions(data)
    rescaled = rescaled_predictions(data, "PET", systems=list(data["system"].values)[:3])
    for figure in (
        figure_of(figures.plot_shades(evaluation, "PET")),
        figure_of(figures.plot_predictions(evaluation, "PET")),
        figures.densities(rescaled),
        figures.standard_scatters(rescaled),
    ):
        with styled():
            figure.draw_without_rendering()
