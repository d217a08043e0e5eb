"""Results as data frames, as tables for papers, and as what a notebook shows."""

from dataclasses import replace
from typing import Any

import pandas as pd
import xarray as xr

from supersample.errors import InputError
from supersample.presentation import numbers, printed, sentences
from supersample.presentation.labels import is_evaluation, names_of
from supersample.presentation.screen import Screen, screen_of
from supersample.presentation.table import paper_latex
from supersample.results.ranking import ranked


def to_frame(result: xr.Dataset) -> Any:
    """Make a data frame of a ranking (one row per metric) or of comparisons (one row per pair).

    Parameters
    ----------
    result : xarray.Dataset
        What `rank` gave: one row per metric (and group), in order, a column for each number and
        basis (or measure), such as ``value_systems``, as in ranking.csv (accuracies.csv,
        segments.csv). Or comparisons that are not ranked: a row for each part and pair, the better
        metric first, as in comparisons.csv. Or what `compare_to_baseline` gave: a row for each part
        and metric.

    Returns
    -------
    pandas.DataFrame
        Numbers are numbers, of full precision.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> from supersample import compare, load_example, rank
    >>> compared = compare(load_example())
    >>> len(to_frame(rank(compared))), len(to_frame(compared))
    (8, 28)
    """
    _check(result)
    if "p_baseline" in result:
        table = numbers.baseline_table(result)
    elif "rank" in result:
        table = numbers.ranking_table(result)
    else:
        table = numbers.comparisons_table(result)
    return pd.DataFrame(list(table.rows), columns=[column.field for column in table.columns])


def to_latex(result: xr.Dataset, label: str = "ranking") -> str:
    """Write a ranking as a LaTeX table for a paper, as the command line writes ranking.tex.

    Parameters
    ----------
    result : xarray.Dataset
        What `rank` gave, or a comparison, which is ranked; or what `compare_to_baseline` or
        `evaluate_predictions` gave, by the first measure or gold standard where there are several.
    label : str, default "ranking"
        The table's label is ``tab:`` and this.

    Returns
    -------
    str
        A ``table*`` of at most six columns (package booktabs) with its caption, then what a reader
        must know of it, and the signature, as comments.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> print(to_latex(rank(system_level_scores(load_example()))).splitlines()[9][:36])
    1 & strong-95 & 0.928 [0.756, 0.980]
    """
    _check(result)
    if "p_baseline" in result:
        table = next(iter(printed.baseline_tables(result).values()))
        table = replace(table, notes=(*table.notes, f"Signature: {result.attrs['signature']}"))
    elif is_evaluation(result):
        table = printed.evaluation_table(result, names_of(result, "gold")[0])
    else:
        table = printed.paper_table(ranked(result))
    notes = "".join(f"% {note}\n" for note in table.notes)
    return paper_latex(table, label) + notes


def show(result: xr.Dataset) -> Screen:
    """Show a ranking as its table, and what it sums up to, in a notebook or where it is printed.

    Parameters
    ----------
    result : xarray.Dataset
        What `rank`, `compare_to_baseline` or `evaluate_predictions` gave; or a comparison, which
        is ranked.

    Returns
    -------
    Screen
        The table that the command line prints: HTML in a notebook, Markdown as ``str``.

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> print(show(rank(system_level_scores(load_example()))))  # doctest: +ELLIPSIS
    strong-95 agrees best with people here (r = 0.928).
    ...
    """
    _check(result)
    if "p_baseline" in result:
        tables = printed.baseline_tables(result).values()
        return Screen(sentences.pair_lines(result), list(tables))
    return screen_of(result if is_evaluation(result) else ranked(result), every_metric=True)


def _check(result: xr.Dataset) -> None:
    """Refuse what is no comparison."""
    if not {"value", "difference"} <= set(result.data_vars):
        raise InputError("expected what rank, compare_to_baseline or a comparison of metrics gives")
