"""``supersample rank``: metrics on a hybrid super-sample."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    FORMULAS,
    ConfidenceLevel,
    Hybrids,
    MaskOption,
    Out,
    Overwrite,
    Pairs,
    Quiet,
    Seed,
    Share,
    Unit,
    checked_folder,
    parsed_share,
    with_source,
)
from supersample.cli.printing import print_ranking, system_bases
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def rank(
    read: Callable[[], "xr.Dataset"],
    *,
    context: typer.Context,
    hybrids: Hybrids = 10_000,
    seed: Seed = 0,
    pairs: Pairs = "balanced",
    share: Share = "0.5",
    unit: Unit = "segment",
    mask: MaskOption = "common",
    human_mean: Annotated[
        Literal["ratings", "segments"], typer.Option(help="What human scores are means over.")
    ] = "ratings",
    method: Annotated[
        FORMULAS, typer.Option(help="Interval or test of a difference of correlations.")
    ] = "zou2007",
    confidence_level: ConfidenceLevel = 0.95,
    scheduler: Annotated[
        Literal["threads", "processes", "synchronous"],
        typer.Option(help="Who computes the hybrids; the results are the same."),
    ] = "threads",
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
    systems, and of those without outliers where there are any. Of a run's store it takes the
    hybrids that are there.
    """
    folder = checked_folder(out, overwrite)
    run = run_of(context)
    imported = read_imported(import_hybrids, import_systems, import_lower_is_better or [])
    scores = read()
    import supersample as ss

    how: dict[str, Any] = {
        "n": hybrids,
        "design": ss.PairHybrids(pairs, parsed_share(share), unit),
        "mask": mask,
        "human_mean": human_mean,
    }
    if run is not None:
        sample, how = ss.open_run(run), ss.run_options(run)
    else:
        sample = ss.hybrid_supersample(
            scores, seed=seed, scheduler=scheduler, progress=not quiet, **how
        )
    for name, own in imported.items():
        sample = ss.add_hybrid_scores(sample, name, **own)
    comparisons = ss.compare_correlations(
        sample,
        method=method,
        bases=["hybrids", *system_bases(sample)],
        confidence_level=confidence_level,
    )
    ranking = ss.rank(comparisons)
    exact = ss.exact_hybrid_correlations(scores, **how)
    if folder is not None:
        from supersample.outputs import write_ranking

        written = write_ranking(
            folder,
            ranking,
            sample=sample if run is None else None,  # a run is on the disk already
            exact=exact,
            scheduler=scheduler,
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
