"""A file that is wrong is refused in one line, which says where, by every reader of text."""

import pytest

import supersample as ss
from tests.readers import test_wmt as wmt
from tests.readers.test_added_metrics import SCORES
from tests.readers.test_ratings import rows
from tests.readers.test_systems import TABLE
from tests.readers.test_tables import BODY, HEADER

RATED = "assessor,system,segment,score,type\n"
RATING = RATED + "a,A,1,70,TGT\n"
ITEM = ("a", "S", 1, "TGT", 1, "d#S")
TABLES = [
    ("", "table.csv, line 1 is empty; the first line"),
    ("a;b\n", "the header has a, b: say which it is by DATA:system=NAME,s"),
    ("system,segment,score\n", "line 1: no column has scores; .* found system, segment, score"),
    ("system,segment,scorer,score,score\n", "line 1: several columns are called 'score'"),
    (HEADER, "table.csv has a header but no rows"),
    (HEADER + BODY + "A,3,m\n", "line 10 has 3 columns, but the header has 4"),
    (HEADER + BODY + "A,3,m,1,2\n", "line 10 has 5 columns, but the header has 4"),
    (HEADER + BODY + "A,3,m,high\n", "line 10: the score 'high' is not a number"),
    (HEADER + BODY + "A,3,m,1_0\n", "line 10: the score '1_0' is not a number"),
    (HEADER + BODY + "A,3,m,--1\n", "line 10: the score '--1' is not a number"),
    (HEADER + BODY + "A,3,m,-inf\n", "line 10: the score '-inf' is infinite"),
    (HEADER + BODY + "A,3,m,1e999\n", "line 10: the score '1e999' is infinite"),
    (HEADER + "\n\n" + BODY + "A,3,m,x\n", "line 12: the score 'x'"),
    (HEADER + BODY + f"A,3,m,{'x' * 5000}\n", r"line 10: the score 'x{57}\.\.\.' is not"),
    (HEADER + BODY + ",3,m,1\n", "line 10: the system is empty"),
    (HEADER + BODY + "A, ,m,1\n", "line 10: the segment is empty"),
    (HEADER + BODY + "\0,3,m,1\n", "line 10: the system is empty"),
    (HEADER + BODY + "B,1,m,9\n", "line 10: a second score of 'm' for system 'B', segment '1'"),
    (HEADER + BODY + "A,2,m,\n", "line 10: a second score of 'm' for system 'A', segment '2'"),
    (HEADER + BODY + 'A,3,"m,1\n', "line 10: unexpected end of data"),
    (
        HEADER + BODY.replace("human", "h"),
        "no scorer 'human' in .*; there are h, m; name the human",
    ),
    (HEADER + BODY[: BODY.index("B")], "at least 2 systems are needed, there are 1"),
    (HEADER + "A,1,human,1\nB,1,human,2\nA,1,m,1\n", "at least 2 segments are needed"),
    (HEADER + BODY + "A,1,n,\n", "no number in the metric 'n'"),
    ((HEADER + BODY).encode() + b"A,3,m\xe9,1\n", r"line 10: not UTF-8 text \(byte 0xe9\)"),
    ((HEADER + BODY).encode("utf-16"), r"line 1: not UTF-8 text \(byte 0xff\)"),
    (HEADER + BODY + "A,3\0,m,1,\n", "line 10 has 5 columns"),
    (
        "document," + HEADER + "".join(f"d{i},A,1,{x},1\n" for i, x in enumerate(("human", "m"))),
        "line 3: segment '1' has document 'd1' here and 'd0' earlier",
    ),
]
APPRAISE = [
    ("", "has no ratings of translations"),
    ("a,b\n", "appraise.csv, line 1: 2 columns; a row of Appraise has 9 "),
    (rows(("a", "S", "x", "TGT", 1, "d#S")), "line 1: the item 'x' is not an integer"),
    (rows(("a", "S", 1, "TUT", 1, "d#S")), r"line 1: a rating is of type TGT .*, not 'TUT'"),
    (rows(("a", "S", 1, "TGT", "high", "d#S")), "line 1: the score 'high' is not a number"),
    (rows(("a", "S", 1, "TGT", "", "d#S")), "line 1: the score '' is not a number"),
    (rows(("", "S", 1, "TGT", 1, "d#S")), "line 1: the assessor is empty"),
    (rows(("a", "S", 1, "TGT", 1, "d#S")).encode("utf-16"), "line 1: not UTF-8"),
]
SPANS = [
    (rows(ITEM, spans=spans), f"line 1.*{message}")
    for spans, message in (("{", "not JSON"), ("3", "not a list"), ("[3]", "without a severity"))
]
RATINGS = [
    *((f"{RATING}a,A,1,7,{x}\n", f"line 3: .* of type .*, not '{x}'") for x in ("TUT", "BAD-REF")),
    ("system,segment,score\n", "no column is the assessor; expected"),
    (RATED.replace("type", "type,type"), "several columns are called 'type'"),
]
SYSTEMS = [
    (TABLE + "m xx-yy set E 1\n", "line 10 has 5 columns, but the header has 6"),
    (TABLE + "m xx-yy set E high 1\n", "line 10: the score 'high' is not a number"),
    (TABLE + "m xx-yy set A 1 0.5\n", "line 10: a second score of 'm' for system 'A'"),
    (TABLE + "o xx-yy set A 1 0.7\n", "line 10: a second score of 'HUMAN' for system 'A'"),
    (
        TABLE + "m yy-xx set A 1 1\n",
        "systems.csv has several language pairs: name one of xx-yy, yy-xx",
    ),
    ("METRIC LP SYSTEM SCORE\n", "line 1: expected METRIC LP TESTSET SYSTEM SCORE"),
    (TABLE.splitlines()[0], "has a header but no rows"),
]
OF_TASKS = [
    ("", "m.seg.score: scores without a system"),
    ("a\tb\tc\n", "line 1: 3 columns, the last one 'c'; a file of the metrics task has 6, 7, 8, 9"),
    (wmt.lines(wmt.eight) + "m\txx-yy\n", "line 9 has 2 columns, but the first line has 8"),
    (wmt.lines(wmt.eight) + "m\txx-yy\tset\tr\tA\tz\t9\thigh\n", "line 9: the score 'high' is not"),
    (wmt.lines(wmt.eight) + "m\txx-yy\tset\tr\tA\tz\t9\tinf\n", "line 9: the score 'inf' is inf"),
    (wmt.lines(wmt.eight) + "m\txx-yy\tset\tr\t\tz\t9\t1\n", "line 9: the system is empty"),
    (wmt.lines(wmt.eight) * 2, "line 9: a second score of 'm' for system 'A', segment 'z:1'"),
    (
        wmt.lines(wmt.eight) + wmt.lines(wmt.eight).replace("\tr\t", "\to\t"),
        "several references; keep the rows",
    ),
    (
        wmt.lines(wmt.eight) + wmt.lines(wmt.eight).replace("xx-yy", "y-x"),
        "several language pairs; keep the rows",
    ),
]
OWN = [
    ("system-1 0.5\n", "one score of each system, where scores of segments are needed"),
    ("", "mine: scores without a system; write a system before each"),
    ("0.5\n0.6\n", "mine: scores without a system; write a system before each"),
    ("Z 1\n" * 6, "no score of these systems and segments; it has Z, they are system-1"),
    ("system-1 x\n", "line 1: the score 'x' is not a number"),
    ("system-1 1\n" * 6 + "system-2 1\n", "line 7: 'system-2' has 1 scores"),
    ("system-1 None\n" * 6, "no score of these systems"),
]
REFUSED = {
    "table.csv": (ss.read_table, TABLES),
    "appraise.csv": (ss.read_appraise, APPRAISE),
    "spans.csv": (lambda path: ss.read_appraise(path, score="spans"), SPANS),
    "ratings.csv": (ss.read_ratings, RATINGS),
    "systems.csv": (ss.read_system_scores, SYSTEMS),
    "m.seg.score": (lambda path: ss.add_metric(wmt.SCORES, "m", path), OF_TASKS),
    "mine": (lambda path: ss.add_metric(SCORES, "mine", path), OWN),
}
CASES = [(name, read, *case) for name, (read, cases) in REFUSED.items() for case in cases]


@pytest.mark.parametrize(("name", "read", "text", "message"), CASES)
def test_a_wrong_file_is_refused_in_one_line_with_its_place(write, name, read, text, message):
    with pytest.raises(ss.InputError, match=message) as told:
        read(write(text, name))
    assert "\n" not in str(told.value)
