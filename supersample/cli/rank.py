"""``supersample rank``: metrics on a hybrid super-sample."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    FORMULAS,
    ConfidenceLevel,
    Hybrids,
    Out,
    Overwrite,
    Quiet,
    Seed,
    checked_folder,
    with_source,
)
from supersample.cli.printing import print_ranking, system_bases

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def rank(
    read: Callable[[], "xr.Dataset"],
    *,
    hybrids: Hybrids = 10_000,
    seed: Seed = 0,
    pairs: Annotated[
        Literal["balanced", "random"], typer.Option(help="How pairs are chosen.")
    ] = "balanced",
    share: Annotated[
        str, typer.Option(help="Share of one system in a hybrid: a number, or uniform.")
    ] = "0.5",
    unit: Annotated[
        Literal["segment", "document"], typer.Option(help="What is taken whole.")
    ] = "segment",
    mask: Annotated[
        Literal["common", "all"], typer.Option(help="Segments rated for every system, or all.")
    ] = "common",
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
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Rank metrics on a hybrid super-sample.

    Builds hybrid systems, correlates every metric with the human scores over them, puts an interval
    on every difference of two correlations, and prints the ranking beside that of the original
    systems, and of those without outliers where there are any.
    """
    folder = checked_folder(out, overwrite)
    scores = read()
    import supersample as ss

    design = ss.PairHybrids(pairs, _share(share), unit)
    sample = ss.hybrid_supersample(
        scores,
        n=hybrids,
        seed=seed,
        design=design,
        mask=mask,
        human_mean=human_mean,
        scheduler=scheduler,
        progress=not quiet,
    )
    comparisons = ss.compare_correlations(
        sample,
        method=method,
        bases=["hybrids", *system_bases(sample, quiet=quiet)],
        confidence_level=confidence_level,
    )
    ranking = ss.rank(comparisons)
    exact = ss.exact_hybrid_correlations(
        scores, design=design, n=hybrids, mask=mask, human_mean=human_mean
    )
    if folder is not None:
        from supersample.outputs import write_ranking

        written = write_ranking(
            folder,
            ranking,
            sample=sample,
            exact=exact,
            scheduler=scheduler,
            progress=not quiet,
        )
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_ranking(ranking, exact=exact, quiet=quiet)


def _share(text: str) -> Any:
    """Read a share: a number or a word, which the design checks."""
    try:
        return float(text)
    except ValueError:
        return text
