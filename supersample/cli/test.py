"""``supersample test``: correlations entered as numbers, and answers of judges."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, help_if_bare, print_tables
from supersample.cli.commands import App
from supersample.cli.options import Alternative, ConfidenceLevel, Scale
from supersample.cli.output import PageOutput

if TYPE_CHECKING:
    import xarray as xr

test = App(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(test, name="test")
R = Annotated[float, typer.Argument()]
N = Annotated[int, typer.Option("--systems", help="Number of systems measured, such as 12.")]


@test.callback()
def _group(context: typer.Context) -> None:
    """Test correlations given as numbers, or LLM judges.

    A negative number goes after --, as in: test overlapping --systems 12 -- 0.9 -0.2 0.1
    """
    help_if_bare(context)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every test."""

    alternative: Alternative = "two-sided"
    confidence_level: ConfidenceLevel = 0.95


@test.command()
def overlapping(r12: R, r13: R, r23: R, *, n: N, options: Options) -> None:
    """Test r12 against r13: two metrics with the same human scores.

    Parameters
    ----------
    r12
        Correlation of metric a with the human scores, such as 0.9.
    r13
        Correlation of metric b with the human scores.
    r23
        Correlation of metric a with metric b.
    """
    from supersample.comparisons.correlations.from_numbers import compare_overlapping

    _print(compare_overlapping(r12, r13, r23, n, **vars(options)))


@test.command()
def non_overlapping(
    r12: R, r34: R, r13: R, r14: R, r23: R, r24: R, *, n: N, options: Options
) -> None:
    """Test r12 against r34: two metrics on the same systems, each with its own human scores.

    r12 is the correlation of 1 and 2, and so on: 1 and 3 are human scores, 2 and 4 are metrics.

    Parameters
    ----------
    r12
        Correlation of the first metric with its human scores, such as 0.9.
    r34
        Correlation of the second metric with its human scores.
    r13
        Correlation of the human scores with each other.
    r14
        Correlation of the first human scores with the second metric.
    r23
        Correlation of the first metric with the second human scores.
    r24
        Correlation of the metrics with each other.
    """
    from supersample.comparisons.correlations.from_numbers import compare_non_overlapping

    _print(compare_non_overlapping(r12, r34, r13, r14, r23, r24, n, **vars(options)))


@test.command()
def independent(r1: R, r2: R, *, n1: int, n2: int, options: Options) -> None:
    """Test r1 against r2 over different systems, such as those of two language pairs.

    Parameters
    ----------
    r1
        First correlation, such as 0.9.
    r2
        Second correlation.
    n1
        Number of systems behind r1, such as 12.
    n2
        Number of systems behind r2.
    """
    from supersample.comparisons.correlations.from_numbers import compare_independent

    _print(compare_independent(r1, r2, n1, n2, **vars(options)))


@test.command()
def judge(
    people: Annotated[str, typer.Argument()],
    judges: Annotated[str, typer.Argument()],
    *,
    epsilon: float = 0.2,
    alignment: Literal["accuracy", "rmse"] = "accuracy",
    fewest_people: int = 3,
    alpha: Scale | None = None,
    output: PageOutput,
) -> None:
    """Test whether a judge, such as an LLM, may stand in for annotators.

    This is the alternative annotator test (Calderon, Reichart and Dror, 2025).

    Parameters
    ----------
    people
        File with the answers of people: a table with the columns annotator, item and answer, or
        JSON of the form annotator, item, answer.
    judges
        File with the answers of judges, in the same form.
    epsilon
        How much worse than a person a judge may be because it is cheaper: 0.2 if people are
        experts, 0.15 if they are skilled, 0.1 if they are a crowd.
    alignment
        How well an answer fits the other answers to an item. accuracy: the share of equal answers;
        rmse: the distance to them.
    fewest_people
        Leave out items with answers of fewer than N people.
    alpha
        Also print agreement beyond chance, for answers on this scale: Krippendorff's alpha of the
        people, and Cohen's kappa of every two people or judges.
    """
    from supersample.raters.judges import alternative_annotator_test, chance_corrected
    from supersample.readers.ratings import read_answers

    how: dict[str, Any] = {"epsilon": epsilon, "alignment": alignment}
    given, judged, chance = read_answers(people), read_answers(judges), None
    found = alternative_annotator_test(given, judged, fewest_people=fewest_people, **how)
    if alpha is not None:
        of_people = chance_corrected(given, scale=alpha)
        chance = chance_corrected({**given, **judged}, scale=alpha).assign(alpha=of_people["alpha"])
    output.finish(found, *([] if chance is None else [chance]))


def _print(result: "xr.Dataset") -> None:
    from supersample.presentation.studies import numbers_table

    print_tables(numbers_table(result), of=[result])
