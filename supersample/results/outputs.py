"""Results written to a folder: data, tables and figures; nothing is overwritten unasked."""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from supersample.errors import InputError, in_one_line
from supersample.execution.progress import tracked
from supersample.execution.workers.workers import AnyWorkers
from supersample.presentation.labels import (
    MOST_GROUPS,
    by_basis,
    is_task,
    names_of,
    on_average,
    places_of,
    shown_groups,
    without_marks,
)
from supersample.presentation.table import (
    Table,
    latex_notes,
    paper_latex,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
)
from supersample.results.figures import MAIN, Figures, Kind, drawn_by
from supersample.results.ranking import ranked

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

    def draw(self, kind: Kind, by: str, *of: Any, end: str = "", **options: Any) -> None:
        """Add a figure of a kind, drawn as `drawn_by` says; `end` ends its name."""
        self.figures[f"{kind}{end}"] = drawn_by(by, *of, **options)

    def show(self, name: str, table: Table, paper: Table | None = None) -> None:
        """Add a table for machines and readers, and perhaps another form of it for papers."""
        self.numbers[name] = self.pages[name] = table
        if paper is not None:
            self.papers[name] = paper


def write_comparison(
    folder: Path,
    ranking: xr.Dataset,
    *,
    name: str = "ranking",
    sample: xr.Dataset | None = None,
    exact: xr.Dataset | None = None,
    components: Mapping[str, xr.Dataset] | None = None,
    metric: str | None = None,
    against: xr.Dataset | None = None,
    influence: tuple[xr.Dataset, xr.Dataset] | None = None,
    workers: AnyWorkers = "threads",
    figures: Figures = MAIN,
    progress: bool = False,
) -> list[str]:
    """Write a ranking with its tables and figures, and what it rests on, if anything.

    The folder, from `check_folder`, is made, and files of the same names are replaced; an
    InputError names a file that cannot be written. The names of the written files are returned.

    Parameters
    ----------
    folder : Path
    ranking : xarray.Dataset
        What `rank` gave, or a comparison, which is ranked.
    name : str, default "ranking"
        Of the ranking's own files.
    sample, exact : xarray.Dataset, optional
        What `hybrid_supersample` and `exact_hybrid_correlations` gave.
    components : mapping of str to xarray.Dataset, optional
        Those of `components_of_groups`, by group, or of the only Scores under "".
    metric : str, optional
        Whose components are drawn; by default the best one's.
    against : xarray.Dataset, optional
        What `compare_to_baseline` gave, which is written as the table ``baseline``; figures draw
        differences from that metric.
    influence : tuple of xarray.Dataset, optional
        What `leave_one_out` and `outlier_systems` gave.
    workers, figures
        Who writes the sample; which figures are drawn, and how wide.
    progress : bool, default False
        Whether a terminal shows how many figures are drawn.
    """
    from supersample.presentation import hybrids, numbers, printed

    ranking = ranked(ranking)
    weighted = is_task(ranking)  # printed as such
    kept, table = ranking.copy(), numbers.ranking_table(ranking)
    kept.attrs.pop("computed", None)
    results = Results({"result" if weighted else name: kept}, {name: table}, facts=kept.attrs)
    results.numbers["comparisons"] = numbers.comparisons_table(ranking)
    if "metric_r" in ranking:
        results.numbers["correlations"] = numbers.correlations_table(ranking)
    if weighted:
        results.pages[name] = printed.tasks_table(ranking)
    else:
        results.pages[name] = printed.ranking_table(ranking, exact)
        results.papers[name] = printed.paper_table(ranking)
        _add_pairs(results, ranking, None if against is None else against.attrs["baseline"])
    if sample is not None:
        results.datasets["hybrids"] = sample
        results.draw("scatter", "scatters.scatter_panels", sample, ranking)
    if exact is not None:
        paper = hybrids.exact_table(exact, hybrids.PAPER)
        results.show("exact", hybrids.exact_table(exact), paper)
        results.table_facts["exact"] = exact.attrs
    if influence is not None:
        _add_influence(results, *influence)
    if against is not None:
        results.numbers["baseline"] = numbers.baseline_table(against)
        results.table_facts["baseline"] = against.attrs
        for of, page in printed.baseline_tables(against).items():
            file = _suffix(of).removeprefix("-")
            results.pages[file] = results.papers[file] = page
    parts = components if components and len(components) <= MOST_GROUPS else {}
    for group, each in parts.items():
        results.datasets[f"components{_suffix(group)}"] = each
        drawn = {"metric": metric or names_of(ranking, "metric")[0], "end": _suffix(group)}
        results.draw("components", "accuracies.component_panels", each, **drawn)
    written = write_results(folder, results, workers=workers, figures=figures, progress=progress)
    if weighted:
        written += write_texts(folder, name, {"tsv": to_csv(table, delimiter="\t")})
    return written


def _add_influence(results: Results, influence: xr.Dataset, outliers: xr.Dataset) -> None:
    """Add what changes without each system: a table, its figure and all numbers."""
    from supersample.presentation import influence as presented

    results.datasets["influence"] = influence
    results.show("influence", presented.influence_table(influence, outliers))
    results.numbers["left-out"] = presented.left_out_table(influence)
    results.table_facts |= dict.fromkeys(("influence", "left-out"), influence.attrs)
    results.draw("influence", "matrices.plot_influence", influence)
    results.main = [*results.main, "influence"]


def _add_pairs(results: Results, ranking: xr.Dataset, baseline: str | None) -> None:
    """Add what shows the pairs of each part: forests, matrices and, by measures, triangles."""
    from supersample.presentation import numbers

    by_measure = not by_basis(ranking)
    places = places_of(ranking if by_measure else on_average(ranking), group=shown_groups(ranking))
    ends = _unique("".join(map(_suffix, at.values())) for at in places)
    if "lower" in ranking:
        results.draw("forest", "forests.plot_forest", ranking)
        results.draw("differences", "forests.plot_differences", ranking, baseline=baseline)
    results.main = [*results.figures, f"significance{ends[0]}"]
    for at, end in zip(places, ends, strict=True):
        results.draw("significance", "matrices.plot_significance", ranking, end=end, **at)
        if by_measure:
            results.draw("comparisons", "matrices.plot_ties", ranking, end=end, **at)
            results.show(f"triangle{end}", numbers.triangle_table(ranking, at))
    if by_measure:
        results.show("summary", numbers.summary_table(ranking))
    if "metric_r" in ranking:
        basis = names_of(ranking, "basis")[0]
        results.draw("correlations", "matrices.plot_correlations", ranking, basis=basis)


def write_coverage(folder: Path, result: xr.Dataset, *, figures: Figures = MAIN) -> list[str]:
    """Write what `coverage` gave; otherwise as `write_comparison`."""
    from supersample.presentation.sampling import coverage_table

    results = Results({"coverage": result}, facts=result.attrs)
    for of in ("r", "difference"):
        results.show(f"coverage-of-{of}", coverage_table(result, of))
        end = f"-of-{of}"
        results.draw("coverage", "sampling.coverage_panels", result, quantity=of, end=end)
    results.draw("rejections", "sampling.plot_rejections", result)
    return write_results(folder, results, figures=figures)


def write_plan(folder: Path, result: xr.Dataset, *, figures: Figures = MAIN) -> list[str]:
    """Write what `plan` gave; otherwise as `write_comparison`."""
    from supersample.presentation.sampling import plan_table

    results = Results({"plan": result}, facts=result.attrs)
    results.show("plan", plan_table(result))
    results.draw("plan", "sampling.plot_power", result)
    return write_results(folder, results, figures=figures)


def write_sampling(folder: Path, result: xr.Dataset, *, figures: Figures = MAIN) -> list[str]:
    """Write what `intervals_of_r` gave; otherwise as `write_comparison`."""
    from supersample.presentation.sampling import sampling_table

    results = Results({"sampling": result}, facts=result.attrs)
    results.show("intervals", sampling_table(result))
    results.draw("sampling", "sampling.sampling_figure", result)
    return write_results(folder, results, figures=figures)


def write_intervals(folder: Path, intervals: Sequence[xr.Dataset]) -> list[str]:
    """Write the table that `intervals_table` makes; otherwise as `write_comparison`."""
    from supersample.presentation.intervals import intervals_table

    results = Results(facts={"signatures": [each.attrs["signature"] for each in intervals]})
    results.show("intervals", intervals_table(intervals))
    return write_results(folder, results)


def _unique(ends: Iterable[str]) -> list[str]:
    """Add numbers to ends that would be the same, large and small letters being the same, too."""
    found: dict[str, str] = {}
    for end in ends:
        while end.casefold() in found:
            end += "-2"
        found[end.casefold()] = end
    return [*found.values()]


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
    """Write results to a folder, which is made; otherwise as `write_comparison`."""
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
            latex = to_latex(table, name) if paper is None else paper_latex(paper, name)
            written += write_texts(folder, name, {"md": to_markdown(table), "tex": latex})
            if paper is not None:
                written += write_texts(folder, f"{name}-notes", {"tex": latex_notes(paper)})
        for name in tracked(chosen, "figures" if progress else None):
            from supersample.presentation.figures.style import save

            draw = results.figures[name]
            save(draw(width=figures.width) if callable(draw) else draw, folder, name)
            written += [f"{name}.png", f"{name}.pdf"]
    return written


def replace_zarr(
    folder: Path, name: str, dataset: xr.Dataset, workers: AnyWorkers = "threads"
) -> str:
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
