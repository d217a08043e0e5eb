"""Style of figures: colours, widths, labels, and how figures are saved."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path as Folder
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox, ScaledTranslation
from numpy.typing import NDArray

from supersample.errors import InputError, listed, printable
from supersample.presentation.kinds import Width as Width
from supersample.presentation.kinds import inches as inches

P = ParamSpec("P")
R = TypeVar("R")

# Okabe and Ito's palette, told apart with any common form of colour blindness.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#BBBBBB"
PALETTE = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = "osD^vP*"
TITLE_SIZE, TEXT_SIZE, LABEL_SIZE = 9, 8, 7  # points, at the figure's final size

_SETTINGS: dict[Any, Any] = {
    "font.size": TEXT_SIZE,
    "axes.titlesize": TITLE_SIZE,
    **dict.fromkeys(("axes.labelsize", "xtick.labelsize", "ytick.labelsize"), LABEL_SIZE),
    **dict.fromkeys(("legend.fontsize", "legend.title_fontsize"), LABEL_SIZE),
    **dict.fromkeys(("legend.frameon", "axes.spines.top", "axes.spines.right"), False),
    "axes.linewidth": 0.6,
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a dollar sign in the name of a metric is not math
}
TALLEST = 9.0  # height in inches above the caption of a page
_DOTS = 200  # pixels an inch
_MARGIN = 0.03  # inches
_TITLE = "title"  # gid of texts that a paper has in its caption


@contextmanager
def styled() -> Iterator[None]:
    """Use the project's settings for figures: a context manager, or a decorator."""
    with mpl.rc_context(_SETTINGS):
        yield


def draws(maker: str, *names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Style a public figure of a Dataset; refuse one that lacks names of what `maker` makes."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        first = next(iter(signature(function).parameters))

        @wraps(function)
        def drawn(*arguments: P.args, **options: P.kwargs) -> R:
            given: Any = arguments[0] if arguments else options.get(first, {})
            lacking = [name for name in names if name not in given and name not in given.dims]
            if lacking:
                raise InputError(
                    f"{function.__name__} draws a result of {maker}, and this one has no "
                    f"{listed(lacking)}"
                )
            with styled():
                return function(*arguments, **options)

        return drawn

    return decorated


def axes_of(ax: Axes | None, width: Width, height: float) -> Axes:
    """Axes to draw into: the given axes, or those of a new figure, without pyplot or a display."""
    if ax is not None:
        return ax
    figure = Figure(figsize=(inches(width), height), layout="constrained")
    return figure.subplots()


def figure_of(axes: Axes) -> Figure:
    """Find the figure of axes."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def panel_rows(
    count: int, across: int, width: float, height: float, **sharing: Any
) -> tuple[Figure, list[Axes]]:
    """Make a figure of several panels in rows; the rest of the last row stays empty."""
    down = -(-count // across)
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False, **sharing).ravel().tolist()
    for axes in panels[count:]:
        axes.set_visible(False)
    return figure, panels[:count]


def short_names(names: Sequence[str], axes: Axes, most: int | None = None) -> list[str]:
    """Shorten long names in their middle, for the width of a figure; names stay different."""
    most = _most_letters(axes) if most is None else most
    shown: list[str] = []
    for name in map(printable, names):
        short, number = _short(name, most), 2
        while short in shown:
            short, number = _short(name, most, f" ({number})"), number + 1
        shown.append(short)
    return shown


def _most_letters(axes: Axes) -> int:
    return max(16, int(4.5 * figure_of(axes).get_figwidth()))


def _short(name: str, most: int, tail: str = "") -> str:
    if len(name) + len(tail) <= most:
        return name + tail
    end = most // 3
    return f"{name[: most - end - 1 - len(tail)]}…{name[-end:]}{tail}"


def entitle(axes: Axes, title: str, names: Sequence[str] = (), below: str = "") -> None:
    """Add a title above axes, and text below, in lines that fit beside row labels."""
    axes.set_title(wrapped(axes, title, names, TITLE_SIZE), loc="left", gid=_TITLE)
    if below:
        axes.set_xlabel(wrapped(axes, below, names))


def wrapped(axes: Axes, text: str, names: Sequence[str] = (), size: float = LABEL_SIZE) -> str:
    """Break text into lines that fit a figure's width minus its row labels."""
    longest = min(max(map(len, names), default=6), _most_letters(axes))
    room = _points(axes) - 0.56 * LABEL_SIZE * longest - 12
    letters = max(20, int(room / (0.58 * size)))
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return "\n".join(line for part in text.split("\n") for line in textwrap.wrap(part, letters))


def entitle_figure(figure: Figure, title: str) -> None:
    """Add a title above a figure of several panels, in lines that fit."""
    letters = int(72 * figure.get_figwidth() / (0.58 * TITLE_SIZE))
    figure.suptitle("\n".join(textwrap.wrap(title, letters)), fontsize=TITLE_SIZE, gid=_TITLE)


def legend_below(axes: Axes, columns: int) -> None:
    """Put a legend under the label of the horizontal axis."""
    lines = 1 + axes.get_xlabel().count("\n")
    down = ScaledTranslation(0, -(20 + 10 * lines) / 72, figure_of(axes).dpi_scale_trans)
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=axes.transAxes + down,
        ncols=columns, borderpad=0, borderaxespad=0, columnspacing=1.2, handletextpad=0.4,
    )  # fmt: skip


def label_rows(axes: Axes, names: Sequence[str], most: int | None = None) -> None:
    """Label rows, the first one on top."""
    axes.set_yticks(range(len(names)), short_names(names, axes, most))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def label_cells(
    axes: Axes, columns: Sequence[str], rows: Sequence[str], most: int | None = None
) -> None:
    """Label the columns (with a limited number of letters) and the rows of a matrix.

    If columns are too narrow for names, rows are numbered, and columns have these numbers.
    """
    rows = short_names(rows, axes)
    columns = short_names(columns, axes, most)
    if cell_width(axes, rows, len(columns)) >= LABEL_SIZE + 1 or len(rows) != len(columns):
        axes.set_xticks(range(len(columns)), columns, rotation=90)
    else:
        rows = [f"{name}  {i}" for i, name in enumerate(rows, start=1)]
        shown = range(4, len(columns), 5)
        axes.set_xticks(shown, [str(i + 1) for i in shown])
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)


def cell_width(axes: Axes, rows: Sequence[str], count: int) -> float:
    """Approximate width in points of a column of a matrix beside row labels of these names."""
    labels = 0.56 * LABEL_SIZE * max(map(len, rows), default=0)
    return (_points(axes) - labels - 24) / max(1, count)


def _points(axes: Axes) -> float:
    """Width in points that axes and their labels have, before they are laid out."""
    share = axes.get_position().width / 0.775  # share of the figure, without matplotlib's margins
    return float(72 * share * figure_of(axes).get_figwidth())


def matrix_height(width: Width, names: Sequence[str], lines: int) -> float:
    """Height in inches of a figure of a square matrix with names on two sides and lines of text."""
    length = 0.56 * LABEL_SIZE * min(max(map(len, names), default=0), int(4.5 * inches(width)))
    cells = max(72 * inches(width) - length - 24, 60)
    side = min(cells, max(100, 30 * len(names)))  # cells of at most 30 points
    named = cells / max(1, len(names)) >= LABEL_SIZE + 1
    side = max(side, (LABEL_SIZE + 1.5) * len(names))
    broken = lines * max(1.0, 4.5 / inches(width))  # narrow figures break their text
    return float((side + (length if named else 12) + 12 * broken + 16) / 72)


def draw_matrix(
    axes: Axes, values: NDArray[Any], columns: Sequence[str], rows: Sequence[str] = (), **look: Any
) -> float:
    """Draw a matrix with names on two sides (by default equal); return the width of its cells.

    `look` is passed to ``imshow``, and ``most`` to `label_cells`.
    """
    most = look.pop("most", None)
    axes.imshow(values, **{"aspect": "auto", **look})
    axes.spines[:].set_visible(False)
    label_cells(axes, columns, rows or columns, most)
    return cell_width(axes, short_names(rows or columns, axes), len(columns))


def about_zero(values: NDArray[np.float64]) -> dict[str, Any]:
    """Colours for values on both sides of 0, light enough for text; options of ``imshow``."""
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    return {"cmap": "PuOr_r", "vmin": -1.6 * largest, "vmax": 1.6 * largest}


def draw_grid(axes: Axes, count: int, *, color: str = GREY, width: float = 0.5) -> None:
    """Draw lines between the cells."""
    axes.set_xticks(np.arange(-0.5, count), minor=True)
    axes.set_yticks(np.arange(-0.5, count), minor=True)
    axes.grid(which="minor", color=color, linewidth=width)
    axes.tick_params(which="minor", length=0)


def write_cells(
    axes: Axes, rows: NDArray[np.intp], columns: NDArray[np.intp], texts: Sequence[str], color: str
) -> None:
    """Write short texts into cells of a matrix; equal texts are one series of markers.

    Hundreds of texts would take a second to lay out and draw. Each series has its text as its gid.
    """
    shown = np.array(texts)
    for text in dict.fromkeys(texts):
        letters = TextPath((0, 0), text, size=LABEL_SIZE)
        middle = letters.get_extents().get_points().mean(axis=0)
        path = Path(letters.vertices - middle, letters.codes)
        size = 2 * float(np.abs(path.vertices).max())
        at = np.flatnonzero(shown == text)
        axes.plot(
            np.take(columns, at), np.take(rows, at), linestyle="", marker=path, ms=size, mew=0,
            color=color, gid=text,
        )  # fmt: skip


def write_hundredths(
    axes: Axes, values: NDArray[np.float64], at: Any, dark: NDArray[np.bool_] | None = None
) -> None:
    """Write values in hundredths into cells at their rows and columns, in white on dark ones."""
    texts = np.array([f"{100 * value:.0f}".replace("-", "−") for value in values[at]], str)
    white = np.zeros(texts.shape, bool) if dark is None else dark[at]
    for chosen, color in ((white, "white"), (~white, "black")):
        write_cells(axes, at[0][chosen], at[1][chosen], texts[chosen].tolist(), color)


def save(drawn: Figure | Axes, folder: Folder, name: str) -> None:
    """Save a figure, or the figure of axes, as PNG, and without its title as PDF for a paper.

    It is laid out once for both. The PDF is cropped at the top, and has the title in its
    metadata.
    """
    figure = figure_of(drawn) if isinstance(drawn, Axes) else drawn
    with styled():
        figure.set_dpi(_DOTS)
        layout = figure.get_layout_engine()
        if layout is not None:
            layout.execute(figure)
        figure.set_layout_engine(None)  # "none" would draw the PDF twice
        # PNGs of level 3 are a tenth larger than of the default, 6, but are written in two thirds
        # of the time; not savefig, which would lay out the figure again
        canvas: Any = FigureCanvasAgg(figure)
        canvas.print_png(folder / f"{name}.png", pil_kwargs={"compress_level": 3})
        titles: Any = figure.findobj(lambda artist: artist.get_gid() == _TITLE)
        for title in titles:
            title.set_visible(False)
        wide, high = figure.get_size_inches()
        left = figure.get_tightbbox(canvas.get_renderer())  # in inches
        page = Bbox([[0, 0], [wide, min(high, left.y1 + _MARGIN)]])
        facts = {"Title": " ".join(title.get_text() for title in titles).replace("\n", " ")}
        pdf = FigureCanvasPdf(figure)
        pdf.print_figure(folder / f"{name}.pdf", bbox_inches=page, metadata=facts)
        for title in titles:
            title.set_visible(True)
