"""Style of figures: colours, widths, labels, and how figures are saved."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from inspect import signature
from pathlib import Path as Folder
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox, ScaledTranslation
from numpy.typing import NDArray

from supersample.errors import InputError, listed, printable
from supersample.presentation.registry import Width as Width
from supersample.presentation.registry import inches as inches

Ax = Axes | None
Title = str | None
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
_STRETCHED = 1.5  # an axis so many times as long as most rows need is cut off
_FEW = 8  # rows that are all shown
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


def axes_of(ax: Ax, width: Width, height: float) -> Axes:
    """Axes to draw into: the given axes, or those of a new figure, without pyplot or a display."""
    if ax is not None:
        return ax
    size = inches(width), min(height, TALLEST)
    return Figure(figsize=size, layout="constrained").subplots()


def figure_of(axes: Axes) -> Figure:
    """Find the figure of axes."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def rows_height(width: Width, rows: float, lines: int = 4) -> float:
    """Height in inches of a figure of rows with lines of text, which narrow figures break."""
    return 0.5 + 0.15 * (rows + lines * max(1.0, 4.5 / inches(width)))


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


def entitle(axes: Axes, asked: Title, title: str, names: Sequence[str] = (), *below: str) -> None:
    """Add a title above axes, and texts below, in lines that fit beside row labels.

    The title is what was asked for: a text, None for no title, or "auto" for the figure's own.
    """
    shown = title if asked == "auto" else asked or ""
    axes.set_title(wrapped(axes, shown, names, TITLE_SIZE), loc="left", gid=_TITLE)
    if below:
        axes.set_xlabel(wrapped(axes, "\n".join(filter(None, below)), names))


def wrapped(axes: Axes, text: str, names: Sequence[str] = (), size: float = LABEL_SIZE) -> str:
    """Break text into lines that fit a figure's width minus its row labels."""
    longest = min(max(map(len, names), default=6), _most_letters(axes))
    room = _points(axes) - 0.56 * LABEL_SIZE * longest - 12
    letters = max(20, int(room / (0.58 * size)))
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return "\n".join(line for part in text.split("\n") for line in _lines(part, letters))


def _lines(text: str, letters: int) -> list[str]:
    """Break text into lines, but not names at their hyphens."""
    return textwrap.wrap(text, letters, break_on_hyphens=False)


def entitle_figure(figure: Figure, title: str) -> None:
    """Add a title above a figure of several panels, in lines that fit."""
    letters = int(72 * figure.get_figwidth() / (0.58 * TITLE_SIZE))
    figure.suptitle("\n".join(_lines(title, letters)), fontsize=TITLE_SIZE, gid=_TITLE)


def legend_below(axes: Axes, columns: int) -> None:
    """Put a legend under the label of the horizontal axis, one below the other if it is narrow."""
    columns = 1 if figure_of(axes).get_figwidth() < 4 else columns
    lines = 1 + axes.get_xlabel().count("\n")
    down = ScaledTranslation(0, -(20 + 10 * lines) / 72, figure_of(axes).dpi_scale_trans)
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=axes.transAxes + down,
        ncols=columns, borderpad=0, borderaxespad=0, columnspacing=1.2, handletextpad=0.4,
    )  # fmt: skip


class Marks(NamedTuple):
    """Values of rows with their limits, and the look of their marks."""

    rows: NDArray[Any]
    value: NDArray[np.float64]
    limits: tuple[NDArray[np.float64], NDArray[np.float64]]
    look: dict[str, Any]


def draw_rows(axes: Axes, names: Sequence[str], series: Sequence[Marks], *shown: float) -> str:
    """Draw rows with names, the first one on top; return what is to be said of them.

    Limits have caps, which are visible if an interval is shorter than a mark. A few rows far from
    the others do not stretch the axis: arrows at its end stand for what lies beyond it. Values
    that must be shown have a line.
    """
    for rows, value, limits, look in series:
        apart = 0.2 * ("lw" in look)  # a bar that is not the interval of its mark is below it
        axes.hlines(rows + apart, *limits, look["color"], lw=look.get("lw", 1.2))
        for limit in limits:
            axes.plot(limit, rows + apart, "|", color=look["color"], ms=3.5, mew=0.7)
        axes.plot(value, rows - apart, **{"ls": "", "marker": "o", "ms": 3.5, **look})
    label_rows(axes, names)
    axes.grid(axis="x", color=GREY, linewidth=0.4)
    for place in shown:
        axes.axvline(place, color="black", linewidth=0.6)
    return _cut_off(axes, series, shown) if len(names) >= _FEW else ""


def _cut_off(axes: Axes, series: Sequence[Marks], shown: Sequence[float]) -> str:
    """End the axis where most rows end, with arrows there for those that go on."""
    least = np.concatenate([np.fmin(each.value, each.limits[0]) for each in series])
    most = np.concatenate([np.fmax(each.value, each.limits[1]) for each in series])
    low, high = min([usual(least)[0], *shown]), max([usual(most)[1], *shown])
    whole = np.nanmax(most, initial=high) - np.nanmin(least, initial=low)
    if whole <= _STRETCHED * (high - low):
        return ""
    margin = 0.05 * (high - low)
    axes.set_xlim(low - margin, high + margin)
    for rows, value, limits, look in series:
        for sign, end, limit in zip((-1, 1), (-low, high), limits, strict=True):
            beyond = np.fmax(sign * value, sign * limit) > end
            at = sign * (end + margin)
            arrow: dict[str, Any] = {"color": look["color"], "ms": 4, "clip_on": False, "zorder": 3}
            axes.plot(np.full(beyond.sum(), at), rows[beyond], "<" if sign < 0 else ">", **arrow)
            for row in np.flatnonzero(sign * value > end):
                place: Any = {"xytext": (-5 * sign, 0), "textcoords": "offset points"}
                side: Any = {"ha": "right" if sign > 0 else "left", "va": "center"}
                text = f"{value[row]:.2f}".replace("-", "−")
                axes.annotate(text, (at, rows[row]), fontsize=LABEL_SIZE, **place, **side)
    return "arrows: beyond the axis" + ", with the value if its mark is there" * bool(axes.texts)


def usual(values: NDArray[np.float64]) -> tuple[float, float]:
    """Range of the finite values within Tukey's outer fences."""
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    lower, upper = np.quantile(values, (0.25, 0.75))
    reach = 3 * (upper - lower) or np.inf
    kept = values[(values >= lower - reach) & (values <= upper + reach)]
    return float(kept.min()), float(kept.max())


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


def about_zero(values: NDArray[np.float64]) -> tuple[dict[str, Any], str]:
    """Colours for values on both sides of 0, light enough for text; options of ``imshow``.

    Few values far from the others have the last colour; a text says so.
    """
    found = np.abs(values[np.isfinite(values) & (values != 0)])
    largest = usual(found)[1]
    light = ListedColormap(mpl.colormaps["PuOr_r"](np.linspace(0.18, 0.82, 256)))
    text = f"; colours end at ± {largest:.2g}" if (found > largest).any() else ""
    return {"cmap": light, "vmin": -largest, "vmax": largest}, text


def draw_grid(axes: Axes, count: int, *, color: str = GREY, width: float = 0.5) -> None:
    """Draw lines between the cells."""
    axes.set_xticks(np.arange(-0.5, count), minor=True)
    axes.set_yticks(np.arange(-0.5, count), minor=True)
    axes.grid(which="minor", color=color, linewidth=width)
    axes.tick_params(which="minor", length=0)


@cache  # their extents take most of the time of a matrix
def _letters(text: str, font: str) -> Path:
    """Outline of a text about its middle, in the font of the settings, whose file is `font`."""
    letters = TextPath((0, 0), text, size=LABEL_SIZE)
    middle = letters.get_extents().get_points().mean(axis=0)
    return Path(letters.vertices - middle, letters.codes)


def write_cells(
    axes: Axes, rows: NDArray[np.intp], columns: NDArray[np.intp], texts: Sequence[str], color: str
) -> None:
    """Write short texts into cells of a matrix; equal texts are one series of markers.

    Hundreds of texts would take a second to lay out and draw. Each series has its text as its gid.
    """
    shown, font = np.array(texts), findfont(FontProperties())
    for text in dict.fromkeys(texts):
        path = _letters(text, font)
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
