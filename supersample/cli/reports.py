"""The option ``--report``, and what commands that rank metrics write and print."""

import shlex
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from supersample.cli.effects import beside
from supersample.cli.parameters import FigureOutput
from supersample.cli.shown import Shown
from supersample.errors import DegenerateScoreWarning, InputError, OrientationWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    import xarray as xr

SMALLEST_LEFT_OUT = 5  # systems


@dataclass(frozen=True)
class ReportOutput(FigureOutput):
    """Where results of a ranking go, with a page of them."""

    report: Annotated[
        bool,
        typer.Option(
            "--report/--no-report", help="With --out, write report.html, one page of everything."
        ),
    ] = True
    EFFECTS: ClassVar = {**FigureOutput.EFFECTS, "report": beside("out")}

    def write_report(
        self,
        ranking: "xr.Dataset",
        written: list[str],
        *,
        scores: "xr.Dataset | Mapping[str, xr.Dataset] | None" = None,
        by: str | None = None,
        means: "Mapping[str, Any] | None" = None,
        **parts: Any,
    ) -> None:
        """Write the page beside the files; with Scores, what it shows of systems besides.

        `means` are the mask and human mean of the ranking, where it has any but the defaults.
        """
        if self.out is None or not self.report:
            return
        from supersample.results.report import write_report

        if scores is not None:
            parts |= _parts(ranking, scores, by, parts.get("sample"), means or {})
        command = shlex.join(["supersample", *sys.argv[1:]])
        path = self.out / "report.html"
        write_report(ranking, path, command=command, written=written, **parts)
        self.say(f"report: {path}")

    def show_ranking(
        self,
        ranking: "xr.Dataset",
        shown: Shown,
        *,
        exact: "xr.Dataset | None" = None,
        sample: "xr.Dataset | None" = None,
        scores: "xr.Dataset | Mapping[str, xr.Dataset] | None" = None,
        by: str | None = None,
        means: "Mapping[str, Any] | None" = None,
        of_hybrids: bool = False,
        **options: Any,
    ) -> None:
        """Print a ranking with what its reader must know, and write it."""
        from supersample.presentation.labels import source_lines

        against = shown.against(ranking)
        options["progress"] = not self.quiet
        parts = {"exact": exact, "sample": sample}
        parts["against"] = None if shown.baseline is None else against
        self.say(*source_lines(ranking))
        shown.print(ranking, exact, against, of_hybrids=of_hybrids)
        if self.out is None:
            return
        from supersample.results.outputs import write_comparison

        written = self.write(write_comparison, ranking, **parts, **options)
        self.write_report(ranking, written, scores=scores, by=by, means=means, **parts)


def _parts(
    ranking: "xr.Dataset",
    scores: "xr.Dataset | Mapping[str, xr.Dataset]",
    by: str | None,
    sample: "xr.Dataset | None",
    means: "Mapping[str, Any]",
) -> dict[str, Any]:
    """Compute what the page shows besides: scores of systems, of each group if there are several.

    Of correlations also stability and, of one set, soft pairwise accuracy of segments.
    """
    from supersample.comparisons.compare import agreement
    from supersample.presentation.labels import names_of, shown_groups
    from supersample.scores.corpus.statistics import with_metrics
    from supersample.scores.system_level import system_level_scores

    whole: Any = scores
    parts: dict[str, Any] = {"": whole}
    found: dict[str, Any] = {}
    if "group" in ranking.dims:
        parts = {
            name: whole.isel(segment=whole[by].astype(str) == name) if by else whole[name]
            for name in shown_groups(ranking)[1:]
        }
    systems: dict[str, Any] = {"": sample}
    if sample is None:
        metrics = names_of(ranking, "metric")
        systems = {
            name: system_level_scores(with_metrics(part, metrics), **means)
            for name, part in parts.items()
        }
        found["sample"] = systems
    if "basis" not in ranking.dims:
        return found
    found["influence"] = _influence(systems)
    if "group" not in ranking.dims and "segment" in whole.dims:
        with suppress(InputError):  # of scores without complete segments there is none
            found["accuracy"] = agreement(whole, "SPA")
    return found


def _influence(systems: "Mapping[str, xr.Dataset]") -> "dict[str, xr.Dataset]":
    """Leave systems out of each group that has enough of them."""
    from supersample.comparisons.correlations.influence import leave_one_out

    with warnings.catch_warnings():
        for told in (DegenerateScoreWarning, OrientationWarning):  # by the comparisons
            warnings.simplefilter("ignore", told)
        return {
            name: leave_one_out(part)
            for name, part in systems.items()
            if part.sizes["system"] >= SMALLEST_LEFT_OUT
        }
