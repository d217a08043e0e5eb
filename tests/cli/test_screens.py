"""First screens: 80 columns and 40 lines with what is read, the verdict in the first ten."""

import numpy as np
import pytest

import supersample as ss
from tests.toy_sets import write_test_set

METRICS = 43
SCORES = ss.simulate_scores(
    systems=15,
    segments=60,
    correlations={
        f"metric-{i:02}-with-a-name": r for i, r in enumerate(np.linspace(0.99, 0.1, METRICS))
    },
    segment_deviation=0.5,
    seed=5,
).assign_coords(document=("segment", [f"d{i % 12}" for i in range(60)]))
BEST = "agrees best with people"
DRAWN = ("--resamples", "49")
PAIR = ("--metrics", "metric-00-with-a-name,metric-01-with-a-name")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The scores as a file, and again by another name."""
    folder = tmp_path_factory.mktemp("scores")
    for name in ("scores", "others"):
        ss.write_scores(SCORES, folder / f"{name}.zarr")
    return folder


@pytest.fixture
def shown(command, monkeypatch, written):
    """Run a command on a terminal of 80 columns; what it prints, with what it read above."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(written)

    def run(name, *options, source=("scores.zarr",)):
        status, out, err = command(name, *source, *options)
        assert status == 0, err
        return [*err.splitlines(), *out.splitlines()]

    return run


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        (("rank",), BEST),
        (("rank", "-n", "50", "--baseline", "metric-20-with-a-name"), "differ from"),
        (("compare",), BEST),
        (("compare", "--baseline", "metric-20-with-a-name"), "differ from"),
        (("spa", *DRAWN), BEST),
        (("spa", *DRAWN, "--baseline", "metric-20-with-a-name"), "differ from"),
        (("segments", *DRAWN), BEST),
        (("segments", *DRAWN, "--baseline", "metric-20-with-a-name"), "differ from"),
        (("rank", "others.zarr"), BEST),
        (("rank", "others.zarr", "--baseline", "metric-20-with-a-name"), "differ from"),
    ],
)
def test_a_first_screen_fits_a_terminal(shown, call, verdict):
    lines = shown(*call)
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert any(verdict in line for line in lines[:10])
    assert any(": --all" in line for line in lines)


def test_a_task_fits_a_terminal(shown, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = write_test_set(tmp_path / "sets")
    options = ("wmt23", "--mtme", data, "--out", "o", "--resamples", "20")
    pairs = ("--language-pair", "en-de,zh-en")
    lines = shown("task", source=(*options, *pairs))
    assert len(lines) <= 40
    assert any(BEST in line for line in lines[:10])


def test_an_added_metric_is_never_folded(shown, written):
    values = SCORES["score"].sel(metric="metric-30-with-a-name").to_series()
    values.reset_index(name="score")[["system", "segment", "score"]].to_csv(
        written / "mine.csv", index=False
    )
    low = "For r below 0.7, the method for new systems was not tried: be less sure there."
    for beside in ((), ("--baseline", "metric-02-with-a-name")):
        assert low not in shown("rank", *beside)  # of metrics that are folded
    assert low in shown("rank", "--baseline", "metric-40-with-a-name")
    lines = shown("rank", "--add-metric", "mine=mine.csv", "--higher-is-better", "mine")
    assert any(" mine ◀ " in line for line in lines)
    assert low in lines
    assert len(lines) <= 40


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"document": ("segment", ["a"] * 60)}, "1 document; at least 5 are needed"),
        ({"document": ("segment", [f"d{i % 3}" for i in range(60)])}, "3 documents; at least"),
    ],
)
@pytest.mark.parametrize("name", ["rank", "spa"])
def test_a_scope_with_few_documents_is_named(shown, tmp_path, change, told, name):
    few = tmp_path / "few.zarr"
    ss.write_scores(SCORES.isel(metric=slice(3)).assign_coords(change), few)
    options = ("-n", "20") if name == "rank" else DRAWN
    text = " ".join(" ".join(shown(name, *options, source=[few])).split())
    assert f"these systems, new documents not known: {told}" in text


def test_a_scope_with_few_systems_is_named(shown, tmp_path):
    few = tmp_path / "few.zarr"
    ss.write_scores(SCORES.isel(metric=slice(3), system=slice(4)), few)
    text = "\n".join(shown("rank", "-n", "20", source=[few]))
    assert "not known: 4 systems, and at least 5" in text
    pair = shown("compare", *PAIR, source=[few])
    assert any("Nothing is known about new systems: 4 systems" in line for line in pair)


def test_several_measures_say_which_one_the_answer_is_by(shown):
    for preset in ("spa", "segments"):
        text = " ".join(shown(preset, *DRAWN))
        assert "other measures" not in text  # one metric is the best by all
        assert f"possible by {'SPA' if preset == 'spa' else 'acc_eq'}: this metric may" in text
        assert ("/item: within segments (mean)." in text) == (preset == "segments")
    text = " ".join(shown("compare", "--measure", "acc_eq/item", *DRAWN, *PAIR))
    assert "acc_eq: Pairwise accuracy: the share of pairs of translations ordered" in text
    assert "/item: within segments (mean)." in text


def test_many_groups_are_counted_and_not_listed(shown):
    few = "metric-00-with-a-name,metric-20-with-a-name,metric-40-with-a-name"
    text = " ".join(shown("rank", "--by", "document", "-n", "20", "--metrics", few))
    assert "12 documents, 15 systems in each" in text
    assert "each document is a group" in text
