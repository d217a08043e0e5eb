"""Results written to a folder: data, tables and figures; nothing is overwritten unasked."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from supersample.errors import InputError
from supersample.execution.progress import tracked
from supersample.execution.workers.workers import AnyWorkers
from supersample.presentation import papers
from supersample.presentation.labels import (
    MOST_GROUPS,
    leading_basis,
    names_of,
    shown_groups,
    without_marks,
)
from supersample.presentation.table import Table, to_csv, to_json, to_latex, to_markdown
from supersample.results.figures import MAIN, Figures, Kind, drawn_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Drawn = Axes | Figure


def check_folder(folder: str | Path, *, overwrite: bool = False) -> Path:
    """Check that results can be written to a folder, before they are computed; nothing is made.

    With `overwrite`, files of the same names may be replaced; others are left alone. An InputError
    names a folder that is not empty without it, that may not be written to, or that is a file.
    """
    if re.match(r"\w{2,}:/", str(folder)):
        raise InputError(f"{folder}: results go to a folder; hybrids alone (run) also to buckets")
    folder = Path(folder)
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise InputError(f"{existing} is a file; name a folder for the results")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"the folder {existing} may not be written to; name another")
    if existing == folder and any(folder.iterdir()) and not overwrite:
        raise InputError(
            f"the folder {folder} is not empty; name another, or use --overwrite to replace "
            "results of the same names"
        )
    return folder


class Written(list[str]):
    """Names of written files, and of figures that were left out."""

    left_out: Sequence[str] = ()


@dataclass
class Results:
    """What is to be written to a folder, by name without suffix."""

    datasets: dict[str, xr.Dataset] = field(default_factory=dict)
    numbers: dict[str, Table] = field(default_factory=dict)
    """Tables for machines: CSV and JSON, metrics by their plain names."""
    pages: dict[str, Table] = field(default_factory=dict)
    """Tables for readers: Markdown and LaTeX."""
    papers: dict[str, Table] = field(default_factory=dict)
    """Tables for papers, in the place of the LaTeX of pages of these names; notes beside."""
    figures: "dict[str, Drawn | Callable[..., Drawn]]" = field(default_factory=dict)
    """Figures, or what draws one with the keyword ``width``."""
    main: Sequence[str] = ()
    """Figures that are drawn unless others are asked for; by default all."""
    facts: dict[Any, Any] = field(default_factory=dict)
    """Attributes of the result, for the JSON of each table ..."""
    table_facts: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """... except of tables named here."""

    def add_figure(self, kind: Kind, draw: "Callable[..., Drawn]", of: str = "") -> None:
        """Add a figure of a kind, drawn with the keyword ``width``; `of` ends its name."""
        self.figures[f"{kind}{of}"] = draw


def write_ranking(
    folder: Path,
    ranking: xr.Dataset,
    *,
    sample: xr.Dataset | None = None,
    exact: xr.Dataset | None = None,
    against: xr.Dataset | None = None,
    influence: tuple[xr.Dataset, xr.Dataset] | None = None,
    workers: AnyWorkers = "threads",
    figures: Figures = MAIN,
    progress: bool = False,
) -> list[str]:
    """Write a ranking with its tables and figures, and the super-sample it rests on, if any.

    `ranking` is what `rank` gave, of one set or of `compare_over_groups`; `sample` and `exact` what
    `hybrid_supersample` and `exact_hybrid_correlations` gave; `against` what `compare_to_baseline`
    gave, which is written as the table ``baseline`` and draws differences from that metric;
    `influence` what `leave_one_out` and `outlier_systems` gave. The
    folder, from `check_folder`, is made, and files of the same names are replaced; an InputError
    names a file that cannot be written. With `progress`, a terminal shows how many figures are
    drawn. The names of the written files are returned.
    """
    from supersample.presentation import hybrids, rankings

    grouped = "group" in ranking.dims
    numbers = rankings.groups_table(ranking) if grouped else rankings.ranking_table(ranking)
    tables = {"ranking": numbers, "comparisons": rankings.comparisons_table(ranking)}
    page = {"ranking": rankings.printed_ranking(ranking, exact)}
    results = Results({"ranking": ranking}, tables, page, facts=ranking.attrs)
    results.papers["ranking"] = papers.paper_ranking(ranking)
    if not grouped:
        results.numbers["correlations"] = rankings.correlations_table(ranking)
    if sample is not None:
        results.datasets["hybrids"] = sample
    if exact is not None:
        results.numbers["exact"] = results.pages["exact"] = hybrids.exact_table(exact)
        results.papers["exact"] = papers.paper_exact(exact)
        results.table_facts["exact"] = exact.attrs
    _add_baseline(results, against)
    baseline = None if against is None else str(against.attrs["baseline"])
    _draw_ranking(results, ranking, sample, baseline)
    if influence is not None:
        _add_influence(results, *influence)
    return write_results(folder, results, workers=workers, figures=figures, progress=progress)


def _add_baseline(results: Results, against: xr.Dataset | None) -> None:
    """Add the tables of what `compare_to_baseline` gave."""
    from supersample.presentation import answers

    if against is not None:
        results.numbers["baseline"] = answers.baseline_numbers(against)
        results.table_facts["baseline"] = against.attrs
        for name, table in answers.baseline_tables(against).items():
            results.pages[name.replace("/", "-")] = results.papers[name.replace("/", "-")] = table


def _add_influence(results: Results, influence: xr.Dataset, outliers: xr.Dataset) -> None:
    """Add what `leave_one_out` and `outlier_systems` gave: a table of each system, and a figure."""
    from supersample.presentation import influence as presented

    results.datasets["influence"] = influence
    table = presented.influence_table(influence, outliers)
    results.numbers["influence"] = results.pages["influence"] = table
    results.numbers["left-out"] = presented.left_out_table(influence)
    results.table_facts |= dict.fromkeys(("influence", "left-out"), influence.attrs)
    results.add_figure("influence", drawn_by("influence.plot_influence", influence))
    results.main = [*results.main, "influence"]


def _draw_ranking(
    results: Results, ranking: xr.Dataset, sample: xr.Dataset | None, baseline: str | None
) -> None:
    """Add the figures of a ranking."""
    bases = names_of(ranking, "basis")
    leading = leading_basis(ranking)
    results.main = ["forest", "differences", f"significance{_suffix(leading)}"]
    results.add_figure("forest", drawn_by("forests.plot_forest", ranking))
    against = drawn_by("forests.plot_differences", ranking, basis=leading, baseline=baseline)
    results.add_figure("differences", against)
    for basis in bases:
        matrix = drawn_by("matrices.plot_significance", ranking, basis=basis)
        results.add_figure("significance", matrix, _suffix(basis))
    if "metric_r" in ranking:
        matrix = drawn_by("matrices.plot_correlations", ranking, basis=bases[0])
        results.add_figure("correlations", matrix)
    if sample is not None:
        results.add_figure("scatter", drawn_by("scatters.scatter_panels", sample, ranking))


def write_accuracies(
    folder: Path,
    ranking: xr.Dataset,
    components: dict[str, xr.Dataset],
    *,
    metric: str,
    against: xr.Dataset | None = None,
    figures: Figures = MAIN,
    progress: bool = False,
) -> list[str]:
    """Write what `rank` gave of `compare_accuracies`; otherwise as `write_ranking`.

    `components` are those of `components_of_groups`, by group, or of the only Scores under ""; they
    are drawn for one metric.
    """
    from supersample.presentation import accuracies

    groups: list[str | None] = [*shown_groups(ranking)] or [None]
    summary = {"summary": accuracies.summary_table(ranking)}
    tables = {
        "accuracies": accuracies.accuracies_table(ranking),
        "comparisons": accuracies.pair_comparisons_table(ranking),
    }
    pages = {"accuracies": accuracies.printed_accuracies(ranking), **summary}
    results = Results({"accuracies": ranking}, tables | summary, pages, facts=ranking.attrs)
    results.papers["accuracies"] = papers.paper_accuracies(ranking)
    _add_baseline(results, against)
    for kind in names_of(ranking, "measure"):
        for group in groups:
            name = f"triangle-{kind}{_suffix(group)}"
            table = accuracies.triangle_table(ranking, kind, group)
            results.numbers[name] = results.pages[name] = table
            _draw_pairs(results, ranking, kind, group, f"-{kind}{_suffix(group)}")
    results.main = [next(iter(results.figures))]
    for name, each in components.items() if len(components) <= MOST_GROUPS else ():
        results.datasets[f"components{_suffix(name)}"] = each
        panels = drawn_by("accuracies.component_panels", each, metric=metric)
        results.add_figure("components", panels, _suffix(name))
    return write_results(folder, results, figures=figures, progress=progress)


def _draw_pairs(
    results: Results, ranking: xr.Dataset, kind: str, group: str | None, name: str
) -> None:
    """Add the figures of which metrics differ by a measure."""
    at: dict[str, Any] = {"measure": kind} | ({} if group is None else {"group": group})
    results.add_figure("significance", drawn_by("matrices.plot_significance", ranking, **at), name)
    results.add_figure("comparisons", drawn_by("accuracies.plot_ties", ranking, **at), name)


def write_segments(
    folder: Path,
    ranking: xr.Dataset,
    *,
    against: xr.Dataset | None = None,
    figures: Figures = MAIN,
    progress: bool = False,
) -> list[str]:
    """Write what `rank` gave of `compare_segments`; otherwise as `write_ranking`."""
    from supersample.presentation import accuracies, segments

    groups: list[str | None] = [*shown_groups(ranking)] or [None]
    tables = {
        "segments": segments.agreement_table(ranking),
        "comparisons": accuracies.pair_comparisons_table(ranking),
    }
    pages = {"segments": segments.printed_agreement(ranking)}
    results = Results({"segments": ranking}, tables, pages, facts=ranking.attrs)
    results.papers["segments"] = papers.paper_agreement(ranking)
    _add_baseline(results, against)
    for kind in names_of(ranking, "measure"):
        for group in groups:
            name = f"{_suffix(kind)}{_suffix(group)}"
            table = accuracies.triangle_table(ranking, kind, group)
            results.numbers[f"triangle{name}"] = results.pages[f"triangle{name}"] = table
            _draw_pairs(results, ranking, kind, group, name)
    results.main = [next(iter(results.figures))]
    return write_results(folder, results, figures=figures, progress=progress)


def write_coverage(folder: Path, result: xr.Dataset, *, figures: Figures = MAIN) -> list[str]:
    """Write what `coverage` gave; otherwise as `write_ranking`."""
    from supersample.presentation.sampling import coverage_table

    tables = {f"coverage-of-{of}": coverage_table(result, of) for of in ("r", "difference")}
    results = Results({"coverage": result}, tables, tables, facts=result.attrs)
    for of in ("r", "difference"):
        panels = drawn_by("sampling.coverage_panels", result, quantity=of)
        results.add_figure("coverage", panels, f"-of-{of}")
    results.add_figure("rejections", drawn_by("sampling.plot_rejections", result))
    return write_results(folder, results, figures=figures)


def write_plan(folder: Path, result: xr.Dataset, *, figures: Figures = MAIN) -> list[str]:
    """Write what `plan` gave; otherwise as `write_ranking`."""
    from supersample.presentation.sampling import plan_table

    table = {"plan": plan_table(result)}
    results = Results({"plan": result}, table, table, facts=result.attrs)
    results.add_figure("plan", drawn_by("sampling.plot_power", result))
    return write_results(folder, results, figures=figures)


def write_sampling(folder: Path, result: xr.Dataset, *, figures: Figures = MAIN) -> list[str]:
    """Write what `intervals_of_r` gave; otherwise as `write_ranking`."""
    from supersample.presentation.sampling import sampling_table

    table = {"intervals": sampling_table(result)}
    results = Results({"sampling": result}, table, table, facts=result.attrs)
    results.add_figure("sampling", drawn_by("sampling.sampling_figure", result))
    return write_results(folder, results, figures=figures)


def write_intervals(folder: Path, intervals: Sequence[xr.Dataset]) -> list[str]:
    """Write the table that `intervals_table` makes; otherwise as `write_ranking`."""
    from supersample.presentation.intervals import intervals_table

    table = {"intervals": intervals_table(intervals)}
    facts = {"signatures": [result.attrs["signature"] for result in intervals]}
    return write_results(folder, Results(numbers=table, pages=table, facts=facts))


def write_tasks(folder: Path, result: xr.Dataset) -> list[str]:
    """Write what `run_tasks` gave; otherwise as `write_ranking`."""
    from supersample.presentation import tasks

    table = tasks.tasks_table(result)
    numbers = {"table": table, "comparisons": tasks.task_comparisons_table(result)}
    page = {"table": tasks.printed_tasks(result)}
    facts = {name: value for name, value in result.attrs.items() if name != "computed"}
    kept = result.copy()
    kept.attrs = facts
    written = write_results(folder, Results({"result": kept}, numbers, page, facts=facts))
    return written + write_texts(folder, "table", {"tsv": to_csv(table, delimiter="\t")})


def _suffix(group: str | None) -> str:
    """End a file's name by that of a group or basis: letters, digits, dots and dashes."""
    safe = re.sub(r"[^\w.]+", "-", group or "").strip("-")
    return f"-{safe}" if safe else ""


def write_results(
    folder: Path,
    results: Results,
    *,
    workers: AnyWorkers = "threads",
    figures: Figures = MAIN,
    progress: bool = False,
) -> list[str]:
    """Write results to a folder, which is made; otherwise as `write_ranking`."""
    chosen = figures.choose(list(results.figures), results.main)
    written = Written()
    written.left_out = [name for name in results.figures if name not in chosen]
    with in_one_line(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, dataset in results.datasets.items():
            written.append(replace_zarr(folder, f"{name}.zarr", dataset, workers))
        for name, table in results.numbers.items():
            facts, plain = results.table_facts.get(name, results.facts), without_marks(table)
            texts = {"csv": to_csv(plain), "json": to_json(plain, **facts)}
            written += write_texts(folder, name, texts)
        for name, table in results.pages.items():
            paper = results.papers.get(name)
            latex = to_latex(table, name) if paper is None else papers.paper_latex(paper, name)
            written += write_texts(folder, name, {"md": to_markdown(table), "tex": latex})
            if paper is not None:
                notes = {"tex": papers.latex_notes(paper)}
                written += write_texts(folder, f"{name}-notes", notes)
        for name in tracked(chosen, "figures" if progress else None):
            from supersample.presentation.figures.style import save

            draw = results.figures[name]
            save(draw(width=figures.width) if callable(draw) else draw, folder, name)
            written += [f"{name}.png", f"{name}.pdf"]
    return written


@contextmanager
def in_one_line(folder: Path) -> Iterator[None]:
    """Report in one line what the operating system refuses to write."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{error.filename or folder} cannot be written: {error.strerror or error}"
        ) from error


def replace_zarr(folder: Path, name: str, dataset: xr.Dataset, workers: AnyWorkers) -> str:
    """Write a Zarr store; an earlier one is removed when the new one is complete."""
    from supersample.execution.stores.datasets import write_zarr  # and with it zarr

    partial = folder / f".{name}.partial"
    if partial.exists():
        shutil.rmtree(partial)
    write_zarr(dataset, partial, workers=workers)
    final = folder / name
    if final.exists():
        shutil.rmtree(final)
    partial.rename(final)
    return name


def write_texts(folder: Path, name: str, texts: dict[str, str]) -> list[str]:
    """Write a file for each suffix."""
    for suffix, text in texts.items():
        (folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    return [f"{name}.{suffix}" for suffix in texts]
