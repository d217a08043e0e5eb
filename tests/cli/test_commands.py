"""Help texts, former names of options, and completion."""

import os
import re
import subprocess
import sys

import pytest
import typer

from supersample.cli import app
from supersample.cli.commands import PANEL_OF, PANELS

AS_INSTALLED = "import sys; sys.argv = ['supersample']; from supersample.cli import main; main()"
ALIKE = {"DIR": "PATH", "FILE": "PATH", "NAME": "TEXT"}
COMMANDS = typer.main.get_command(app).commands


def _help(command, *path):
    status, out, _ = command(*path, "--help")
    assert status == 0
    return out


def test_summaries_of_commands_fit_80_columns(command):
    out = _help(command)
    assert not re.search(r"\w\.\.\.", out)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_help_texts_fit_80_columns_and_name_values_in_words(command, name):
    out = _help(command, name)
    assert max(map(len, out.splitlines())) <= 80
    assert not re.search(r"<(list|str|int|float|path)\b", out)


def test_panels_come_with_what_most_people_need_first(command):
    out = _help(command, "rank")
    places = [out.index(f"\n{panel}:\n") for panel in PANELS]
    assert places == sorted(places)
    assert places[0] < out.index("--example") < places[1] < out.index("  --method") < places[2]


def test_every_parameter_with_a_panel_belongs_to_a_command():
    names = {parameter.name for each in COMMANDS.values() for parameter in each.params}
    assert set(PANEL_OF) - {"help"} <= names


def test_options_take_one_kind_of_value_in_every_command(command):
    kinds = {}
    for name in COMMANDS:
        for option, kind in re.findall(
            r"^  (?:-\w, )?(--[\w-]+) ([A-Z]+)\b", _help(command, name), re.M
        ):
            kinds.setdefault(option, set()).add(ALIKE.get(kind, kind))
    assert {option: sorted(found) for option, found in kinds.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("simulate --r 0.9 --n 5 --draws 50", "simulate --r 0.9 --systems 5 --draws 50"),
        ("test overlapping 0.9 0.8 0.7 --n=20", "test overlapping 0.9 0.8 0.7 --systems=20"),
        ("infer --example --interval zou", "infer --example --method zou2007"),
        ("compare --systems t.csv --human h", "compare --system-scores t.csv --human h"),
    ],
)
def test_former_names_are_taken_with_a_note(command, former, today):
    was, now = command(*former.split()), command(*today.split())
    assert was[:2] == now[:2]
    note, _, rest = was.err.partition("\n")
    assert re.fullmatch(r"note: (--[a-z-]+) is now (--[a-z-]+)", note)
    assert rest == now.err


def test_a_former_name_beside_todays_is_refused(command):
    status, _, err = command("simulate", "--r", 0.9, "--n", 5, "--systems", 100)
    assert (status, err) == (
        2,
        "error: --n is a former name of --systems, which is given too.\n",
    )


@pytest.mark.parametrize("name", ["zou", "zou2007", "zou1999"])
def test_methods_are_taken_without_their_year(command, name):
    status, out, _ = command("compare", "--example", "--method", name)
    assert status == 0
    assert "zou2007" in out


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("supersample simu", "simulate"),
        ("supersample rank --confid", "--confidence-level"),
        ("supersample compare --method will", "williams1959"),
    ],
)
def test_shells_complete_commands_options_and_names(words, completed):
    done = subprocess.run(
        [sys.executable, "-c", AS_INSTALLED],
        env={
            **os.environ,
            "_SUPERSAMPLE_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed in done.stdout.split()
