"""Results as data frames, and as tables for papers."""

from dataclasses import replace
from typing import Any

import pandas as pd
import xarray as xr

from supersample.errors import InputError
from supersample.presentation import accuracies, answers, papers, rankings, segments
from supersample.presentation.table import Table


def to_frame(result: xr.Dataset) -> Any:
    """Make a data frame of a ranking, a row a metric, or of comparisons, a row a pair of metrics.

    Parameters
    ----------
    result : xarray.Dataset
        What `rank` gave: a row a metric (and group), in order, a column for each number and basis
        (or measure), such as ``r_systems``, as in ranking.csv (accuracies.csv, segments.csv).
        Or comparisons that are not ranked: a row for each basis (and group) and pair, as in
        comparisons.csv. Or what `compare_to_baseline` gave: a row for each basis (and group) and
        metric.

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
    >>> from supersample import compare_over_systems, load_example, rank
    >>> compared = compare_over_systems(load_example())
    >>> len(to_frame(rank(compared))), len(to_frame(compared))
    (8, 28)
    """
    table = _table(result)
    return pd.DataFrame(list(table.rows), columns=[column.field for column in table.columns])


def to_latex(result: xr.Dataset, label: str = "ranking") -> str:
    """Write a ranking as a LaTeX table for a paper, as the command line writes ranking.tex.

    Parameters
    ----------
    result : xarray.Dataset
        What `rank` gave, of correlations, accuracies or agreement on segments; or what
        `compare_to_baseline` gave, by its first measure where it has several.
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
    >>> from supersample import compare_over_systems, load_example, rank
    >>> print(to_latex(rank(compare_over_systems(load_example()))).splitlines()[9][:36])
    1 & strong-95 & 0.928 [0.756, 0.980]
    """
    if "baseline" in result.attrs and "p_baseline" in result:
        table = next(iter(answers.baseline_tables(result).values()))
        table = replace(table, notes=(*table.notes, f"Signature: {result.attrs['signature']}"))
    elif "rank" in result and "basis" in result.dims:
        table = papers.paper_ranking(result)
    elif "rank" in result and "undefined_groups" not in result and "measure" in result.dims:
        table = papers.paper_accuracies(result)
    elif "rank" in result and "measure" in result.dims:
        table = papers.paper_agreement(result)
    else:
        raise InputError("expected what rank or compare_to_baseline gives")
    notes = "".join(f"% {note}\n" for note in table.notes)
    return papers.paper_latex(table, label) + notes


def _table(result: xr.Dataset) -> Table:
    if "baseline" in result.attrs and "p_baseline" in result:
        return answers.baseline_numbers(result)
    if "difference" not in result or not {"basis", "measure"} & set(result.dims):
        raise InputError("expected what rank, compare_to_baseline or a comparison of metrics gives")
    ranked = "rank" in result
    if "basis" in result.dims:
        if not ranked:
            return rankings.comparisons_table(result)
        grouped = "group" in result.dims
        return rankings.groups_table(result) if grouped else rankings.ranking_table(result)
    if not ranked:
        return accuracies.pair_comparisons_table(result)
    of_accuracy = "undefined_groups" not in result
    return accuracies.accuracies_table(result) if of_accuracy else segments.agreement_table(result)
