"""``supersample spa``: metrics by soft pairwise accuracy."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from supersample.cli.app import app
from supersample.cli.commands import TESTS
from supersample.cli.effects import valued
from supersample.cli.options import Alternative, ConfidenceLevel, Groups, Seed
from supersample.cli.reports import Against, ReportOutput
from supersample.cli.sources import Reader
from supersample.errors import check_choice

if TYPE_CHECKING:
    from supersample.measures.p_values import PValues


@dataclass(frozen=True, kw_only=True)
class PairsOfSystems:
    """P-values of pairs of systems.

    Parameters
    ----------
    p_values
        Of pairs of systems: the limit for many units, drawn, or of all permutations.
    convention
        What ties count in those: half, or whole as in the paper. With --p-values normal only
        systems of equal scores tie.
    unit
        What is permuted whole: segment, document or a number of segments.
    permutations
        With --p-values monte_carlo.
    """

    p_values: Literal["normal", "monte_carlo", "exact"] = "normal"
    convention: Literal["mid", "at_least"] = "mid"
    unit: str = "segment"
    permutations: Annotated[int, valued("p_values", "monte_carlo")] = 1_000

    def chosen(self) -> "PValues":
        """Make the options of p-values; they check the unit, a number of segments or a word."""
        from supersample.measures.p_values import PValues

        number = self.unit.isascii() and self.unit.isdigit()
        unit: Any = int(self.unit) if number else self.unit
        return PValues(self.p_values, self.convention, unit, self.permutations)


@dataclass(frozen=True, kw_only=True)
class Swaps:
    """Tests of every two metrics.

    Parameters
    ----------
    scheme
        What two metrics swap: whole segments, whole systems, or each score.
    resamples
        Swaps of every two metrics.
    estimator
        Of p of two metrics, k of B swaps being as extreme; k/B as the paper.
    ties
        Whether equal differences, such as those of PA, tie, or are compared as rounding left them.
    """

    PANEL: ClassVar = TESTS
    scheme: Literal["inputs", "systems", "both"] = "inputs"
    alternative: Alternative = "two-sided"
    resamples: int = 1_000
    estimator: Literal["(k+1)/(B+1)", "k/B"] = "(k+1)/(B+1)"
    ties: Literal["exact", "floating_point"] = "exact"
    confidence_level: ConfidenceLevel = 0.95

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of the comparison."""
        options = dict(vars(self))
        return {"method": options.pop("scheme"), **options}


@app.command(
    effects={"metric": [valued("figures", "all", "*components*", said="all or components")]}
)
def spa(
    read: Reader,
    groups: Groups,
    *,
    pairs: PairsOfSystems,
    swaps: Swaps,
    metric: str | None = None,
    seed: Seed = 0,
    shown: Against,
    output: ReportOutput,
) -> None:
    """Rank metrics by soft pairwise accuracy.

    Tests every two metrics by swapping their scores, forms significance clusters, says which
    metrics may be the best, adjusted for all, and writes the triangle of significant pairs as the
    papers of the WMT metrics task print it.

    Parameters
    ----------
    metric
        With --figures components (or all), the metric whose components are drawn.
        [default: the best one]
    """
    from supersample.comparisons.compare import compare
    from supersample.comparisons.report_parts import accuracy_parts
    from supersample.measures.pairs import PairwiseAccuracy, SoftPairwiseAccuracy
    from supersample.results.ranking import rank

    scores, chosen = read.groups(groups.also), pairs.chosen()
    drawn: dict[str, Any] = {"seed": seed, "by": groups.by}
    measures = [SoftPairwiseAccuracy(chosen), PairwiseAccuracy(chosen)]
    ranking = rank(compare(scores, measures, **drawn, **swaps.chosen()))
    names = ranking["metric"].to_numpy().tolist()
    if metric is not None:
        check_choice("metric", metric, names)
    against = output.print_ranking(ranking, shown)
    if output.out is not None:
        components, page = accuracy_parts(ranking, scores, p_values=chosen, **drawn)
        parts: dict[str, Any] = {"name": "accuracies", "components": components}
        parts |= {"metric": metric or names[0], "page": lambda: page}
        output.write_ranking(ranking, against=against, **parts)
