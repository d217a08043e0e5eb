"""Mistakes with files and sources: one line, exit status 2, and what mends it."""

import gzip
import json

import pytest

from tests.long_tables import check_refused, write_files
from tests.newcomers.files import DATA, SYSTEMS, WIDE

HEADER, *ROWS = WIDE.splitlines(keepends=True)
OWN = "".join(f"{system}\t{i}\n" for system in SYSTEMS for i in range(4))
UNEVEN = OWN + "C\t9\n"
GAPS = HEADER + "".join(row for row in ROWS if ",0," not in row[:4])
WORDS = [row.replace(f",{k % 4},", f",{'cdab'[k % 4]},", 1) for k, row in enumerate(ROWS)]
FILES = {
    **{path.name: path.read_bytes() for path in DATA.iterdir()},
    "odd.csv": WIDE.replace("system", "translator"),
    "odd2.csv": WIDE.replace("segment", "textnr"),
    "sytem.csv": WIDE.replace("system", "sytem"),
    "promt.csv": "model,document,promt,scorer,score\nA,d,1,m,2\n",
    "ratng.csv": "model,document,item,judge,ratng\nA,d,1,m,2\n",
    "people.csv": WIDE.replace("human", "people"),
    "texts.csv": "system,segment,output\nA,0,x\nB,0,y\n",
    "thousands.csv": WIDE.replace("\n", '\nA,0,"1,234",1,1\n', 1),
    "twice.csv": WIDE + "A,0,1,1,1\n",
    "header.csv": "system,segment,human,m\n",
    "gaps.csv": GAPS,
    "words.csv": HEADER + "".join(sorted(WORDS)),
    "wide.xml": WIDE,
    "broken.json": "[{",
    "numbers.json": "[1, 2]",
    "nothing.json": "[]",
    "uneven.json": json.dumps({"A.txt": [{"COMET": 1}], "B.txt": [{"COMET": 1}, {"COMET": 2}]}),
    "lengths.json": json.dumps({"system": ["A"], "segment": ["0", "1"]}),
    "names.jsonl": '{"system": "A", "segment": 0, "human": 1}\n{"system": "B", "segment": 0}\n',
    "array.jsonl": "[1]\n",
    "cut.csv.gz": gzip.compress(WIDE.encode())[:-9],
    "text.csv.zst": WIDE,
    "own.seg.score": OWN,
    "uneven.seg.score": UNEVEN,
    "foreign.seg.score": OWN.replace("A", "X").replace("B", "Y").replace("C", "Z"),
    "folder/A.txt": "1\n2\n3\n4\n",
    "folder/B.txt": "1\n2\n3\n",
    "set/wmt23/documents/en-de.docs": "news\td\nnews\td\n",
    "set/wmt23/human-scores/en-de.da.seg.score": "A\t1\nA\t2\nB\t1\nB\t2\n",
}
ADD = ["wide.csv", "--add-metric"]
SET = "set/wmt23/"
MISTAKES = [  # arguments of inspect, and what its one line says
    (["wid.csv"], "there is no file wid.csv: did you mean 'wide.csv'?"),
    (["folder"], "folder is a folder; give a .csv, .tsv, .xlsx, .json"),
    (["wide.xml"], "the name of a table ends in .csv, .tsv, .xlsx, .json"),
    (["own.seg.score"], "rank DATA --add-metric NAME=own.seg.score"),
    (["odd.csv"], "human, COMET, BLEU: say which it is by DATA:system=NAME"),
    (["odd2.csv"], "human, COMET, BLEU: say which it is by DATA:segment=NAME"),
    (["sytem.csv"], "is 'sytem' the system? Rename it, or say which it is by DATA:system=sytem"),
    (["promt.csv"], "is 'promt' the segment? Rename it, or say which it is by DATA:segment="),
    (["ratng.csv"], "is 'ratng' the score? Rename it, or say which it is by DATA:score=ratng"),
    (["odd.csv:system=mt"], "no column 'mt' in odd.csv"),
    (["systems.csv"], "scores without segments need the columns METRIC LP"),
    (["texts.csv"], "no column has scores; expected system, segment, scorer and score"),
    (
        ["people.csv"],
        "no scorer 'human' in people.csv; there are people, COMET, BLEU; name the human",
    ),
    (["wide.csv", "--human", "mqm"], "name the human scores, such as --human human"),
    (["pairs.csv"], "several language pairs: name one of en-de, en-cs"),
    (["pairs.csv", "--language-pair", "de-en"], "no language pair 'de-en' in pairs.csv; there are"),
    (["wide.csv", "--language-pair", "en-de"], "wide.csv has no language pairs; leave en-de out"),
    (["wide.csv", "--lower-is-better", "TER"], "no scorer 'TER' in wide.csv; there are human"),
    (["wide.csv:sheet=one"], "is not a spreadsheet and has no sheets; leave its sheet out"),
    (["thousands.csv"], "thousands.csv, line 2: the score '1,234' is not a number"),
    (["twice.csv"], "segment '0'; keep one, or average them"),
    (["header.csv"], "no column has scores"),
    (["broken.json"], "broken.json: not JSON"),
    (["numbers.json"], "numbers.json, item 1: expected a JSON object"),
    (["nothing.json"], "nothing.json has no objects; expected one for each score"),
    (["uneven.json"], "systems have different numbers of segments: A.txt 1, B.txt 2"),
    (["lengths.json"], "an object of objects or lists; write an array of rows"),
    (["comet.json"], "no scorer 'human' in comet.json; there are COMET; name the human"),
    (["names.jsonl"], "names.jsonl, line 2: 'human' is here or in the first line"),
    (["array.jsonl"], "array.jsonl, line 1: expected a JSON object"),
    (["cut.csv.gz"], "cut.csv.gz cannot be unpacked"),
    (["text.csv.zst"], "text.csv.zst cannot be unpacked"),
    ([*ADD, "mine"], "--add-metric takes NAME=FILE or an existing file, not 'mine'"),
    ([*ADD, "mine=nowhere.txt"], "there is no file nowhere.txt"),
    ([*ADD, "COMET=own.seg.score"], "a metric 'COMET' exists already; give yours another name"),
    ([*ADD, "mine=uneven.seg.score"], "'A' has 4 scores, 5 are expected"),
    ([*ADD, "mine=foreign.seg.score"], "no score of these systems and segments; it has X, Y, Z"),
    ([*ADD, "mine=folder"], "folder: A has 4, B has 3 lines; give a line for each"),
    (["gaps.csv", "--add-metric", "mine=own.seg.score"], "line 1 may be segment 0 or segment 1"),
    (
        ["words.csv", "--add-metric", "mine=own.seg.score"],
        "lines do not name segments, and words.csv",
    ),
    ([f"{SET}en-de"], "no en-de human scores 'mqm' in set/wmt23; there are da"),
    ([f"{SET}en-fr"], "no language pair 'en-fr' in set/wmt23"),
    ([f"{SET}en-de:segment=id"], "segment does not go with"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"), FILES)


@pytest.mark.parametrize(
    ("arguments", "message"), MISTAKES, ids=[" ".join(mistake[0]) for mistake in MISTAKES]
)
def test_a_mistake_is_one_line_that_names_the_mend(command, place, monkeypatch, arguments, message):
    monkeypatch.chdir(place)
    check_refused(command("inspect", *arguments), message)


def test_a_workbook_with_several_sheets_asks_for_one(command, monkeypatch):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    monkeypatch.chdir(DATA)
    check_refused(command("inspect", "two-sheets.xlsx"), "sheets old, new; name one by DATA:sheet=")
    result = command("inspect", "two-sheets.xlsx:sheet=newest")
    check_refused(result, "no sheet 'newest' in two-sheets.xlsx; there are old, new")
    assert command("inspect", "two-sheets.xlsx:sheet=new").status == 0
