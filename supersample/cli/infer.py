"""``supersample infer``: intervals that declare their random unit and estimand."""

from typing import Annotated, Literal

import typer

from supersample.cli.app import app
from supersample.cli.effects import Effect, Values
from supersample.cli.options import ConfidenceLevel, MaskOption, Reader, Seed, one_of, with_source
from supersample.cli.parameters import with_options
from supersample.cli.reports import ReportOutput
from supersample.cli.shown import ShownIntervals


def _interval_names() -> list[str]:
    from supersample.comparisons.correlations.interval_methods import INTERVAL_PROCEDURES

    return list(INTERVAL_PROCEDURES)


def _is_resampled(values: Values) -> bool:
    from supersample.comparisons.correlations.interval_methods import INTERVAL_PROCEDURES

    return INTERVAL_PROCEDURES[values["method"]].resampled


def _is_drawn(values: Values) -> bool:
    """Whether replicates are drawn, or sign flips for the p-values of all metrics."""
    of_systems = (values["random"], values["estimand"]) == ("systems", "observed")
    return of_systems or _is_resampled(values)


EFFECTS = {
    "resamples": Effect(_is_resampled, "goes with --method percentile or bca"),
    "seed": Effect(
        _is_drawn, "goes with --method percentile or bca, or --random systems --estimand observed"
    ),
    "baseline": Effect(
        lambda _: False, "is for p-values, and infer gives intervals; compare takes it"
    ),
}


@app.command(effects=EFFECTS)
@with_source
@with_options
def infer(
    read: Reader,
    *,
    method: Annotated[
        str,
        one_of(
            _interval_names,
            "Interval; percentile and bca are bootstraps. projection goes with --random systems.",
        ),
    ] = "projection",
    random: Annotated[
        Literal[
            "systems", "segments", "documents", "systems+segments", "systems+documents", "hybrids"
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
    shown: ShownIntervals,
    output: ReportOutput,
) -> None:
    """Rank metrics with intervals that declare what is random.

    Computed on exact moments of the hybrid population: no hybrids are drawn.
    """
    from supersample.comparisons.correlations.infer import infer
    from supersample.comparisons.correlations.interval_methods import IntervalMethod
    from supersample.results.ranking import rank

    comparisons = infer(
        read(),
        IntervalMethod(method, random, estimand),
        mask=mask,
        resamples=resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    output.show_ranking(rank(comparisons), shown)
