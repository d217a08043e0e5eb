"""Tables: numbers with their formats, and conversion to CSV, JSON, Markdown, HTML and LaTeX."""

import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import product
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import CsvRows, printable

UNSCALED = 6  # columns that a page of LaTeX has room for
WIDEST = 8  # columns of a LaTeX table that can be read when it is scaled down
TALLEST = 50  # rows of one that leave room for its caption
PLACE = "rank"  # stays beside the number in the next column
SMALL_P = "<.3f"  # p-values of papers: "< 0.001"
MOST_PRINTED = 100  # rows on a terminal
Value = str | float | int | bool | None

MINUS = re.compile(r"(?<![\w.])-(?=\.?\d)")  # before a number, not within a name
_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "_%&#${}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "≤": r"$\leq$",
        "−": "$-$",
        "↓": r"$\downarrow$",
        "◀": r"$\triangleleft$",
        "…": r"\ldots{}",
        "◆": r"$\diamond$",
        "–": "--",
    }
)


@dataclass(frozen=True)
class Column:
    """A column: field name in CSV and JSON, heading in print (by default that name), format."""

    field: str
    heading: str | None = None
    number: str = ""
    of: str = ""
    """Variable of a Dataset that it shows, where its name is another than the field's."""
    missing: str = ""  # what is printed in place of NaN and None
    best: Literal["", "max", "min"] = ""
    """Which of its numbers papers print in bold; they may have limits beside."""

    @property
    def title(self) -> str:
        """Heading as printed."""
        return _line(self.field.replace("_", " ") if self.heading is None else self.heading)


@dataclass(frozen=True)
class Table:
    """Rows of plain values under columns, with a caption and notes."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    underlined: tuple[int, ...] = ()
    """Rows whose first cell is underlined."""

    def cells(self) -> list[list[str]]:
        """Every value as text, by its column's format."""
        return [
            [_text(value, column) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    def numeric(self) -> list[bool]:
        """Which columns hold numbers, and so are set right."""
        values = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        return [
            any(isinstance(value, int | float) and not isinstance(value, bool) for value in column)
            for column in values
        ]


Filled = tuple[Column, Sequence[Value] | NDArray[Any] | xr.DataArray]
"""A column and its values."""

COLUMNS = {
    (column.of or column.field): column
    for column in (
        Column("difference", number=".4f"),
        Column("lower", "from", ".4f", of="difference_lower"),
        Column("upper", "to", ".4f", of="difference_upper"),
        Column("statistic", number=".4f"),
        Column("p_value", "p", ".4g"),
        Column("p_holm", "p (Holm)", ".4g"),
        Column("p_baseline", "p (Holm)", ".3g"),
        Column("p_simultaneous", "p,\ncorrected", ".4g"),
        Column("systems_needed", "systems needed", ",.0f"),
        Column("metric_r", "r between", ".4f"),
        Column("prediction_r", "r between", ".4f"),
        Column("system_r", "r over systems", ".3f"),
        Column("translation_r", "over translations", ".3f"),
        Column("kappa", "Cohen's kappa", ".3f"),
        Column("differs_adjusted", "differs,\nadjusted"),
        Column("mae", "MAE", ".3f"),
        Column("rmse", "RMSE", ".3f"),
    )
}
"""Columns of variables that several tables show; another variable has a column of its name."""


_MARKUP = re.compile(r"[\\|]|<(?=[a-zA-Z/!?])|(?<=\])[(\[:]|:(?=//)|\.(?<=www\.)|@|&(?=#?\w+;)")


def table_of(columns: Iterable[Filled], caption: str = "", notes: Iterable[str] = ()) -> Table:
    """Make a table from columns and their values, one after the other."""
    headings, values = zip(*columns, strict=True)
    rows = zip(*(np.asarray(each, object).tolist() for each in values), strict=True)
    return Table(tuple(headings), tuple(rows), caption, tuple(notes))


def number_table(
    parts: Iterable[xr.Dataset],
    dims: Sequence[str],
    columns: Iterable[Column | str],
    caption: str = "",
    notes: Iterable[str] = (),
) -> Table:
    """Make a table with one row for each place along some dimensions, part by part.

    Each part has the variables (or coordinates) of the columns along some of `dims`, and no other
    dimension; the last of `dims` varies fastest. A name means its column in `COLUMNS`.
    """
    shown = [COLUMNS.get(c, Column(c)) if isinstance(c, str) else c for c in columns]
    rows: list[tuple[Value, ...]] = []
    for part in parts:
        places = {dim: part.sizes[dim] for dim in dims}
        variables = (part.variables[column.of or column.field] for column in shown)
        arrays = (each.set_dims(places).to_numpy() for each in variables)  # type: ignore[no-untyped-call]
        rows += zip(*(array.ravel().tolist() for array in arrays), strict=True)
    return Table(tuple(shown), tuple(rows), caption, tuple(notes))


def spread(
    data: xr.Dataset, dims: Sequence[str], names: Iterable[str]
) -> tuple[xr.Dataset, list[str]]:
    """Turn variables along dimensions into one for each label (r into r_systems); name them.

    A variable without one of the dimensions has one value for all its labels, and is named once.
    """
    found: dict[str, xr.DataArray] = {}
    labels = {dim: data[dim].to_numpy() for dim in dims}
    for place, name in product(product(*(range(len(labels[dim])) for dim in dims)), [*names]):
        at = {dim: i for dim, i in zip(dims, place, strict=True) if dim in data[name].dims}
        end = "".join(f"_{labels[dim][i]}" for dim, i in at.items()).replace(" ", "_")
        found[f"{name}{end}"] = data[name].isel(at, drop=True)
    return data.drop_dims(dims).assign(found), list(found)


def leading_rows(table: Table, most: int = MOST_PRINTED) -> Table:
    """Keep the first rows of a long table, which the caption then states."""
    if len(table.rows) <= most:
        return table
    caption = f"{table.caption}; the first {most} of {len(table.rows):,} rows, --out writes all"
    return replace(table, rows=table.rows[:most], caption=caption)


def _is_missing(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text(value: Value, column: Column) -> str:
    if _is_missing(value):
        return column.missing
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and not column.number and value.is_integer():
        return str(int(value))
    if isinstance(value, float) and column.number == SMALL_P:
        return f"{value:.3f}" if value >= 0.001 else "< 0.001"
    if isinstance(value, float):
        return written(value, column.number)
    return _line(value)


def written(value: float, form: str) -> str:
    """Write a number by a format, such as "+.3f"; a number that rounds to 0 has no minus sign.

    >>> written(-0.0004, ".3f"), written(-0.04, "+.3f")
    ('0.000', '-0.040')
    """
    sign = form[: form.startswith("+")]
    return format(value, f"{sign}z{form.removeprefix(sign)}")


def limit(number: float, digits: int = 3) -> str:
    """Write a limit: 0 as such, and with its first digit what only rounds to 0.

    >>> limit(0.0), limit(0.00021), limit(-0.1), limit(1e-17)
    ('0', '0.0002', '-0.100', '0')
    """
    shown = f"{round(number, 10):.{digits}f}"
    if float(shown):
        return shown
    return np.format_float_positional(float(f"{round(number, 10):z.1g}"), trim="-")


def _line(text: object) -> str:
    return printable(" ".join(str(text).splitlines()))


def to_csv(table: Table) -> str:
    """CSV of full-precision numbers under field names; missing is empty.

    Texts that a spreadsheet would compute have an apostrophe before them; see `inert`.
    """
    stream = io.StringIO()
    rows = ([None if _is_missing(cell) else _plain(cell) for cell in row] for row in table.rows)
    CsvRows(stream).add([column.field for column in table.columns], rows)
    return stream.getvalue()


def _plain(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else value


def to_json(table: Table, **facts: Any) -> str:
    """JSON object of the rows, full-precision numbers by field name, with the facts beside them.

    JSON has no infinity: an infinite statistic is the text "inf" or "-inf". Missing is null.
    """
    fields = [column.field for column in table.columns]
    # a line for each row and fact, since indented JSON takes Python's encoder, not that in C
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=str).encode
    rows = [encode(dict(zip(fields, map(_json_value, row), strict=True))) for row in table.rows]
    known = [
        f"{encode(name)}: {encode(_json_value(fact) if isinstance(fact, float) else fact)}"
        for name, fact in facts.items()
    ]
    listed = '"rows": [\n  ' + ",\n  ".join(rows) + "\n ]" if rows else '"rows": []'
    return "{\n " + ",\n ".join([*known, listed]) + "\n}\n"


def _json_value(value: Value) -> Value:
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return None if _is_missing(value) else value


def to_markdown(table: Table) -> str:
    """Markdown pipe table, columns padded, with caption and notes; what is in names is text."""
    headings = [_as_text(column.title) for column in table.columns]
    cells = [[_as_text(text) for text in row] for row in table.cells()]
    for i in table.underlined:
        cells[i][0] = f"<u>{cells[i][0]}</u>"
    widths = [max(3, *(len(row[i]) for row in [headings, *cells])) for i in range(len(headings))]
    numeric = table.numeric()

    def line(row: Sequence[str]) -> str:
        padded = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ]
        return "| " + " | ".join(padded) + " |"

    rules = [
        "-" * (width - 1) + (":" if right else "-")
        for width, right in zip(widths, numeric, strict=True)
    ]
    text = "\n".join(map(line, [headings, rules, *cells])) + "\n"
    caption = [f"{_as_text(_line(table.caption))}\n"] if table.caption else []
    notes = [_as_text(_line(note)) for note in table.notes if note]
    return "\n".join([*caption, text, *notes]) + "\n"


def _as_text(text: str) -> str:
    """Escape what Markdown takes for HTML, a link or the end of a cell."""
    return _MARKUP.sub(r"\\\g<0>", text)


def to_html(table: Table) -> str:
    """HTML table with its caption, numbers aligned to the right; all text is escaped."""
    right = [' style="text-align: right"' if numeric else "" for numeric in table.numeric()]
    heads = "".join(f"<th>{escape(column.title)}</th>" for column in table.columns)
    rows = (
        "".join(f"<td{style}>{escape(cell)}</td>" for style, cell in zip(right, row, strict=True))
        for row in table.cells()
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    caption = f"<caption>{escape(_line(table.caption))}</caption>"
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def escape_latex(text: str) -> str:
    """Escape LaTeX's special characters; minus signs and arrows become math."""
    escaped = MINUS.sub("$-$", text.translate(_LATEX))
    # at the start of a row it would be an option of the line end
    return f"{{[}}{escaped[1:]}" if escaped.startswith("[") else escaped


def to_latex(table: Table, label: str) -> str:
    """LaTeX table over both columns of a page (booktabs), without its notes.

    A table of more than eight columns or fifty rows becomes several tables, each of which names the
    rows. A table that is wider than the page is scaled down. p-values have three digits: "< 0.001".
    """
    columns = (replace(x, number=SMALL_P) if x.field.startswith("p_") else x for x in table.columns)
    shown = replace(table, columns=tuple(columns))
    parts = _in_parts(shown, lambda chosen: len(chosen) <= WIDEST)
    pages = [(part, rows) for part in parts for rows in _latex_rows(part)]
    ends = ["", *(f"-{i}" for i in range(2, len(pages) + 1))]
    return "\n".join(_one_latex(*x, f"{label}{end}") for x, end in zip(pages, ends, strict=True))


def _latex_rows(table: Table) -> list[list[str]]:
    """Write the rows of a LaTeX table, in as many parts as it needs pages."""
    cells = [[escape_latex(text) for text in row] for row in table.cells()]
    for i in table.underlined:
        cells[i][0] = rf"\underline{{{cells[i][0]}}}"
    for i, j in _best(table):
        cells[i][j] = rf"\textbf{{{cells[i][j]}}}"
    rows = [" & ".join(row) + r" \\" for row in cells]
    return [rows[k : k + TALLEST] for k in range(0, max(1, len(rows)), TALLEST)]


def _one_latex(table: Table, rows: list[str], label: str) -> str:
    """Write one LaTeX table."""
    alignment = "".join("r" if right else "l" for right in table.numeric())
    headings = " & ".join(escape_latex(column.title) for column in table.columns)
    many = len(table.columns) > UNSCALED
    caption = escape_latex(_line(table.caption.removesuffix(".")))
    lines = [
        f"% needs \\usepackage{{booktabs{',graphicx' if many else ''}}}",
        r"\begin{table*}",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        *([r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%"] if many else []),
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        headings + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        rf"\end{{tabular}}{'}' if many else ''}",
        *([rf"\caption{{{caption}.}}"] if caption else []),
        rf"\label{{tab:{label}}}",
        r"\end{table*}",
    ]
    return "\n".join([*lines, ""])


def _best(table: Table) -> list[tuple[int, int]]:
    """Find the cells with the best number of their column, as it is printed."""
    found = []
    for j, column in enumerate(table.columns):
        cells = {i: row[j].split() for i, row in enumerate(table.cells()) if column.best}
        numbers = {i: cell[0] for i, cell in cells.items() if cell and cell[0] != "undefined"}
        if len(numbers) > 1:
            best = (max if column.best == "max" else min)(numbers.values(), key=float)
            found += [(i, j) for i, number in numbers.items() if number == best]
    return found


def latex_notes(table: Table) -> str:
    """Write the notes of a table as paragraphs of LaTeX, long words breakable at bars."""
    text = (escape_latex(note).replace("|", r"|\allowbreak{}") for note in table.notes)
    return "\n\n".join([r"% notes of the table beside, to \input or to copy from", *text, ""])


def to_rich(table: Table, *, fold: bool = False) -> Any:
    """Table for a terminal without its caption; with `fold` names are broken, numbers never."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    printed = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    keys = _keys(table)
    for i, (column, right) in enumerate(zip(table.columns, table.numeric(), strict=True)):
        lines = (column.heading or column.title).split("\n")
        heading, whole = Text("\n".join(map(_line, lines))), not (fold and i < keys)
        justify: Any = "right" if right else "left"
        printed.add_column(heading, justify=justify, no_wrap=whole, overflow="fold")
    for i, row in enumerate(table.cells()):
        # Text, because rich would read brackets in the name of a metric as markup
        cells = [Text(cell) for cell in row]
        if i in table.underlined:
            cells[0].stylize("underline")  # its letters, and no padding
        printed.add_row(*cells)
    return printed


def _keys(table: Table) -> int:
    """How many leading columns name a row: through the first text, and texts until rows differ."""
    numeric = [*table.numeric(), True]
    keys = 1 + numeric[:-1].index(False) if False in numeric else 1
    while not numeric[keys] and len({row[:keys] for row in table.rows}) < len(table.rows):
        keys += 1
    return keys


def fitted(table: Table, width: int) -> list[Any]:
    """Fit a table to the width of a terminal, without cutting numbers or names off.

    A table that is too wide becomes several, one below the other, which all name the rows. If the
    names leave no room for another column, long names are broken.
    """
    from rich.console import Console

    def fits(chosen: Sequence[int]) -> bool:
        printed = to_rich(chosen_columns(table, chosen))
        return bool(Console(width=10_000).measure(printed).maximum <= width)

    return [to_rich(part, fold=True) for part in _in_parts(table, fits)]


def _in_parts(table: Table, fits: Callable[[Sequence[int]], bool]) -> list[Table]:
    """Split a table into tables of columns that fit, each with those that name a row."""
    keys = list(range(_keys(table)))
    blocks: list[list[int]] = []
    for i in range(len(keys), len(table.columns)):
        if blocks and blocks[-1][-1] == i:  # came with its place
            continue
        added = [i, i + 1] if table.columns[i].title == PLACE else [i]
        if blocks and fits([*keys, *blocks[-1], *added]):
            blocks[-1] += added
        else:
            blocks.append(added)
    return [chosen_columns(table, [*keys, *block]) for block in blocks] or [table]


def chosen_columns(table: Table, chosen: Sequence[int]) -> Table:
    """Keep some columns of a table, by their numbers."""
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    return replace(table, columns=tuple(table.columns[i] for i in chosen), rows=rows)
