"""The report of a ranking, written to a file."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import xarray as xr

from supersample.errors import in_one_line
from supersample.results.references import references_of


def write_report(
    ranking: xr.Dataset,
    path: str | Path,
    *,
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    exact: xr.Dataset | None = None,
    influence: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    accuracy: xr.Dataset | None = None,
    against: xr.Dataset | None = None,
    command: str = "",
    written: Iterable[str] = (),
) -> Path:
    """Write a ranking as one self-contained page, which works offline and without a script.

    Parameters
    ----------
    ranking : xarray.Dataset
        What `rank` gave of correlations, accuracies or agreement on segments, also of groups.
    path : str or Path
        File to write; an existing one is replaced.
    sample : xarray.Dataset or mapping of them, optional
        What `hybrid_supersample` (its first 10,000 hybrids are drawn), `system_level_scores` or, of
        segments, `translation_scores` gave, for the scatter; of several groups, by their names.
    exact : xarray.Dataset, optional
        What `exact_hybrid_correlations` gave, for the summary.
    influence : xarray.Dataset or mapping of them, optional
        What `leave_one_out` gave, or of accuracies `leave_one_out_accuracies`, for what changes
        without a system; of several groups, by their names.
    accuracy : xarray.Dataset, optional
        What `agreement` by "SPA" gave, for a column of the ranking.
    against : xarray.Dataset, optional
        What `compare_to_baseline` gave: the page opens with that baseline, by default the best.
    command : str, optional
        Command line that made the ranking.
    written : iterable of str, optional
        Names of files beside the page, which it links.

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
    >>> ranking = ss.rank(ss.compare_over_systems(ss.load_example()))
    >>> write_report(ranking, f"{mkdtemp()}/report.html").name
    'report.html'
    """
    from supersample.presentation.report.page import report_page

    left_out = [influence] if isinstance(influence, xr.Dataset) else (influence or {}).values()
    named = "outliers" if any(part.attrs.get("outliers") for part in left_out) else ""
    page = report_page(
        ranking,
        sample=sample,
        exact=exact,
        influence=influence,
        accuracy=accuracy,
        against=against,
        command=command,
        references=references_of(ranking, named),
        written=written,
    )
    path = Path(path)
    with in_one_line(path):
        path.write_text(page, encoding="utf-8")
    return path
