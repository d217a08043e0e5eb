"""Square figures: every one of a list against every other."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supersample.presentation.style import GREY, LABEL_SIZE, styled


def matrix_of_r(
    values: NDArray[np.float64], names: Sequence[str], *, title: str, label: str
) -> Figure:
    """Colour correlations of names with each other, and print those below the diagonal."""
    with styled():
        longest = max(len(name) for name in names)
        side = 1.6 + 0.075 * longest + 0.3 * len(names)
        figure = Figure(figsize=(side + 0.8, side), layout="constrained")
        axes = figure.subplots()
        lowest = float(np.nanmin(values)) if np.isfinite(values).any() else -1.0
        image = axes.imshow(values, cmap="cividis", vmin=min(lowest, 0.9), vmax=1.0)
        middle = (min(lowest, 0.9) + 1.0) / 2
        for i, j in np.ndindex(*values.shape):
            if j < i and np.isfinite(values[i, j]):  # the other half is the same
                colour = "black" if values[i, j] > middle else "white"
                text = f"{values[i, j]:.2f}".replace("0.", ".", 1)
                axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=6)
        label_both(axes, names)
        figure.colorbar(image, ax=axes, shrink=0.8, label=label)
        axes.set_title(title)
    return figure


def label_both(axes: Axes, names: Sequence[str]) -> None:
    """Name rows and columns."""
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=LABEL_SIZE)
    axes.set_yticks(range(len(names)), names, fontsize=LABEL_SIZE)
    axes.tick_params(length=0)


def draw_grid(axes: Axes, count: int) -> None:
    """Draw lines between the cells."""
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(-0.5, count), minor=True)
    axes.set_yticks(np.arange(-0.5, count), minor=True)
    axes.grid(which="minor", color=GREY, linewidth=0.5)
    axes.tick_params(which="minor", length=0)
