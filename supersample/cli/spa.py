"""``supersample spa``: metrics by soft pairwise accuracy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.effects import Effect, valued
from supersample.cli.options import (
    Also,
    Alternative,
    By,
    ConfidenceLevel,
    Reader,
    Seed,
    with_source,
)
from supersample.cli.parameters import with_options
from supersample.cli.reports import SMALLEST_LEFT_OUT, ReportOutput
from supersample.cli.shown import Against
from supersample.errors import check_choice

if TYPE_CHECKING:
    from supersample.measures.p_values import PValues

MEANS = {"mask": "complete", "human_mean": "segments"}
"""How scores of systems are those that accuracies compare."""


@dataclass(frozen=True)
class PairsOfSystems:
    """P-values of pairs of systems."""

    p_values: Annotated[
        Literal["normal", "monte_carlo", "exact"],
        typer.Option(
            help="Of pairs of systems: the limit for many units, drawn, or of all permutations."
        ),
    ] = "normal"
    convention: Annotated[
        Literal["mid", "at_least"],
        typer.Option(
            help="What ties count in those: half, or whole as in the paper. With --p-values normal "
            "only systems of equal scores tie."
        ),
    ] = "mid"
    unit: Annotated[
        str, typer.Option(help="What is permuted whole: segment, document or a number of segments.")
    ] = "segment"
    permutations: Annotated[int, typer.Option(help="With --p-values monte_carlo.")] = 1_000
    EFFECTS: ClassVar[Mapping[str, Effect]] = {"permutations": valued("p_values", "monte_carlo")}

    def chosen(self) -> "PValues":
        """Make the options of p-values; they check the unit, a number of segments or a word."""
        from supersample.measures.p_values import PValues

        number = self.unit.isascii() and self.unit.isdigit()
        unit: Any = int(self.unit) if number else self.unit
        return PValues(self.p_values, self.convention, unit, self.permutations)


@dataclass(frozen=True)
class Swaps:
    """Tests of every two metrics."""

    scheme: Annotated[
        Literal["inputs", "systems", "both"],
        typer.Option(help="What two metrics swap: whole segments, whole systems, or each score."),
    ] = "inputs"
    alternative: Alternative = "two-sided"
    resamples: Annotated[int, typer.Option(help="Swaps of every two metrics.")] = 1_000
    estimator: Annotated[
        Literal["(k+1)/(B+1)", "k/B"],
        typer.Option(help="Of p of two metrics, k of B swaps being as extreme; k/B as the paper."),
    ] = "(k+1)/(B+1)"
    ties: Annotated[
        Literal["exact", "floating_point"],
        typer.Option(
            help="Whether equal differences, such as those of PA, tie, or are compared as rounding "
            "left them."
        ),
    ] = "exact"
    confidence_level: ConfidenceLevel = 0.95

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of the comparison."""
        options = dict(vars(self))
        return {"method": options.pop("scheme"), **options}


@app.command(effects={"metric": valued("figures", "all", "*components*", said="all or components")})
@with_source
@with_options
def spa(
    read: Reader,
    *,
    also: Also = None,
    by: By = None,
    pairs: PairsOfSystems,
    swaps: Swaps,
    metric: Annotated[
        str | None,
        typer.Option(
            help="With --figures components (or all), the metric whose components are drawn.  "
            "[default: the best one]"
        ),
    ] = None,
    seed: Seed = 0,
    shown: Against,
    output: ReportOutput,
) -> None:
    """Rank metrics by soft pairwise accuracy.

    Tests every two metrics by swapping their scores, forms significance clusters, says which
    metrics may be the best, adjusted for all, and writes the triangle of significant pairs as the
    papers of the WMT metrics task print it.
    """
    from supersample.comparisons.compare import compare
    from supersample.comparisons.components import components_of_groups
    from supersample.measures.pairs import PairwiseAccuracy, SoftPairwiseAccuracy
    from supersample.presentation.labels import shown_groups, source_lines
    from supersample.results.ranking import rank

    scores: Any = read.several(also) if also else read()
    of_pairs: dict[str, Any] = {"p_values": pairs.chosen(), "seed": seed, "by": by}
    chosen = of_pairs["p_values"]
    measures = [SoftPairwiseAccuracy(chosen), PairwiseAccuracy(chosen)]
    ranking = rank(compare(scores, measures, seed=seed, by=by, **swaps.chosen()))
    names = ranking["metric"].to_numpy().tolist()
    if metric is not None:
        check_choice("metric", metric, names)
    against = shown.compared(ranking)
    output.say(*source_lines(ranking))
    shown.print_by_measure(ranking, against)
    if output.out is not None:
        from supersample.comparisons.components import leave_one_out_accuracies
        from supersample.results.outputs import write_comparison

        parts = components_of_groups(scores, **of_pairs)
        drawn: dict[str, Any] = {"metric": metric or names[0], "progress": not output.quiet}
        drawn |= {"name": "accuracies", "components": parts, "against": against}
        written = output.write(write_comparison, ranking, **drawn)
        left_out = {
            name: leave_one_out_accuracies(each)
            for name, each in parts.items()
            if name in ("", *shown_groups(ranking)) and each.sizes["system"] >= SMALLEST_LEFT_OUT
        }
        shown_too: dict[str, Any] = {"influence": left_out, "against": against}
        output.write_report(ranking, written, scores=scores, by=by, means=MEANS, **shown_too)
