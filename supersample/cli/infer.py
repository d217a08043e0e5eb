"""``supersample infer``: intervals that declare their random unit and estimand."""

from typing import Annotated, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    ConfidenceLevel,
    MaskOption,
    Out,
    Overwrite,
    Quiet,
    Reader,
    Seed,
    checked_folder,
    with_source,
)
from supersample.cli.printing import print_ranking


@app.command()
@with_source
def infer(
    read: Reader,
    *,
    interval: Annotated[
        Literal["zou", "jackknife", "shrunken-jackknife", "percentile", "bca"],
        typer.Option(help="How: zou is Fisher's for r; percentile and bca are bootstraps."),
    ] = "zou",
    random: Annotated[
        Literal[
            "systems",
            "segments",
            "documents",
            "systems+segments",
            "systems+documents",
            "hybrids",
        ],
        typer.Option(help="What is random: what another draw would change."),
    ] = "systems",
    estimand: Annotated[
        Literal["observed", "true", "hybrid"],
        typer.Option(
            help="Correlation of what: scores on this test set, true scores on infinitely many "
            "segments, or infinitely many hybrids."
        ),
    ] = "observed",
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates.")] = 9_999,
    mask: MaskOption = "common",
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Rank metrics with intervals whose random unit and estimand are declared.

    Computed on exact moments of the hybrid population: no hybrids are drawn.
    """
    folder = checked_folder(out, overwrite)
    import supersample as ss

    chosen = ss.IntervalMethod(interval, random, estimand)
    ranking = ss.rank(
        ss.infer(
            read(),
            chosen,
            mask=mask,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
    )
    if folder is not None:
        from supersample.results.outputs import write_ranking

        written = write_ranking(folder, ranking, progress=not quiet)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_ranking(ranking, quiet=quiet)
