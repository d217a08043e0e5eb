"""Groups of options, and a command of another package that uses them."""

import subprocess
import sys
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated, ClassVar, get_args

import typer

from supersample.cli.commands import OUTPUT, Called
from supersample.cli.effects import beside

TOY = """
from dataclasses import dataclass

import typer

from supersample.cli import Reader, app, main


@dataclass(frozen=True)
class Words:
    '''How it ends.

    Parameters
    ----------
    ending : MARK
        Last character.
    '''

    ending: str = "."


@app.command()
def toy(read: Reader, *, words: Words):
    '''Count systems.'''
    typer.echo(f"{read().sizes['system']} systems{words.ending}")


main()
"""


def test_another_package_adds_a_command_with_one_registration():
    def run(*arguments):
        command = [sys.executable, "-c", TOY, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("toy", "--example", "--ending", "!").stdout == "12 systems!\n"
    helped = run("--help").stdout
    assert "toy       Count systems." in helped
    assert "rank      Rank metrics by their correlation with people." in helped
    assert "--ending MARK " in run("toy", "--help").stdout
    refused = run("toy")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith("error: name one source of scores")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two numbers.

    Parameters
    ----------
    first : ONE
        The first
        of two.
    """

    PANEL: ClassVar = OUTPUT
    first: int
    second: Annotated[int, typer.Option(help="The other."), beside("first")] = 2


@dataclass(frozen=True, kw_only=True)
class Pairs(Pair):
    """More numbers, in a group of their own.

    Parameters
    ----------
    third
        One more.
    """

    third: int = 3


def test_a_group_of_options_is_spread_in_its_place_and_gathered_again():
    calls = []

    def command(name: str, *, before: int = 0, pairs: Pairs, after: int = 9) -> None:
        """Say it.

        Parameters
        ----------
        after
            The last.
        """
        calls.append((name, before, pairs, after))

    called = Called(command, {"second": (beside("after"),), "after": (beside("name"),)})
    parameters = dict(signature(called).parameters)
    assert list(parameters) == ["help_all", "name", "before", "first", "second", "third", "after"]
    assert parameters["first"].default is Parameter.empty
    assert parameters["second"].default == 2
    infos = {name: get_args(each.annotation)[1] for name, each in parameters.items()}
    texts = {name: (info.metavar, info.help, info.rich_help_panel) for name, info in infos.items()}
    assert texts["first"] == ("ONE", "The first of two.", "Output")
    assert texts["second"] == (None, "The other.", "Output")
    assert texts["third"] == (None, "One more.", "Output")
    assert texts["after"] == (None, "The last.", "Options")
    assert called.__doc__.strip() == "Say it."
    found = {name: [each.text for each in effects] for name, effects in called.effects.items()}
    assert found == {
        "second": ["goes with --first", "goes with --after"],
        "after": ["goes with --name"],
    }
    called(help_all=False, name="x", before=0, first=3, second=4, third=6, after=5)
    assert calls == [("x", 0, Pairs(first=3, second=4, third=6), 5)]
