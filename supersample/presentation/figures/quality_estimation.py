"""Figures of predictions judged by a gold standard: densities, scatter plots, matrices."""

import math
import textwrap

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

from supersample.presentation.figures import style
from supersample.presentation.figures.matrices import draw_correlations
from supersample.presentation.labels import names_of
from supersample.presentation.studies import leading_systems

LEVELS = (0.001, 0.01, 0.05)
SHADES = ("#00552D", "#35A06B", "#B5E0C5", "#FFFFFF")
MOST_IN_A_SQUARE = 60
_GRID = 300


@style.draws("evaluate_predictions", "gold", "p_value")
def plot_shades(
    evaluation: xr.Dataset, gold: str, *, ax: Axes | None = None, width: style.Width = "acl2"
) -> Axes:
    """Draw whether the prediction in a row has a significantly higher r than that in a column.

    The form of Figures 5 to 7 of Graham (2015), in shades of the p-value of Williams' test
    (one-sided, unadjusted).

    Parameters
    ----------
    evaluation : xarray.Dataset
        A result of `evaluate_predictions`; at most the leading 60 systems are drawn.
    gold : str
        One of its gold standards.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Systems in descending order of r.

    Examples
    --------
    >>> import supersample as ss
    >>> hter = [0.1, 0.4, 0.2, 0.9, 0.5]
    >>> near, far = [1.1, 1.4, 1.2, 1.9, 1.4], [0.2, 0.3, 0.2, 0.4, 0.4]
    >>> names = {"systems": ["far", "near"], "gold": ["HTER"]}
    >>> predictions = ss.make_predictions([far, near], [hter], **names)
    >>> evaluation = ss.quality_estimation.evaluate_predictions(predictions)
    >>> [label.get_text() for label in plot_shades(evaluation, "HTER").get_yticklabels()]
    ['near', 'far']
    """
    shown = _square(evaluation, gold)
    chosen = _names(shown)
    p = np.where(np.eye(len(chosen), dtype=bool), 1.0, shown["p_value"].to_numpy())
    axes = style.axes_of(ax, width, style.matrix_height(width, chosen, lines=5))
    norm = BoundaryNorm([0.0, *LEVELS, 1.1], len(SHADES))
    shades = ListedColormap(SHADES)
    style.draw_matrix(axes, np.nan_to_num(p, nan=1.0), chosen, cmap=shades, norm=norm)
    style.draw_grid(axes, len(chosen))
    title = f"{_over(evaluation, shown)}: r of the row significantly higher"
    text = "dark p < 0.001, middle p < 0.01, light p < 0.05 (Williams' test, one-sided, unadjusted)"
    style.entitle(axes, title, chosen, text)
    return axes


@style.draws("evaluate_predictions", "gold", "prediction_r")
def plot_predictions(
    evaluation: xr.Dataset, gold: str, *, ax: Axes | None = None, width: style.Width = "acl2"
) -> Axes:
    """Draw the correlations between predictions, in order of their r with the gold standard.

    The form of Figure 4 of Graham (2015). Parameters are as in `plot_shades`; numbers are as in
    `plot_correlations`.

    Examples
    --------
    >>> import supersample as ss
    >>> predictions, names = [[1, 2, 3, 5], [1, 3, 2, 4]], {"systems": ["a", "b"], "gold": ["HTER"]}
    >>> data = ss.make_predictions(predictions, [[1, 2, 3, 4]], **names)
    >>> ax = plot_predictions(ss.quality_estimation.evaluate_predictions(data), "HTER")
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['a', 'b']
    """
    shown = _square(evaluation, gold)
    title = f"{_over(evaluation, shown)}: correlation of predictions"
    values = shown["prediction_r"].to_numpy()
    return draw_correlations(values, _names(shown), title, ax=ax, width=width)


def density(scores: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian kernel density with Silverman's bandwidth, ``0.9 min(sd, IQR / 1.34) n^(-1/5)``.

    NaN if the scores do not vary; if the interquartile range is 0, only sd counts. Equation 3.31 of
    Silverman (1986), "Density estimation for statistics and data analysis".
    """
    if np.ptp(scores) == 0:
        return np.full(at.shape, np.nan)
    deviation = scores.std(ddof=1)
    spread = min(deviation, np.subtract(*np.percentile(scores, [75, 25])) / 1.34) or deviation
    bandwidth = 0.9 * spread * scores.size**-0.2
    return np.asarray(gaussian_kde(scores, bw_method=bandwidth / deviation)(at))


@style.styled()
def densities(rescaled: xr.Dataset, *, width: style.Width = "acl2") -> Figure:
    """Draw densities of gold labels and predictions, original and rescaled: one row per system.

    The form of Figure 2 of Graham (2015). A density ends at the range of its data.
    """
    gold, share = rescaled.attrs["gold"], rescaled.attrs["share"]
    titles = {"original": "as predicted", "to gold": f"gold mean,\n{share:g} gold sd"}
    names, rescalings = names_of(rescaled, "system"), names_of(rescaled, "rescaling")
    label = rescaled["label"].to_numpy()
    size = style.inches(width), min(1.1 + 1.25 * len(names), style.TALLEST)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(names), len(rescalings), squeeze=False, sharex="row", sharey="row")
    for s, name in enumerate(names):
        grid = _span(label)
        for k, rescaling in enumerate(rescalings):
            axes = panels[s, k]
            axes.fill_between(grid, density(label, grid), color=style.ORANGE, alpha=0.35, lw=0)
            scores = rescaled["prediction"].to_numpy()[k, s]
            if np.isfinite(scores).all():
                at = _span(scores)
                axes.plot(at, density(scores, at), color=style.BLUE, lw=1.2)
            mae = float(rescaled["mae"][k, s])
            text = "no MAE: other units" if math.isnan(mae) else f"MAE {mae:.4f}"
            axes.text(0.97, 0.93, text, transform=axes.transAxes, ha="right", va="top", fontsize=7)
            if s == 0:
                title = titles.get(rescaling, f"own mean,\n{share:g} own sd")
                axes.set_title(title, fontsize=style.TEXT_SIZE)
        panels[s, 0].set_ylim(0, 1.25 * panels[s, 0].get_ylim()[1])  # room for the text
        row = "\n".join(textwrap.wrap(name, 16))
        panels[s, 0].set_ylabel(row, rotation=0, ha="right", va="center")
    figure.supxlabel(str(gold), fontsize=style.TEXT_SIZE)
    figure.supylabel("density", fontsize=style.TEXT_SIZE)
    figure.align_ylabels(panels[:, 0])
    handles = [
        Patch(facecolor=style.ORANGE, alpha=0.35, label=f"gold ({gold})"),
        Patch(facecolor=style.BLUE, label="predictions"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


@style.styled()
def standard_scatters(rescaled: xr.Dataset, *, width: style.Width = "acl2") -> Figure:
    """Draw gold labels against predictions in standard scores, one panel per system.

    The form of Figure 3 (c) and (f) of Graham (2015): standard deviations from the mean, with
    n - 1; the slope of the least-squares line is r.
    """
    names = names_of(rescaled, "system")
    inches = style.inches(width)
    across = min(max(2, int(inches / 1.5)), math.ceil(math.sqrt(len(names))))
    down = math.ceil(len(names) / across)
    label = _standard(rescaled["label"].to_numpy())
    predictions = rescaled["prediction"].sel(rescaling="original").to_numpy()
    size = inches, min((0.3 + 0.95 * inches / across) * down + 0.5, style.TALLEST)
    figure, panels = style.panel_rows(len(names), across, *size, sharex=True, sharey=True)
    for axes in panels[-across:]:
        axes.tick_params(labelbottom=True)  # also above an empty panel
    r_of_systems = rescaled["r"].to_numpy()
    for axes, name, scores, r in zip(panels, names, predictions, r_of_systems, strict=True):
        _scatter(axes, _standard(scores), label, float(r))
        shown = "r undefined" if math.isnan(r) else f"r = {r:.3f}"
        short = style.short_names([name], axes, int(13 * inches / across))[0]
        axes.set_title(f"{short}\n{shown}", fontsize=style.LABEL_SIZE)
    figure.supxlabel("prediction (z)", fontsize=style.TEXT_SIZE)
    figure.supylabel(f"{rescaled.attrs['gold']} (z)", fontsize=style.TEXT_SIZE)
    return figure


def _scatter(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64], r: float) -> None:
    transparency = float(np.clip(150 / x.size, 0.1, 0.7))
    axes.plot(x, y, ".", color=style.BLUE, ms=4, alpha=transparency, mew=0, rasterized=True)
    if not math.isnan(r):
        axes.axline((0, 0), slope=r, color=style.ORANGE, lw=1)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.ptp(values) == 0:
        return np.full(values.shape, np.nan)
    return np.asarray((values - values.mean()) / values.std(ddof=1))


def _span(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points from the lowest value to the highest."""
    finite = values[np.isfinite(values)]
    return np.linspace(finite.min(), finite.max(), _GRID)


def _square(evaluation: xr.Dataset, gold: str) -> xr.Dataset:
    """Select a gold standard and its leading systems, along both dimensions."""
    chosen = leading_systems(evaluation, gold, MOST_IN_A_SQUARE)
    return evaluation.sel(gold=gold, system=chosen, other_system=chosen)


def _names(evaluation: xr.Dataset) -> list[str]:
    names = names_of(evaluation, "system")
    if "trained_on" not in evaluation.coords:
        return names
    trained = names_of(evaluation, "trained_on")
    return [f"{a} ({b})" if b else a for a, b in zip(names, trained, strict=True)]


def _over(evaluation: xr.Dataset, shown: xr.Dataset) -> str:
    count, leading = evaluation.sizes["system"], shown.sizes["system"]
    text = f"{shown['gold'].item()}, {int(shown['n']):,} segments"
    return text if leading == count else f"{text}, the leading {leading} of {count:,} systems"
