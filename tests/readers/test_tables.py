import io
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supersample import InputError, UncheckedWarning
from supersample.readers import cells
from supersample.readers.tables import read_table
from supersample.scores.schema import LARGEST

HEADER = "system,segment,scorer,score\n"
ROWS = [
    ("A", "1", "human", "3"),
    ("A", "1", "m", "0.5"),
    ("A", "2", "human", "4"),
    ("A", "2", "m", "-1e-3"),
    ("B", "1", "human", "1"),
    ("B", "1", "m", "0.25"),
    ("B", "2", "human", "2"),
    ("B", "2", "m", "+7"),
]
BODY = "".join(",".join(row) + "\n" for row in ROWS)


@pytest.fixture
def pipe(monkeypatch):
    def pipe(text):
        raw = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    return pipe


def check(scores):
    assert list(scores["system"].values) == ["A", "B"]
    assert list(scores["segment"].values) == ["1", "2"]
    assert list(scores["metric"].values) == ["m"]
    np.testing.assert_array_equal(scores["human"], [[3, 4], [1, 2]])
    np.testing.assert_array_equal(scores["score"], [[[0.5, -0.001], [0.25, 7]]])


@pytest.mark.parametrize("suffix", ["csv", "CSV"])
def test_columns_may_stand_in_any_order_and_case_with_others_between(write, suffix):
    text = " Score,note,SCORER,segment,System\n" + "".join(
        f"{score},x,{scorer},{segment},{system}\n" for system, segment, scorer, score in ROWS
    )
    check(read_table(write(text, f"scores.{suffix}")))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.removesuffix("\n"),
        lambda text: text.replace(",", " , "),
        lambda text: text.replace("human", '"human"'),
    ],
    ids=["CRLF", "byte order mark", "blank lines", "no last line end", "spaces", "quotes"],
)
def test_ways_to_write_the_same(write, change):
    check(read_table(write(change(HEADER + BODY))))


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_standard_input_is_csv_or_tsv(pipe, delimiter):
    pipe((HEADER + BODY).replace(",", delimiter))
    scores = read_table("-")
    check(scores)
    assert scores.attrs["source"] == "standard input"


def test_closed_standard_input_is_said(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_table("-")


def test_a_name_that_stands_twice_in_an_object_of_json_is_refused(tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text('{"system": "A", "segment": 0, "human": 1, "m": 0.1, "m": 0.9}\n')
    with pytest.raises(InputError, match="line 1: an object has the same name twice"):
        read_table(path)


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def columns():
    system, segment, scorer, score = zip(*ROWS, strict=True)
    return {"system": system, "segment": segment, "scorer": scorer, "score": score}


def test_parquet(tmp_path):
    path = tmp_path / "scores.parquet"
    as_text = columns()
    as_numbers = {
        "Score": [float(x) for x in as_text["score"]],
        "segment": [int(x) for x in as_text["segment"]],
        "system": pa.array(as_text["system"]).dictionary_encode(),
        "scorer": as_text["scorer"],
        "other": [None] * 8,
    }
    check(read_table(parquet(path, **as_numbers)))
    check(read_table(parquet(path, **as_text)))


def test_parquet_keeps_every_bit_and_null_is_missing(tmp_path):
    values = [1 / 3, None, np.nan, 1e-300, 0.1 + 0.2, 2.0**60 + 512, -0.0, 5.0]
    made = columns() | {"score": values}
    scores = read_table(parquet(tmp_path / "s.parquet", **made))
    expected = [[[np.nan, 1e-300], [2.0**60 + 512, 5.0]]]
    np.testing.assert_array_equal(scores["score"], expected)
    np.testing.assert_array_equal(scores["human"], [[1 / 3, np.nan], [0.1 + 0.2, 0.0]])


def test_parquet_names_the_row(tmp_path):
    bad = columns() | {"score": ["1"] * 5 + ["high"] + ["1"] * 2}
    with pytest.raises(InputError, match=r"s\.parquet, row 6: the score 'high' is not a number"):
        read_table(parquet(tmp_path / "s.parquet", **bad))


@pytest.mark.parametrize("missing", ["", " ", "None", "nan", "NA", "null"])
def test_missing_scores_are_missing(write, missing):
    scores = read_table(write(HEADER + BODY.replace("0.25", missing)))
    np.testing.assert_array_equal(scores["score"], [[[0.5, -0.001], [np.nan, 7]]])


def test_absent_rows_are_missing(write):
    scores = read_table(write(HEADER + BODY.replace("A,2,human,4\n", "")))
    np.testing.assert_array_equal(scores["human"].sel(segment="2"), [np.nan, 2])


def test_orientation_is_declared(write):
    path = write(HEADER + BODY + "A,1,ter,3\nB,1,ter,4\n")
    scores = read_table(path, lower_is_better=["ter", "human"])
    assert list(scores["higher_is_better"].values) == [True, False]
    assert scores["human"].attrs["higher_is_better"] == 0
    assert read_table(path)["human"].attrs["higher_is_better"] == 1


def test_any_scorer_may_be_the_human_one(write):
    scores = read_table(write(HEADER + BODY), human="m")
    assert list(scores["metric"].values) == ["human"]
    np.testing.assert_array_equal(scores["human"], [[0.5, -0.001], [0.25, 7]])


def test_documents_and_domains_are_read(write):
    text = "document,domain," + HEADER + "".join(f"d{r[1]},news,{','.join(r)}\n" for r in ROWS)
    scores = read_table(write(text))
    assert list(scores["document"].values) == ["d1", "d2"]
    assert list(scores["domain"].values) == ["news", "news"]
    with pytest.warns(UncheckedWarning, match="segments without domain: 1"):
        scores = read_table(write(text.replace("d2,news,", "d2,,")))
    assert list(scores["domain"].values) == ["news", "no domain"]
    assert "domain" not in read_table(write(text.replace(",news,", ",,")))


def test_systems_are_chosen_and_what_is_left_out_is_said(write):
    path = write(HEADER + BODY + BODY.replace("A,", "C,").replace("B,", "D,"))
    scores = read_table(path, only=["A", "C", "D"], exclude=["C"])
    assert list(scores["system"].values) == ["A", "D"]
    assert scores.attrs["systems_left_out"] == "B, C"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human": "mqm"}, "no scorer 'mqm' in .*; there are human, m"),
        ({"lower_is_better": ["ter"]}, "no scorer 'ter' in"),
        ({"only": ["Z"]}, "no system 'Z' in .*; there are A, B"),
        ({"exclude": ["Z"]}, "no system 'Z' in .*; there are A, B"),
        ({"exclude": ["A"]}, "at least 2 systems are needed, there are 1"),
        ({"exclude": ["A", "B"]}, "at least 2 systems are needed, there are 0"),
    ],
)
def test_what_is_named_must_be_there(write, options, message):
    with pytest.raises(InputError, match=message):
        read_table(write(HEADER + BODY), **options)


def test_a_table_too_sparse_for_memory_is_refused(write, monkeypatch):
    monkeypatch.setattr(cells, "SPARSEST", 10)
    text = HEADER + "".join(f"s{i},{i},human,1\ns{i},{i},m,1\n" for i in range(20))
    with pytest.raises(InputError, match="only 40 rows for 2 scorers, 20 systems and 20 segments"):
        read_table(write(text))


FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(st.data())
def test_what_is_written_is_read_back(write, data):
    printed = st.characters(exclude_categories=["C", "Z"], exclude_characters='"')
    label = st.text(printed, min_size=1, max_size=4)
    systems, segments, scorers = (
        data.draw(st.lists(label, min_size=2, max_size=3, unique=True)) for _ in range(3)
    )
    number = st.floats(-LARGEST, LARGEST).map(lambda x: x if abs(x) > 1e-60 else 0.0)
    cube = {
        (system, segment, scorer): data.draw(number)
        for system in systems
        for segment in segments
        for scorer in scorers
    }
    text = "".join("\t".join([a, b, c, repr(value)]) + "\n" for (a, b, c), value in cube.items())
    scores = read_table(write(HEADER.replace(",", "\t") + text, "s.tsv"), human=scorers[0])
    read = np.stack([scores["human"], *scores["score"]])
    np.testing.assert_array_equal(np.moveaxis(read, 0, -1).ravel(), list(cube.values()))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wmt99/metric-scores/m.score", "test sets wmt99: name one"),
        ("m-ref.seg.score.gz", "each file here by --add-metric NAME=FILE"),
        ("notes.txt", "give a .csv"),
    ],
)
def test_a_folder_says_how_it_is_read(tmp_path, name, message):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=message):
        read_table(tmp_path)


PLACES = [(system, prompt) for system in "ABC" for prompt in "1234"]
WIDE = [(*at, 1 + i * 7 % 5, round(i * 0.37 % 1, 2)) for i, at in enumerate(PLACES)]


def written_as(kind, rows, names, path):
    """The rows as a file or a data frame."""
    frame = pd.DataFrame(rows, columns=names)
    if kind == "frame":
        return frame
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("name", ["judge", "metric", "evaluator", "scorer"])
def test_a_column_of_numbers_is_no_column_of_names(tmp_path, kind, whole, name):
    rows = [(*at, rating, 1 + int(score * 5) if whole else score) for *at, rating, score in WIDE]
    table = written_as(kind, rows, ["model", "prompt", "rating", name], tmp_path / f"x.{kind}")
    scores = read_table(table, human="rating")
    assert list(scores["metric"].values) == [name]
    expected = np.array([row[3] for row in rows], dtype=float).reshape(3, 4)
    np.testing.assert_array_equal(scores["score"][0], expected)
    with pytest.raises(InputError, match="guessed: model as system, prompt as segment") as error:
        read_table(table)
    assert f"there are rating, {name}" in str(error.value)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_numbers_of_scorers_are_names_where_they_share_labels(tmp_path, kind):
    rows = [(*at, scorer, rating + scorer) for *at, rating, _ in WIDE for scorer in (1, 2)]
    names = ["model", "prompt", "judge", "rating"]
    table = written_as(kind, rows, names, tmp_path / f"x.{kind}")
    scores = read_table(table, human="1")
    assert list(scores["metric"].values) == ["2"]
    np.testing.assert_array_equal(scores["score"][0], scores["human"] + 1)
    with pytest.raises(InputError, match=r"guessed: .*judge as scorer, rating as score"):
        read_table(table)
