"""Options whose choices registries give."""

from typing import Annotated, Literal

import pytest
import typer

from supersample.cli.options import one_of

METHODS = ["zou2007", "steiger1980"]


def _run(annotation, *arguments):
    app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)

    @app.command()
    def command(method: annotation = "zou2007"):
        typer.echo(f"chosen {method}")

    try:
        app(list(arguments), standalone_mode=False)
    except typer.TyperException as error:
        return error.format_message()
    return None


@pytest.fixture
def registered():
    return Annotated[str, one_of(lambda: METHODS, help="Which test.")]


FIXED = Annotated[Literal["zou2007", "steiger1980"], typer.Option(help="Which test.")]


@pytest.mark.parametrize("arguments", [[], ["--method", "steiger1980"], ["--help"]])
def test_they_print_what_fixed_choices_print(registered, arguments, capsys):
    assert _run(registered, *arguments) == _run(FIXED, *arguments) is None
    printed = capsys.readouterr().out
    assert printed[: len(printed) // 2] == printed[len(printed) // 2 :] != ""


def test_other_names_are_refused_in_the_same_words(registered):
    assert _run(registered, "--method", "x") == _run(FIXED, "--method", "x") is not None


def test_names_registered_later_are_taken(registered, capsys, monkeypatch):
    monkeypatch.setitem(globals(), "METHODS", [*METHODS, "mine2026"])
    assert _run(registered, "--method", "mine2026") is None
    assert capsys.readouterr().out == "chosen mine2026\n"


def test_names_are_not_looked_up_before(monkeypatch):
    def slow():
        raise AssertionError

    assert _run(Annotated[str | None, one_of(slow)], "--method") is not None
