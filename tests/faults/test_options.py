"""No option of any command is accepted without effect.

Commands, options and values are those of the parser. A command line is run without an option and
with it; what it prints or writes differs, or the option is refused, or it promises that results
stay the same. What an option is echoed as, as in "seed=1", is no effect.
"""

import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import supersample as ss
from supersample.cli.app import OUTPUT
from tests.faults.test_fuzzed_commands import COMMANDS, STUCK, called
from tests.predictions import predictions_of
from tests.toy_sets import write_test_set

SAME = {
    "scheduler",
    "workers",
    "quiet",
    "overwrite",
    "all",
}
"""Options that promise the same results, or that work where files or rows are too many."""
BESIDES = {
    "help",
    "part",
    "precision",
    "chunk",
    "status",
    "resume",
}
"""Options with tests of their own, of help, of stores and of systems that a set leaves out."""
SOURCES = ["scores.zarr", "run.zarr", "sets/wmt23/en-de"]
SYSTEMS = " ".join(f"--hypotheses system-{i}=texts/{i}" for i in range(1, 8))
LINES = {
    "plan": "--replicates 19 --systems 9 --segments 99 --r .95 --other-r .6 --metric-r .6",
    "run": "{source} --out out.zarr --hybrids 60",
    "simulate": "--replicates 99 --r .8 --systems 9",
    "sweep": "grid.toml --out out",
    "task": "task.toml --mtme sets --resamples 19 --out out",
    "test overlapping": "--systems 9 -- .9 .7 .6",
    "test non-overlapping": "--systems 9 -- .9 .7 .6 .5 .6 .5",
    "test independent": "--n1 9 --n2 8 -- .9 .7",
    "qe": "qe.csv --gold HTER",
    "raters": "{source} --rater good --rater m",
}
"""What a command needs to do its work; all others need a source."""
TEXTS = {
    "to": ["out.csv"],
    "add_metric": ["mine=mine.csv"],
    "missing": ["n/a"],
    "allow_part": ["m"],
    "baseline": ["good", "COMET-refA"],
    "corpus_metric": [f"chrf {SYSTEMS} --references texts/reference"],
    "design": ["mix", "pairs:share=0.2"],
    "figures": ["none", "main:width=acl1"],
    "first": ["good --second m"],
    "gold": ["PET"],
    "higher_is_better": ["mine"],
    "judge": ["errors"],
    "human": ["m"],
    "hypotheses": ["system-1=texts/1"],
    "in_at_least": ["1"],
    "language_pair": ["zh-en", "all"],
    "length": ["PET --time HTER"],
    "lower_is_better": ["m", "chrF-refA"],
    "measure": ["spearman", "SPA", "SPA:convention=at_least"],
    "method": ["williams1959", "both", "inputs:estimator=k/B", "student"],
    "metrics": ["good,m", "primary", "all"],
    "random": ["systems", "segments", "documents", "systems+segments", "systems+documents"],
    "rater": ["good", "new=mine.csv"],
    "ratings": ["ratings.csv", "ratings.csv:scale=raw"],
    "out": ["out"],
    "references": ["texts/reference"],
    "scheduler": ["processes", "synchronous"],
    "second": ["m --first good"],
    "team": ["x=system-1,system-2", "x=A,B"],
    "time": ["HTER --length PET"],
    "weight": ["a=2", "zh-en=2"],
}
"""Values of options that take a text, by name; systems and columns are found by their names."""
ELSEWHERE = {"mtme", "to"}
"""Other sources; most are refused beside one."""
pytestmark = pytest.mark.usefixtures("no_page")
NUMBERS = {"N": ["1", "3", "25"], "N,N": ["3", "25"], "X": ["0.3", "0.7", "0.8", "2"]}
ROUNDS = [6, *(pytest.param(500 + i, marks=pytest.mark.faults) for i in range(4))]


def made_files(folder):
    """Write scores in which everything that an option tells apart differs."""
    rng = np.random.default_rng(3)
    made = {"segments": 40, "correlations": {"good": 0.9, "m": 0.6, "errors": 0.8}}
    for name, seed in (("scores", 1), ("other", 2)):
        scores = ss.simulate_scores(
            systems=7,
            document_length=4,
            unrated_segments=0.1,
            missing_ratings=0.1,
            seed=seed,
            **made,
        )
        scores["score"][1, 2, 5:8] = np.nan
        scores["human"][0] -= 300  # an outlier
        scores = scores.assign_coords(domain=("segment", np.repeat(["a", "b"], 20)))
        counts = scores["human"].copy(data=rng.integers(1, 4, scores["human"].shape))
        scores = scores.assign(human_count=counts.where(scores["human"].notnull(), 0).astype(int))
        ss.write_scores(scores, folder / f"{name}.zarr")
    ss.hybrids.run_hybrids(ss.read_dataset(folder / "scores.zarr"), folder / "run.zarr", n=60)
    write_mine(folder, scores, rng)
    write_test_set(folder / "sets")
    (folder / "task.toml").write_text(TASK)
    (folder / "grid.toml").write_text(GRID)
    write_predictions(folder)
    return folder


TASK = """title = "t"
test_set = "wmt23"
language_pairs = ["en-de", "zh-en"]
[[task]]
measure = "pearson"
[[task]]
measure = "acc_eq/item"
"""
GRID = """n = [60]
seed = [0]
[[input]]
name = "x"
table = "scores.zarr"
"""


def write_mine(folder, scores, rng):
    """Write what is set beside scores: a metric, ratings, texts and scores of hybrids."""
    systems, segments = scores["system"].values, scores["segment"].values
    rows = [f"{s},{t},{rng.normal()}" for s in systems for t in segments]
    (folder / "mine.csv").write_text("\n".join(["system,segment,score", *rows, ""]))
    rated = ["assessor,system,segment,score,type"]
    for assessor in "xyz":
        for i, (s, t) in enumerate((s, t) for s in systems for t in segments):
            value = 50 + 9 * list(systems).index(s) + 20 * rng.normal()
            if assessor == "x" or i % 3:
                rated.append(f"{assessor},{s},{t},{value},SYSTEM")
            if i % 9 == 0:  # only z does not see the damage
                worse = value - (0 if assessor == "z" else 30)
                rated.append(f"{assessor},{s},{t},{worse + rng.normal()},BAD_REF")
    (folder / "ratings.csv").write_text("\n".join([*rated, ""]))
    (folder / "texts").mkdir()
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "saw", "dog"])
    for name in (*range(1, 8), "reference"):
        text = "\n".join(" ".join(rng.choice(words, 6)) for _ in segments)
        (folder / "texts" / str(name)).write_text(f"{text}\n")


def write_predictions(folder):
    """Write predictions and labels as a long table."""
    data, rows = predictions_of(), ["system,segment,score"]
    for kind, along in (("prediction", "system"), ("label", "gold")):
        for name, values in zip(data[along].values, data[kind].values, strict=True):
            rows += [f"{name},{i},{value}" for i, value in enumerate(values)]
    (folder / "qe.csv").write_text("\n".join([*rows, ""]))


def values_of(option, kind, source):
    """Options with values that differ from the default; a flag has none."""
    if getattr(option, "is_flag", False):
        return [option.secondary_opts[0] if option.default else option.opts[0]]
    systems = ("A", "B", "C") if "sets" in source else ("system-1", "system-2", "system-3")
    if option.name == "only":
        given = [",".join(systems)]
    elif option.name == "exclude":
        given = [systems[1]]
    elif option.name in ELSEWHERE:
        given = ["nothing"]
    elif "|" in kind and option.name != "figures":
        given = [each for each in kind.strip("[]<>").split("|") if each != option.default]
    else:
        given = TEXTS.get(option.name, NUMBERS.get(kind))
        assert given, f"say in TEXTS what --{option.name} takes"
    return [f"{option.opts[0]} {each}" for each in given]


def contexts(rng):
    """Draw a command line, and an option that it may take besides."""
    words = rng.choice(sorted(COMMANDS))
    name = " ".join(words)
    kinds = COMMANDS[words]
    source = rng.choice(SOURCES)
    base = LINES.get(name, "{source}").format(source=source)
    head, dashes, tail = base.partition(" -- ")
    options = [
        each for each in kinds if each.param_type_name == "option" and each.opts[0] not in base
    ]
    options = [each for each in options if each.name not in BESIDES]
    same = SAME | (set() if "sets" not in source else {"human_mean"})  # a rating each
    own = [each for each in options if each.name not in same]
    if not own:
        return contexts(rng)
    tested = rng.choice(own)
    modes = [each for each in own if each is not tested and each.name not in {"out", *ELSEWHERE}]
    mode = ""
    if modes and rng.random() < 0.7:
        mode = rng.choice(values_of(each := rng.choice(modes), kinds[each], source))
        mode = "" if tested.opts[0] in mode.split() else mode  # two that go together
    mode = f"{mode} {written(tested, kinds, base)}"
    return f"{name} {head} {mode}", tested, values_of(tested, kinds[tested], source), dashes + tail


def written(tested, kinds, base):
    """Options that write all numbers, and what is drawn if the tested option may change that."""
    names = {each.name for each in kinds}
    if "out" not in names or "--out" in base or tested.name == "out":
        return ""
    if tested.rich_help_panel == OUTPUT:
        return "--out out"
    return "--out out --figures none" if "figures" in names else "--out out"


def outcome(line):
    """Status, and all that a line printed and wrote but its own words."""
    for name in ("out", "out.zarr", "out.csv"):
        path = Path(name)
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    status, out, err = called(line.split(), STUCK)
    texts = [out, err]
    for path in sorted(Path().glob("out*/**/*")):
        if (
            path.suffix in (".csv", ".md", ".tex", ".tsv", ".txt", ".png", ".json")
            and path.is_file()
        ):
            texts.append(path.read_bytes().decode(errors="replace"))
        texts.append(str(path) if "zarr" not in str(path) else "")
    return status, "\n".join(texts)


def unsaid(text, option, value):
    """Text without the option's own name and value."""
    words = "|".join(re.escape(each) for each in value.split() if each[0] != "-")
    name = option.name.replace("_", "[ _-]")
    text = re.sub(rf'"?{name}"?s?[:=]? *\W?({words})?|supersample \S+ .*', "", text)
    return re.sub(rf"\b({words})\b", "", text) if words else text


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("count", ROUNDS)
def test_no_option_is_accepted_without_effect(files, tmp_path, monkeypatch, count):
    monkeypatch.chdir(files)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng, idle = random.Random(count), []
    for _ in range(count):
        line, option, values, tail = contexts(rng)
        before, plain = outcome(f"{line} {tail}")
        accepted = []
        for value in values:
            status, text = outcome(f"{line} {value} {tail}")
            if status == 0 and before == 0:
                same = unsaid(text, option, value) == unsaid(plain, option, value)
                accepted.append(f"{line} {value} {tail}" if same else "")
            assert status in (0, 2), text
        if accepted and all(accepted):
            idle.append(accepted[0])
    assert not idle, "\n".join(idle)
