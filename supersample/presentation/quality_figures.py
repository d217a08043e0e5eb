"""Figures of predictions judged by a gold standard: densities, scatters, and square ones."""

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

from supersample.presentation import style
from supersample.presentation.figures import matrix_of_r
from supersample.presentation.labels import names_of
from supersample.presentation.quality_estimation import order_of

LEVELS = (0.001, 0.01, 0.05)
SHADES = ("#00552D", "#35A06B", "#B5E0C5", "#FFFFFF")
MOST_IN_A_SQUARE, MOST_DENSITIES, MOST_SCATTERS = 60, 12, 20
_GRID = 300


def leading_systems(evaluation: xr.Dataset, gold: str, most: int) -> list[str]:
    """Names of the systems with the highest r, at most so many."""
    return names_of(evaluation.isel(system=order_of(evaluation, gold)[:most]), "system")


@style.styled()
def significance_shades(evaluation: xr.Dataset, gold: str) -> Figure:
    """How surely the system of a row has a higher r than that of a column, in shades of p.

    The form of Figures 5 to 7 of Graham (2015): Williams' test, one-sided, unadjusted. At most the
    leading 60 systems.
    """
    shown = _square(evaluation, gold)
    chosen = _names(shown)
    p = np.where(np.eye(len(chosen), dtype=bool), 1.0, shown["p_value"].to_numpy())
    side = 2.4 + 0.24 * len(chosen)
    figure, axes = style.one_panel(max(side, 4.2), max(side, 3.6))
    norm = BoundaryNorm([0.0, *LEVELS, 1.1], len(SHADES))
    axes.imshow(np.nan_to_num(p, nan=1.0), cmap=ListedColormap(SHADES), norm=norm)
    style.label_cells(axes, chosen)
    style.draw_grid(axes, len(chosen))
    over = _over(evaluation, shown)
    axes.set_title(f"Significantly higher r of the row than of the column\n{over}")
    patches = [
        Patch(facecolor=shade, edgecolor=style.GREY, label=f"p < {level:g}")
        for shade, level in zip(SHADES, LEVELS, strict=False)
    ]
    figure.legend(
        handles=patches[::-1], loc="outside lower center", ncols=3, frameon=False,
        fontsize=style.LABEL_SIZE,
        title="Williams' test, one-sided", title_fontsize=style.LABEL_SIZE,
    )  # fmt: skip
    return figure


def prediction_matrix(evaluation: xr.Dataset, gold: str) -> Figure:
    """How predictions correlate with each other, in order of their r with the gold standard.

    The form of Figure 4 of Graham (2015). At most the leading 60 systems.
    """
    shown = _square(evaluation, gold)
    return matrix_of_r(
        shown["prediction_r"].to_numpy(),
        _names(shown),
        title=f"Correlation of predictions, {_over(evaluation, shown)}",
        label="r between predictions",
    )


def density(scores: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian kernel density with Silverman's bandwidth, ``0.9 min(sd, IQR / 1.34) n^(-1/5)``.

    NaN where the scores do not vary; with an interquartile range of 0, sd alone counts. Equation
    3.31 of Silverman (1986), "Density estimation for statistics and data analysis".
    """
    if np.ptp(scores) == 0:
        return np.full(at.shape, np.nan)
    deviation = scores.std(ddof=1)
    spread = min(deviation, np.subtract(*np.percentile(scores, [75, 25])) / 1.34) or deviation
    bandwidth = 0.9 * spread * scores.size**-0.2
    return np.asarray(gaussian_kde(scores, bw_method=bandwidth / deviation)(at))


@style.styled()
def densities(rescaled: xr.Dataset) -> Figure:
    """Densities of gold labels and predictions, as they are and rescaled: a row a system.

    The form of Figure 2 of Graham (2015).
    """
    gold, share = rescaled.attrs["gold"], rescaled.attrs["share"]
    titles = {"original": "as predicted", "to gold": f"gold mean, {share:g} gold sd"}
    names, rescalings = names_of(rescaled, "system"), names_of(rescaled, "rescaling")
    label = rescaled["label"].to_numpy()
    figure = Figure(
        figsize=(0.7 + 2.2 * len(rescalings), 1.1 + 1.35 * len(names)), layout="constrained"
    )
    panels = figure.subplots(len(names), len(rescalings), squeeze=False, sharex="row", sharey="row")
    for s, name in enumerate(names):
        grid = _span(label, *rescaled["prediction"].to_numpy()[:, s])
        for k, rescaling in enumerate(rescalings):
            axes = panels[s, k]
            axes.fill_between(grid, density(label, grid), color=style.ORANGE, alpha=0.35, lw=0)
            scores = rescaled["prediction"].to_numpy()[k, s]
            if np.isfinite(scores).all():
                axes.plot(grid, density(scores, grid), color=style.BLUE, lw=1.3)
            mae = float(rescaled["mae"][k, s])
            text = "no MAE: other units" if math.isnan(mae) else f"MAE {mae:.4f}"
            axes.text(0.97, 0.93, text, transform=axes.transAxes, ha="right", va="top", fontsize=7)
            axes.tick_params(labelsize=7)
            if s == 0:
                axes.set_title(titles.get(rescaling, f"own mean, {share:g} own sd"))
        panels[s, 0].set_ylim(bottom=0)
        panels[s, 0].set_ylabel("\n".join(textwrap.wrap(name, 16)), fontsize=style.LABEL_SIZE)
    figure.supxlabel(str(gold), fontsize=9)
    figure.supylabel("density", fontsize=9)
    figure.align_ylabels(panels[:, 0])
    handles = [
        Patch(facecolor=style.ORANGE, alpha=0.35, label=f"gold ({gold})"),
        Patch(facecolor=style.BLUE, label="predictions"),
    ]
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=2,
        frameon=False,
        fontsize=style.LABEL_SIZE,
    )
    return figure


@style.styled()
def standard_scatters(rescaled: xr.Dataset) -> Figure:
    """Gold labels against predictions in standard scores, a panel a system.

    The form of Figure 3 (c) and (f) of Graham (2015): standard deviations from the mean, with
    n - 1; the slope of the least-squares line is r.
    """
    names = names_of(rescaled, "system")
    across = min(4, math.ceil(math.sqrt(len(names))))
    down = math.ceil(len(names) / across)
    label = _standard(rescaled["label"].to_numpy())
    predictions = rescaled["prediction"].sel(rescaling="original").to_numpy()
    size = max(3.4, 1.75 * across + 0.4), 1.85 * down + 0.5
    figure, panels = style.panel_rows(len(names), across, *size, sharex=True, sharey=True)
    for axes in panels[-across:]:
        axes.tick_params(labelbottom=True)  # also above an empty panel
    r_of_systems = rescaled["r"].to_numpy()
    for axes, name, scores, r in zip(panels, names, predictions, r_of_systems, strict=True):
        _scatter(axes, _standard(scores), label, float(r))
        shown = "r undefined" if math.isnan(r) else f"r = {r:.3f}"
        axes.set_title(f"{name}\n{shown}", fontsize=style.LABEL_SIZE)
    figure.supxlabel("prediction (z)", fontsize=9)
    figure.supylabel(f"{rescaled.attrs['gold']} (z)", fontsize=9)
    return figure


def _scatter(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64], r: float) -> None:
    transparency = float(np.clip(150 / x.size, 0.1, 0.7))
    axes.plot(x, y, ".", color=style.BLUE, ms=4, alpha=transparency, mew=0, rasterized=True)
    if not math.isnan(r):
        axes.axline((0, 0), slope=r, color=style.ORANGE, lw=1)
    axes.tick_params(labelsize=7)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.ptp(values) == 0:
        return np.full(values.shape, np.nan)
    return np.asarray((values - values.mean()) / values.std(ddof=1))


def _span(*values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points from a little below all values to a little above."""
    finite = np.concatenate([part[np.isfinite(part)] for part in values])
    low, high = float(finite.min()), float(finite.max())
    margin = 0.15 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, _GRID)


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
