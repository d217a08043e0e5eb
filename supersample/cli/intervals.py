"""``supersample intervals``: every interval of each metric's correlation, side by side."""

from typing import Annotated, Any, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    ConfidenceLevel,
    HumanMeanOption,
    MaskOption,
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


@app.command()
@with_source
def intervals(
    read: Reader,
    *,
    coefficient: Annotated[
        Literal["pearson", "spearman", "kendall"],
        typer.Option(help="Human-only intervals are shown for pearson alone."),
    ] = "pearson",
    resamples: Annotated[int, typer.Option(help="Of the bootstrap.")] = 9_999,
    unit: Annotated[
        Literal["system", "segment", "document"],
        typer.Option(help="What the bootstrap draws."),
    ] = "system",
    human_unit: Annotated[
        Literal["segments", "ratings", "assessors"] | None,
        typer.Option(
            help="What human-only intervals draw.  [default: segments; with --ratings ratings]"
        ),
    ] = None,
    seed: Seed = 0,
    mask: MaskOption = "common",
    human_mean: HumanMeanOption = "ratings",
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Show every interval of each metric's r over the original systems.

    Fisher's (for ranks with Bonett and Wright's variance), bootstrap over systems, segments or
    documents (percentile, basic, BCa), and, to be seen beside them, the WMT-style interval that
    resamples human scores alone, by segments, single ratings or assessors (the last two with
    --ratings).
    """
    folder = checked_folder(out, overwrite)
    scores = read()
    import supersample as ss
    from supersample.presentation.intervals import intervals_table

    how: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    systems = ss.system_level_scores(scores, **how)
    drawn = [
        ss.bootstrap_intervals(
            scores,
            unit=unit,
            **how,
            coefficient=coefficient,
            method=method,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        for method in ("percentile", "basic", "bca")
    ]
    formula = ss.correlate(systems, coefficient=coefficient, confidence_level=confidence_level)
    found = [formula, *drawn]
    if coefficient == "pearson" and "segment" in scores.dims:
        ratings = read.ratings()
        drawn_unit = human_unit or ("segments" if ratings is None else "ratings")
        how |= {"ratings": ratings, "unit": drawn_unit, "confidence_level": confidence_level}
        found.append(ss.human_only_intervals(scores, seed=seed, **how))
    elif human_unit is not None:
        raise InputError("--human-unit goes with segment-level scores and --coefficient pearson")
    table = intervals_table(found)
    facts = {"signatures": [own.attrs["signature"] for own in found]}
    if folder is not None:
        from supersample.results.outputs import Results, write_results

        results = Results(numbers={"intervals": table}, pages={"intervals": table}, facts=facts)
        written = write_results(folder, results)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_table(table)
    for line in table.notes:
        typer.echo(line)
    for line in facts["signatures"]:
        typer.echo(line)
