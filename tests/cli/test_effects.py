"""Options that have no effect beside the others are refused, before anything is read."""

import pytest

from supersample.cli import app
from supersample.cli.effects import beside, valued, without
from tests.cli.test_mistakes_with_files import MISTAKES
from tests.long_tables import check_refused

MONTE_CARLO = "--p-values monte_carlo"
DRAWN = "--method bootstrap-* or perm-*"
SYSTEMS = "--method percentile or bca, or --random systems --estimand observed"
RATED = "plan --r .9 --other-r .8 --metric-r .8"
REFUSED = [  # the last option has no effect, and what it goes with
    ("compare t.csv --method zou2007 --resamples 9", f"goes with {DRAWN}"),
    ("compare t.csv --resamples 9", f"goes with {DRAWN}"),
    ("compare t.csv --method zou2007 --seed 0", "goes with --method williams-jackknife, bootst"),
    ("compare t.csv --method zou2007 --coefficient kendall", f"goes with {DRAWN}"),
    ("compare t.csv --method perm-both --random segments", "goes with --method bootstrap-*"),
    ("compare t.csv --method bootstrap-bca --alternative less", "does not go with --method boot"),
    ("compare t.csv --method perm-both --orientation absolute", "goes with --method zou2007 and"),
    ("compare t.csv --method bootstrap-bca --baseline m", "does not go with --method bootstrap-*"),
    ("compare t.csv --overwrite", "goes with --out"),
    ("infer t.csv --resamples 9", "goes with --method percentile or bca"),
    ("infer t.csv --method zou --estimand true --seed 1", f"goes with {SYSTEMS}"),
    ("infer t.csv --method percentile --baseline m", "is for p-values, and infer gives intervals"),
    ("infer t.csv --method projection --baseline m", "is for p-values, and infer gives intervals"),
    ("infer t.csv --no-report", "goes with --out"),
    ("spa t.csv --permutations 9", f"goes with {MONTE_CARLO}"),
    ("spa t.csv --p-values exact --permutations 9", f"goes with {MONTE_CARLO}"),
    ("spa t.csv --out o --metric a", "goes with --figures all or components;"),
    ("spa t.csv --figures all", "goes with --out"),
    ("segments t.csv --random segments --scheme both", "does not go with --random"),
    ("segments t.csv --random segments --estimator k/B", "does not go with --random"),
    ("segments t.csv --random segments --baseline a", "does not go with --random"),
    ("segments t.csv --human-threshold 5", "goes with --statistic kendall_like;"),
    ("intervals t.csv --coefficient kendall --human-unit segments", "goes with --coefficient p"),
    ("rank t.csv --import-systems s.csv", "goes with --import-hybrids"),
    ("rank t.csv --by domain --import-lower-is-better m", "goes with --import-hybrids"),
    ("rank t.csv --average fisher", "goes with --also or --by"),
    ("rank t.csv --figure-width acl1", "goes with --out"),
    ("rank t.csv --rating-scale raw", "goes with --ratings"),
    ("rank t.csv --text-cache d", "goes with --corpus-metric"),
    ("plan t.csv --first a --second b --shared-noise 0.1", "does not go with a source, to which"),
    (f"{RATED} --human mqm", "does not go with --r: it says how a source is read"),
]


@pytest.mark.parametrize(("line", "text"), REFUSED, ids=[line for line, _ in REFUSED])
def test_an_option_without_effect_is_refused(command, line, text):
    option = [word for word in line.split() if word.startswith("--")][-1]
    name = "--report" if option == "--no-report" else option
    check_refused(command(*line.split()), f"error: {name} {text}")


@pytest.mark.parametrize(
    "line",
    [
        "compare --example --method perm-both --resamples 9 --seed 0",
        "infer --example --seed 0",
        "infer --example --method percentile --random segments --resamples 9 --seed 0",
        "spa --example --p-values monte_carlo --permutations 9 --resamples 9 --quiet",
    ],
)
def test_an_option_with_effect_is_taken(command, line):
    assert command(*line.split()).status == 0


def test_effects_are_of_options_that_their_commands_have():
    from typer.main import get_command

    found = 0
    for each in get_command(app).commands.values():
        effects = getattr(each, "effects", {})  # groups of commands have none
        assert set(effects) <= {parameter.name for parameter in each.params}, each.name
        found += len(effects)
    assert found > 100


def test_help_of_intervals_lists_no_baseline():
    from typer.main import get_command

    found = {}
    for name in ("infer", "rank"):
        own = get_command(app).commands[name].params
        found[name] = [each.hidden for each in own if each.name == "baseline"]
    assert found == {"infer": [True], "rank": [False]}


def test_conditions_say_when_they_hold():
    values = {"a": None, "b": "x-1", "c": ["k/item"]}
    assert [beside(*names).when(values) for names in ("a", "ab")] == [False, True]
    assert [without(name).when(values) for name in "ab"] == [True, False]
    assert [valued(*each).when(values) for each in (("b", "x-*"), ("c", "k"))] == [True, False]
    assert valued("b", "x", "y", "z").text == "goes with --b x, y or z"
    assert valued("b", "x*", said="x").text == "goes with --b x"


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


def test_what_is_missing_is_explained(command):
    told = command("task", "wmt23").err
    assert told == "error: Missing option '--mtme'. Folder of test sets, mt-metrics-eval v2.\n"
    assert "'FILE'. TOML, or a name: wmt23" in command("task").err


def test_60_mistakes_are_tried():
    assert len(MISTAKES) + len(REFUSED) >= 60
