"""Help texts, and completion."""

import os
import re
import subprocess
import sys
from typing import get_args

import pytest
import typer

from supersample.cli import app
from supersample.resampling import Bootstrap

AS_INSTALLED = "import sys; sys.argv = ['supersample']; from supersample.cli import main; main()"
ALIKE = {"DIR": "PATH", "FILE": "PATH", "NAME": "TEXT", "A": "TEXT"}
COMMANDS = typer.main.get_command(app).commands


def _help(command, *path):
    status, out, _ = command(*path, "--help")
    assert status == 0
    return out


def test_summaries_of_the_12_commands_fit_80_columns(command):
    assert len(COMMANDS) == 12
    out = _help(command)
    assert not re.search(r"\w\.\.\.", out)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "test"])
def test_help_names_every_option_in_80_columns(command, name):
    out = _help(command, name)
    assert max(map(len, out.splitlines())) <= 80
    assert not re.search(r"<(list|str|int|float|path)\b", out)
    shown = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", out, re.M))
    own = {option for each in COMMANDS[name].params for option in each.opts}
    assert shown == {option for option in own if option[:2] == "--"} | {"--help"}


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("spa", ["--measure", "SPA,PA"]),
        ("segments", ["--measure", "acc_eq/item,pdp/item,pearson/none"]),
        ("compare", ["--hybrids", "0"]),
    ],
)
def test_presets_are_rank_with_other_defaults(command, name, defaults):
    more = ["example", "--metrics", "strong-95,good-90,fair-70"]
    more += ["--resamples", "19"] if "--measure" in defaults else []
    preset = command(name, *more)
    assert preset.status == 0, preset.err
    assert preset == command("rank", *defaults, *more)
    assert f"{name} is rank {' '.join(defaults)}" in " ".join(_help(command, name).split())


def test_every_option_says_what_it_is_for():
    silent = {
        f"{name} {each.name}"
        for name, one in COMMANDS.items()
        for each in one.params
        if not each.help
    }
    assert silent == set()


def test_help_of_rank_names_every_interval(command):
    out = " ".join(_help(command, "rank").split())
    listed = out.partition("With --random a bootstrap: ")[2].partition(". With --measure")[0]
    assert set(re.findall(r"[a-z-]{3,}", listed)) == set(get_args(Bootstrap))


def test_options_take_one_kind_of_value_in_every_command(command):
    kinds = {}
    for name in COMMANDS:
        for option, kind in re.findall(
            r"^  (?:-\w, )?(--[\w-]+) ([A-Z]+)\b", _help(command, name), re.M
        ):
            kinds.setdefault(option, set()).add(ALIKE.get(kind, kind))
    assert {option: sorted(found) for option, found in kinds.items() if len(found) > 1} == {}


def test_shells_complete_options():
    words = "supersample rank --meth"
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
    assert "--method" in done.stdout.split()
