"""Style of figures, and how they are saved."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette, told apart with any common form of colour blindness.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#BBBBBB"
LABEL_SIZE = 8  # points, at the figure's final size

_SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 150,
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a dollar in the name of a metric is a dollar
}


@contextmanager
def styled() -> Iterator[None]:
    """Use the project's settings for figures: a context, or a decorator of what draws one."""
    with mpl.rc_context(_SETTINGS):
        yield


def one_panel(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure of one panel, without pyplot: no global state, no display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def panel_rows(
    count: int, across: int, width: float, height: float, **sharing: Any
) -> tuple[Figure, list[Axes]]:
    """Make a figure of several panels, so many in a row; the rest of the last row stays empty."""
    down = -(-count // across)
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False, **sharing).ravel().tolist()
    for axes in panels[count:]:
        axes.set_visible(False)
    return figure, panels[:count]


def label_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name rows, the first one on top."""
    axes.set_yticks(range(len(names)), names, fontsize=LABEL_SIZE)
    axes.set_ylim(len(names) - 0.5, -0.5)


def label_cells(
    axes: Axes, columns: Sequence[str], rows: Sequence[str] | None = None, size: int = LABEL_SIZE
) -> None:
    """Name the columns and rows of a matrix; the rows as the columns by default."""
    rows = columns if rows is None else rows
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=size)
    axes.set_yticks(range(len(rows)), rows, fontsize=size)
    axes.tick_params(length=0)


def draw_grid(axes: Axes, count: int, *, color: str = GREY, width: float = 0.5) -> None:
    """Draw lines between the cells, and no frame."""
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(-0.5, count), minor=True)
    axes.set_yticks(np.arange(-0.5, count), minor=True)
    axes.grid(which="minor", color=color, linewidth=width)
    axes.tick_params(which="minor", length=0)


def save(figure: Figure, folder: Path, name: str) -> None:
    """Save as PNG and PDF, laid out once for both."""
    with styled():
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for suffix in ("png", "pdf"):
            figure.savefig(folder / f"{name}.{suffix}")
