"""Another package adds a measure, a reader, a design and a command by one entry point."""

import os
import subprocess
import sys

import numpy as np
import pytest

import supersample as ss
from supersample import MixHybrids, errors
from supersample.engine.hybrid_designs import DESIGNS, parse_design
from supersample.measures.registry import _REGISTERED
from supersample.readers import ScoreReader
from supersample.readers.registry import _READERS

PLUGIN = """
from dataclasses import dataclass

import numpy as np
import supersample as ss
from supersample.engine.hybrid_designs import MixHybrids, register_design

def read(path):
    return ss.load_example().assign_attrs(source="plugin")

@dataclass(frozen=True)
class SameBest(ss.measures.SystemMeasure):
    name, lowest, free_of_scale = "same_best", 0.0, False

    def of_systems(self, scores, counts=None):
        if counts is not None:
            scores = np.where(counts[:, :, None] > 0, scores, -np.inf)
        best = scores == scores.max(axis=1, keepdims=True)
        return (best[:, :, :1] & best[:, :, 1:]).any(axis=1).astype(float)

@dataclass(frozen=True)
class Mixed(MixHybrids):
    pass

ss.readers.register_reader(ss.readers.ScoreReader("plugged", read, suffixes=(".plugged",)))
ss.measures.register_measure("same_best", SameBest)
register_design("mixed", Mixed)
"""
COMMAND = """
from supersample.cli import Reader, app

@app.command()
def sizes(read: Reader) -> None:
    "Count systems."
    print(read().sizes["system"], "systems")
"""


@pytest.fixture
def plugin(tmp_path):
    (tmp_path / "my_plugin.py").write_text(PLUGIN)
    installed = tmp_path / "my_plugin-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[supersample]\nmy_plugin = my_plugin\n")
    return tmp_path


@pytest.fixture
def installed(plugin, monkeypatch):
    """Install it for this process; nobody has asked for it yet."""
    monkeypatch.syspath_prepend(plugin)
    errors._plugins.cache_clear()
    yield plugin
    errors._plugins.cache_clear()
    sys.modules.pop("my_plugin", None)
    for registry, name in ((_READERS, "plugged"), (_REGISTERED, "same_best"), (DESIGNS, "mixed")):
        registry.pop(name, None)


def test_a_reader_is_found_by_its_name_and_by_its_suffix(installed):
    assert ss.read_scores("x", reader="plugged").attrs["source"] == "plugin"
    assert ss.read_scores("x.plugged").attrs["source"] == "plugin"
    ss.testing.check_reader("plugged")


def test_a_suffix_alone_is_enough(installed):
    assert ss.read_scores("x.plugged").attrs["source"] == "plugin"


def test_a_measure_is_found_and_listed(installed):
    assert ss.agreement(ss.load_example(), "same_best")["value"].max() == 1
    assert "same_best" in ss.measures.measure_names()
    ss.testing.check_measure("same_best")


def test_a_design_is_found(installed):
    ss.testing.check_design(parse_design("mixed:unit=document"))


def test_the_command_line_has_all_and_the_command(plugin):
    def run(*words):
        paths = os.pathsep.join([str(plugin), *sys.path])
        command = [sys.executable, "-m", "supersample", *words]
        env = {**os.environ, "PYTHONPATH": paths}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    (plugin / "my_plugin.py").write_text(PLUGIN + COMMAND)
    assert run("sizes", "x:reader=plugged").stdout == "12 systems\n"
    (plugin / "my_plugin.py").write_text("import nonsense")
    broken = run("sizes", "x.plugged")
    assert broken.returncode == 2
    assert broken.stderr == (
        "error: the plugin my_plugin cannot be loaded: "
        "ModuleNotFoundError: No module named 'nonsense'\n"
    )


class Careless(MixHybrids):
    """Draws systems by a generator of its own, and more often the first."""

    def origins(self, block):
        return np.random.default_rng().integers(
            0, block.systems, (block.replicates.size, block.units)
        )


class Skewed(MixHybrids):
    def origins(self, block):
        return np.minimum(super().origins(block), block.systems - 2)


class Sum(ss.measures.SystemMeasure):
    name, lowest, highest = "sum", -np.inf, np.inf

    def of_systems(self, scores, counts=None):
        return scores[:, :, 1:].sum(axis=1)


class Uncounted(ss.measures.PairwiseAccuracy):
    def on(self, prepared):
        measured = super().on(prepared)
        measured.values = measured.values[::-1]
        return measured


@pytest.mark.parametrize(
    ("check", "what", "promise"),
    [
        ("design", Careless(), "the seed and its number alone"),
        ("design", Skewed(), "`components` is what is drawn"),
        ("measure", Sum(), "shifted, scaled and turned scores"),
        ("measure", Uncounted(), "does not depend on other metrics"),
        ("reader", ScoreReader("x", lambda _: random_scores()), "read alike each time"),
        ("reader", ScoreReader("x", lambda _: ss.load_example()), "a file that is empty"),
    ],
)
def test_checks_find_broken_promises(check, what, promise):
    source = ("x.csv",) if check == "reader" else ()
    with pytest.raises(AssertionError, match=promise):
        getattr(ss.testing, f"check_{check}")(what, *source)


def random_scores():
    scores = ss.load_example()
    return scores.assign(score=scores["score"] + np.random.default_rng().normal())
