"""Tables for papers: at most six columns, a caption of two sentences, notes beside."""

from dataclasses import replace

import numpy as np
import xarray as xr

from supersample.presentation import accuracies, hybrids, rankings, segments, survivors
from supersample.presentation.figures.selection import adjusted_p, part_of, place, test_name
from supersample.presentation.labels import (
    first_heading,
    leading_basis,
    legend,
    level_of,
    marked_labels,
    names_of,
    on_average,
)
from supersample.presentation.table import Column, Filled, Table, escape_latex, table_of, to_latex

MOST_COLUMNS = 6
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
        shown = on_average(ranking.sel(basis="hybrids", metric=part["metric"].to_numpy()))
        columns.append((Column("r_hybrids", f"{of}, hybrids", ".3f"), shown["value"]))
    differences = f"Differences to the first metric are by {test_name(part)}"
    tested = f"{differences}{f'; p is {means}' if means else ''}"
    caption = (
        f"Agreement of {part.sizes['metric']} metrics with human scores on {place(part)}, with "
        f"unadjusted {level_of(ranking)} intervals. {tested}"
    )
    return table_of(columns, caption, ranking_notes(ranking))


def ranking_notes(ranking: xr.Dataset) -> list[str]:
    """List what a reader must know of the columns of the table, with the signature."""
    return _with_signature(ranking, rankings.notes_of_r(ranking) + rankings.facts_to_know(ranking))


def paper_accuracies(ranking: xr.Dataset) -> Table:
    """Lay pairwise accuracies out for a page: each, and whether the metric may be the best."""
    kinds = names_of(ranking, "measure")[:2]
    columns = _leading_columns(ranking)
    for kind in kinds:
        selected = on_average(ranking).sel(measure=kind)
        columns += [
            (Column(kind, kind, ".3f"), selected["value"]),
            (Column(f"best_{kind}", f"best by {kind}?"), survivors.best_column(selected)),
        ]
    best = "Best: whether the metric may have the highest accuracy, adjusted for all metrics"
    caption = f"{accuracies.caption(ranking)}. {best} ({ranking.attrs['method']})"
    return table_of(columns, caption, _with_signature(ranking, []))


def paper_agreement(ranking: xr.Dataset) -> Table:
    """Lay agreement on segments out for a page: up to four statistics."""
    columns = _leading_columns(ranking)
    for kind in names_of(ranking, "measure")[: MOST_COLUMNS - len(columns)]:
        selected = on_average(ranking).sel(measure=kind)
        columns.append((Column(kind, kind, ".3f"), selected["value"]))
    notes = segments.undefined_notes(ranking)
    return table_of(columns, segments.caption(ranking), _with_signature(ranking, notes))


def paper_exact(exact: xr.Dataset) -> Table:
    """Lay out r over the systems and over infinitely many hybrids for a page, and its parts."""
    table = hybrids.exact_table(exact)
    kept = ("metric", "systems_r", "r", "moved", "within_part", "pdp")
    chosen = [i for i, column in enumerate(table.columns) if column.field in kept]
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    columns = tuple(table.columns[i] for i in chosen)
    return replace(table, columns=columns, rows=rows)


def _leading_columns(ranking: xr.Dataset) -> list[Filled]:
    """Rank by the first measure, and name, of each metric."""
    ranks = on_average(ranking)["rank"].isel(measure=0)
    names = [_short(name) for name in marked_labels(ranking)]
    return [(Column("rank", "#"), ranks), (Column("metric"), names)]


def _with_signature(ranking: xr.Dataset, notes: list[str]) -> list[str]:
    """Explain the marks of metrics, and end with the signature."""
    return [*legend(ranking), *notes, f"Signature: {ranking.attrs['signature']}"]


def latex_notes(table: Table) -> str:
    """Write the notes of a table as paragraphs of LaTeX, long words breakable at bars."""
    text = (escape_latex(note).replace("|", r"|\allowbreak{}") for note in table.notes)
    return "\n\n".join([r"% notes of the table beside, to \input or to copy from", *text, ""])


def paper_latex(table: Table, label: str) -> str:
    """LaTeX of a table without its notes."""
    return to_latex(replace(table, notes=()), label)


def _short(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 9]}…{name[-8:]}"
