"""Figures of systems ranked by people: intervals with rank intervals."""

from typing import Any

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from supersample.presentation.figures import style
from supersample.presentation.figures.style import Ax, Title, Width
from supersample.presentation.labels import level_of, names_of


@style.draws("rank_systems", "mean", "rank_first", "tie_groups")
def plot_systems(
    result: xr.Dataset, *, ax: Ax = None, width: Width = "acl2", title: Title = "auto"
) -> Axes:
    """Draw each system's mean with its interval, and beside it its ranks and tie groups.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `rank_systems`; its first group is drawn.
    ax, width, title
        As in `plot_forest`.

    Returns
    -------
    matplotlib.axes.Axes
        Systems from top to bottom, best first. Filled marks: the system could be the best.

    Examples
    --------
    >>> import supersample as ss
    >>> ax = plot_systems(ss.rank_systems(ss.load_example()))
    >>> ax.get_yticklabels()[0].get_text()
    'system-09'
    """
    part = result.isel(group=0)
    names, rows = names_of(part, "system"), np.arange(part.sizes["system"])
    axes = style.axes_of(ax, width, style.rows_height(width, len(names), 6))
    best, mean = part["may_be_best"].to_numpy(), part["mean"].to_numpy()
    series = []
    for chosen, face, label in (
        (best, style.BLUE, "could be the best"),
        (~best, "white", "ruled out as the best"),
    ):
        look = {"color": style.BLUE, "mfc": face, "ms": 4, "mew": 0.8, "label": label}
        lower, upper = (part[x].to_numpy()[chosen] for x in ("lower", "upper"))
        series.append(style.Marks(rows[chosen], mean[chosen], (lower, upper), look))
    told = [style.draw_rows(axes, names, series)]
    ends = zip(part["rank_first"].values, part["rank_last"].values, strict=True)
    ranges = [f"{low}" if low == high else f"{low}\N{EN DASH}{high}" for low, high in ends]
    beside = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    columns, letters = [(6, "ranks", *ranges)], part["tie_groups"].to_numpy()
    lettered = bool((letters != "").all())
    columns += [(38, "letters", *letters)] if lettered else []
    for points, *texts in columns:
        for row, text in enumerate(texts, start=-1):
            place: Any = {"xytext": (points, 0), "va": "center", **beside}
            axes.annotate(str(text), (1.0, row), fontsize=style.LABEL_SIZE, **place)
    who = "human scores" if result.attrs["scorer"] == "human" else result.attrs["scorer"]
    interval = f"with {level_of(result)} interval over {result.attrs['unit']}s"
    told += ["letters: systems that share one are not shown to differ"] * lettered
    text = f"mean of {who} {interval}"
    with mpl.rc_context({"axes.titlepad": 16}):  # above the headings of ranks and groups
        own_title = f"{result.attrs.get('source', '')}: systems"
        style.entitle(axes, title, own_title, names, text, *told)
    style.legend_below(axes, 2)
    return axes
