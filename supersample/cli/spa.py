"""``supersample spa``: metrics by soft pairwise accuracy."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    Also,
    Alternative,
    By,
    Out,
    Overwrite,
    Quiet,
    Reader,
    Seed,
    checked_folder,
    with_source,
)
from supersample.cli.printing import print_table
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def spa(
    read: Reader,
    *,
    also: Also = None,
    by: By = None,
    p_values: Annotated[
        Literal["normal", "monte_carlo"], typer.Option(help="Of pairs of systems.")
    ] = "normal",
    convention: Annotated[
        Literal["mid", "at_least"],
        typer.Option(help="What ties count in those: half, or whole as in the paper."),
    ] = "mid",
    unit: Annotated[
        str, typer.Option(help="What is permuted whole: segment, document or a number of segments.")
    ] = "segment",
    permutations: Annotated[int, typer.Option(help="With --p-values monte_carlo.")] = 1_000,
    scheme: Annotated[
        Literal["inputs", "systems", "both"],
        typer.Option(help="What two metrics swap: whole segments, whole systems, or each score."),
    ] = "inputs",
    alternative: Alternative = "two-sided",
    resamples: Annotated[int, typer.Option(help="Swaps of every two metrics.")] = 1_000,
    estimator: Annotated[
        Literal["(k+1)/(B+1)", "k/B"],
        typer.Option(help="Of p of two metrics, k of B swaps being as extreme; k/B as the paper."),
    ] = "(k+1)/(B+1)",
    ties: Annotated[
        Literal["exact", "floating_point"],
        typer.Option(help="Whether equal differences tie, or are compared as rounding left them."),
    ] = "exact",
    significance_level: Annotated[float, typer.Option(min=0, max=1)] = 0.05,
    metric: Annotated[
        str | None,
        typer.Option(help="Metric whose components are drawn.  [default: the best one]"),
    ] = None,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Rank metrics by soft pairwise accuracy, with pairwise accuracy beside it.

    Tests every two metrics by swapping their scores, forms significance clusters, and writes the
    triangle of significant pairs as the papers of the WMT metrics task print it.
    """
    folder = checked_folder(out, overwrite)
    import supersample as ss

    how = ss.PValues(p_values, convention, _unit(unit), permutations)
    scores: Any = read.several(also) if also else read()
    comparisons = ss.compare_accuracies(
        scores,
        p_values=how,
        scheme=scheme,
        alternative=alternative,
        resamples=resamples,
        seed=seed,
        estimator=estimator,
        ties=ties,
        significance_level=significance_level,
        by=by,
    )
    ranking = ss.rank(comparisons)
    chosen = metric or str(ranking["metric"].to_numpy()[0])
    if chosen not in ranking["metric"].to_numpy():
        raise InputError(f"no metric '{chosen}' to draw; there are {_listed(ranking)}")
    if folder is not None:
        from supersample.results.outputs import write_accuracies

        components = ss.components_of_groups(scores, p_values=how, seed=seed, by=by)
        written = write_accuracies(folder, ranking, components, metric=chosen, progress=not quiet)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    _print(ranking, quiet=quiet)


def _print(ranking: "xr.Dataset", *, quiet: bool) -> None:
    from supersample.presentation.accuracies import (
        accuracy_source_lines,
        printed_accuracies,
        summary_lines,
    )

    for line in accuracy_source_lines(ranking):
        say(line, quiet=quiet)
    table = printed_accuracies(ranking)
    print_table(table)
    for line in (*summary_lines(ranking), *table.notes, ranking.attrs["signature"]):
        typer.echo(line)


def _listed(ranking: "xr.Dataset") -> str:
    return ", ".join(ranking["metric"].to_numpy())


def _unit(text: str) -> Any:
    """Read a unit: a number of segments or a word, which `PValues` checks."""
    return int(text) if text.isascii() and text.isdigit() else text
