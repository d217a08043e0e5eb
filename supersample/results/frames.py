"""Convert results to data frames, to tables for papers, and to screens for notebooks."""

from typing import Any

import pandas as pd
import xarray as xr

from supersample.errors import InputError
from supersample.presentation import numbers, printed, sentences
from supersample.presentation.kinds import kind_of
from supersample.presentation.screen import Screen, screen_of
from supersample.presentation.table import Table, paper_latex
from supersample.results.outputs import tables_of
from supersample.results.ranking import ranked


def to_frame(result: xr.Dataset) -> Any:
    """Make a data frame of a ranking (one row per metric) or of comparisons (one row per pair).

    Parameters
    ----------
    result : xarray.Dataset
        A result of `rank`: one row per metric (and group), in order, and one column for each number
        and basis (or measure), such as ``value_systems``, as in ranking.csv (accuracies.csv,
        segments.csv). Or an unranked comparison: one row for each part and pair, better metric
        first, as in comparisons.csv. Or a result of `compare_to_baseline`: one row for each part
        and metric.

    Returns
    -------
    pandas.DataFrame
        The table; numbers have full precision.

    Raises
    ------
    InputError
        If it is another kind of Dataset.

    Examples
    --------
    >>> from supersample import compare, load_example, rank
    >>> compared = compare(load_example())
    >>> len(to_frame(rank(compared))), len(to_frame(compared))
    (8, 28)
    """
    if "kind" in result.attrs:
        return _frame(_first(result, "numbers"))
    _check(result)
    if "p_baseline" in result:
        table = numbers.baseline_table(result)
    elif "rank" in result:
        table = numbers.ranking_table(result)
    else:
        table = numbers.comparisons_table(result)
    return _frame(table)


def _frame(table: Table) -> Any:
    return pd.DataFrame(list(table.rows), columns=[column.field for column in table.columns])


def _first(result: xr.Dataset, *forms: str) -> Table:
    """Make the first table of a result that has one of these forms."""
    kind = kind_of(result)
    for form in forms:
        for _, table in tables_of(kind, form, {kind.name: [result]}):
            return table
    raise InputError(f"a result of the kind '{kind.name}' has no table of {forms[-1]}")


def to_latex(result: xr.Dataset, label: str = "ranking") -> str:
    """Make a LaTeX table of a ranking for a paper, like ranking.tex of the command line.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `rank`, or a comparison, which is ranked first; or a result of
        `compare_to_baseline` or `evaluate_predictions`, of which the first measure or gold standard
        is used.
    label : str, default "ranking"
        The table's label is ``tab:`` followed by this.

    Returns
    -------
    str
        A ``table*`` of at most six columns (package booktabs) with its caption; notes for readers
        and the signature follow as comments.

    Raises
    ------
    InputError
        If it is another kind of Dataset.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> print(to_latex(rank(system_level_scores(load_example()))).splitlines()[9][:36])
    1 & strong-95 & 0.928 [0.756, 0.980]
    """
    if "kind" in result.attrs:
        table = _first(result, "papers", "pages")
        return paper_latex(table, label) + _comments(table, result)
    _check(result)
    if "p_baseline" in result:
        table = next(iter(printed.baseline_tables(result).values()))
    else:
        table = printed.paper_table(ranked(result))
    return paper_latex(table, label) + _comments(table, result)


def _comments(table: Table, result: xr.Dataset) -> str:
    """Write the notes of a table as comments, the signature last."""
    signed = "signature" in result.attrs
    notes = [*table.notes, *([f"Signature: {result.attrs['signature']}"] if signed else [])]
    return "".join(f"% {note}\n" for note in dict.fromkeys(notes))


def show(result: xr.Dataset) -> Screen:
    """Show a ranking, its answer and its table, in a notebook or when printed.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `rank`, `compare_to_baseline` or `evaluate_predictions`; or a comparison, which
        is ranked first.

    Returns
    -------
    Screen
        The table that the command line prints: HTML in a notebook, Markdown as ``str``.

    Raises
    ------
    InputError
        If it is another kind of Dataset.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> print(show(rank(system_level_scores(load_example()))))  # doctest: +ELLIPSIS
    strong-95 agrees best with people here (r = 0.928).
    ...
    """
    if "kind" in result.attrs:
        kind = kind_of(result)
        pages = tables_of(kind, "pages", {kind.name: [result]})
        tables = [table for _, table in pages]
        return Screen([*kind.answer(result)], tables)
    _check(result)
    if "p_baseline" in result:
        return Screen(sentences.pair_lines(result), [*printed.baseline_tables(result).values()])
    return screen_of(ranked(result), every_metric=True)


def _check(result: xr.Dataset) -> None:
    """Refuse Datasets that are not comparisons."""
    if not {"value", "difference"} <= set(result.data_vars):
        raise InputError("expected a result of rank or compare_to_baseline, or a comparison")
