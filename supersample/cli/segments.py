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
from supersample.cli.parameters import RandomOption, with_options
from supersample.cli.reports import ReportOutput
from supersample.cli.shown import Against

if TYPE_CHECKING:
    from supersample.measures.translations import TranslationMeasure


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
    }

    def chosen(self, calibrate_on: Any) -> "list[TranslationMeasure]":
        """Make the measures."""
        from supersample.measures.translations import DEFAULT, TranslationMeasure

        return [
            TranslationMeasure.parse(
                text, human_threshold=self.human_threshold, calibrate_on=calibrate_on
            )
            for text in self.statistic or DEFAULT
        ]


@dataclass(frozen=True)
class Swapped:
    """Tests of every two metrics."""

    scheme: Annotated[
        Literal["inputs", "systems", "both", "pairs"],
        typer.Option(
            help="What two metrics swap: whole segments (inputs), whole systems, each score by "
            "itself (both), or who is right about pairs of translations, as the shared task does; "
            "swapped pairs depend on each other and reject too often."
        ),
    ] = "inputs"
    alternative: Alternative = "two-sided"
    resamples: Annotated[int, typer.Option(help="Swaps of every two metrics.")] = 1_000
    estimator: Annotated[
        Literal["(k+1)/(B+1)", "k/B"],
        typer.Option(help="Of p, k of B swaps being as extreme; k/B as the shared task."),
    ] = "(k+1)/(B+1)"
    confidence_level: ConfidenceLevel = 0.95
    seed: Seed = 0
    EFFECTS: ClassVar[Mapping[str, Effect]] = dict.fromkeys(
        ("scheme", "alternative", "estimator"), without("random")
    )

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of the comparison."""
        options = dict(vars(self))
        return {"method": options.pop("scheme"), **options}


@app.command(effects={"baseline": without("random")})
@with_source
@with_options
def segments(
    read: Reader,
    *,
    also: Also = None,
    by: By = None,
    measured: Measured,
    random: RandomOption = None,
    swapped: Swapped,
    shown: Against,
    output: ReportOutput,
) -> None:
    """Rank metrics by how well they rank translations of one segment.

    Correlations within segments, within systems or over all translations, accuracies with ties
    calibrated exactly, and the pairwise difference Pearson; every two metrics are tested by
    swapping their scores, or the results of pairs of translations.
    """
    from supersample.comparisons.compare import compare
    from supersample.comparisons.scatters import translation_scores
    from supersample.presentation.labels import shown_groups, source_lines
    from supersample.results.outputs import write_comparison
    from supersample.results.ranking import rank

    ties = measured.calibrate_on
    scores: Any = read.several(also) if also else read()
    on: Any = ties if ties in (None, "half") else read.another(ties, "--calibrate-on")
    options = {"mask": measured.mask, "by": by, **swapped.chosen()}
    if random is not None:
        for name in ("method", "alternative", "estimator"):
            del options[name]
    ranking = rank(compare(scores, measured.chosen(on), random=random, **options))
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
