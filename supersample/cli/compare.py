"""``supersample compare``: metrics on the original systems, by any test or interval."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app
from supersample.cli.commands import OPTIONS, TESTS
from supersample.cli.effects import Effect, Values, valued, without
from supersample.cli.options import (
    Alternative,
    ConfidenceLevel,
    Means,
    RandomUnit,
    Seed,
    coefficient_names,
    formula_names,
    one_of,
)
from supersample.cli.reports import ReportOutput, Shown
from supersample.cli.sources import Reader
from supersample.errors import InputError

if TYPE_CHECKING:
    from supersample.presentation.table import Table

RESAMPLING = (
    *("bootstrap-percentile", "bootstrap-basic", "bootstrap-bca"),
    *("perm-systems", "perm-inputs", "perm-both"),
)
SYSTEM_TEST = "williams-jackknife"


def _with_intervals(*patterns: str) -> Effect:
    """Have an effect with --intervals, and with methods of these patterns."""
    of_method = valued("method", *patterns)
    text = f"{of_method.text}, or with --intervals"
    return Effect(lambda values: values["intervals"] or of_method.when(values), text)


def _but(text: str, *patterns: str) -> Effect:
    """Have an effect except with methods of these patterns."""
    return Effect(lambda values: not valued("method", *patterns).when(values), text)


_DRAWN = ("bootstrap-*", "perm-*")
_TESTED = _but("does not go with --method bootstrap-*, which gives intervals", "bootstrap-*")
_ALONE = without("intervals")
OF_METHOD = {
    "random": [_with_intervals("bootstrap-*")],
    "coefficient": [_with_intervals(*_DRAWN)],
    "resamples": [_with_intervals(*_DRAWN)],
    "seed": [_with_intervals(SYSTEM_TEST, *_DRAWN)],
    "orientation": [
        _ALONE,
        _but("goes with --method zou2007 and other formulas", *_DRAWN, "williams-*"),
    ],
    "alternative": [_ALONE, _TESTED],
}
"""Options of methods."""
EFFECTS = {
    **OF_METHOD,
    **dict.fromkeys(("method", "influence", "explain", "figures", "figure_width"), (_ALONE,)),
    "baseline": [_ALONE, _TESTED],
    "deciding": [_ALONE],
}


def _method_names() -> list[str]:
    return [SYSTEM_TEST, *formula_names(), *RESAMPLING]


@dataclass(frozen=True, kw_only=True)
class Method:
    """How correlations are compared.

    Parameters
    ----------
    method
        Test or interval for the difference of two correlations.
    coefficient
        Kind of correlation. Formulas need pearson; bootstrap, permutations and --intervals take
        any.
    orientation
        declared keeps the sign of r; absolute compares |r|, as some papers do.
    resamples
        Number of bootstrap draws or permutations.  [default: 9999; permutations 1000]
    """

    PANEL: ClassVar = TESTS
    method: Annotated[str, one_of(_method_names, rich_help_panel=OPTIONS)] = SYSTEM_TEST
    coefficient: Annotated[str, one_of(coefficient_names, rich_help_panel=OPTIONS)] = "pearson"
    alternative: Alternative = "two-sided"
    orientation: Literal["declared", "absolute"] = "declared"
    resamples: int | None = None
    random: RandomUnit = "systems"
    seed: Seed = 0

    def chosen(self, **more: Any) -> dict[str, Any]:
        """Options that go with the method, or with --intervals."""
        values: Values = {**vars(self), **more}
        taken = {
            name
            for name, effects in OF_METHOD.items()
            if values[name] is not None and all(effect.when(values) for effect in effects)
        }
        return {name: values[name] for name in taken}


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Intervals of correlations in place of comparisons.

    Parameters
    ----------
    intervals
        Print intervals of each metric's correlation, and no comparisons.
    human_unit
        With --intervals: what the interval draws that resamples only human scores.
        [default: segments; with --ratings ratings]
    """

    PANEL: ClassVar = TESTS
    intervals: Annotated[bool, typer.Option("--intervals", rich_help_panel=OPTIONS)] = False
    human_unit: Annotated[
        Literal["segments", "ratings", "assessors"] | None,
        Effect(
            lambda values: values["intervals"] and values["coefficient"] == "pearson",
            "goes with --intervals and --coefficient pearson",
        ),
    ] = None


@app.command(effects=EFFECTS)
def compare(
    read: Reader,
    pair: Annotated[list[str] | None, typer.Argument(show_default=False)] = None,
    *,
    method: Method,
    confidence_level: ConfidenceLevel = 0.95,
    intervals: Intervals,
    deciding: Literal["segments", "documents"] | None = None,
    means: Means,
    shown: Shown,
    output: ReportOutput,
) -> None:
    """Compare metrics on the original systems, without hybrids.

    Correlates every metric with the human scores over the systems, and tests the difference of
    every two correlations. The default test, williams-jackknife, is recommended: it is robust to
    heavy tails. Other methods use a formula of the three correlations, a bootstrap over systems,
    segments or documents (bootstrap-*, --random), or swapped scores (perm-*).

    --intervals prints Fisher's interval of each correlation (for ranks with Bonett and Wright's
    variance). With --full it adds bootstrap intervals (percentile, basic, BCa) and the WMT-style
    interval, which resamples only human scores: segments or, with --ratings, single ratings or
    assessors.

    Parameters
    ----------
    pair : [METRIC METRIC]
        Two metrics to compare, or their files. They follow DATA, if there is one.
    deciding
        Print the segments or documents that decide between two metrics, with translations.
    """
    options = {**method.chosen(intervals=intervals.intervals), **vars(means)}
    options["confidence_level"] = confidence_level
    read, first = read.apart()
    pair = [*first, *(pair or [])]
    if pair and len(pair) != 2:
        raise InputError(f"name two metrics, as in DATA A B, not {len(pair)}: {', '.join(pair)}")
    if deciding is not None and not pair:
        raise InputError(f"--deciding {deciding} needs two metrics: compare DATA A B")
    from supersample.comparisons import rankings as pipelines
    from supersample.scores.selection import keep_metrics
    from supersample.scores.system_level import system_level_scores

    read, pair = read.with_files(pair)
    scores = read()
    if pair:  # what others lack says nothing of these two
        scores = keep_metrics(scores, pair).assign_attrs(metrics_left_out="")
    if not intervals.intervals:
        ranking = pipelines.rank_systems(scores, method.method, **options)
        systems = system_level_scores(scores, **vars(means)) if shown.influence else None
        ranked = pipelines.RankedHybrids(ranking, systems=systems)

        def page(influence: Any) -> dict[str, Any]:
            return {"influence": influence.left_out} if influence else {}

        more: dict[str, Any] = {"method": method.method, "page": page}
        if deciding is not None:
            measure: dict[str, Any] = {"coefficient": method.coefficient, **vars(means)}
            more["deciding"] = _deciding(scores, pair, deciding, read, **measure)
        output.show_ranking(ranked, shown, **more)
        return
    human_only = method.coefficient == "pearson" and "segment" in scores.dims
    if intervals.human_unit is not None and not human_only:
        raise InputError("--human-unit needs segment-level scores; leave it out")
    ratings = read.ratings() if human_only else None
    found = pipelines.every_interval(
        scores, human_unit=intervals.human_unit, ratings=ratings, **options
    )
    asked = method.resamples or intervals.human_unit or method.random != "systems" or method.seed
    # options of what is drawn ask for it
    output.finish(*found, full=bool(shown.full or asked))


def _deciding(
    scores: Any, pair: list[str], unit: Any, read: Reader, *, mask: Any, **measure: Any
) -> "Table":
    """Table of what decides between two metrics, with translations where they are known."""
    from supersample.comparisons.influence import deciding_segments
    from supersample.measures.systems import Correlation
    from supersample.presentation.influence import deciding_table

    first, second = pair
    chosen = Correlation(**measure)
    found = deciding_segments(scores, first, second, chosen, unit=unit, mask=mask)
    return deciding_table(found, read.translations(scores, found) if unit == "segments" else None)
