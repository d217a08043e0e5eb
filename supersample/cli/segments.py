"""``supersample segments``: metrics by their agreement with people on segments."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.commands import OPTIONS, TESTS
from supersample.cli.effects import Effect, valued, without
from supersample.cli.options import Alternative, ConfidenceLevel, Groups, Seed
from supersample.cli.reports import Against, ReportOutput
from supersample.cli.sources import Reader

if TYPE_CHECKING:
    from supersample.measures.translations import TranslationMeasure

_CALIBRATED = valued("statistic", "acc_eq*", "tau_eq*", said="acc_eq or tau_eq")


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
        Draw these with replacement, for intervals of values and differences, in place of swaps.
    scheme
        What two metrics swap: whole segments (inputs), whole systems, each score by itself (both),
        or who is right about pairs of translations, as the shared task does; swapped pairs depend
        on each other and reject too often.
    resamples
        Swaps of every two metrics, or draws.
    estimator
        Of p, k of B swaps being as extreme; k/B as the shared task.
    """

    PANEL: ClassVar = TESTS
    random: Annotated[
        Literal["systems", "segments", "documents", "systems+segments", "systems+documents"] | None,
        typer.Option(rich_help_panel=OPTIONS),
    ] = None
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

    Correlations within segments, within systems or over all translations, accuracies with ties
    calibrated exactly, and the pairwise difference Pearson; every two metrics are tested by
    swapping their scores, or the results of pairs of translations.
    """
    from supersample.comparisons.compare import compare
    from supersample.measures.scatters import translation_scores
    from supersample.presentation.labels import shown_groups
    from supersample.results.outputs import write_comparison
    from supersample.results.ranking import rank

    ties = measured.calibrate_on
    scores = read.groups(groups.also)
    on: Any = ties if ties in (None, "half") else read.another(ties, "--calibrate-on")()
    options: dict[str, Any] = {"mask": measured.mask, "by": groups.by}
    ranking = rank(compare(scores, measured.chosen(on), **options, **tests.chosen()))
    against = shown.print_by_measure(ranking, output)

    def page() -> dict[str, Any]:
        half: Any = ties if ties == "half" else None
        drawn = translation_scores(scores, calibrate_on=half, seed=tests.seed, **options)
        pages = ("", *shown_groups(ranking))
        return {"sample": {name: each for name, each in drawn.items() if name in pages}}

    output.write_ranking(write_comparison, ranking, name="segments", against=against, page=page)
