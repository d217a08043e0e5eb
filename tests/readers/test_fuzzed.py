"""Every reader of text gives what it promises, or one line that names the file."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supersample as ss
from supersample.scores.ratings import check_ratings
from supersample.scores.schema import validate_scores, validate_start
from tests.readers.fuzzing import FUZZ, damaged

SYSTEMS = ("A.1", "B.2", "C.3")
SEGMENTS = ("1", "2", "3")
WMT = "\n".join(
    f"{metric}\txx-yy\tset\tref\t{system}\tdoc\t{segment}\t0.{len(metric)}{i}{segment}"
    for metric in ("m", "mm")
    for i, system in enumerate(SYSTEMS)
    for segment in SEGMENTS
)
SYSTEM_LEVEL = "METRIC LP DATA SYSTEM SCORE HUMAN\n" + "\n".join(
    f"{metric} xx-yy set {system} 0.{i} {i}.5"
    for metric in ("m", "mm")
    for i, system in enumerate(SYSTEMS)
)
JSON_LINES = "\n".join(
    json.dumps({"system": system, "segment": segment, "scorer": scorer, "score": i + 0.5})
    for scorer in ("human", "m")
    for i, system in enumerate(SYSTEMS)
    for segment in SEGMENTS
)
RATINGS = "assessor,system,segment,score,type\n" + "\n".join(
    f"{who},{system},{segment},{70 + i},{kind}"
    for who in "ab"
    for i, system in enumerate(SYSTEMS)
    for segment in SEGMENTS
    for kind in ("TGT", "BAD")
)
APPRAISE = "\n".join(
    f"a,set.{system},{i},TGT,x,y,8{i},doc{i}#{system},False,{spans},1.0,2.0"
    for i, system in enumerate(SYSTEMS)
    for spans in ("[]", '"[{""start_i"":0,""severity"":""major"",""error_type"":null}]"')
)


def _promise(read, path, check):
    """What is read is valid, or the error is one line that says which file."""
    try:
        result = read(path)
    except ss.InputError as error:
        text = str(error)
        assert len(text) < 1000
        return text
    check(result)
    return ""


def _system_level(data):
    assert set(data["system_score"].dims) == {"system", "metric"}


BESIDE = ss.make_scores(
    [[1.0, 2.0, 3.0], [2.0, 1.0, 4.0], [0.5, 0.0, 1.0]],
    np.empty((0, 3, 3)),
    systems=SYSTEMS,
    metrics=[],
    segments=[f"doc:{segment}" for segment in SEGMENTS],
)


def _added(path):
    return ss.add_metric(BESIDE, "m", path, orientation="higher-is-better")


READERS = {
    "m.seg.score": (WMT, _added, validate_start),
    "table.jsonl": (JSON_LINES, ss.read_table, validate_start),
    "systems.csv": (SYSTEM_LEVEL, ss.read_system_scores, _system_level),
    "ratings.csv": (RATINGS, ss.read_ratings, check_ratings),
    "appraise.csv": (APPRAISE, ss.read_appraise, check_ratings),
    "spans.csv": (APPRAISE, lambda p: ss.read_appraise(p, score="spans"), check_ratings),
}


@pytest.mark.parametrize("name", READERS)
def test_the_undamaged_file_is_read(name, tmp_path):
    text, read, check = READERS[name]
    path = tmp_path / name
    path.write_text(text)
    assert _promise(read, path, check) == ""


@pytest.mark.parametrize("name", READERS)
@FUZZ
@given(data=st.data())
def test_damaged_files_give_what_is_promised_or_one_line(name, tmp_path, data):
    text, read, check = READERS[name]
    path = tmp_path / name
    path.write_bytes(data.draw(damaged(text)))
    _promise(read, path, check)


DOCS = "news\td1\nnews\td1\ntalks\td2"
MTME = "\n".join(f"{system}\t0.{i}{j}" for i, system in enumerate(SYSTEMS) for j in range(3))
MTME_PARTS = {
    "documents/x-y.docs": DOCS,
    "human-scores/x-y.mqm.seg.score": MTME,
    "metric-scores/x-y/m-refA.seg.score": MTME,
}


@pytest.mark.parametrize("part", MTME_PARTS)
@FUZZ
@given(data=st.data())
def test_damaged_parts_of_mtme_give_scores_or_one_line(part, tmp_path, data):
    for name, text in MTME_PARTS.items():
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.draw(damaged(text)) if name == part else text.encode())
    _promise(lambda path: ss.read_mtme(path, "set", "x-y"), tmp_path, validate_scores)


@FUZZ
@given(data=st.data())
def test_damaged_ratings_beside_metrics_give_scores_or_one_line(tmp_path, data):
    path = tmp_path / "ratings.csv"
    path.write_bytes(data.draw(damaged(RATINGS)))
    scores = ss.make_scores(
        [[1.0, 2.0, 3.0]] * 3,
        [[[1.0, 2.0, 4.0]] * 3],
        systems=SYSTEMS,
        metrics=["m"],
        segments=SEGMENTS,
    )

    def read(path):
        return ss.rate_scores(scores, ss.prepare_ratings(ss.read_ratings(path)))

    _promise(read, path, validate_scores)


@FUZZ
@given(cut=st.integers(0, 200), flip=st.integers(0, 200))
def test_damaged_packed_files_give_scores_or_one_line(tmp_path, cut, flip):
    raw = bytearray(gzip.compress(WMT.encode(), mtime=0)[:cut])
    if flip < len(raw):
        raw[flip] ^= 0x55
    path = tmp_path / "m.seg.score.gz"
    path.write_bytes(bytes(raw))
    _promise(_added, path, validate_scores)


@FUZZ
@given(data=st.data())
def test_damaged_files_of_an_added_metric_give_scores_or_one_line(tmp_path, data):
    scores = ss.simulate_scores(systems=3, segments=3, correlations={"m": 0.9}, seed=1)
    names = [str(name) for name in scores["system"].values]
    own = "\n".join(f"{system}\t0.{i}{j}" for i, system in enumerate(names) for j in range(3))
    path = tmp_path / data.draw(st.sampled_from(["mine.seg.score", "mine.csv", "mine.txt"]))
    path.write_bytes(data.draw(damaged(own)))

    def read(path):
        return ss.add_metric(scores, "mine", path, orientation="higher-is-better")

    _promise(read, path, validate_scores)


@FUZZ
@given(raw=st.binary(max_size=300))
def test_any_bytes_give_scores_or_one_line(tmp_path, raw):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + raw)
    assert str(path) in _promise(ss.read_table, path, validate_scores)
