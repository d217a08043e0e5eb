"""``supersample spa`` and ``segments``: metrics by accuracies of systems, and on segments."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.commands import OPTIONS, TESTS
from supersample.cli.effects import Effect, valued, without
from supersample.cli.options import Alternative, ConfidenceLevel, Groups, Seed, Units
from supersample.cli.reports import Against, ReportOutput
from supersample.cli.sources import Reader
from supersample.errors import check_choice

if TYPE_CHECKING:
    from supersample.measures.p_values import PValues
    from supersample.measures.translations import TranslationMeasure

_CALIBRATED = valued("statistic", "acc_eq*", "tau_eq*", said="acc_eq or tau_eq")


@dataclass(frozen=True, kw_only=True)
class PairsOfSystems:
    """P-values of pairs of systems.

    Parameters
    ----------
    p_values
        How p-values of pairs of systems are computed. normal: by the limit for many segments;
        monte_carlo: by random permutations.
    convention
        mid: a tie counts half; at_least: whole, as in the paper. With --p-values normal only
        systems of equal scores tie.
    unit
        Unit that is permuted as a whole: segment, document or a number of segments.
    permutations
        Number of permutations, with --p-values monte_carlo.
    """

    p_values: Literal["normal", "monte_carlo"] = "normal"
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
        What two metrics swap. inputs: whole segments; systems: whole systems; both: single scores.
    resamples
        Number of swaps of every two metrics; with --ablations, of subsets of systems and of draws
        of segments.
    estimator
        p-value of two metrics, if k of B swaps are at least as extreme as the observed difference;
        the paper uses k/B.
    ties
        exact: equal differences, such as those of PA, tie; floating_point: rounding errors may
        separate them.
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


_COMPONENTS = valued("figures", "all", "*components*", said="all or components")
_RANKED = ("scheme", "alternative", "estimator", "ties", "baseline", "all", "full", "explain", "by")


@app.command(
    effects={
        "metric": [
            Effect(
                lambda values: values["ablations"] or _COMPONENTS.when(values),
                f"{_COMPONENTS.text}, or with --ablations",
            )
        ],
        **dict.fromkeys(_RANKED, (without("ablations"),)),
    }
)
def spa(
    read: Reader,
    groups: Groups,
    *,
    pairs: PairsOfSystems,
    swaps: Swaps,
    metric: str | None = None,
    ablations: Annotated[bool, typer.Option("--ablations")] = False,
    seed: Seed = 0,
    shown: Against,
    output: ReportOutput,
) -> None:
    """Rank metrics by soft pairwise accuracy.

    Tests every two metrics by swapping their scores, forms significance clusters, and says which
    metrics could be the best, corrected for comparing all metrics. Writes the triangle of
    significant pairs that the papers of the WMT metrics task print.

    Parameters
    ----------
    metric
        With --figures components (or all), the metric whose components are drawn; with --ablations
        the metric whose intervals are shown.  [default: the best one]
    ablations
        Instead of the ranking, print how well rankings of fewer systems agree with it, and
        intervals of a metric's accuracy with fewer segments, for each set.
    """
    from supersample.comparisons.report_parts import accuracy_parts
    from supersample.comparisons.scopes import rank_by_measures
    from supersample.measures.pairs import PairwiseAccuracy, SoftPairwiseAccuracy

    scores, chosen = read.groups(groups), pairs.chosen()
    drawn: dict[str, Any] = {"seed": seed, "by": groups.by}
    measures = [SoftPairwiseAccuracy(chosen), PairwiseAccuracy(chosen)]
    if ablations:
        numbers = {"resamples": swaps.resamples, "confidence_level": swaps.confidence_level}
        _show_ablations(scores, measures, output, metric=metric, seed=seed, **numbers)
        return
    ranking = rank_by_measures(
        scores, measures, progress=not output.quiet, **drawn, **swaps.chosen()
    )
    names = ranking["metric"].to_numpy().tolist()
    if metric is not None:
        check_choice("metric", metric, names)
    against = output.print_ranking(ranking, shown)
    if output.out is not None:
        components, page = accuracy_parts(ranking, scores, p_values=chosen, **drawn)
        parts: dict[str, Any] = {"name": "accuracies", "components": components}
        parts |= {"metric": metric or names[0], "page": lambda: page}
        output.write_ranking(ranking, against=against, **parts)


def _show_ablations(scores: Any, measures: Any, output: ReportOutput, **options: Any) -> None:
    from supersample.comparisons.ablations import ablations

    found = ablations(scores, measures, **options)
    output.finish(*(part for parts in found.values() for part in parts))


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Measures of agreement on translations, and which translations they use.

    Parameters
    ----------
    statistic : NAME[/GROUPING]
        NAME: pearson, spearman, tau_b, tau_c, tau_23, acc_23, tau_eq or acc_eq (ties calibrated),
        kendall_like or pdp; GROUPING: item, system or none. Repeatable; the first one orders
        metrics.  [default: acc_eq/item, pdp/item, pearson/none]
    human_threshold
        Least difference of human scores that counts in kendall_like.
    calibrate_on : half|PAIR[:REFERENCE]
        Scores that calibrate ties: half of the segments, which are then not tested, or another
        language pair of the source (or another table).  [default: the tested scores]
    mask
        all: every rated translation; common: segments rated for every system; complete: those that
        every metric scored, too.
    """

    statistic: list[str] | None = None
    human_threshold: Annotated[float, valued("statistic", "kendall_like*", said="kendall_like")] = (
        25.0
    )
    calibrate_on: Annotated[
        str | None,
        Effect(
            lambda values: not values["statistic"] or _CALIBRATED.when(values),
            _CALIBRATED.text,
        ),
    ] = None
    mask: Literal["all", "common", "complete"] = "all"

    def chosen(self, calibrate_on: Any) -> "list[TranslationMeasure]":
        """Make the measures."""
        from supersample.measures.translations import DEFAULT, TranslationMeasure

        taken: dict[str, dict[str, Any]] = {
            "kendall_like": {"human_threshold": self.human_threshold},
            **{name: {"calibrate_on": calibrate_on} for name in ("acc_eq", "tau_eq")},
        }
        return [
            TranslationMeasure.parse(text, **taken.get(text.partition("/")[0], {}))
            for text in self.statistic or DEFAULT
        ]


@dataclass(frozen=True, kw_only=True)
class Tests:
    """Tests of every two metrics, or intervals.

    Parameters
    ----------
    random
        Print bootstrap intervals of values and differences, instead of tests by swaps: draw these
        with replacement.
    scheme
        What two metrics swap. inputs: whole segments; systems: whole systems; both: single scores;
        pairs: results of pairs of translations (as in the shared task, but this rejects equality
        too often).
    resamples
        Number of swaps of every two metrics, or of bootstrap draws.
    estimator
        p-value if k of B swaps are at least as extreme as the observed difference; the shared task
        uses k/B.
    """

    PANEL: ClassVar = TESTS
    random: Annotated[Units | None, typer.Option(rich_help_panel=OPTIONS)] = None
    scheme: Annotated[Literal["inputs", "systems", "both", "pairs"], without("random")] = "inputs"
    alternative: Annotated[Alternative, without("random")] = "two-sided"
    resamples: int = 1_000
    estimator: Annotated[Literal["(k+1)/(B+1)", "k/B"], without("random")] = "(k+1)/(B+1)"
    confidence_level: ConfidenceLevel = 0.95
    seed: Seed = 0

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of the comparison."""
        options = dict(vars(self))
        swapped = {"method": options.pop("scheme"), "estimator": options.pop("estimator")}
        if self.random is not None:
            del options["alternative"]
            return options
        return {**options, **swapped}


@app.command(effects={"baseline": [without("random")]})
def segments(
    read: Reader,
    groups: Groups,
    *,
    measured: Measured,
    tests: Tests,
    shown: Against,
    output: ReportOutput,
) -> None:
    """Rank metrics by how well they rank translations of one segment.

    Measures are correlations within segments, within systems or over all translations, accuracies
    with calibrated ties, and the pairwise difference Pearson. Every two metrics are tested by
    random swaps of their scores.
    """
    from supersample.comparisons.scopes import rank_by_measures
    from supersample.measures.scatters import translation_scores
    from supersample.presentation.labels import shown_groups

    ties = measured.calibrate_on
    scores = read.groups(groups)
    on: Any = ties if ties in (None, "half") else read.another(ties, "--calibrate-on")()
    options: dict[str, Any] = {"mask": measured.mask, "by": groups.by}
    ranking = rank_by_measures(
        scores, measured.chosen(on), progress=not output.quiet, **options, **tests.chosen()
    )
    against = output.print_ranking(ranking, shown)

    def page() -> dict[str, Any]:
        half: Any = ties if ties == "half" else None
        drawn = translation_scores(scores, calibrate_on=half, seed=tests.seed, **options)
        pages = ("", *shown_groups(ranking))
        return {"sample": {name: each for name, each in drawn.items() if name in pages}}

    output.write_ranking(ranking, name="segments", against=against, page=page)
