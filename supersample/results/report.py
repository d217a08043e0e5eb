"""Write the report of a ranking to a file, and the bibliography of its methods."""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import xarray as xr

from supersample.errors import in_one_line
from supersample.results.outputs import Results
from supersample.results.ranking import beside_each_other, ranked

_ENTRY = re.compile(r"^@\w+\{(\w+),\n(?:  .+\n)+\}$", re.MULTILINE)
_OF_VARIABLES = {
    "p_holm": ("holm1979",),
    "p_bh": ("benjamini1995",),
    "behind_upper": ("hsu1984", "edwards1983"),
}
_OF_BORROWED = ("tukey1958", "williams1959", "holm1979", "smyth2004")
_OF_JOINT_REPLICATES = ("westfall1993", "romano2005")
_BY_BORROWED = re.compile("williams-jackknife|:systems:observed")
_OF_WORDS = {
    "Fisher": ("fisher1921",),
    "bca": ("efron1987",),
    "perm-": ("deutsch2021", "phipson2010"),
    "SPA": ("thompson2024",),
    "PA": ("kocmi2021",),
    "outliers": ("mathur2020",),
    "hybrids": ("graham2016",),
}


OF_SETS = ("sets", "values")
"""Figures that the page of several sets shows as images."""


def write_report(
    ranking: xr.Dataset,
    path: str | Path,
    *,
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    exact: xr.Dataset | None = None,
    influence: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    accuracy: xr.Dataset | str | None = None,
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
    influence : xarray.Dataset or mapping of them, optional
        A result of `leave_one_out` for r or accuracies, for the changes without a system; for
        several groups, by name.
    accuracy : xarray.Dataset or str, optional
        A result of `agreement` by "SPA", for a column of the ranking; or why there is none.
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
    from supersample.presentation.report.page import report_page

    ranking = beside_each_other(ranked(ranking))
    left_out = [influence] if isinstance(influence, xr.Dataset) else (influence or {}).values()
    named = "outliers" if any(part.attrs.get("outliers") for part in left_out) else ""
    path, files = Path(path), list(written)
    beside = {name: path.parent / f"{name}.png" for name in OF_SETS if f"{name}.png" in files}
    page = report_page(
        ranking,
        figures={name: file.read_bytes() for name, file in beside.items()},
        sample=sample,
        exact=exact,
        influence=influence,
        accuracy=accuracy,
        against=against,
        command=command,
        references=references_of(ranking, named),
        written=files,
    )
    with in_one_line(path):
        path.write_text(page, encoding="utf-8")
    return path


def write_study(
    results: Results,
    path: Path,
    *,
    command: str = "",
    written: Sequence[str] = (),
) -> Path:
    """Write the page of a study: answer, tables, and the figures in the same folder."""
    from supersample.presentation.report.page import study_page

    drawn = [path.parent / name for name in written if name.endswith(".png")]
    page = study_page(
        results.pages,
        {each.stem: each.read_bytes() for each in drawn},
        title=results.title,
        answer=results.answer,
        signatures=[each.attrs["signature"] for each in results.signed],
        command=command,
        written=written,
    )
    with in_one_line(path):
        path.write_text(page, encoding="utf-8")
    return path


def references_of(result: xr.Dataset, shown: str = "") -> str:
    """BibTeX of the methods that occur in a result's signature, variables or text."""
    text = (files("supersample.results") / "references.bib").read_text("utf-8")
    told = f"{result.attrs['signature']} {result.attrs.get('interval', '')} {shown}"
    keys = {key for word, found in _OF_WORDS.items() if _says(told, word) for key in found}
    keys |= {key for name, found in _OF_VARIABLES.items() if name in result for key in found}
    if "p_simultaneous" in result:
        keys |= set(_OF_BORROWED if _BY_BORROWED.search(told) else _OF_JOINT_REPLICATES)
    entries = [match[0] for match in _ENTRY.finditer(text) if match[1] in keys or match[1] in told]
    return "\n\n".join(entries)


def _says(text: str, word: str) -> bool:
    """Whether a text has a word as a whole: "SPA" has no "PA"."""
    return re.search(rf"\b{word}\b", text) is not None
