"""``supersample test``: correlations entered as numbers, answers of judges, and preferences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, help_if_bare, print_tables
from supersample.cli.commands import App
from supersample.cli.options import Alternative, ConfidenceLevel

if TYPE_CHECKING:
    import xarray as xr

test = App(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(test, name="test")
R = Annotated[float, typer.Argument()]
N = Annotated[int, typer.Option("--systems", help="Number of systems behind the correlations.")]


@test.callback()
def _group(context: typer.Context) -> None:
    """Test correlations as numbers, judges of items, or preferences.

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
    """r12 against r13: two metrics with the same human scores.

    Parameters
    ----------
    r12
        Metric a with the human scores.
    r13
        Metric b with the human scores.
    r23
        Metric a with metric b.
    """
    from supersample.comparisons.correlations.from_numbers import compare_overlapping

    _print(compare_overlapping(r12, r13, r23, n, **vars(options)))


@test.command()
def non_overlapping(
    r12: R, r34: R, r13: R, r14: R, r23: R, r24: R, *, n: N, options: Options
) -> None:
    """r12 against r34 over the same systems: two metrics, each with its own human scores."""
    from supersample.comparisons.correlations.from_numbers import compare_non_overlapping

    _print(compare_non_overlapping(r12, r34, r13, r14, r23, r24, n, **vars(options)))


@test.command()
def independent(r1: R, r2: R, *, n1: int, n2: int, options: Options) -> None:
    """r1 against r2 over different systems, such as two language pairs.

    Parameters
    ----------
    n1
        Systems that r1 rests on.
    n2
        Systems that r2 rests on.
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
) -> None:
    """Test whether a judge, such as an LLM, may stand in for annotators.

    This is the alternative annotator test (Calderon, Reichart and Dror, 2025).

    Parameters
    ----------
    people
        Answers of people: JSON of annotator, item and answer, or a table with these columns.
    judges
        Answers of judges, in the same form.
    epsilon
        How much worse a judge may be because it is cheaper: .2 in place of experts, .15 of skilled
        people, .1 of a crowd.
    alignment
        How well an answer fits the other answers to an item: by the share that is equal, or by
        distance.
    fewest_people
        Items with answers of fewer people are left out.
    """
    from supersample.presentation.raters import judges_table
    from supersample.raters.judges import alternative_annotator_test
    from supersample.readers.judgments import read_answers

    how: dict[str, Any] = {"epsilon": epsilon, "alignment": alignment}
    answers = read_answers(people), read_answers(judges)
    found = alternative_annotator_test(*answers, fewest_people=fewest_people, **how)
    print_tables(judges_table(found), of=[found])


@test.command()
def preferences(
    table: Annotated[str, typer.Argument()], *, confidence_level: ConfidenceLevel = 0.95
) -> None:
    """Score systems by which of two outputs people preferred (Bradley and Terry).

    Parameters
    ----------
    table
        Table with the columns first and second (systems), item, and better: a system, first,
        second, or tie.
    """
    from supersample.presentation.raters import strengths_table
    from supersample.raters.preferences import bradley_terry, make_preferences
    from supersample.readers.judgments import read_preferences

    found = bradley_terry(
        make_preferences(**read_preferences(table)), confidence_level=confidence_level
    )
    print_tables(strengths_table(found), of=[found])


def _print(result: "xr.Dataset") -> None:
    from supersample.presentation.studies import numbers_table

    print_tables(numbers_table(result), of=[result])
