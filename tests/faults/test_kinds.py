"""Kinds of damage and mischief that fell through once, command by command: none does now."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import supersample as ss
from tests.long_tables import check_refused

SCORES = ss.simulate_scores(
    systems=5, segments=8, correlations={"good": 0.9, "m": 0.5}, seed=1
).assign_attrs(human="human")
COMMANDS = ["rank", "compare", "spa", "segments", "inspect", "rank --random systems"]
BIG = "9" * 23
OBEYED = set("\x1b\x07\x00\u202e")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "s.zarr"
    ss.write_scores(SCORES, path)
    return path


ORDERS = [
    "chrf:char_order=100000",
    f"chrf:char_order={BIG}",
    "chrf:word_order=101",
    "chrf:beta=0",
    "chrf:beta=1e9",
    "bleu:max_order=100000",
    "bleu:max_order=-1",
]


@pytest.mark.parametrize("metric", ORDERS)
def test_options_of_corpus_metrics_are_limited(command, tmp_path, written, metric):
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    (tmp_path / "a").write_text("a b\n" * 8)
    texts = [f"--hypotheses=system-{i}=a" for i in range(1, 6)]
    options = [*texts, "--references", "a"]
    check_refused(command("inspect", written, "--corpus-metric", metric, *options))


def rows(**changes):
    """Rows of a table, changed in what they all have."""
    return [
        {"system": f"s{i}", "segment": str(j), "human": i + j, "m": i * j, **changes}
        for i in range(4)
        for j in range(4)
    ]


def renamed(name):
    return [{name if key == "m" else key: value for key, value in row.items()} for row in rows()]


HALVES = {
    "a metric": renamed("m\ud800"),
    "a system": [*rows(), {"system": "s\udfff", "segment": "0", "human": 1, "m": 2}],
    "a segment": [*rows(), {"system": "s0", "segment": "\ud83d", "human": 1, "m": 2}],
    "a document": rows(document="d\udc80"),
    "a domain": rows(domain="\ud800\ud800"),
    "a text that is not read": rows(note={"within": ["x\udfff"]}),
}


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("what", HALVES)
def test_halves_of_characters_are_refused_where_they_are_read(command, tmp_path, what, suffix):
    texts = [json.dumps(row) for row in HALVES[what]]
    text = "\n".join(texts) if suffix == ".jsonl" else f"[{','.join(texts)}]"
    (tmp_path / f"x{suffix}").write_text(text)
    result = command("rank", f"x{suffix}", "--out", "out")
    check_refused(result)
    assert "surrogates not allowed" in result.err
    assert not (tmp_path / "out").exists()


def test_pairs_of_surrogates_are_characters(command, tmp_path):
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps(row) for row in renamed("m\U0001f600")))
    assert command("inspect", "x.jsonl").status == 0


def test_names_of_files_that_are_no_text_are_read_and_written(command, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    ss.write_scores(SCORES, "x.csv")
    Path("x.csv").rename(os.fsdecode(path))
    result = command("inspect", os.fsdecode(path), "--to", "y.zarr")
    assert result.status == 0, result.err
    assert "\\udcff" in ss.read_scores("y.zarr").attrs["source"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["rank", "s.zarr", "--add-metric", "x\x1b[2J=none"],
        ["rank", "s.zarr", "--metrics", "x\x1b[2J"],
        ["rank", "s.zarr", "--exclude", "x\x07"],
        ["rank", "s.zarr", "--baseline", "x\x1b[2J"],
        ["rank", "s.zarr", "--method", "x\x1b[2J"],
        ["rank", "s.zarr:x\x1b[2J=m"],
        ["inspect", "x\x1b[2J.csv"],
        ["rank", "x\x1b[2J.seg.score", "--human", "x"],
        ["rank", "x\x1b[2J/t/a-b"],
        ["qe", "x\x1b[2J"],
        ["task", "x\x1b[2J", "--mtme", "none", "--out", "out"],
        ["sweep", "x\x1b[2J.toml", "--out", "out"],
        ["x\x1b[2J"],
    ],
)
def test_no_escape_of_an_argument_comes_back(command, written, arguments):
    result = command(*(written if each == "s.zarr" else each for each in arguments))
    check_refused(result)
    assert OBEYED.isdisjoint(result.err)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("scorer", ["human", "m"])
def test_scores_whose_sums_overflow_are_refused(command, tmp_path, scorer, name):
    table = [row | {scorer: row[scorer] * 1e307} for row in rows()]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, table)))
    out = ["--out", "out"] if name == "rank" else []
    result = command(*name.split(), "x.jsonl", *out)
    check_refused(result)
    assert "a value beyond 1e+60 in" in result.err


@pytest.mark.parametrize("value", [1e308, -1e61, float("inf")])
def test_other_numbers_whose_sums_overflow_are_refused(value):
    systems, segments = list("ABC"), ["1", "2"]
    with pytest.raises(ss.InputError, match=r"beyond 1e\+60|infinite|finite"):
        ss.make_ratings([1.0, value], assessor=["a"] * 2, system=["A"] * 2, segment=segments)
    with pytest.raises(ss.InputError, match=r"beyond 1e\+60|infinite|finite"):
        ss.make_system_scores([1, 2, value], [[1, 2, 3]], systems=systems, metrics=["m"])
    with pytest.raises(ss.InputError, match=r"beyond 1e\+60|infinite"):
        ss.make_predictions([[1, 2, value]], [[1, 2, 3]], systems=["A"], gold=["g"])
    with pytest.raises(ss.InputError, match="human_count"):
        ss.make_scores(
            [[1.0, 2.0]] * 3,
            [[[1, 2]] * 3],
            systems=systems,
            metrics=["m"],
            human_count=[[abs(value)] * 2] * 3,
        )


def test_scores_next_to_nothing_are_refused():
    with pytest.raises(ss.InputError, match=r"no value in the metric 'm' reaches 1e-60; rescale"):
        ss.make_scores([[1.0, 2]] * 2, [[[1e-200, 0]] * 2], systems=list("AB"), metrics=["m"])


EXAMPLES = "inputs = ['example']\n"
SWEEPS = {
    "a list for a number": EXAMPLES + "n = [[1]]\n",
    "a table for a number": EXAMPLES + "n = [{a = 1}]\n",
    "a method that is a list": EXAMPLES + 'methods = [["a"]]\n',
    "a method that is a table": EXAMPLES + "methods = [{a = 1}]\n",
    "a number for inputs": "inputs = 3\n",
    "an input that is a number": "inputs = [3]\n",
    "a seed that is a text": EXAMPLES + 'seeds = ["x"]\n',
    "a seed out of range": EXAMPLES + f"seeds = [{BIG}]\n",
    "n out of range": EXAMPLES + f"n = [{BIG}]\n",
    "a design that is a number": EXAMPLES + "designs = [3]\n",
    "a share that is a list": EXAMPLES + "designs = [{share = [1]}]\n",
    "a date": "inputs = 2020-01-01\n",
    "nothing": "",
    "a name that is NUL": 'inputs = [{source = "\\u0000"}]\n',
    "a mask that is a list": 'inputs = [{source = "example", mask = ["all"]}]\n',
}


FILES = {
    "empty.csv": b"",
    "header.csv": b"system,segment,scorer,score\n",
    "nul.csv": b"system,segment,scorer,score\n\0,1,m,1\n",
    "binary.csv": bytes(range(256)),
    "open.csv": b'system,segment,scorer,score\n"a,1,m,1\n',
    "digits.csv": b"system,segment,scorer,score\na,1,human," + b"9" * 5000 + b"\n",
    "deep.json": b"[" * 100_000,
    "wide.json": b'{"a":' * 50_000,
    "infinite.json": b'[{"system":"a","segment":"1","human":Infinity}]',
    "digits.json": b'[{"system":"a","segment":"1","human":' + b"9" * 5000 + b"}]",
    "number.json": b"1e999999",
    "null.jsonl": b"null\n",
    "twice.jsonl": b'{"system":"a","system":"b"}\n',
    "x.parquet": b"PAR1PAR1",
    "x.xlsx": b"PK\x03\x04" + bytes(40),
    "x.ods": b"PK\x05\x06" + bytes(18),
    "x.csv.gz": gzip.compress(b"a,b\n", mtime=0)[:12],
    "x.csv.zst": b"\x28\xb5\x2f\xfd\x00",
}


FOLDERS = [".csv", ".json", ".parquet", ".xlsx", ".seg.score"]
NESTED = {
    "x.json": ("rank", b"[1]"),
    "objects.json": ("rank", b'{"a":1}'),
    "x.jsonl": ("rank", b"[]"),
    "answers.json": ("raters --judge a", b"[1]"),
    "people.json": ("raters --judge a", b'{"a":1}'),
    "quality.json": ("qe", b'{"a":1}'),
    "x.toml": ("task --out out", b"title = []"),
    "y.toml": ("sweep --out out", b"inputs = []"),
}
"""Commands and files whose brackets are repeated."""
DEEP = re.compile(rb"(\[|\{[^}1]*)(1?)([]}])")
CALLS = [
    *(("rank", name, content) for name, content in FILES.items()),
    *(("inspect", f"x{suffix}", None) for suffix in FOLDERS),
    *(("sweep --out out", "x.toml", text.encode()) for text in SWEEPS.values()),
    *(
        (words, name, DEEP.sub(lambda x, n=n: x[1] * n + x[2] + x[3] * n, content))
        for name, (words, content) in NESTED.items()
        for n in (150, 400, 3_000)
    ),
    ("task --out out", "keys.toml", b"[[task]]\ngold" + b".a" * 3_000 + b" = 1"),
]


@pytest.mark.parametrize(("words", "name", "content"), CALLS, ids=lambda x: str(x)[:30])
def test_files_of_any_kind_are_refused_in_one_line(command, tmp_path, words, name, content):
    if content is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(content)
    check_refused(command(*words.split(), name))


def test_loops_that_are_not_compiled_are_refused():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = [sys.executable, "-m", "supersample", "rank", "example"]
    found = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("error: NUMBA_DISABLE_JIT is set")
    assert found.stderr.count("\n") == 1


def test_intervals_beyond_memory_are_refused_before_the_work(command, monkeypatch):
    from supersample.execution import limits

    monkeypatch.setattr(limits, "usable_memory", lambda: 1_000)
    result = command("rank", "example", "--random", "systems", "--method", "percentile")
    check_refused(result)
    assert " take " in result.err
