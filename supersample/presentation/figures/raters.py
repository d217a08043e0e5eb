"""Figure of people among the metrics."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from supersample.presentation.figures import style
from supersample.presentation.raters import best_first, gold_of

MOST = 40


@style.draws("rank_raters", "is_person", "value", "scorer")
def plot_raters(
    found: xr.Dataset,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    width: style.Width = "acl2",
) -> Axes:
    """Draw people as diamonds among the metrics, best first.

    Parameters
    ----------
    found : xarray.Dataset
        A result of `rank_raters`; people and the 40 best metrics are drawn.
    measure : str, optional
        The measure to draw; by default the first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Scorers from top to bottom.

    Examples
    --------
    >>> import supersample as ss
    >>> people = ["strong-95", "good-90", "fair-70"]
    >>> ax = plot_raters(ss.raters.rank_raters(ss.load_example(), people, resamples=99))
    >>> ax.get_yticklabels()[0].get_text()
    'strong-95'
    """
    part = best_first(found, measure)
    person = part["is_person"].to_numpy()
    part = part.isel(scorer=person | (np.cumsum(~person) <= MOST))
    person, values = part["is_person"].to_numpy(), part["value"].to_numpy()
    names = [str(name) for name in part["scorer"].to_numpy()]
    axes = style.axes_of(ax, width, 1.0 + 0.15 * len(names))
    rows = np.arange(len(names))
    axes.plot(values[~person], rows[~person], "o", ms=3.5, color=style.BLUE, label="metrics")
    axes.plot(values[person], rows[person], "D", ms=5, color=style.ORANGE, label="people")
    for value in values[person]:
        axes.axvline(value, color=style.ORANGE, linewidth=0.5, alpha=0.6, zorder=0)
    style.label_rows(axes, names)
    for text, one in zip(axes.get_yticklabels(), person, strict=True):
        text.set_fontweight("bold" if one else "normal")
    axes.grid(axis="x", color=style.GREY, linewidth=0.4)
    name = str(part["measure"].item())
    by = gold_of(found)
    what = "Pearson correlation" if name == "pearson" else name
    axes.set_xlabel(style.wrapped(axes, f"{what} with {by}", names, style.TEXT_SIZE))
    style.entitle(axes, f"{found.attrs.get('source', '')}: people among the metrics", names)
    style.legend_below(axes, 2)
    return axes
