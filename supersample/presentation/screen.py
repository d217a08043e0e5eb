"""Screens of a terminal or notebook: the answer, tables, sentences and notes of a result."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import xarray as xr

from supersample.errors import plural
from supersample.presentation import answer as words
from supersample.presentation import labels, notes, rankings
from supersample.presentation.studies import PAPER, exact_table
from supersample.presentation.table import Table, to_html, to_markdown

WITHOUT = "To leave them out: --metrics reference."
EVERYTHING = "All numbers: --full. Terms: --explain."
P_NOTE = "p, of this pair alone: how likely a gap this large or larger is if both agree equally. "
ALONE, OTHERS = "All metrics against one: rank DATA --baseline METRIC. ", "Ranking: --all. "
YOURS, PAIR = "Your metric: --add-metric NAME=FILE. ", "One pair: compare DATA --metrics A,B. "


@dataclass(frozen=True)
class Screen:
    """The answer, tables, summaries and notes of a result.

    As text they are Markdown, and in a notebook HTML, without the notes.
    """

    answer: Sequence[str]
    tables: Sequence[Table]
    lines: Sequence[str] = ()
    notes: Sequence[str] = ()
    signed: bool = False
    """Whether signatures are printed."""

    def __repr__(self) -> str:
        count = sum(len(table.rows) for table in self.tables)
        return "\n".join([*self.answer, f"<{plural(count, 'rows')}: print() shows them>"])

    def __str__(self) -> str:
        tables = (to_markdown(replace(table, notes=())) for table in self.tables)
        return "\n".join([*self.answer, "", *tables, *self.lines])

    def _repr_html_(self) -> str:
        first, told = (
            "".join(f"<p>{escape(line)}</p>" for line in lines)
            for lines in (self.answer, self.lines)
        )
        return f"{first}{''.join(map(to_html, self.tables))}{told}"


def screen_of(
    ranking: xr.Dataset,
    against: xr.Dataset | None = None,
    exact: xr.Dataset | None = None,
    settles: str = "",
    *,
    every_metric: bool = False,
    full: bool = False,
    explain: bool = False,
    of_hybrids: bool = False,
) -> Screen:
    """Choose the parts of a ranking, and of its comparison with a baseline, that are shown.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`.
    against : xarray.Dataset, optional
        A result of `compare_to_baseline`.
    exact : xarray.Dataset, optional
        A result of `exact_hybrid_correlations`.
    settles : str, optional
        What would tell the first two metrics apart that may be the best.
    every_metric, full, explain, of_hybrids : bool, default False
        Show every metric; every basis and column; how to read them; r over hybrids, too.
    """
    task = labels.is_task(ranking)
    if "basis" in ranking.dims and not (of_hybrids or full):
        ranking = _without_hybrids(ranking)
    count = ranking.sizes["metric"]
    if count == 2 and words.unranked(labels.part_of(ranking)):
        against = None
    beside = 0 if against is None else against.sizes["metric"]
    pair, some = beside == 1 and not every_metric, beside < count - 1
    if against is not None and some and not (every_metric or full):
        return _of_compared(ranking, against, explain)
    most = None if every_metric or full else words.MOST_ROWS
    made = rankings.tasks_table if task else rankings.ranking_table
    every = [made(ranking)] if full or explain else []  # for all columns, or their notes
    lines, tables, answer = list[str](), every[:], words.verdict(ranking, named=against is not None)
    told_all = pair or (count == 1 and "hybrids" not in ranking["basis"])  # in sentences
    if not full:
        table, lines = (rankings.folded_tasks if task else words.answer_table)(ranking, most)
        tables = [table] * (not told_all)
    if against is None:
        answer += [*words.apart(ranking), *words.added_lines(labels.part_of(ranking))]
    else:
        if count == 2:
            answer = [words.values_line(ranking)] * (not tables) + words.missing_lines(ranking)
        answer = [*words.pair_lines(against), *answer]
        if beside > 1:
            parts, lines = _baseline_tables(against, most)
            tables = parts if not (full or some) else tables + parts
    if full:
        tables += [] if exact is None else [exact_table(exact, PAPER)]
        lines += words.counts_of(ranking, exact)
    elif exact is not None and "hybrids" in ranking["basis"]:
        lines.append(words.exact_line(exact))
    lines += words.identical_lines(ranking)
    told = [note for table in tables[full:] for note in table.notes]
    if against is not None:
        told += notes.measures_told(ranking, notes.MEASURES_TOLD if pair else ())
    if explain or (full and task):
        told += every[0].notes
    else:
        shown = [] if full else _shown(tables, ranking, against)
        told += [*(labels.legend(ranking) if full else ()), *notes.facts_to_know(ranking, shown)]
    if explain:
        told += _terms(answer, [*tables, *every], [*lines, *told], ranking.attrs["signature"])
    told = [f"{x} {WITHOUT}" if x == labels.FREE_NOTE else x for x in told]
    alone = P_NOTE * any(re.search(r"\bp [=<] ", line) is not None for line in answer)
    told += [] if full and explain else _hints(ranking, settles, beside, alone if pair else None)
    return Screen(answer, tables, lines, told, full or explain)


def _without_hybrids(ranking: xr.Dataset) -> xr.Dataset:
    others = [basis for basis in labels.names_of(ranking, "basis") if basis != "hybrids"]
    return ranking.sel(basis=others or ["hybrids"])


def _of_compared(ranking: xr.Dataset, against: xr.Dataset, explain: bool) -> Screen:
    """Show how some metrics compare with their baseline, and nothing of the others."""
    names = [against.attrs["baseline"], *labels.names_of(against, "metric")]
    kept = ranking["metric"].isin(names).to_numpy()
    shown = screen_of(ranking.isel(metric=kept, other_metric=kept), against, explain=explain)
    pair = len(names) == 2
    told = P_NOTE * shown.notes[-1].startswith(P_NOTE) + OTHERS + EVERYTHING
    answer = shown.answer if pair else words.pair_lines(against)
    return replace(shown, answer=answer, notes=[*shown.notes[:-1], told])


def _baseline_tables(against: xr.Dataset, most: int | None) -> tuple[list[Table], list[str]]:
    """Lay differences from a baseline out; many metrics have the table of the first measure."""
    every = rankings.baseline_tables(against)
    least = most and (words.MOST_BESIDE, words.MOST_IN_TWO)[len(every) > 1]
    others = ", and the tables of other measures" * (len(every) > 1)
    first, lines = words.folded(every[0], least, lambda rest: others)
    return [first] if lines else every, lines


def whole_screen(ranking: xr.Dataset, pair: xr.Dataset | None, settles: str) -> Screen:
    """Show every metric of a ranking, or how a pair compares."""
    return screen_of(ranking, pair, None, settles, every_metric=pair is None)


def _terms(
    answer: Sequence[str], tables: Sequence[Table], lines: Sequence[str], signature: str
) -> list[str]:
    """Explain the terms of a screen that its notes do not explain, and its signature."""
    shown = [column.title for table in tables for column in table.columns]
    shown += [*answer, *(table.caption for table in tables), *lines, signature]
    told = [term for term in notes.terms_in(shown) if term not in lines]
    return [*told, notes.fields_of(signature)]


def _hints(ranking: xr.Dataset, settles: str, beside: int, alone: str | None) -> list[str]:
    """Say what would settle which metric is best, if that is known, and what to type next."""
    if alone is not None or ranking.sizes["metric"] == 1:
        more = ALONE * (not labels.added_metrics(ranking)) + EVERYTHING
        return [] if alone is None else [alone + more]
    yours = "" if labels.added_metrics(ranking) else YOURS
    said = settles or beside or labels.is_task(ranking) or ranking.sizes["metric"] == 2
    return [*filter(None, [settles]), yours + PAIR * (not said) + EVERYTHING]


def _shown(tables: Sequence[Table], ranking: xr.Dataset, against: xr.Dataset | None) -> list[float]:
    """List values of r that sentences show, or a first table with that of its baseline."""
    if not tables:
        return list(labels.part_of(ranking)["value"].to_numpy())
    at = [k for k, x in enumerate(tables[0].columns) if x.field in ("value_pearson", "value")]
    found = [float(str(row[k])) for k in at for row in tables[0].rows]
    if found and against is not None:
        base = {"metric": against.attrs["baseline"]}
        found.append(float(labels.part_of(ranking)["value"].sel(base)))
    return found
