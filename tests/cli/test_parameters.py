"""Groups of options, and a command of another package that uses them."""

import subprocess
import sys

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

    assert run("toy", "example", "--ending", "!").stdout == "12 systems!\n"
    helped = run("--help").stdout
    assert "toy       Count systems." in helped
    assert "rank      Rank metrics by their correlation with people." in helped
    assert "--ending MARK " in run("toy", "--help").stdout
    refused = run("toy")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith("error: name one source of scores")
