"""What a terminal or a notebook shows of a result: tables, sentences and notes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import xarray as xr

from supersample.presentation import labels, notes, printed, sentences
from supersample.presentation.table import Table, to_html, to_markdown

HINT = "Every basis and column: --full; how to read them: --explain."


@dataclass(frozen=True)
class Screen:
    """Tables, what they sum up to, and what a reader must know.

    As text they are Markdown, and in a notebook HTML, without the notes.
    """

    tables: Sequence[Table]
    lines: Sequence[str]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        return "\n".join([*(to_markdown(replace(t, notes=())) for t in self.tables), *self.lines])

    def _repr_html_(self) -> str:
        told = "".join(f"<p>{escape(line)}</p>" for line in self.lines)
        return "".join(map(to_html, self.tables)) + told


def screen_of(
    ranking: xr.Dataset,
    against: xr.Dataset | None = None,
    exact: xr.Dataset | None = None,
    *,
    named: bool = True,
    full: bool = False,
    explain: bool = False,
    of_hybrids: bool = False,
) -> Screen:
    """Choose what is shown of a ranking, and of its comparison with a baseline.

    Parameters
    ----------
    ranking : xarray.Dataset
        What `rank` gave.
    against : xarray.Dataset, optional
        What `compare_to_baseline` gave.
    exact : xarray.Dataset, optional
        What `exact_hybrid_correlations` gave.
    named : bool, default True
        Whether a user named the baseline; else it is one of two metrics, told in a sentence.
    full, explain, of_hybrids : bool, default False
        Every basis and column; how to read them; a table of hybrids besides.
    """
    if not labels.by_basis(ranking):
        return _by_measures(ranking, against)
    every = printed.ranking_table(ranking, exact)
    lines = sentences.lines_of(ranking, exact, every_basis=full or of_hybrids)
    tables = [every if full else printed.core_table(ranking)]
    if against is None:
        lines += sentences.added_lines(labels.part_of(ranking))
    elif named:
        lines = [*sentences.baseline_lines(against), *lines]
        tables = [*([every] if full else []), *printed.baseline_tables(against).values()]
    else:
        lines.insert(0, sentences.difference_line(against))
    if of_hybrids and not full:
        tables.append(printed.hybrids_table(ranking, exact))
    told = [note for table in tables[full:] for note in table.notes]
    told += every.notes if explain else notes.facts_to_know(ranking)
    concludes = not labels.is_grouped(ranking) and ranking.sizes["metric"] > 1
    if notes.shows_two(ranking) and (of_hybrids or full or concludes):
        told.append(notes.TWO_R_NOTE)
    return Screen(tables, lines, [*told, *([] if full and explain else [HINT])])


def _by_measures(ranking: xr.Dataset, against: xr.Dataset | None) -> Screen:
    if labels.is_evaluation(ranking):
        golds, lines = labels.names_of(ranking, "gold"), sentences.lines_of(ranking)
        tables = [printed.evaluation_table(ranking, gold) for gold in golds]
        return Screen(tables, lines, list(tables[0].notes))
    if labels.is_task(ranking):
        table = printed.tasks_table(ranking, compact=True)
        line = sentences.concluded(labels.part_of(ranking))
        return Screen([table], [line] if line else [], list(table.notes))
    lines, tables = sentences.lines_of(ranking), [printed.ranking_table(ranking)]
    if against is not None:
        lines = [*sentences.baseline_lines(against), *lines]
        tables = list(printed.baseline_tables(against).values())
    return Screen(tables, lines, [note for table in tables for note in table.notes])
