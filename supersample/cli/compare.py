"""``supersample compare``: metrics on the original systems, by any test or interval."""

from typing import Annotated, Any, Literal

import typer

from supersample.cli.app import app
from supersample.cli.effects import Effect, Values, valued
from supersample.cli.options import (
    Alternative,
    Reader,
    Seed,
    coefficient_names,
    formula_names,
    one_of,
    with_source,
)
from supersample.cli.parameters import RandomOption, SystemOptions, with_options
from supersample.cli.reports import ReportOutput
from supersample.cli.shown import Shown
from supersample.errors import InputError, check_choice

RESAMPLING = (
    "bootstrap-percentile",
    "bootstrap-basic",
    "bootstrap-bca",
    "perm-systems",
    "perm-inputs",
    "perm-both",
)
SYSTEM_TEST = "williams-jackknife"
_DRAWN = ("bootstrap-*", "perm-*")
_FORMULA = Effect(
    lambda values: not valued("method", *_DRAWN, "williams-*").when(values),
    "goes with --method zou2007 and other formulas",
)
OF_METHOD = {
    "random": valued("method", "bootstrap-*"),
    "coefficient": valued("method", *_DRAWN),
    "resamples": valued("method", *_DRAWN),
    "seed": valued("method", SYSTEM_TEST, *_DRAWN),
    "orientation": _FORMULA,
    "alternative": Effect(
        lambda values: not valued("method", "bootstrap-*").when(values),
        "does not go with --method bootstrap-*, which gives intervals",
    ),
}
"""Options of methods."""


@app.command(effects={**OF_METHOD, "baseline": OF_METHOD["alternative"]})
@with_source
@with_options
def compare(
    read: Reader,
    *,
    context: typer.Context,
    pair: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[METRIC METRIC]",
            help="Two metrics, after TABLE if there is one: the difference between them, and no "
            "others.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str,
        one_of(
            lambda: [SYSTEM_TEST, *formula_names(), *RESAMPLING],
            "Test or interval of a difference of correlations.",
        ),
    ] = SYSTEM_TEST,
    coefficient: Annotated[
        str,
        one_of(coefficient_names, "Formulas take pearson; bootstrap and permutations any."),
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
    random: RandomOption = "systems",
    seed: Seed = 0,
    systems: SystemOptions,
    shown: Shown,
    output: ReportOutput,
) -> None:
    """Compare metrics on the original systems, without hybrids.

    Correlates every metric with the human scores over the systems and tests every difference of two
    correlations: by the recommended test, which allows for tails (williams-jackknife), by formulas
    of the three correlations alone, by bootstrap over systems, segments or documents (bootstrap-*,
    --random) or by swapped scores (perm-*).
    """
    chosen = _chosen(context.params)
    read, first = read.apart()
    pair = [*first, *(pair or [])]
    if pair and len(pair) != 2:
        raise InputError(f"name two metrics to compare, not {len(pair)}: {', '.join(pair)}")
    scores = read()
    if pair:
        scores = _of_two(scores, pair)
    from supersample.comparisons.rankings import rank_systems

    output.show_ranking(rank_systems(scores, method, **vars(systems), **chosen), shown)


def _chosen(values: Values) -> dict[str, Any]:
    """Options for the method."""
    taken = (name for name, effect in OF_METHOD.items() if effect.when(values))
    return {name: values[name] for name in taken if values[name] is not None}


def _of_two(scores: Any, pair: list[str]) -> Any:
    """Keep two metrics of Scores, or of system-level scores."""
    if "system_score" not in scores:
        from supersample.scores.selection import keep_metrics

        return keep_metrics(scores, pair)
    for name in pair:
        check_choice("metric", name, scores["metric"].to_numpy().tolist())
    return scores.sel(metric=pair)
