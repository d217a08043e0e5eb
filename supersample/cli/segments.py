"""``supersample segments``: metrics by their agreement with people on segments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.effects import Effect, valued, without
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
from supersample.cli.reports import ReportOutput
from supersample.cli.shown import Against
from supersample.errors import check_confidence_level

if TYPE_CHECKING:
    from supersample.segments.statistics import SegmentStatistic


@dataclass(frozen=True)
class Measured:
    """What agreement is, and on which translations."""

    statistic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[/GROUPING]",
            help="pearson, spearman, tau_b, tau_c, tau_23, acc_23, tau_eq or acc_eq (ties "
            "calibrated), kendall_like or pdp; within an item, a system, or none; repeatable, the "
            "first orders metrics.  [default: acc_eq/item, pdp/item, pearson/none]",
        ),
    ] = None
    human_threshold: Annotated[
        float, typer.Option(help="Of kendall_like: least difference of human scores that counts.")
    ] = 25.0
    calibrate_on: Annotated[
        str | None,
        typer.Option(
            metavar="half|PAIR[:REFERENCE]",
            help="What ties are calibrated on: half of the segments, which are then not tested, or "
            "another language pair of the source (of a table: another table).  [default: the "
            "tested scores]",
        ),
    ] = None
    mask: Annotated[
        Literal["all", "common", "complete"],
        typer.Option(
            help="Every rated translation; or segments rated for every system; or those of them "
            "that every metric scored."
        ),
    ] = "all"
    EFFECTS: ClassVar[Mapping[str, Effect]] = {
        "human_threshold": valued("statistic", "kendall_like*", said="kendall_like"),
        "calibrate_on": without("bootstrap"),
    }

    def named(self) -> "list[SegmentStatistic]":
        """Make the statistics."""
        from supersample.segments.agreement import DEFAULT
        from supersample.segments.statistics import SegmentStatistic

        return [
            SegmentStatistic.parse(text, human_threshold=self.human_threshold)
            for text in self.statistic or DEFAULT
        ]


@dataclass(frozen=True)
class Swapped:
    """Tests of every two metrics."""

    scheme: Annotated[
        Literal["scores", "pairs", "segments"] | None,
        typer.Option(
            help="What two metrics swap: their scores, the results of pairs of translations (which "
            "depend on each other: too many rejections), or whole segments.  "
            "[default: pairs for statistics of pairs, otherwise scores]"
        ),
    ] = None
    alternative: Alternative = "two-sided"
    resamples: Annotated[int, typer.Option(help="Swaps of every two metrics.")] = 1_000
    estimator: Annotated[
        Literal["(k+1)/(B+1)", "k/B"],
        typer.Option(help="Of p, k of B swaps being as extreme; k/B as the shared task."),
    ] = "(k+1)/(B+1)"
    confidence_level: ConfidenceLevel = 0.95
    seed: Seed = 0
    EFFECTS: ClassVar[Mapping[str, Effect]] = dict.fromkeys(
        ("scheme", "alternative", "estimator"), without("bootstrap")
    )

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of the comparison."""
        check_confidence_level(self.confidence_level)
        options = dict(vars(self))
        level = options.pop("confidence_level")
        return {**options, "significance_level": round(1 - level, 12)}


@app.command(effects={"baseline": without("bootstrap")})
@with_source
@with_options
def segments(
    read: Reader,
    *,
    also: Also = None,
    by: By = None,
    measured: Measured,
    bootstrap: Annotated[
        Literal["segment", "document", "system"] | None,
        typer.Option(
            help="Draw these with replacement, for intervals of values and differences, in "
            "place of swaps."
        ),
    ] = None,
    swapped: Swapped,
    shown: Against,
    output: ReportOutput,
) -> None:
    """Rank metrics by how well they rank translations of one segment.

    Correlations within segments, within systems or over all translations, accuracies with ties
    calibrated exactly, and the pairwise difference Pearson; every two metrics are tested by
    swapping their scores, or the results of pairs of translations.
    """
    from supersample.presentation.labels import shown_groups, source_lines
    from supersample.results.outputs import write_comparison
    from supersample.results.ranking import rank
    from supersample.segments.bootstrap import bootstrap_segments
    from supersample.segments.comparisons import compare_segments
    from supersample.segments.scatter import translation_scores

    named, ties = measured.named(), measured.calibrate_on
    scores: Any = read.several(also) if also else read()
    options: dict[str, Any] = {"mask": measured.mask, "by": by}
    if bootstrap is None:
        on: Any = ties if ties in (None, "half") else read.another(ties, "--calibrate-on")
        compared = compare_segments(scores, named, calibrate_on=on, **options, **swapped.chosen())
    else:
        names = ("resamples", "seed", "confidence_level")
        options |= {name: getattr(swapped, name) for name in names}
        compared = bootstrap_segments(scores, named, unit=bootstrap, **options)
    ranking = rank(compared)
    against = shown.compared(ranking)
    output.say(*source_lines(ranking))
    shown.print_by_measure(ranking, against)
    files: dict[str, Any] = {"name": "segments", "against": against, "progress": not output.quiet}
    written = output.write(write_comparison, ranking, **files)
    if output.out is not None and output.report:
        half: Any = ties if ties == "half" else None
        where: dict[str, Any] = {"mask": measured.mask, "by": by, "seed": swapped.seed}
        drawn = translation_scores(scores, calibrate_on=half, **where)
        pages = ("", *shown_groups(ranking))
        sample = {name: each for name, each in drawn.items() if name in pages}
        output.write_report(ranking, written, against=against, sample=sample)
