"""``supersample rank``: metrics by their correlation with people, over systems and hybrids."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.commands import is_given
from supersample.cli.effects import Effect, Values, beside
from supersample.cli.options import (
    Also,
    By,
    ConfidenceLevel,
    Formula,
    HumanMeanOption,
    Reader,
    with_source,
)
from supersample.cli.parameters import HybridOptions, with_options
from supersample.cli.reports import ReportOutput
from supersample.cli.shown import Shown
from supersample.errors import InputError


@dataclass(frozen=True)
class Imported:
    """Scores of hybrids that were computed elsewhere."""

    import_hybrids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Scores of all hybrids computed elsewhere (see export): .csv or .tsv with the "
            "column hybrid and one for each metric.",
        ),
    ] = None
    import_systems: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --import-hybrids, the same metrics' scores of the original systems: the "
            "column system and one for each metric.",
        ),
    ] = None
    import_lower_is_better: Annotated[
        list[str] | None,
        typer.Option(help="Imported metric whose higher scores are worse; repeatable."),
    ] = None
    EFFECTS: ClassVar[Mapping[str, Effect]] = dict.fromkeys(
        ("import_systems", "import_lower_is_better"), beside("import_hybrids")
    )

    def read(self) -> dict[str, dict[str, Any]]:
        """Read the scores by metric, as `add_hybrid_scores` takes them."""
        from supersample.readers.table_files import read_score_columns

        lower = self.import_lower_is_better or []
        if self.import_hybrids is None:
            return {}
        of_hybrids = read_score_columns(self.import_hybrids, key="hybrid")
        file = self.import_systems
        of_systems = {} if file is None else read_score_columns(file, key="system")
        for option, names in (("systems", of_systems), ("lower-is-better", lower)):
            for name in names:
                if name not in of_hybrids:
                    raise InputError(
                        f"--import-{option}: no metric '{name}' in {self.import_hybrids}"
                    )
        return {
            name: {
                "hybrid_scores": {int(number): score for number, score in scores.items()},
                "system_scores": of_systems.get(name),
                "higher_is_better": name not in lower,
            }
            for name, scores in of_hybrids.items()
        }


def run_of(values: Values) -> str | None:
    """Path of the run that is named as the source of scores, if one is; its hybrids are built."""
    table = values["table"]
    if table is None or Path(table).suffix.lower() != ".zarr":
        return None
    from supersample.hybrids.run_progress import is_run

    return table if is_run(table) else None


_BUILT = Effect(
    lambda values: run_of(values) is None, "does not go with a run, whose hybrids are built already"
)
EFFECTS = {
    "average": beside("also", "by"),
    **dict.fromkeys(
        ("hybrids", "seed", "pairs", "share", "unit", "mask", "human_mean"),
        _BUILT,
    ),
}


@app.command(effects=EFFECTS)
@with_source
@with_options
def rank(
    read: Reader,
    *,
    context: typer.Context,
    also: Also = None,
    by: By = None,
    average: Annotated[
        Literal["arithmetic", "fisher"],
        typer.Option(
            help="With --also or --by: mean of r, as the shared task has it, or of Fisher's z."
        ),
    ] = "arithmetic",
    build: HybridOptions,
    human_mean: HumanMeanOption = "ratings",
    method: Formula = "zou2007",
    confidence_level: ConfidenceLevel = 0.95,
    scheduler: Annotated[
        Literal["threads", "processes", "synchronous"],
        typer.Option(help="Who computes the hybrids; the results are the same."),
    ] = "threads",
    stream: Annotated[
        bool,
        typer.Option(
            "--stream", help="Keep no hybrids: any number of them in constant memory, no scatter."
        ),
    ] = False,
    imports: Imported,
    shown: Shown,
    output: ReportOutput,
) -> None:
    """Rank metrics by their correlation with people.

    Correlates every metric with the human scores over the systems, and says by how much each falls
    short of the first and which may be the best, adjusted for all metrics; these differences are
    those of compare, whatever --method is. Builds hybrid systems besides: --hybrids N prints r over
    so many, and differences by --method there. --baseline METRIC compares with a metric chosen
    beforehand. With --also or --by, ranks metrics in each of several language pairs, domains or
    documents, and on average. Of a run's store it takes the stored hybrids.
    """
    run = run_of(context.params)
    options = build.arguments() | {"human_mean": human_mean, "workers": scheduler}
    options |= {"confidence_level": confidence_level, "progress": not output.quiet}
    if also or by:
        _refuse_with_groups(run, stream or imports.import_hybrids is not None, method)
        _rank_groups(read, also, output, shown, by=by, average=average, **options)
        return
    imported = imports.read()
    if stream and run is not None:
        raise InputError("--stream keeps no hybrids, and a run has them")
    if stream and imported:
        raise InputError("scores computed elsewhere need kept hybrids; leave --stream out")
    from supersample.comparisons import rankings as pipelines

    scores = read()
    means = _means(run, mask=build.mask, human_mean=human_mean)
    if run is not None:
        settled = {name: options[name] for name in ("confidence_level", "progress")}
        ranked = pipelines.rank_run(scores, run, method, imported, **settled)
    elif stream:
        ranked = pipelines.rank_streamed(scores, method, **options)
    else:
        ranked = pipelines.rank_hybrids(scores, method, imported, **options)
    of_hybrids = run is not None or stream or is_given(context, "hybrids")
    options = {"means": means, "of_hybrids": of_hybrids, "workers": scheduler}
    output.show_ranking(**ranked._asdict(), shown=shown, scores=scores, **options)


def _means(run: str | None, **chosen: str) -> dict[str, str]:
    """How scores of systems are averaged: as chosen, or as a run has it."""
    if run is None:
        return chosen
    from supersample.hybrids.runs import run_options

    of_run = run_options(run)
    return {name: of_run[name] for name in chosen}


def _refuse_with_groups(run: str | None, special: bool, method: str) -> None:
    if run is not None:
        raise InputError("a run has the hybrids of one language pair; --also and --by build theirs")
    if special or method != "zou2007":
        raise InputError(
            "several groups take no --import-hybrids, --stream or --method: over hybrids the "
            "interval of a difference is Zou's, or with --average fisher that of Meng et al."
        )


def _rank_groups(
    read: Reader,
    also: list[str] | None,
    output: ReportOutput,
    shown: Shown,
    *,
    by: str | None,
    **options: Any,
) -> None:
    """Rank over several groups, write and print."""
    from supersample.comparisons.correlations.averages import compare_over_groups
    from supersample.results.ranking import rank

    scores: Any = read.several(also) if also else read()
    if not by and all("segment" not in part.dims for part in scores.values()):
        output.say("no hybrids: system-level scores have no segments to mix")
        options["n"] = None
    ranking = rank(compare_over_groups(scores, by=by, **options))
    means = {name: options[name] for name in ("mask", "human_mean")}
    output.show_ranking(ranking, shown, scores=scores, by=by, means=means)
