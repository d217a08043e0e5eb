"""The form of Figure 4: which pairs of metrics differ significantly, with clusters and ties."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import NDArray

from supersample.errors import plural
from supersample.presentation import labels
from supersample.presentation.figures import style
from supersample.presentation.figures.style import Ax, Title, Width

TIE_COLOURS = ("#CC79A7", style.ORANGE)
INK = "#222222"
SAME = 1e-10  # values closer than this are tied


@style.draws("rank", "value", "cluster")
def plot_ties(
    ranking: xr.Dataset, *, ax: Ax = None, width: Width = "acl2", title: Title = "auto", **at: str
) -> Axes:
    r"""Draw which pairs of metrics differ significantly, with clusters and tied metrics marked.

    The form of Figure 4 of Thompson et al. (2024): metrics from best to worst, clusters between
    blue lines, and the labels of exactly tied metrics in one colour, which alternates between ties.
    Parameters and errors are as in `supersample.figures.plot_significance`.

    Examples
    --------
    >>> import supersample as ss
    >>> ranking = ss.rank(ss.compare(ss.load_example(), "PA", resamples=99))
    >>> ax = plot_ties(ranking, measure="PA")
    >>> ax.get_title(loc="left")
    'embedded example, PA, 12 systems, 463 segments: significant differences\nbetween metrics'
    """
    selected = labels.part_of(ranking, at)
    names = labels.marked_labels(selected)
    values, clusters = selected["value"].to_numpy(), selected["cluster"].to_numpy()
    shown = labels.either_way(selected).astype(np.float64)
    shown[np.tril_indices(len(names))] = np.nan
    rows = [f"{name}  {value:.3f}" for name, value in zip(names, values, strict=True)]
    axes = style.axes_of(ax, width, style.matrix_height(width, [*names, "x" * 26], lines=5))
    cmap = ListedColormap(["#E6E6E6", style.GREEN])
    style.draw_matrix(axes, shown, names, rows, cmap=cmap, vmin=0, vmax=1)
    colours = _tie_colours(values)
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for label, colour in zip(ticks, colours, strict=len(ticks) == len(colours)):
            label.set_color(colour)
            label.set_fontweight("normal" if colour == INK else "bold")
    style.draw_grid(axes, len(names), color="white", width=0.6)
    for edge in np.flatnonzero(np.diff(clusters) > 0) + 0.5:
        axes.plot([edge, len(names) - 0.5], [edge, edge], color=style.BLUE, linewidth=1.8)
        axes.plot([edge, edge], [-0.5, edge], color=style.BLUE, linewidth=1.8)
    counts = ("significant_pairs", "clusters", "distinct_values")
    pairs, groups, distinct = (int(selected[name]) for name in counts)
    text = (
        f"green: {labels.rule_of(selected)} ({labels.test_name(selected)}, unadjusted), "
        f"{plural(pairs, 'pairs')}; blue lines: {plural(groups, 'clusters')}"
    )
    if distinct < len(names):
        text = f"{text}; bold colours: exact ties, {plural(distinct, 'distinct values')}"
    own_title = f"{labels.place(selected)}: significant differences between metrics"
    style.entitle(axes, title, own_title, rows, text, *labels.legend(selected))
    return axes


def _tie_colours(values: NDArray[np.float64]) -> list[str]:
    """Colours of labels: black for untied metrics, two alternating colours for tied ones."""
    starts = np.flatnonzero(~(np.diff(values, prepend=np.inf) >= -SAME))  # undefined ones differ
    colours = [INK] * len(values)
    ties = 0
    for start, stop in zip(starts, [*starts[1:], len(values)], strict=True):
        if stop - start > 1:
            colours[start:stop] = [TIE_COLOURS[ties % 2]] * (stop - start)
            ties += 1
    return colours
