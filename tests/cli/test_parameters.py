"""Groups of options, and a command of another package that uses them."""

import re
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


for words in ("toy example --ending !", "--help", "toy --help", "toy"):
    try:
        main(words.split())
    except SystemExit as ended:
        print("status", ended.code)
"""


def test_another_package_adds_a_command_with_one_registration():
    command = [sys.executable, "-c", TOY]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    did, helped, own_help, refused, end = re.split(r"status (?:0|None|(?=2))", ran.stdout)
    assert did == "12 systems!\n"
    assert "toy       Count systems." in helped
    assert "rank      Rank metrics by their correlation with people." in helped
    assert "--ending MARK " in own_help
    assert (refused, end) == ("\n", "2\n")
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("error: name one source of scores")
