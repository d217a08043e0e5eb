"""What results become: a folder of data, tables and figures, a page, data frames, LaTeX, a screen.

Nothing is overwritten unless asked.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import pandas as pd
import xarray as xr

from supersample.errors import InputError, check_choice, check_names, in_one_line
from supersample.execution.progress import tracked
from supersample.execution.workers import AnyWorkers
from supersample.presentation import labels
from supersample.presentation import table as tables
from supersample.presentation.registry import FORMS, Forms, Kind, every_kind, inches, kind_of, named
from supersample.presentation.registry import Figure as Declared
from supersample.presentation.screen import Screen
from supersample.presentation.table import Table
from supersample.results.ranks_and_clusters import beside_each_other, pair_of, rank, ranked, settles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Drawn = Axes | Figure

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
        known = {x for kind in every_kind() for x in kind.figures} if listed else set()
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
    try:
        TemporaryFile(dir=existing).close()  # permissions do not tell, as in /proc
    except OSError:
        raise InputError(f"the folder {existing} may not be written to; name another") from None
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
    """Tables for papers, which replace the LaTeX of these names."""
    figures: "dict[str, Drawn | Callable[..., Drawn]]" = field(default_factory=dict)
    """Figures, or functions that draw one with the keyword ``width``."""
    main: Sequence[str] = ()
    """Figures that are drawn by default; all if not given."""
    title: str = ""
    """Title of the page of a study, which begins with its answer."""
    answer: Sequence[str] = ()
    facts: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """Attributes of the results that tables show, for their JSON, by the name of the table; those
    of "" hold for all tables that are not named."""
    signed: Sequence[xr.Dataset] = ()
    """Results whose signatures are shown."""


Given = Mapping[str, xr.Dataset]
"""Results that are shown together, one of each kind, by kind."""


def results_of(*found: xr.Dataset) -> Results:
    """Prepare results of any kinds for a folder, a page and a terminal, as these declare it."""
    given = {kind_of(each).name: each for each in map(_settled, found)}
    results = Results(signed=[each for each in found if "signature" in each.attrs])
    main: list[str] = []
    for own in given.values():
        kind = kind_of(own)
        results.title = results.title or kind.title
        results.answer = [*results.answer, *kind.answer(own)]
        if kind.file:
            results.datasets[kind.file] = own
        for form in FORMS:
            tables = dict(tables_of(kind, form, given))
            getattr(results, form).update(tables)
            results.facts |= dict.fromkeys(tables, own.attrs)
        for name, figure in kind.figures.items():
            drawn = {
                f"{name}{end}": partial(figure, *of, **at)
                for end, of, at in _places(figure, own, given)
            }
            results.figures |= drawn
            main += [*drawn][: figure.main]
    results.main = main
    return results


def _settled(result: xr.Dataset) -> xr.Dataset:
    """Rank a comparison, and drop how much of a result was computed this time."""
    result = rank(result) if kind_of(result).name == "comparison" else result.copy()
    result.attrs.pop("computed", None)
    return result


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
    shown: Forms | Declared, own: xr.Dataset, given: Given
) -> Iterator[tuple[str, list[Any], Mapping[str, Any]]]:
    """Yield the end of a name, the results and the label that a maker takes."""
    of = [own, *map(given.get, shown.beside)]
    if callable(shown.each):
        for end, at in shown.each(own).items():
            yield end, of, at
        return
    labelled = labels.names_of(own, shown.each) if shown.each else [""]
    for number, label in enumerate(labelled, start=1):
        end = f"-{number}" if len(labelled) > 1 else ""
        yield end, of, {shown.each: label} if shown.each else {}


def write_results(
    folder: Path,
    results: Results,
    *,
    workers: AnyWorkers = "threads",
    figures: Figures = MAIN,
    progress: bool = False,
) -> Written:
    """Write results to a folder, as `results_of` prepares them.

    The folder, from `check_folder`, is created, and files of the same names are replaced. Raises
    InputError for a file that cannot be written. Returns the names of the written files.
    """
    chosen = figures.choose(list(results.figures), results.main)
    written = Written()
    written.left_out = [name for name in results.figures if name not in chosen]
    with in_one_line(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, dataset in results.datasets.items():
            written.append(replace_zarr(folder, f"{name}.zarr", dataset, workers))
        for name, table in results.numbers.items():
            facts, plain = (
                results.facts.get(name, results.facts.get("", {})),
                labels.without_marks(table),
            )
            texts = {"csv": tables.to_csv(plain), "json": tables.to_json(plain, **facts)}
            written += write_texts(folder, name, texts)
        for name, table in results.pages.items():
            paper = results.papers.get(name, table)
            texts = {"md": tables.to_markdown(table), "tex": tables.to_latex(paper, name)}
            written += write_texts(folder, name, texts)
            if paper.notes:
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
    from supersample.execution.zarr_files import write_zarr  # imports zarr

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


OF_SETS = ("sets", "values")
"""Figures that the page of several sets shows as images."""


def write_report(
    ranking: xr.Dataset,
    path: str | Path,
    *,
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    exact: xr.Dataset | None = None,
    against: xr.Dataset | None = None,
    command: str = "",
    written: Iterable[str] = (),
) -> Path:
    """Write a ranking as one self-contained HTML page, which works offline and without a script.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`, also with groups, or a comparison, which is ranked first.
    path : str or Path
        File to write; an existing one is replaced.
    sample : xarray.Dataset or mapping of them, optional
        A result of `hybrid_supersample` (its first 10,000 hybrids are drawn), `system_level_scores`
        or, for segments, `translation_scores`, for the scatter plot; for several groups, by name.
    exact : xarray.Dataset, optional
        A result of `exact_hybrid_correlations`, for the summary.
    against : xarray.Dataset, optional
        A result of `compare_to_baseline`: the page starts with that baseline; default: the best.
    command : str, optional
        Command line that made the ranking.
    written : iterable of str, optional
        Names of files in the same folder, to which the page links.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If the file cannot be written.

    Examples
    --------
    >>> import supersample as ss
    >>> from tempfile import mkdtemp
    >>> ranking = ss.rank(ss.system_level_scores(ss.load_example()))
    >>> write_report(ranking, f"{mkdtemp()}/report.html").name
    'report.html'
    """
    from supersample.presentation.page import report_page

    ranking = beside_each_other(ranked(ranking))
    path, files = Path(path), list(written)
    beside = {name: path.parent / f"{name}.png" for name in OF_SETS if f"{name}.png" in files}
    page = report_page(
        ranking,
        figures={name: file.read_bytes() for name, file in beside.items()},
        sample=sample,
        exact=exact,
        against=against,
        command=command,
        written=files,
    )
    with in_one_line(path):
        path.write_text(page, encoding="utf-8")
    return path


def write_study(
    results: Results, path: Path, *, command: str = "", written: Sequence[str] = ()
) -> Path:
    """Write the page of a study: answer, tables, and the figures in the same folder."""
    from supersample.presentation.page import study_page

    drawn = [path.parent / name for name in written if name.endswith(".png")]
    source = next((x.attrs["source"] for x in results.signed if "source" in x.attrs), "")
    title = results.title
    page = study_page(
        results.pages,
        {each.stem: each.read_bytes() for each in drawn},
        title=f"{source}: {title[:1].lower()}{title[1:]}" if source else title,
        answer=results.answer,
        signatures=[each.attrs["signature"] for each in results.signed],
        command=command,
        written=written,
    )
    with in_one_line(path):
        path.write_text(page, encoding="utf-8")
    return path


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
    table = _first(result, "numbers")
    return pd.DataFrame(list(table.rows), columns=[column.field for column in table.columns])


def _first(result: xr.Dataset, *forms: str) -> Table:
    """Make the first table of a result that has one of these forms."""
    kind = kind_of(result)
    for form in forms:
        for _, table in tables_of(kind, form, {kind.name: result}):
            return table
    raise InputError(f"a result of the kind '{kind.name}' has no table of {forms[-1]}")


def to_latex(
    result: xr.Dataset,
    label: str = "ranking",
    *,
    caption: str | None = None,
    columns: Sequence[str] | None = None,
    rows: Sequence[str] | None = None,
) -> str:
    """Make a LaTeX table of a ranking for a paper, like ranking.tex of the command line.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `rank`, or a comparison, which is ranked first; or a result of
        `compare_to_baseline` or `evaluate_predictions`, of which the first measure or gold standard
        is used.
    label : str, default "ranking"
        The table's label is ``tab:`` followed by this.
    caption : str, optional
        Caption in place of its own.
    columns, rows : sequence of str, optional
        Headings of the columns, and names of the metrics (or systems), to keep.

    Returns
    -------
    str
        A ``table*`` of at most six columns (package booktabs) with its caption, best values in
        bold. Comments follow: of a ranking, the first is a sentence for the text of a paper, which
        is about all metrics, not only `rows`; then notes for readers and the signature.

    Raises
    ------
    InputError
        If it is another kind of Dataset, or has no such column or row.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> print(to_latex(rank(system_level_scores(load_example()))).splitlines()[9][24:44])
    0.928 [0.716, 0.983]
    """
    result = _settled(result)
    table = whole = _first(result, "papers", "pages")
    if rows is not None:
        item = labels.item_of(result)
        check_names(item, rows, labels.names_of(result, item))
        chosen = [x for x in labels.names_of(result, item) if x in rows]
        result = result.sel({dim: chosen for dim in (item, f"other_{item}") if dim in result.dims})
        table = replace(_first(result, "papers", "pages"), notes=whole.notes)
    if columns is not None:
        headings = [column.title for column in table.columns]
        check_names("column", columns, headings)
        table = tables.chosen_columns(table, [headings.index(name) for name in columns])
    table = table if caption is None else replace(table, caption=caption)
    return tables.to_latex(table, label) + _comments(table, result)


def _comments(table: Table, result: xr.Dataset) -> str:
    """Write the notes of a table as comments, the signature last: it is no text for a paper."""
    signed = [f"Signature: {x}" for name, x in result.attrs.items() if name == "signature"]
    notes = [tables.escape_latex(note) for note in table.notes if note not in signed]
    return "".join(f"% {line}\n" for line in dict.fromkeys([*notes, *signed]))


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
    result = _settled(result)
    kind = kind_of(result)
    if kind.screen:
        screen: Screen = named(kind.screen)(result, pair_of(result), settles(result))
        return screen
    pages = tables_of(kind, "pages", {kind.name: result})
    return Screen([*kind.answer(result)], [table for _, table in pages])
