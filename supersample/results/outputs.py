"""Write results to a folder: data, tables and figures; never overwrite unless asked."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from supersample.errors import InputError, check_choice, in_one_line
from supersample.execution.progress import tracked
from supersample.execution.workers import AnyWorkers
from supersample.presentation import labels
from supersample.presentation import table as tables
from supersample.presentation.figures.widths import inches
from supersample.presentation.kinds import FORMS, Forms, Kind, every_kind, kind_of
from supersample.presentation.kinds import Figure as Declared
from supersample.presentation.table import Table
from supersample.results.ranking import ranked
from supersample.results.variables import signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Drawn = Axes | Figure

_RANKED = (
    *("forest", "differences", "significance", "correlations", "scatter", "comparisons"),
    *("sets", "values", "components", "influence"),
)

_CHOICES = ("main", "all", "none")


@dataclass(frozen=True)
class Figures:
    """Which figures are drawn, and how wide."""

    names: str = "main"
    """"main", "all", "none", or names separated by commas; a name also means figures whose names
    begin with it and a dash."""
    width: str | float = "acl2"
    """"acl1" (3.03 inches), "acl2" (6.3 inches), or a number of inches."""

    def __post_init__(self) -> None:
        inches(self.width)

    def check_kinds(self) -> None:
        """Raise InputError for names that no result has, before computing it."""
        listed = self._listed()
        known = {*_RANKED, *(x for kind in every_kind() for x in kind.figures)} if listed else set()
        for name in listed:
            if not any(_stands_for(first, name) for first in known):
                check_choice("kind of figure", name, sorted(known))

    def _listed(self) -> list[str]:
        if self.names in _CHOICES:
            return []
        names = self.names.split(",")
        for name in _CHOICES:
            if name in names:
                raise InputError(f"the figures '{name}' cannot be combined with other names")
        return names

    def choose(self, existing: Sequence[str], main: Sequence[str]) -> list[str]:
        """Choose among the names of a result's figures; InputError for an unknown name."""
        if self.names in _CHOICES:
            return [*{"main": main or existing, "all": existing, "none": ()}[self.names]]
        chosen = self._listed()
        for name in chosen:
            if not any(_stands_for(name, each) for each in existing):
                check_choice("figure", name, ["all", "none", *existing])
        return [each for each in existing if any(_stands_for(name, each) for name in chosen)]


MAIN = Figures()


def _stands_for(name: str, figure: str) -> bool:
    return figure == name or figure.startswith(f"{name}-")


def check_folder(folder: str | Path, *, overwrite: bool = False) -> Path:
    """Check that results can be written to a folder, before they are computed; create nothing.

    With `overwrite`, files of the same names may be replaced; others are not changed. Raises
    InputError if the folder is not empty (without `overwrite`), not writable, or a file.
    """
    if re.match(r"\w{2,}:/", str(folder)):
        raise InputError(f"{folder}: results go to a folder; only hybrids (run) can go to buckets")
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
    """Data, tables and figures to write to a folder, by name without suffix."""

    datasets: dict[str, xr.Dataset] = field(default_factory=dict)
    numbers: dict[str, Table] = field(default_factory=dict)
    """Tables for machines: CSV and JSON, with plain names of metrics."""
    pages: dict[str, Table] = field(default_factory=dict)
    """Tables for readers: Markdown and LaTeX."""
    papers: dict[str, Table] = field(default_factory=dict)
    """Tables for papers, which replace the LaTeX of these names; notes in another file."""
    figures: "dict[str, Drawn | Callable[..., Drawn]]" = field(default_factory=dict)
    """Figures, or functions that draw one with the keyword ``width``."""
    main: Sequence[str] = ()
    """Figures that are drawn by default; all if not given."""
    title: str = ""
    """Title of the page of a study, which begins with its answer."""
    answer: Sequence[str] = ()
    facts: dict[Any, Any] = field(default_factory=dict)
    """Attributes of the result, for the JSON of each table ..."""
    table_facts: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """... except of tables named here."""
    signed: Sequence[xr.Dataset] = ()
    """Results whose signatures are shown."""

    def draw(self, kind: str, by: str, *of: Any, end: str = "", **options: Any) -> None:
        """Add a figure of a kind, drawn by a function, "module.name" of the figures.

        The function is imported when it draws, because matplotlib is slow to import. Its data may
        also be computed then, by a function without arguments. `end` ends the figure's name.
        """

        def draw(**width: Any) -> Any:
            module, name = by.split(".")
            function = getattr(import_module(f"supersample.presentation.figures.{module}"), name)
            drawn = (each() if callable(each) else each for each in of)
            return function(*drawn, **options, **width)

        self.figures[f"{kind}{end}"] = draw

    def show(
        self, name: str, table: Table, paper: Table | None = None, of: xr.Dataset | None = None
    ) -> None:
        """Add a table for machines and readers, with an optional other form for papers.

        Its Dataset, if given, is also written under its name.
        """
        self.numbers[name] = self.pages[name] = table
        if of is not None:
            self.datasets[name], self.table_facts[name] = of, of.attrs
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
    deciding: Table | None = None,
    workers: AnyWorkers = "threads",
    figures: Figures = MAIN,
    progress: bool = False,
) -> list[str]:
    """Write a ranking with its tables and figures, and optionally its data.

    The folder, from `check_folder`, is created, and files of the same names are replaced. Raises
    InputError for a file that cannot be written. Returns the names of the written files.

    Parameters
    ----------
    folder : Path
    ranking : xarray.Dataset
        A result of `rank`, or a comparison, which is ranked first.
    name : str, default "ranking"
        Name of the ranking's own files.
    sample, exact : xarray.Dataset, optional
        Results of `hybrid_supersample` and `exact_hybrid_correlations`.
    components : mapping of str to xarray.Dataset, optional
        Results of `components_of_groups` by group; without groups the key is "".
    metric : str, optional
        Metric whose components are drawn; by default the best.
    against : xarray.Dataset, optional
        A result of `compare_to_baseline`, which is written as the table ``baseline``; figures draw
        differences from that metric.
    influence : tuple of xarray.Dataset, optional
        Results of `leave_one_out` and `outlier_systems`.
    deciding : Table, optional
        Table of the segments that decide between two metrics.
    workers, figures
        Workers that write the sample; which figures to draw, and their width.
    progress : bool, default False
        Whether to show on a terminal how many figures are drawn.
    """
    from supersample.presentation import numbers, printed, studies

    ranking = ranked(ranking)
    weighted = labels.is_task(ranking)  # it has its own layout
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
        paper = studies.exact_table(exact, studies.PAPER)
        results.show("exact", studies.exact_table(exact), paper)
        results.table_facts["exact"] = exact.attrs
    if influence is not None:
        _add_influence(results, *influence)
    if deciding is not None:
        results.show("deciding", deciding)
    if against is not None:
        results.numbers["baseline"] = numbers.baseline_table(against)
        results.table_facts["baseline"] = against.attrs
        for of, page in printed.baseline_tables(against).items():
            file = _suffix(of).removeprefix("-")
            results.pages[file] = results.papers[file] = page
    parts = components if components and len(components) <= labels.MOST_GROUPS else {}
    for group, each in parts.items():
        results.datasets[f"components{_suffix(group)}"] = each
        drawn = {"metric": metric or labels.names_of(ranking, "metric")[0], "end": _suffix(group)}
        results.draw("components", "accuracies.component_panels", each, **drawn)
    written = write_results(folder, results, workers=workers, figures=figures, progress=progress)
    if weighted:
        written += write_texts(folder, name, {"tsv": tables.to_csv(table, delimiter="\t")})
    return written


def _add_influence(results: Results, influence: xr.Dataset, outliers: xr.Dataset) -> None:
    """Add the changes without each system: a table, its figure and all numbers."""
    from supersample.presentation import influence as presented

    results.datasets["influence"] = influence
    results.show("influence", presented.influence_table(influence, outliers))
    results.numbers["left-out"] = presented.left_out_table(influence)
    results.table_facts |= dict.fromkeys(("influence", "left-out"), influence.attrs)
    results.draw("influence", "matrices.plot_influence", influence)
    results.main = [*results.main, "influence"]


def _add_pairs(results: Results, ranking: xr.Dataset, baseline: str | None) -> None:
    """Add tables and figures of pairs: forests, matrices and, for measures, triangles."""
    from supersample.presentation import numbers

    by_measure = not labels.by_basis(ranking)
    shown = ranking if by_measure else labels.on_average(ranking)
    chosen = {"group": labels.shown_groups(ranking)}
    if by_measure and "basis" in ranking.dims:
        chosen["basis"] = [labels.leading_basis(ranking)]
    places = labels.places_of(shown, **chosen)
    told = [dim for dim in labels.LEAD if dim != "basis" or not by_measure]
    ends = _unique("".join(_suffix(at.get(dim)) for dim in told) for at in places)
    if "lower" in ranking:
        results.draw("forest", "forests.plot_forest", ranking)
        results.draw("differences", "forests.plot_differences", ranking, baseline=baseline)
    if "basis" in ranking.dims and labels.is_grouped(ranking) and ranking.sizes["metric"] > 1:
        results.draw("sets", "forests.plot_sets", ranking, baseline=baseline)
    if labels.is_grouped(ranking):
        results.draw("values", "matrices.plot_values", ranking)
    results.main = [*results.figures, f"significance{ends[0]}"]
    for at, end in zip(places, ends, strict=True):
        results.draw("significance", "matrices.plot_significance", ranking, end=end, **at)
        if by_measure:
            results.draw("comparisons", "matrices.plot_ties", ranking, end=end, **at)
            results.show(f"triangle{end}", numbers.triangle_table(ranking, at))
    if by_measure:
        results.show("summary", numbers.summary_table(ranking))
    if "metric_r" in ranking:
        basis = labels.names_of(ranking, "basis")[0]
        results.draw("correlations", "matrices.plot_correlations", ranking, basis=basis)


Given = Mapping[str, Sequence[xr.Dataset]]
"""Results that are shown together, by kind."""


def results_of(*found: xr.Dataset) -> Results:
    """Prepare results of any kinds for a folder, a page and a terminal, as these declare it."""
    given: dict[str, list[xr.Dataset]] = {}
    for each in found:
        given.setdefault(kind_of(each).name, []).append(each)
    results = Results(signed=[each for each in found if "signature" in each.attrs])
    for own in given.values():
        kind, facts = kind_of(own[0]), own[0].attrs
        results.title = results.title or kind.title
        results.answer = [*results.answer, *kind.answer(*own)]
        ends = [_suffix(each.attrs.get("set")) if len(own) > 1 else "" for each in own]
        if kind.file:
            results.datasets |= {f"{kind.file}{x}": y for x, y in zip(ends, own, strict=True)}
        if len(own) > 1:
            facts = {"signatures": [each.attrs["signature"] for each in own]}
        for form in FORMS:
            tables = dict(tables_of(kind, form, given))
            getattr(results, form).update(tables)
            results.table_facts |= dict.fromkeys(tables, facts)
        for name, figure in kind.figures.items():
            for end, of, at in _places(figure, own, given):
                results.figures[f"{name}{end}"] = partial(figure, *of, **at)
    return results


def tables_of(kind: Kind, form: str, given: Given) -> Iterator[tuple[str, Table]]:
    """Make the tables of a kind in a form, by the name of their files, one after the other."""
    for name, shown in kind.tables.items():
        for forms in shown if isinstance(shown, tuple) else (shown,):
            if not isinstance(forms, Forms):
                forms = Forms(pages=forms, numbers=forms)
            maker = getattr(forms, form)
            for end, of, at in _places(forms, given[kind.name], given) if maker else ():
                table = maker(*of, **at)
                if table is not None:
                    yield f"{name}{end}", table


def _places(
    shown: Forms | Declared, own: Sequence[xr.Dataset], given: Given
) -> Iterator[tuple[str, list[Any], dict[str, str]]]:
    """Yield the end of a name, the results and the label that a maker takes."""
    of = [*own, *(each for name in shown.beside for each in given.get(name, [None]))]
    labelled = labels.names_of(own[0], shown.each) if shown.each else [""]
    for number, label in enumerate(labelled, start=1):
        end = f"-{number}" if len(labelled) > 1 else ""
        yield end, of, {shown.each: label} if shown.each else {}


def _unique(ends: Iterable[str]) -> list[str]:
    """Add numbers to equal endings; upper and lower case count as equal."""
    found: dict[str, str] = {}
    for end in ends:
        while end.casefold() in found:
            end += "-2"
        found[end.casefold()] = end
    return [*found.values()]


def _suffix(group: str | None) -> str:
    """Convert the name of a group or basis to letters, digits, dots and dashes."""
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
    """Write results to a folder, as `write_comparison` does."""
    chosen = figures.choose(list(results.figures), results.main)
    written = Written()
    written.left_out = [name for name in results.figures if name not in chosen]
    with in_one_line(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, dataset in results.datasets.items():
            written.append(replace_zarr(folder, f"{name}.zarr", dataset, workers))
        for name, table in results.numbers.items():
            facts, plain = results.table_facts.get(name, results.facts), labels.without_marks(table)
            texts = {"csv": tables.to_csv(plain), "json": tables.to_json(plain, **facts)}
            written += write_texts(folder, name, texts)
        for name, table in results.pages.items():
            paper = results.papers.get(name)
            latex = (
                tables.to_latex(table, name) if paper is None else tables.paper_latex(paper, name)
            )
            written += write_texts(folder, name, {"md": tables.to_markdown(table), "tex": latex})
            if paper is not None:
                written += write_texts(folder, f"{name}-notes", {"tex": tables.latex_notes(paper)})
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
    from supersample.execution.datasets import write_zarr  # imports zarr

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


def write_assignments(folder: Path, blocks: Iterable[xr.Dataset]) -> list[str]:
    """Write the assignments of hybrids, block by block, as `write_comparison` does.

    ``assignments.tsv`` has one row per hybrid: its number, its two systems, and for each segment 1
    if it comes from the first system and 0 if it comes from the second. ``segments.txt`` has the
    labels of these segments, one per line. ``assignments.json`` says how to reproduce it. Blocks
    come from `assignment_blocks`.
    """
    partial = folder / ".assignments.tsv.partial"
    written = 0
    later = iter(blocks)
    first = next(later)  # may refuse its input, before anything is written
    if "from_first" not in first:
        raise InputError("assignments.tsv can only have hybrids of two systems")
    with in_one_line(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8") as stream:
            stream.write("hybrid\tfirst\tsecond\tfrom_first\n")
            for block in chain([first], later):
                stream.writelines(_assignment_rows(block))
                written += block.sizes["hybrid"]
        partial.replace(folder / "assignments.tsv")
        segments = labels.names_of(first, "segment")
        facts = {**first.attrs, "hybrids": written, "segments": len(segments)}
        facts["signature"] = signature(n=f"{written} hybrids", **first.attrs)
        listed = write_texts(folder, "segments", {"txt": "\n".join([*segments, ""])})
        made = write_texts(folder, "assignments", {"json": json.dumps(facts, indent=2)})
        return ["assignments.tsv", *listed, *made]


def _assignment_rows(block: xr.Dataset) -> Iterator[str]:
    systems = block["system"].to_numpy()
    names = (systems[block[f"{which}_system"].to_numpy()] for which in ("first", "second"))
    digits = np.where(block["from_first"].to_numpy(), b"1", b"0")
    for number, *two, marks in zip(block["hybrid"].to_numpy(), *names, digits, strict=True):
        yield "\t".join(map(str, (number, *two, marks.tobytes().decode("ascii")))) + "\n"
