"""Tables for papers: at most six columns, a caption of two sentences, notes beside."""

import numpy as np
import xarray as xr

from supersample.presentation import rankings
from supersample.presentation.figures.selection import adjusted_p, part_of, place, test_name
from supersample.presentation.labels import (
    LOWER_NOTE,
    added_note,
    first_heading,
    leading_basis,
    level_of,
    marked_labels,
    names_of,
)
from supersample.presentation.table import Column, Filled, Table, escape_latex, table_of

LONGEST_NAME = 26  # letters


def paper_ranking(ranking: xr.Dataset) -> Table:
    """Lay a ranking out for a page of two columns: r of the leading basis, and what is sure of it.

    Names of more than 26 letters are shortened in their middle.
    """
    leading = leading_basis(ranking)
    part = part_of(ranking, {"basis": leading})
    of = "average r" if "group" in ranking.dims else "r"
    columns: list[Filled] = [
        (Column("rank", "#"), part["rank"]),
        (Column("metric"), [_short(name) for name in marked_labels(part)]),
        (Column("r", f"{of}, {leading}"), rankings.limits_of(part)),
    ]
    means = ""
    if "difference_lower" in part:
        columns.append((Column("less_first", first_heading(part)), rankings.less_first(part)))
    found = adjusted_p(part)
    if found is not None:
        p, means = found
        values = np.where(np.arange(p.shape[1]) == 0, np.nan, p[0])
        columns.append((Column("p", "p, adjusted", ".3f"), values))
    if leading != "hybrids" and "hybrids" in names_of(ranking, "basis"):
        hybrids = ranking.sel(basis="hybrids", metric=part["metric"].to_numpy())
        shown = hybrids.isel(group=0) if "group" in ranking.dims else hybrids
        columns.append((Column("r_hybrids", f"{of}, hybrids", ".3f"), shown["r"]))
    differences = f"Differences from the first metric are by {test_name(part)}"
    caption = (
        f"Agreement of {part.sizes['metric']} metrics with human scores on {place(part)}, with "
        f"{level_of(ranking)} intervals. {differences}{f', p {means}' if means else ''}"
    )
    return table_of(columns, caption, notes(ranking))


def notes(ranking: xr.Dataset) -> list[str]:
    """List what a reader must know beside the table, with the signature."""
    lowered = [] if ranking["higher_is_better"].all() else [LOWER_NOTE]
    signature = f"Signature: {ranking.attrs['signature']}"
    return [*lowered, *added_note(ranking), *rankings.notes(ranking), signature]


def latex_notes(table: Table) -> str:
    """Write the notes of a table as paragraphs of LaTeX, long words breakable at bars."""
    text = (escape_latex(note).replace("|", r"|\allowbreak{}") for note in table.notes)
    return "\n\n".join([r"% notes of the table beside, to \input or to copy from", *text, ""])


def paper_latex(table: Table, label: str) -> str:
    """LaTeX of a table over both columns of a page (booktabs), without its notes."""
    alignment = "".join("r" if right else "l" for right in table.numeric())
    headings = " & ".join(escape_latex(column.title) for column in table.columns)
    rows = [" & ".join(escape_latex(text) for text in row) + r" \\" for row in table.cells()]
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table*}",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        headings + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{escape_latex(table.caption)}.}}",
        rf"\label{{tab:{label}}}",
        r"\end{table*}",
    ]
    return "\n".join([*lines, ""])


def _short(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 9]}…{name[-8:]}"
