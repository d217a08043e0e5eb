"""Results written to a folder: data, tables and figures, nothing overwritten unasked."""

import os
import shutil
from pathlib import Path
from typing import Any

import xarray as xr

from supersample.errors import InputError
from supersample.execution.blocks import Scheduler
from supersample.execution.store import write_zarr
from supersample.presentation.table import Table, to_csv, to_json, to_latex, to_markdown


def check_folder(folder: str | Path, *, overwrite: bool = False) -> Path:
    """Check that results can go to a folder, before any work is spent on them; nothing is made.

    Parameters
    ----------
    folder : str or Path
    overwrite : bool, default False
        Whether files of the same names may be replaced. Other files are left alone.

    Raises
    ------
    InputError
        If the folder, or what it is to be made in, is a file or may not be written to, or the
        folder is not empty and `overwrite` is False.
    """
    folder = Path(folder)
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise InputError(f"{there} is a file; name a folder for the results")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"the folder {there} may not be written to; name another")
    if there == folder and any(folder.iterdir()) and not overwrite:
        raise InputError(
            f"the folder {folder} is not empty; name another, or say --overwrite to replace "
            "results of the same names"
        )
    return folder


def write_ranking(
    folder: Path, sample: xr.Dataset, ranking: xr.Dataset, *, scheduler: Scheduler = "threads"
) -> list[str]:
    """Write a super-sample and its ranking, with tables and figures.

    Parameters
    ----------
    folder : Path
        From `check_folder`; it is made, and files of the same names are replaced.
    sample, ranking : xarray.Dataset
        What `hybrid_supersample` and `rank` gave.
    scheduler : {"threads", "processes", "synchronous"}
        Who computes what is lazy.

    Returns
    -------
    list of str
        What was written, by file name.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _write_ranking(folder, sample, ranking, scheduler)
    except OSError as error:
        raise InputError(
            f"{error.filename or folder} cannot be written: {error.strerror or error}"
        ) from error


def _write_ranking(
    folder: Path, sample: xr.Dataset, ranking: xr.Dataset, scheduler: Scheduler
) -> list[str]:
    from supersample.presentation import figures, rankings
    from supersample.presentation.style import save

    written = [replace_zarr(folder, "hybrids.zarr", sample, scheduler)]
    written.append(replace_zarr(folder, "ranking.zarr", ranking, scheduler))
    tables = {
        "ranking": rankings.ranking_table(ranking),
        "comparisons": rankings.comparisons_table(ranking),
        "correlations": rankings.correlations_table(ranking),
    }
    for name, table in tables.items():
        written += write_numbers(folder, name, table, ranking.attrs)
    written += write_page(folder, "ranking", rankings.printed_ranking(ranking))
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    drawn = {
        "forest": figures.forest(ranking),
        "scatter": figures.hybrid_scatter(sample, ranking),
        "correlations": figures.correlation_matrix(ranking, bases[0]),
    }
    for basis in bases:
        drawn[f"significance-{basis}"] = figures.significance_heatmap(ranking, basis)
    for name, figure in drawn.items():
        save(figure, folder, name)
        written += [f"{name}.png", f"{name}.pdf"]
    return written


def replace_zarr(folder: Path, name: str, dataset: xr.Dataset, scheduler: Scheduler) -> str:
    """Write a Zarr store in place of an earlier one, which is removed when the new one is whole."""
    partial = folder / f".{name}.partial"
    if partial.exists():
        shutil.rmtree(partial)
    write_zarr(dataset, partial, scheduler=scheduler)
    final = folder / name
    if final.exists():
        shutil.rmtree(final)
    partial.rename(final)
    return name


def write_numbers(folder: Path, name: str, table: Table, facts: dict[Any, Any]) -> list[str]:
    """Write a table's numbers as CSV and JSON, the facts of the result beside them in JSON."""
    (folder / f"{name}.csv").write_text(to_csv(table), encoding="utf-8")
    (folder / f"{name}.json").write_text(to_json(table, **facts), encoding="utf-8")
    return [f"{name}.csv", f"{name}.json"]


def write_page(folder: Path, name: str, table: Table) -> list[str]:
    """Write a table for reading, as Markdown and LaTeX."""
    (folder / f"{name}.md").write_text(to_markdown(table), encoding="utf-8")
    (folder / f"{name}.tex").write_text(to_latex(table, name), encoding="utf-8")
    return [f"{name}.md", f"{name}.tex"]
