"""When options have an effect, as data beside them; `test_one_line` has what is refused."""

import pytest
from typer.main import get_command

from supersample.cli import app


@pytest.mark.parametrize(
    "line",
    [
        "compare --example --method perm-both --resamples 9 --seed 0",
        "compare --example --intervals --resamples 9 --seed 0 --random segments",
        "rank --example --random systems --method bca --resamples 9 --seed 0",
        "rank --example --random segments --method percentile --resamples 9 --seed 0",
        "spa --example --p-values monte_carlo --permutations 9 --resamples 9 --quiet",
    ],
)
def test_an_option_with_effect_is_taken(command, line):
    assert command(*line.split()).status == 0


def test_effects_are_of_options_that_their_commands_have():
    found = 0
    for each in get_command(app).commands.values():
        effects = getattr(each, "effects", {})  # groups of commands have none
        assert set(effects) <= {parameter.name for parameter in each.params}, each.name
        found += len(effects)
    assert found > 100


@pytest.mark.parametrize(
    ("option", "end"),
    [
        ("--level", ""),
        ("--resmples", " (Possible options: --resamples)"),
        ("--outdir", " (Possible options: --out)"),
    ],
)
def test_options_that_are_alike_by_their_dashes_alone_are_not_suggested(command, option, end):
    assert command("spa", "t.csv", option).err == f"error: No such option: {option}{end}\n"
