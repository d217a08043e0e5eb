"""Results written to a folder: data, tables and figures, nothing overwritten unasked."""

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from supersample.errors import InputError
from supersample.execution.progress import tracked
from supersample.execution.stores.datasets import write_zarr
from supersample.execution.workers.workers import AnyWorkers
from supersample.presentation.labels import without_marks
from supersample.presentation.table import Table, to_csv, to_json, to_latex, to_markdown
from supersample.results.signature import signature

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


@dataclass
class Results:
    """What is to be written to a folder, by name without suffix."""

    datasets: dict[str, xr.Dataset] = field(default_factory=dict)
    numbers: dict[str, Table] = field(default_factory=dict)
    """Tables for machines: CSV and JSON."""
    pages: dict[str, Table] = field(default_factory=dict)
    """Tables for readers: Markdown and LaTeX."""
    figures: dict[str, "Figure"] = field(default_factory=dict)
    facts: dict[Any, Any] = field(default_factory=dict)
    """Attributes of the result, which stand in the JSON of each table ..."""
    own_facts: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """... but for tables that have their own."""


def write_ranking(
    folder: Path,
    ranking: xr.Dataset,
    *,
    sample: xr.Dataset | None = None,
    exact: xr.Dataset | None = None,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> list[str]:
    """Write a ranking with its tables and figures, and the super-sample it rests on, if any.

    Parameters
    ----------
    folder : Path
        From `check_folder`; it is made, and files of the same names are replaced.
    ranking : xarray.Dataset
        What `rank` gave.
    sample : xarray.Dataset, optional
        What `hybrid_supersample` gave.
    exact : xarray.Dataset, optional
        What `exact_hybrid_correlations` gave.
    workers : Workers, Client or str, default "threads"
        Who computes what is lazy.
    progress : bool, default False
        Whether to draw a bar on a terminal while figures are made.

    Returns
    -------
    list of str
        What was written, by file name.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    from supersample.presentation import figures, rankings

    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    results = Results(
        datasets={"ranking": ranking},
        numbers={
            "ranking": rankings.ranking_table(ranking),
            "comparisons": rankings.comparisons_table(ranking),
            "correlations": rankings.correlations_table(ranking),
        },
        pages={"ranking": rankings.printed_ranking(ranking, exact)},
        figures={
            "forest": figures.forest(ranking),
            "correlations": figures.correlation_matrix(ranking, bases[0]),
        },
        facts=ranking.attrs,
    )
    for basis in bases:
        heatmap = figures.significance_heatmap(ranking, basis)
        results.figures[f"significance-{basis.replace(' ', '-')}"] = heatmap
    if sample is not None:
        results.datasets["hybrids"] = sample
        results.figures["scatter"] = figures.hybrid_scatter(sample, ranking)
    if exact is not None:
        from supersample.presentation.exact import exact_table

        results.numbers["exact"] = results.pages["exact"] = exact_table(exact)
        results.own_facts["exact"] = exact.attrs
    return write_results(folder, results, workers=workers, progress=progress)


def write_coverage(folder: Path, found: xr.Dataset) -> list[str]:
    """Write what `coverage` gave; otherwise as `write_ranking`."""
    from supersample.presentation import studies

    tables = {
        "coverage-of-r": studies.coverage_table(found, "r"),
        "coverage-of-difference": studies.coverage_table(found, "difference"),
    }
    results = Results(
        datasets={"coverage": found},
        numbers=tables,
        pages=tables,
        figures={
            "coverage-of-r": studies.coverage_figure(found, "r"),
            "coverage-of-difference": studies.coverage_figure(found, "difference"),
            "rejections": studies.rejection_figure(found),
        },
        facts=found.attrs,
    )
    return write_results(folder, results)


def write_plan(folder: Path, found: xr.Dataset) -> list[str]:
    """Write what `plan` gave; otherwise as `write_ranking`."""
    from supersample.presentation import studies

    table = studies.plan_table(found)
    results = Results(
        datasets={"plan": found},
        numbers={"plan": table},
        pages={"plan": table},
        figures={"plan": studies.plan_figure(found)},
        facts=found.attrs,
    )
    return write_results(folder, results)


def write_group_ranking(folder: Path, ranking: xr.Dataset, *, progress: bool = False) -> list[str]:
    """Write what `rank` gave of `compare_over_groups`; otherwise as `write_ranking`."""
    from supersample.presentation import averages

    results = Results(
        datasets={"ranking": ranking},
        numbers={
            "ranking": averages.groups_table(ranking),
            "comparisons": averages.group_comparisons_table(ranking),
        },
        pages={"ranking": averages.printed_groups(ranking)},
        facts=ranking.attrs,
    )
    for basis in map(str, ranking["basis"].to_numpy()):
        results.figures[f"average-{basis}"] = averages.group_forest(ranking, basis)
        results.figures[f"significance-{basis}"] = averages.average_wins(ranking, basis)
    return write_results(folder, results, progress=progress)


def write_influence(folder: Path, influence: xr.Dataset, outliers: xr.Dataset) -> list[str]:
    """Write what `leave_one_out` and `outlier_systems` gave; otherwise as `write_ranking`."""
    from supersample.presentation import influence as presented

    table = presented.influence_table(influence, outliers)
    results = Results(
        datasets={"influence": influence},
        numbers={"influence": table, "left-out": presented.left_out_table(influence)},
        pages={"influence": table},
        figures={"influence": presented.influence_heatmap(influence)},
        facts=influence.attrs,
    )
    return write_results(folder, results)


def write_accuracies(
    folder: Path,
    ranking: xr.Dataset,
    components: dict[str, xr.Dataset],
    *,
    metric: str,
    progress: bool = False,
) -> list[str]:
    """Write a ranking by pairwise accuracies with its tables and figures.

    Parameters
    ----------
    folder : Path
        From `check_folder`; it is made, and files of the same names are replaced.
    ranking : xarray.Dataset
        What `rank` gave of `compare_accuracies`.
    components : dict of str to xarray.Dataset
        What `accuracy_components` gave of each language pair, or of the only Scores under "".
    metric : str
        Whose components are drawn.
    progress : bool, default False
        Whether to draw a bar on a terminal while figures are made.

    Returns
    -------
    list of str
        What was written, by file name.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    from supersample.presentation import accuracies, accuracy_figures

    kinds = [str(kind) for kind in ranking["meta_metric"].to_numpy()]
    summary = accuracies.summary_table(ranking)
    results = Results(
        datasets={"accuracies": ranking},
        numbers={
            "accuracies": accuracies.accuracies_table(ranking),
            "comparisons": accuracies.pair_comparisons_table(ranking),
            "summary": summary,
        },
        pages={"accuracies": accuracies.printed_accuracies(ranking), "summary": summary},
        facts=ranking.attrs,
    )
    for kind in kinds:
        for group in accuracies.shown_groups(ranking):
            name = f"triangle-{kind}{_suffix(group)}"
            table = accuracies.triangle_table(ranking, kind, group)
            results.numbers[name] = results.pages[name] = table
            drawn = accuracy_figures.comparison_matrix(ranking, kind, group)
            results.figures[f"comparisons-{kind}{_suffix(group)}"] = drawn
    for name, own in components.items() if len(components) <= accuracies.MOST_SHOWN else ():
        results.datasets[f"components{_suffix(name)}"] = own
        panels = accuracy_figures.component_panels(own, metric)
        results.figures[f"components{_suffix(name)}"] = panels
    return write_results(folder, results, progress=progress)


def _suffix(group: str | None) -> str:
    """Write a group's name for a file: letters, digits, dots and dashes."""
    safe = re.sub(r"[^\w.]+", "-", group or "").strip("-")
    return f"-{safe}" if safe else ""


def write_results(
    folder: Path,
    results: Results,
    *,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> list[str]:
    """Write results to a folder, which is made; files of the same names are replaced.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    from supersample.presentation.style import save

    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, dataset in results.datasets.items():
            written.append(replace_zarr(folder, f"{name}.zarr", dataset, workers))
        for name, table in results.numbers.items():
            facts = results.own_facts.get(name, results.facts)
            written += write_numbers(folder, name, table, facts)
        for name, table in results.pages.items():
            written += write_page(folder, name, table)
        drawn = list(results.figures.items())
        for name, figure in tracked(drawn, "figures" if progress else None):
            save(figure, folder, name)
            written += [f"{name}.png", f"{name}.pdf"]
    except OSError as error:
        raise InputError(
            f"{error.filename or folder} cannot be written: {error.strerror or error}"
        ) from error
    return written


def replace_zarr(folder: Path, name: str, dataset: xr.Dataset, workers: AnyWorkers) -> str:
    """Write a Zarr store in place of an earlier one, which is removed when the new one is whole."""
    partial = folder / f".{name}.partial"
    if partial.exists():
        shutil.rmtree(partial)
    write_zarr(dataset, partial, workers=workers)
    final = folder / name
    if final.exists():
        shutil.rmtree(final)
    partial.rename(final)
    return name


def write_numbers(folder: Path, name: str, table: Table, facts: dict[Any, Any]) -> list[str]:
    """Write a table's numbers as CSV and JSON, the facts of the result beside them in JSON.

    Metrics have their plain names here, so that other tables can be joined.
    """
    table = without_marks(table)
    (folder / f"{name}.csv").write_text(to_csv(table), encoding="utf-8")
    (folder / f"{name}.json").write_text(to_json(table, **facts), encoding="utf-8")
    return [f"{name}.csv", f"{name}.json"]


def write_page(folder: Path, name: str, table: Table) -> list[str]:
    """Write a table for reading, as Markdown and LaTeX."""
    (folder / f"{name}.md").write_text(to_markdown(table), encoding="utf-8")
    (folder / f"{name}.tex").write_text(to_latex(table, name), encoding="utf-8")
    return [f"{name}.md", f"{name}.tex"]


def write_assignments(folder: Path, blocks: Iterable[xr.Dataset]) -> list[str]:
    """Write the assignments of hybrids, block after block.

    ``assignments.tsv`` has a row for each hybrid: its number, its two systems, and for each segment
    a 1 where it comes from the first of them and a 0 where from the second. ``segments.txt`` has
    the labels of these segments, a line each, and ``assignments.json`` how to make it again.

    Parameters
    ----------
    folder : Path
        From `check_folder`; it is made, and files of the same names are replaced.
    blocks : iterable of xarray.Dataset
        What `assignment_blocks` gives.

    Returns
    -------
    list of str
        What was written, by file name.

    Raises
    ------
    InputError
        If a file cannot be written, or as the blocks do.
    """
    partial = folder / ".assignments.tsv.partial"
    written = 0
    try:
        for block in blocks:  # the first may refuse its input, before anything is made
            folder.mkdir(parents=True, exist_ok=True)
            with partial.open("w" if written == 0 else "a", encoding="utf-8") as stream:
                if written == 0:
                    if "from_first" not in block:
                        raise InputError("assignments.tsv holds hybrids of two systems only")
                    stream.write("hybrid\tfirst\tsecond\tfrom_first\n")
                    first = block
                stream.writelines(_assignment_rows(block))
            written += block.sizes["hybrid"]
        partial.replace(folder / "assignments.tsv")
        labels = [str(label) for label in first["segment"].to_numpy()]
        (folder / "segments.txt").write_text("\n".join([*labels, ""]), encoding="utf-8")
        facts = {**first.attrs, "hybrids": written, "segments": len(labels)}
        facts["signature"] = signature(n=f"{written} hybrids", **first.attrs)
        (folder / "assignments.json").write_text(json.dumps(facts, indent=2), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{error.filename or folder} cannot be written: {error.strerror or error}"
        ) from error
    return ["assignments.tsv", "segments.txt", "assignments.json"]


def _assignment_rows(block: xr.Dataset) -> Iterator[str]:
    systems = block["system"].to_numpy()
    digits = (block["from_first"].to_numpy().astype(np.uint8) + ord("0")).astype(np.uint8)
    rows = zip(
        block["hybrid"].to_numpy(),
        systems[block["first_system"].to_numpy()],
        systems[block["second_system"].to_numpy()],
        digits,
        strict=True,
    )
    for number, first, second, own in rows:
        yield f"{number}\t{first}\t{second}\t{own.tobytes().decode('ascii')}\n"
