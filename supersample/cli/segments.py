"""``supersample segments``: metrics by their agreement with people on segments."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.commands import OPTIONS, TESTS
from supersample.cli.effects import valued, without
from supersample.cli.options import Alternative, ConfidenceLevel, Groups, Seed, significance_of
from supersample.cli.reports import Against, ReportOutput
from supersample.cli.sources import Reader

if TYPE_CHECKING:
    from supersample.segments.statistics import SegmentStatistic


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What agreement is, and on which translations.

    Parameters
    ----------
    statistic : NAME[/GROUPING]
        pearson, spearman, tau_b, tau_c, tau_23, acc_23, tau_eq or acc_eq (ties calibrated),
        kendall_like or pdp; within an item, a system, or none; repeatable, the first orders
        metrics.  [default: acc_eq/item, pdp/item, pearson/none]
    human_threshold
        Of kendall_like: least difference of human scores that counts.
    calibrate_on : half|PAIR[:REFERENCE]
        What ties are calibrated on: half of the segments, which are then not tested, or another
        language pair of the source (of a table: another table).  [default: the tested scores]
    mask
        Every rated translation; or segments rated for every system; or those of them that every
        metric scored.
    """

    statistic: list[str] | None = None
    human_threshold: Annotated[float, valued("statistic", "kendall_like*", said="kendall_like")] = (
        25.0
    )
    calibrate_on: Annotated[str | None, without("bootstrap")] = None
    mask: Literal["all", "common", "complete"] = "all"

    def named(self) -> "list[SegmentStatistic]":
        """Make the statistics."""
        from supersample.segments.agreement import DEFAULT
        from supersample.segments.statistics import SegmentStatistic

        return [
            SegmentStatistic.parse(text, human_threshold=self.human_threshold)
            for text in self.statistic or DEFAULT
        ]


@dataclass(frozen=True, kw_only=True)
class Tests:
    """Tests of every two metrics, or intervals.

    Parameters
    ----------
    bootstrap
        Draw these with replacement, for intervals of values and differences, in place of swaps.
    scheme
        What two metrics swap: their scores, the results of pairs of translations (which depend on
        each other: too many rejections), or whole segments.  [default: pairs for statistics of
        pairs, otherwise scores]
    resamples
        Swaps of every two metrics.
    estimator
        Of p, k of B swaps being as extreme; k/B as the shared task.
    """

    PANEL: ClassVar = TESTS
    bootstrap: Annotated[
        Literal["segment", "document", "system"] | None, typer.Option(rich_help_panel=OPTIONS)
    ] = None
    scheme: Annotated[Literal["scores", "pairs", "segments"] | None, without("bootstrap")] = None
    alternative: Annotated[Alternative, without("bootstrap")] = "two-sided"
    resamples: int = 1_000
    estimator: Annotated[Literal["(k+1)/(B+1)", "k/B"], without("bootstrap")] = "(k+1)/(B+1)"
    confidence_level: ConfidenceLevel = 0.95
    seed: Seed = 0


@app.command(effects={"baseline": [without("bootstrap")]})
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

    Correlations within segments, within systems or over all translations, accuracies with ties
    calibrated exactly, and the pairwise difference Pearson; every two metrics are tested by
    swapping their scores, or the results of pairs of translations.
    """
    from supersample.presentation.labels import shown_groups
    from supersample.presentation.segments import printed_agreement
    from supersample.results.outputs import write_segments
    from supersample.results.ranking import rank
    from supersample.segments.bootstrap import bootstrap_segments
    from supersample.segments.comparisons import compare_segments
    from supersample.segments.scatter import translation_scores

    named, ties = measured.named(), measured.calibrate_on
    scores = read.groups(groups.also)
    options: dict[str, Any] = {"mask": measured.mask, "by": groups.by, "seed": tests.seed}
    drawn = {"resamples": tests.resamples, **options}
    if tests.bootstrap is not None:
        drawn["confidence_level"] = tests.confidence_level
        compared = bootstrap_segments(scores, named, unit=tests.bootstrap, **drawn)
    else:
        drawn |= significance_of(tests.confidence_level)
        swapped = {name: getattr(tests, name) for name in ("scheme", "alternative", "estimator")}
        on: Any = ties if ties in (None, "half") else read.another(ties, "--calibrate-on")()
        compared = compare_segments(scores, named, calibrate_on=on, **swapped, **drawn)
    ranking = rank(compared)
    against = shown.print_by_measure(ranking, printed_agreement(ranking), output)

    def page() -> dict[str, Any]:
        half: Any = ties if ties == "half" else None
        drawn = translation_scores(scores, calibrate_on=half, **options)
        pages = ("", *shown_groups(ranking))
        return {"sample": {name: each for name, each in drawn.items() if name in pages}}

    output.write_ranking(write_segments, ranking, against=against, page=page)
