"""The reader of quality estimation: its layouts, both ways of reading, and what is wrong where."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supersample import InputError
from supersample.readers import cells, table_files
from supersample.readers.tables import read_predictions

WMT = "METRIC\tSID\tSCORE\tRANK\tHUMAN\n"
GOOD = WMT + "a\t1\t0.5\t0\t0.4\na\t2\t0.25\t0\t0.1\nb\t2\t1\t2\t0.1\nb\t1\t0\t1\t0.4\n"
LONG = "system,segment,score\n"
TRAINED = "system,segment,score,trained_on\n"


def refuse(*_):
    raise InputError("read row by row")


@pytest.fixture(params=["by columns", "by rows"])
def way(request, monkeypatch):
    """Read well-formed text by columns, or all of it a row at a time."""
    if request.param == "by rows":
        monkeypatch.setattr(table_files.Text, "_split", refuse)
    return request.param


def test_wmts_layout(write, way):
    data = read_predictions(write(GOOD), gold=["HTER"])
    assert list(data["system"].values) == ["a", "b"]
    assert list(data["segment"].values) == ["1", "2"]
    np.testing.assert_array_equal(data["prediction"], [[0.5, 0.25], [0, 1]])
    np.testing.assert_array_equal(data["label"], [[0.4, 0.1]])
    assert list(data["gold"].values) == list(set(data["predicts"].values)) == ["HTER"]


def test_the_gold_standard_is_human_unless_named(write):
    assert list(read_predictions(write(GOOD))["gold"].values) == ["human"]


def test_a_long_table_with_gold_standards_lengths_and_training(write, way):
    text = TRAINED + (
        "HTER,s1,0.5,\nHTER,s2,0.1,\nPET,s1,30,\nPET,s2,,\nwords,s1,10,\nwords,s2,5,\n"
        "x,s1,0.4,HTER\nx,s2,0.2,HTER\ny,s2,33,PET\n"
    )
    data = read_predictions(write(text), gold=["PET", "HTER"], length="words")
    assert list(data["gold"].values) == ["PET", "HTER"]
    np.testing.assert_array_equal(data["label"], [[30, np.nan], [0.5, 0.1]])
    np.testing.assert_array_equal(data["prediction"], [[0.4, 0.2], [np.nan, 33]])
    np.testing.assert_array_equal(data["length"], [10, 5])
    assert list(data["trained_on"].values) == ["HTER", "PET"]


def test_scorers_predict_for_translations(write, way):
    text = "system,segment,scorer,score\n" + "".join(
        f"{system},{segment},{scorer},{value}\n"
        for system in "AB"
        for segment in "12"
        for scorer, value in (("human", ord(system) + int(segment)), ("qe", int(segment)))
    )
    data = read_predictions(write(text))
    assert list(data["system"].values) == ["qe"]
    assert list(data["segment"].values) == ["A/1", "A/2", "B/1", "B/2"]
    np.testing.assert_array_equal(data["label"], [[66, 67, 67, 68]])
    np.testing.assert_array_equal(data["prediction"], [[1, 2, 1, 2]])


BAD = {
    "empty": ("", "line 1: no column 'system'"),
    "no rows": (WMT, "has a header but no rows"),
    "no column": (GOOD.replace("HUMAN", "GOLD"), "line 1: no column 'human'; expected METRIC"),
    "no column of a long table": ("system,segment\na,1\n", "line 1: no column 'score'"),
    "two columns": (GOOD.replace("RANK", "SCORE"), "line 1: several columns are called 'score'"),
    "short row": (GOOD.replace("a\t2\t0.25\t0\t0.1", "a\t2\t0.25"), "line 3 has 3 columns, but"),
    "no number": (GOOD.replace("0.25", "x"), "line 3: the score 'x' is not a number"),
    "no label": (GOOD.replace("\t0.1\nb", "\t?\nb"), "line 3: the score '\\?' is not a number"),
    "infinite": (GOOD.replace("0.25", "-inf"), "line 3: the score '-inf' is infinite"),
    "underscore": (GOOD.replace("0.25", "0_25"), "line 3: the score '0_25' is not a number"),
    "no name": (GOOD.replace("a\t2", "\t2"), "line 3: the metric is empty"),
    "twice": (GOOD.replace("b\t1", "b\t2").replace("1\t0.4", "1\t0.1"), "line 5: a second score"),
    "two labels": (GOOD.replace("2\t0.1", "2\t0.3"), "line 4: segment '2' has the gold label 0.3"),
    "label missing": (GOOD.replace("2\t0.1", "2\t"), "line 4: segment '2' has the gold label nan"),
    "not text": (GOOD.encode().replace(b"b\t2", b"\xff\t2"), "line 4: not UTF-8 text"),
    "quote": (GOOD + '"b', "line 6: "),
    "no gold": (LONG + "a,1,2\na,2,3\n", "no system 'human' in .*; there are a"),
    "only gold": (LONG + "human,1,2\nhuman,2,3\n", "has gold standards and no predictions; add"),
    "trained twice": (
        TRAINED + "human,1,1,\nhuman,2,2,\na,1,1,HTER\na,2,2,PET\n",
        "line 5: system 'a' has trained_on 'PET' here and 'HTER' earlier; give two systems",
    ),
    "one segment": (LONG + "human,1,2\na,1,3\n", "at least 2 segments are needed"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_said_with_its_line(write, case, way):
    text, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        read_predictions(write(text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (GOOD, {"gold": ["a", "b"]}, "this layout has one gold standard, not a, b"),
        (GOOD, {"length": "words"}, "lengths need the columns"),
        (LONG + "human,1,2\na,1,3\n", {"length": "words"}, "no system 'words' in"),
        (LONG + "human,1,2\na,1,3\n", {"gold": ["a", "a"]}, "name each once"),
        (LONG + "human,1,2\na,1,3\n", {"gold": ["a"], "length": "a"}, "name each once"),
    ],
)
def test_what_is_named_must_be_there(write, text, options, message):
    with pytest.raises(InputError, match=message):
        read_predictions(write(text), **options)


def test_a_table_too_sparse_for_memory_is_refused(write, monkeypatch):
    monkeypatch.setattr(cells, "SPARSEST", 3)
    text = LONG + "".join(f"s{i},{i},1\n" for i in range(20))
    with pytest.raises(InputError, match="only 20 rows for 20 systems and 20 segments"):
        read_predictions(write(text), gold=["s0"])


FIELDS = st.sampled_from(["a", "b", "1", "2", "0.5", "-3", "", "nan", "inf", '"', " ", "1e3", "é"])
FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(path):
    try:
        return read_predictions(path)
    except InputError as error:
        return str(error)


@FUZZ
@given(st.lists(st.lists(FIELDS, min_size=4, max_size=6), max_size=8), st.sampled_from("\t,"))
def test_both_ways_of_reading_agree(write, rows, delimiter):
    lines = [WMT.strip().split("\t"), *rows]
    path = write("\n".join(delimiter.join(line) for line in lines))
    quick = outcome(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_files.Text, "_split", refuse)
        slow = outcome(path)
    if isinstance(quick, str) or isinstance(slow, str):
        assert quick == slow
    else:
        xr.testing.assert_identical(quick, slow)


@pytest.mark.real_data
def test_wmt14(data_root):
    data = read_predictions(data_root / "wmt14-qe" / "task-1.2.csv", gold=["HTER"])
    assert dict(data.sizes) == {"system": 11, "segment": 208, "gold": 1}
    assert data["prediction"].sel(system="DFKI-svr", segment="2").item() == 0.3597000739
    assert data["label"].sel(segment="3").item() == 0.5
    assert not data["prediction"].isnull().any()


def test_gaps_are_no_other_numbering(write):
    numbers = {"gold": (0, 2, 4, 6, 8, 9), "q": (0, 1, 3, 5, 7, 8, 9)}  # a shift would match more
    rows = [f"{name},{k},{k % 4}\n" for name, labels in numbers.items() for k in labels]
    found = read_predictions(write(LONG + "".join(rows)), gold=["gold"])
    assert int((found["prediction"].notnull() & found["label"].notnull()).sum()) == 3
