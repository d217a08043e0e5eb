"""Options that take several values, and their errors."""

import pytest

import supersample as ss
from tests.toy_sets import write_test_set

SAME = [
    ("spa example --resamples 9 --exclude", ["system-01", "system-02"]),
    ("rank example --resamples 9 --measure", ["PA", "SPA"]),
    ("compare example --only", ["system-01", "system-03", "system-05", "system-07", "system-09"]),
    ("plan --r .9 --other-r .7 --metric-r .8 --replicates 5 --segments 50 --systems", ["8", "12"]),
    ("raters example --rater", ["strong-95", "good-90", "good-85"]),
]


@pytest.mark.parametrize(("line", "values"), SAME, ids=[line for line, _ in SAME])
def test_values_are_joined_by_commas_or_repeated(command, line, values):
    *words, option = line.split()
    joined = command(*words, option, ",".join(values))
    repeated = command(*words, *(x for value in values for x in (option, value)))
    assert joined.status == 0, joined.err
    assert joined == repeated


def test_a_name_with_a_comma_stands_in_quotes(command, tmp_path):
    scores = ss.load_example().isel(segment=slice(60))
    names = ["a,b", *scores["system"].values[1:].tolist()]
    ss.write_scores(scores.assign_coords(system=names), tmp_path / "s.csv")
    of = ("compare", "s.csv", "--human", "simulated", "--lower-is-better", "errors-85")
    assert "11 systems" in command(*of, "--exclude", '"a,b"', "--full").out
    assert "no system 'a'" in command(*of, "--exclude", "a,b").err


NUMBERS = [
    ("rank example -n 1.5", "a whole number is needed, such as 10000"),
    ("simulate --systems 9 --r x", "a number is needed, such as 0.9"),
    ("plan --r .9 --other-r .8 --metric-r .8 --systems 8,x", "a whole number is needed"),
]


@pytest.mark.parametrize(("line", "message"), NUMBERS)
def test_a_number_is_asked_for_in_words(command, line, message):
    result = command(*line.split())
    assert result.status == 2
    assert message in result.err
    assert "parse" not in result.err


@pytest.mark.parametrize(
    "line", ["rank example --metrics mymetric.csv", "raters example --rater mymetric.csv"]
)
def test_a_file_that_is_missing_is_named_as_one(command, line):
    result = command(*line.split())
    assert result.status == 2
    assert "there is no file 'mymetric.csv', and no " in result.err


def test_measures_are_suggested_once(command):
    result = command("rank", "example", "--measure", "kendal")
    listed = result.err.partition("also ")[2].split(", ")
    assert len(listed) == len(set(listed))


def test_written_scores_are_replaced_if_asked(command, tmp_path):
    for name in ("s.csv", "s.zarr"):
        told = ("inspect", "example", "--to", name)
        assert command(*told).status == 0
        assert f"{name} already exists" in command(*told).err
        assert "--overwrite" in command(*told).err
        assert command(*told, "--metrics", "good-90", "--overwrite").status == 0
        assert ss.read_scores(tmp_path / name, **OF[name])["metric"].values.tolist() == ["good-90"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("mine")
    assert command("inspect", "example", "--to", "folder", "--overwrite").status == 2
    assert command("run", "example", "--out", "r.zarr", "-n", 60).status == 0
    assert command("inspect", "example", "--to", "r.zarr", "--overwrite").status == 2
    assert (tmp_path / "folder" / "mine.txt").read_text() == "mine"


OF = {"s.csv": {"human": "simulated"}, "s.zarr": {}}


def test_pairs_and_sets_are_named_as_they_are_there(command, tmp_path, monkeypatch):
    write_test_set(tmp_path / "sets", pairs=("en-de", "zh-en"))
    monkeypatch.setenv("SUPERSAMPLE_SETS", str(tmp_path / "sets"))
    assert (
        "as in wmt23/en-de; rank, compare, spa, segments and systems also"
        in command("rank", "wmt23").err
    )
    both = command("rank", "wmt23/en-de", "--language-pair", "all")
    assert "wmt23/en-de names its language pair; leave --language-pair out" in both.err
    within = command("rank", tmp_path / "sets", "--language-pair", "en-de")
    assert f"name one and a language pair, {tmp_path / 'sets'}/wmt23/PAIR" in within.err
    absent = command("task", "wmt23").err
    assert "no language pair 'he-en'" in absent
    assert absent.endswith("of those that are there, add --language-pair all, or en-de,zh-en\n")
    assert ".toml" not in absent


def test_sets_without_a_common_metric_are_told_the_way_out(command, tmp_path):
    rows = "METRIC LP DATA SYSTEM SCORE HUMAN\n"
    for pair, metrics in {"aa-en": "AB", "bb-en": "BC", "cc-en": "CA"}.items():
        for k in range(9):
            rows += "".join(f"{m} {pair} t S{k} {k + (k * ord(m)) % 5} {k}\n" for m in metrics)
    (tmp_path / "s.txt").write_text(rows)
    told = ("rank", "s.txt", "--language-pair", "all")
    result = command(*told)
    assert result.status == 2
    assert "--in-at-least 2 (in_at_least) ranks by r those of 2 of these 3" in result.err
    assert command(*told, "--in-at-least", 2).status == 0
