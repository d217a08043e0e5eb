"""How figures look, and how they are saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    """Use the project's settings for the figures made within."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        yield


def save(figure: "Figure", folder: Path, name: str) -> None:
    """Save as PNG and PDF, laid out once for both."""
    with styled():
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for suffix in ("png", "pdf"):
            figure.savefig(folder / f"{name}.{suffix}")
