"""``supersample compare``: metrics on the original systems, by any test or interval."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    FORMULAS,
    Alternative,
    ConfidenceLevel,
    HumanMeanOption,
    MaskOption,
    Out,
    Overwrite,
    Quiet,
    Seed,
    checked_folder,
    with_source,
)
from supersample.cli.printing import print_ranking, system_bases
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

RESAMPLING = Literal[
    "bootstrap-percentile",
    "bootstrap-basic",
    "bootstrap-bca",
    "perm-systems",
    "perm-inputs",
    "perm-both",
]


@app.command()
@with_source
def compare(
    read: Callable[[], "xr.Dataset"],
    *,
    method: Annotated[
        Literal[FORMULAS, RESAMPLING],
        typer.Option(help="Test or interval of a difference of correlations."),
    ] = "zou2007",
    coefficient: Annotated[
        Literal["pearson", "spearman", "kendall"],
        typer.Option(help="Formulas take pearson; bootstrap and permutations take any."),
    ] = "pearson",
    alternative: Alternative = "two-sided",
    orientation: Annotated[
        Literal["declared", "absolute"],
        typer.Option(help="absolute reproduces papers that take |r|, and hides its sign."),
    ] = "declared",
    resamples: Annotated[
        int | None,
        typer.Option(help="Of bootstrap and permutations.  [default: 9999; permutations 1000]"),
    ] = None,
    unit: Annotated[
        Literal["system", "segment", "document"],
        typer.Option(help="What the bootstrap draws."),
    ] = "system",
    seed: Seed = 0,
    mask: MaskOption = "common",
    human_mean: HumanMeanOption = "ratings",
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Compare metrics on the original systems, without hybrids.

    Correlates every metric with the human scores over the systems and tests every difference of two
    correlations, by formulas, bootstrap over systems, segments or documents (bootstrap-*, --unit)
    or swapped scores (perm-*).
    """
    folder = checked_folder(out, overwrite)
    scores = read()
    import supersample as ss

    family, _, kind = method.partition("-")
    if family != "bootstrap":
        _only(unit == "system", "--unit", method)
    systems = ss.system_level_scores(scores, mask=mask, human_mean=human_mean)
    if family == "bootstrap":
        _only(alternative == "two-sided", "--alternative", method)
        _only(orientation == "declared", "--orientation", method)
        comparisons = ss.compare_by_bootstrap(
            scores,
            unit=unit,
            mask=mask,
            human_mean=human_mean,
            coefficient=coefficient,
            method=kind,
            resamples=9_999 if resamples is None else resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
    elif family == "perm":
        _only(orientation == "declared", "--orientation", method)
        comparisons = ss.compare_by_swapping(
            scores,
            scheme=kind,  # type: ignore[arg-type]
            coefficient=coefficient,
            alternative=alternative,
            resamples=1_000 if resamples is None else resamples,
            seed=seed,
            confidence_level=confidence_level,
            mask=mask,
            human_mean=human_mean,
        )
    else:
        _only(resamples is None, "--resamples", method)
        _only(coefficient == "pearson", "--coefficient", method)
        comparisons = ss.compare_correlations(
            systems,
            method=method,
            alternative=alternative,
            bases=system_bases(systems),
            orientation=orientation,
            confidence_level=confidence_level,
        )
    ranking = ss.rank(comparisons)
    if folder is not None:
        from supersample.results.outputs import write_ranking

        written = write_ranking(folder, ranking, progress=not quiet)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_ranking(ranking, quiet=quiet)


def _only(fits: bool, option: str, method: str) -> None:
    """Refuse an option that the method would not heed."""
    if not fits:
        raise InputError(f"{option} does not go with --method {method}")
