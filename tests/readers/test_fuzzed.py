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
LONG = "system,segment,scorer,score\n" + "\n".join(
    f"{system},{segment},{scorer},{i}.{segment}"
    for scorer in ("human", "m")
    for i, system in enumerate(SYSTEMS)
    for segment in SEGMENTS
)
RATINGS = "assessor,system,segment,score,type\n" + "\n".join(
    f"{who},{system},{segment},{score + i},{kind}"
    for who in "ab"
    for i, system in enumerate(SYSTEMS)
    for segment in SEGMENTS
    for kind, score in (("TGT", 70), ("BAD", 40 + i * int(segment)))
)
APPRAISE = "\n".join(
    f"a,set.{system},{i},TGT,x,y,8{i},doc{i}#{system},False,{spans},1.0,2.0"
    for i, system in enumerate(SYSTEMS)
    for spans in ("[]", '"[{""start_i"":0,""severity"":""major"",""error_type"":null}]"')
)


OWN = "\n".join(f"{system}\t0.{i}{j}" for i, system in enumerate(SYSTEMS) for j in range(3))
OWN_TABLE = "system,segment,score\n" + "\n".join(
    f"{system},{segment},0.{i}{segment}" for i, system in enumerate(SYSTEMS) for segment in SEGMENTS
)
PREDICTED = "METRIC\tSID\tSCORE\tRANK\tHUMAN\n" + "\n".join(
    f"{system}\t{segment}\t0.{i}{segment}\t0\t{segment}"
    for i, system in enumerate(SYSTEMS)
    for segment in SEGMENTS
)


def check_promise(read, path, check):
    """See that what is read is valid, or the error is one short line, which is returned."""
    try:
        result = read(path)
    except ss.InputError as error:
        text = str(error)
        assert "\n" not in text
        assert len(text) < 1000
        return text
    check(result)
    return ""


def _system_level(data):
    assert set(data["system_score"].dims) == {"system", "metric"}


def _predictions(data):
    assert set(data["prediction"].dims) == {"system", "segment"}


BESIDE = ss.make_scores(
    [[1.0, 2.0, 3.0], [2.0, 1.0, 4.0], [0.5, 0.0, 1.0]],
    np.empty((0, 3, 3)),
    systems=SYSTEMS,
    metrics=[],
    segments=SEGMENTS,
)
PLACED = BESIDE.assign_coords(segment=[f"doc:{segment}" for segment in SEGMENTS])


def _added(path, scores=BESIDE):
    return ss.add_metric(scores, "m", path, orientation="higher-is-better")


def _of_task(path):
    return _added(path, PLACED)


def _rated(path):
    return ss.rate_scores(BESIDE, ss.prepare_ratings(ss.read_ratings(path)))


READERS = {
    "m.seg.score": (WMT, _of_task, validate_start),
    "table.jsonl": (JSON_LINES, ss.read_table, validate_start),
    "table.csv": (LONG, ss.read_table, validate_start),
    "systems.csv": (SYSTEM_LEVEL, ss.read_system_scores, _system_level),
    "predictions.tsv": (PREDICTED, ss.read_predictions, _predictions),
    "ratings.csv": (RATINGS, ss.read_ratings, check_ratings),
    "beside.csv": (RATINGS, _rated, validate_start),
    "appraise.csv": (APPRAISE, ss.read_appraise, check_ratings),
    "spans.csv": (APPRAISE, lambda p: ss.read_appraise(p, score="spans"), check_ratings),
    "own.seg.score": (OWN, _added, validate_start),
    "own.csv": (OWN_TABLE, _added, validate_start),
    "own.txt": (OWN, _added, validate_start),
}


@pytest.mark.parametrize("name", READERS)
def test_the_undamaged_file_is_read(name, tmp_path):
    text, read, check = READERS[name]
    path = tmp_path / name
    path.write_text(text)
    assert check_promise(read, path, check) == ""


@pytest.mark.parametrize("name", READERS)
@FUZZ
@given(data=st.data())
def test_damaged_files_give_what_is_promised_or_one_line(name, tmp_path, data):
    text, read, check = READERS[name]
    path = tmp_path / name
    anything = st.text(max_size=200).map(lambda x: x.encode("utf-8", "surrogatepass"))
    after_header = anything.map(lambda raw: text.partition("\n")[0].encode() + b"\n" + raw)
    path.write_bytes(data.draw(damaged(text) | anything | after_header))
    check_promise(read, path, check)


DOCS = "news\td1\nnews\td1\ntalks\td2"
MTME_PARTS = {
    "documents/x-y.docs": DOCS,
    "human-scores/x-y.mqm.seg.score": OWN,
    "metric-scores/x-y/m-refA.seg.score": OWN,
}


@pytest.mark.parametrize("part", MTME_PARTS)
@FUZZ
@given(data=st.data())
def test_damaged_parts_of_mtme_give_scores_or_one_line(part, tmp_path, data):
    for name, text in MTME_PARTS.items():
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.draw(damaged(text)) if name == part else text.encode())
    check_promise(lambda path: ss.read_mtme(path, "set", "x-y"), tmp_path, validate_scores)


@FUZZ
@given(cut=st.integers(0, 200), flip=st.integers(0, 200))
def test_damaged_packed_files_give_scores_or_one_line(tmp_path, cut, flip):
    raw = bytearray(gzip.compress(WMT.encode(), mtime=0)[:cut])
    if flip < len(raw):
        raw[flip] ^= 0x55
    path = tmp_path / "m.seg.score.gz"
    path.write_bytes(bytes(raw))
    check_promise(_of_task, path, validate_scores)


@FUZZ
@given(raw=st.binary(max_size=300))
def test_any_bytes_after_the_mark_of_parquet_are_one_line_that_names_the_file(tmp_path, raw):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + raw)
    assert str(path) in check_promise(ss.read_table, path, validate_scores)
