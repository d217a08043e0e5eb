"""``supersample rank``: metrics on a hybrid super-sample."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    FORMULAS,
    Also,
    By,
    ConfidenceLevel,
    HumanMeanOption,
    Hybrids,
    MaskOption,
    Out,
    Overwrite,
    Pairs,
    Quiet,
    Reader,
    Seed,
    Share,
    Unit,
    checked_folder,
    parsed_share,
    with_source,
)
from supersample.cli.printing import print_ranking, print_table, system_bases
from supersample.errors import InputError

if TYPE_CHECKING:
    import supersample as ss


@app.command()
@with_source
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
    hybrids: Hybrids = 10_000,
    seed: Seed = 0,
    pairs: Pairs = "balanced",
    share: Share = "0.5",
    unit: Unit = "segment",
    mask: MaskOption = "common",
    human_mean: HumanMeanOption = "ratings",
    method: Annotated[
        FORMULAS, typer.Option(help="Interval or test of a difference of correlations.")
    ] = "zou2007",
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
    import_hybrids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Scores of all hybrids computed elsewhere (see export): .csv or .tsv with the "
            "column hybrid and one for each metric.",
            show_default=False,
        ),
    ] = None,
    import_systems: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --import-hybrids, the same metrics' scores of the original systems: the "
            "column system and one for each metric.",
            show_default=False,
        ),
    ] = None,
    import_lower_is_better: Annotated[
        list[str] | None,
        typer.Option(help="Imported metric whose higher scores are worse; repeatable."),
    ] = None,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Rank metrics on a hybrid super-sample.

    Builds hybrid systems, correlates every metric with the human scores over them, puts an interval
    on every difference of two correlations, and prints the ranking beside that of the original
    systems, and of those without outliers where there are any. With --also or --by, ranks them in
    each of several language pairs, domains or documents, and on average. Of a run's store it takes
    the hybrids that are there.
    """
    folder = checked_folder(out, overwrite)
    run = run_of(context)
    options: dict[str, Any] = {"mask": mask, "human_mean": human_mean, "workers": scheduler}
    options |= {"seed": seed, "progress": not quiet}
    if also or by:
        if run is not None:
            raise InputError(
                "a run has the hybrids of one language pair; --also and --by build theirs"
            )
        if import_hybrids or stream or method != "zou2007":
            raise InputError(
                "several groups take no --import-hybrids, --stream or --method: the interval of a "
                "difference is Zou's, or with --average fisher that of Meng et al."
            )
        design = _design(pairs, share, unit)
        _rank_groups(
            read.several(also) if also else read(),
            folder,
            by=by,
            average=average,
            n=hybrids,
            design=design,
            confidence_level=confidence_level,
            **options,
        )
        return
    if average != "arithmetic":
        raise InputError("--average goes with --also or --by; there is nothing to average")
    imported = read_imported(import_hybrids, import_systems, import_lower_is_better or [])
    scores = read()
    import supersample as ss

    design = _design(pairs, share, unit)
    how: dict[str, Any] = {
        "n": hybrids,
        "design": design,
        "mask": mask,
        "human_mean": human_mean,
    }
    kept = run is None and not stream
    if stream and (run is not None or imported):
        raise InputError(
            "--stream keeps no hybrids, and a run has them"
            if run
            else "scores computed elsewhere are of hybrids that are kept; leave --stream out"
        )
    if run is not None:
        sample, how = ss.open_run(run), ss.run_options(run)
    elif stream:
        sample = ss.hybrid_supersample(
            scores, n=hybrids, design=design, chunks=max(hybrids, 1), **options
        )
    else:
        sample = ss.hybrid_supersample(scores, n=hybrids, design=design, **options)
    for name, own in imported.items():
        sample = ss.add_hybrid_scores(sample, name, **own)
    bases = ["hybrids", *system_bases(sample)]
    data = sample
    if stream:
        data = ss.stream_correlations(
            scores, seed=seed, bases=bases, workers=scheduler, progress=not quiet, **how
        )
    elif run is not None and not imported:
        data = ss.stream_correlations(sample, bases=bases, progress=not quiet)
    comparisons = ss.compare_correlations(
        data, method=method, bases=bases, confidence_level=confidence_level
    )
    ranking = ss.rank(comparisons)
    exact = ss.exact_hybrid_correlations(scores, **how)
    if folder is not None:
        from supersample.results.outputs import write_ranking

        written = write_ranking(
            folder,
            ranking,
            sample=sample if kept else None,  # a run is on the disk already
            exact=exact,
            workers=scheduler,
            progress=not quiet,
        )
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_ranking(ranking, exact=exact, quiet=quiet)


def run_of(context: typer.Context) -> str | None:
    """Path of the run that was named as the source of scores, if one was.

    Raises
    ------
    InputError
        If options say how to build hybrids, which a run has.
    """
    table = context.params["table"]
    if table is None or not (Path(table) / "manifest").is_dir():
        return None
    for name in ("hybrids", "seed", "pairs", "share", "unit", "mask", "human_mean"):
        given = context.get_parameter_source(name)
        if given is not None and given.name != "DEFAULT":
            option = name.replace("_", "-")
            raise InputError(f"--{option} does not go with a run, whose hybrids are there")
    return str(table)


def _design(pairs: Any, share: str, unit: Any) -> "ss.PairHybrids":
    import supersample as ss

    return ss.PairHybrids(pairs, parsed_share(share), unit)


def _rank_groups(scores: Any, folder: Path | None, **options: Any) -> None:
    """Rank over several groups, write and print."""
    import supersample as ss
    from supersample.presentation.averages import average_line, group_source_lines, printed_groups

    quiet = not options["progress"]
    if not options["by"] and all("segment" not in part.dims for part in scores.values()):
        say("no hybrids: system-level scores have no segments to mix", quiet=quiet)
        options["n"] = None
    ranking = ss.rank(ss.compare_over_groups(scores, **options))
    if folder is not None:
        from supersample.results.outputs import write_group_ranking

        written = write_group_ranking(folder, ranking, progress=not quiet)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    for line in group_source_lines(ranking):
        say(line, quiet=quiet)
    table = printed_groups(ranking)
    print_table(table)
    for basis in map(str, ranking["basis"].to_numpy()):
        typer.echo(average_line(ranking, basis))
    for line in (*table.notes, ranking.attrs["signature"]):
        typer.echo(line)


def read_imported(
    hybrids: Path | None, systems: Path | None, lower_is_better: list[str]
) -> dict[str, dict[str, Any]]:
    """Read scores computed elsewhere, by metric, as `add_hybrid_scores` takes them."""
    import supersample as ss

    if hybrids is None:
        if systems is not None or lower_is_better:
            raise InputError("scores of systems, and their orientation, go with --import-hybrids")
        return {}
    of_hybrids = ss.read_score_columns(hybrids, key="hybrid")
    of_systems = {} if systems is None else ss.read_score_columns(systems, key="system")
    for what, names in (
        ("--import-systems", of_systems),
        ("--import-lower-is-better", lower_is_better),
    ):
        for name in names:
            if name not in of_hybrids:
                raise InputError(f"{what}: no metric '{name}' in {hybrids}")
    return {
        name: {
            "hybrid_scores": {int(number): value for number, value in own.items()},
            "system_scores": of_systems.get(name),
            "higher_is_better": name not in lower_is_better,
        }
        for name, own in of_hybrids.items()
    }
