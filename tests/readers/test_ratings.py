import numpy as np
import pytest

import supersample as ss

ROW = "{who},wmt.{system},{item},{kind},eng,deu,{score},{document},False,{spans},1.0,2.0\n"
SPAN = '"[{""start_i"":1,""end_i"":3,""severity"":""major"",""error_type"":[""A"",""B""]}]"'


def rows(*items, spans="[]"):
    """Text of items (assessor, system, item, kind, score, document)."""
    names = ("who", "system", "item", "kind", "score", "document")
    return "".join(ROW.format(spans=spans, **dict(zip(names, own, strict=True))) for own in items)


def test_items_become_segments_and_the_damaged_stand_beside_their_originals(write):
    text = rows(
        ("a", "S", 5, "TGT", 60, "d#S"),
        ("a", "S", 4, "TGT", 70, "d#S"),
        ("a", "S", 8, "BAD", 10, "d#S#bad1"),
        ("a", "S", 9, "BAD", 20, "d#S#bad1"),
        ("b", "S", 1, "TGT", 80, "d#S#duplicate1"),
        ("b", "S", 2, "TGT", 90, "d#S#duplicate1"),
        ("a", "tutorial", 1, "TGT", 3, "tutorial"),
    )
    ratings = ss.read_appraise(write(text + text.split("\n")[0]))
    average = ss.average_ratings(ratings)
    assert list(average["segment"].values) == ["d:1", "d:2"]
    np.testing.assert_array_equal(average["human"], [[75, 75]])
    np.testing.assert_array_equal(average["human_count"], [[2, 2]])
    checked = ss.check_assessors(ratings)
    np.testing.assert_array_equal(checked["mean_difference"], [-50, np.nan])
    assert ratings.attrs["dropped"] == "1 items of tutorial, 1 rows that stand there twice"
    assert ratings.attrs["unplaced"] == 0


def test_parts_of_documents_have_no_known_place_and_are_counted(write):
    text = rows(
        ("a", "S", 1, "TGT", 60, "d#S"),
        ("a", "S", 2, "TGT", 70, "d#S"),
        ("b", "T", 1, "TGT", 80, "d#T"),
    )
    ratings = ss.read_appraise(write(text))
    assert list(ratings["segment"].values) == ["d:1", "d:2", "d:b:1"]
    assert ratings.attrs["unplaced"] == 1


def test_rows_with_and_without_spans_and_penalties_of_spans(write):
    item = ("a", "S", 1, "TGT", 60, "d#S"), ("a", "S", 2, "TGT", 70, "d#S")
    both = rows(item[0]) + rows(item[1], spans=SPAN)
    np.testing.assert_array_equal(ss.read_appraise(write(both))["rating"], [60, 70])
    np.testing.assert_array_equal(ss.read_appraise(write(both), score="spans")["rating"], [0, -5])
    older = both.replace("[],", "").replace(SPAN + ",", "")
    np.testing.assert_array_equal(ss.read_appraise(write(older))["rating"], [60, 70])
    with pytest.raises(ss.InputError, match="line 1: there is no column of error spans"):
        ss.read_appraise(write(older), score="spans")


def test_long_tables_of_ratings(write):
    text = "assessor,system,segment,score,type\na,A,1,70,tgt\na,A,1,20,BAD\na,A,2,,TGT\n"
    ratings = ss.read_ratings(write(text))
    assert list(ratings["kind"].values) == ["TGT", "BAD"]
    assert ratings.attrs["dropped"] == "1 row without a score"
    with pytest.raises(ss.InputError, match=r"line 3: a rating is of type TGT .*, not 'SRC'"):
        ss.read_ratings(write(text.replace("BAD", "SRC")))
    with pytest.raises(ss.InputError, match="no column is the assessor; expected"):
        ss.read_ratings(write("system,segment,score\n"))
    with pytest.raises(ss.InputError, match="several columns are called 'type'"):
        ss.read_ratings(write("assessor,system,segment,score,type,type\n"))


KINDS = {
    "TGT": "TGT", "tgt": "TGT", "SYSTEM": "TGT", "": "TGT",
    "BAD": "BAD", "BAD_REF": "BAD", "bad_ref": "BAD",
    "CHK": "REPEAT", "REPEAT": "REPEAT", "REF": "REF",
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_appraise_and_of_graham_are_read(write, name):
    text = f"assessor,system,segment,score,type\na,A,1,70,TGT\na,A,1,20,{name}\n"
    assert ss.read_ratings(write(text))["kind"].values.tolist() == ["TGT", KINDS[name]]


def test_campaigns_without_documents_count_lines_of_the_test_set(write):
    items = ((4, "TGT", 70), (5, "TGT", 60), (5, "CHK", 64), (4, "REF", 90), (5, "BAD", 10))
    row = "a,newstest2018.{system},{item},{kind},eng,deu,{score},1528.1,1529.5\n"
    text = "".join(
        row.format(system=system, item=item, kind=kind, score=score)
        for system in "ST" for item, kind, score in items
    )  # fmt: skip
    path = write(text)
    ratings = ss.read_appraise(path)
    assert ratings["segment"].values.tolist() == ["4", "5", "5", "4", "5"] * 2
    assert ratings["kind"].values.tolist() == ["TGT", "TGT", "REPEAT", "REF", "BAD"] * 2
    assert ratings.attrs["unplaced"] == 0
    np.testing.assert_array_equal(
        ss.average_ratings(ratings)["human"], [[70, 60]] * 2
    )  # a repeat does not count
    assert ss.read_table(path).sizes["system"] == 2
    with pytest.raises(ss.InputError, match="line 1: there is no column of error spans"):
        ss.read_appraise(path, score="spans")
    wider = write(text.replace(",1528.1", ",d,1528.1"))
    with pytest.raises(ss.InputError, match=r"line 1: 10 columns; a row of Appraise has 9 \("):
        ss.read_appraise(wider)


def test_repeats_and_references_of_appraise_stand_beside_their_items(write):
    text = rows(
        ("a", "S", 4, "TGT", 70, "d#S"),
        ("a", "S", 5, "TGT", 60, "d#S"),
        ("a", "S", 6, "TGT", 50, "d#S"),
        ("a", "S", 5, "CHK", 64, "d#S"),
        ("a", "S", 6, "REF", 90, "d#S"),
    )
    ratings = ss.read_appraise(write(text))
    assert ratings["segment"].values.tolist() == ["d:1", "d:2", "d:3", "d:2", "d:3"]
    assert ratings["kind"].values.tolist() == ["TGT", "TGT", "TGT", "REPEAT", "REF"]
    assert ss.average_ratings(ratings)["human_count"].sum() == 3
