"""Tables read as an independent reader reads them, or refused with a line that names the row."""

import csv
import io
import json
import math
import random
import zipfile

import numpy as np
import pytest

import supersample as ss
from tests.readers.files_people_have import sheets

COUNTS = [60, pytest.param(2_000, marks=pytest.mark.faults)]
ODD = ('"', 'a "b" c', '"x', 'y"', "it's", "'", "\u201eq\u201c", '""')


def rows_of(draw):
    """Rows of a long table with a text that nobody reads."""
    kind = draw.choice(["small", "thousands", "whole", "mixed"])
    value = {
        "small": lambda: round(draw.uniform(-1, 1), 3),
        "thousands": lambda: draw.choice([876, draw.randint(1_000, 9_999)]),
        "whole": lambda: draw.randint(0, 99),
        "mixed": lambda: draw.choice([draw.randint(100, 3_000), round(draw.uniform(0, 9), 2)]),
    }[kind]
    texts = ["plain", "", "a b", *draw.sample(ODD, draw.choice([0, 1, 2, 4]))]
    return [
        (system, str(segment), scorer, value(), draw.choice(texts))
        for system in "ABC"
        for segment in range(1, 6)
        for scorer in ("human", "m")
    ]


def written(draw, rows):
    """Text of a table as programs write it, the delimiter, and whether an absurd reader made it."""
    delimiter = draw.choice("\t\t,;")
    quoting = draw.choice(["none", "minimal", "all"]) if delimiter == "\t" else "minimal"
    number = draw.choice([str, str, "{:,}".format, lambda x: str(x).replace(".", ",")])
    cells = [("note", "system", "segment", "scorer", "score")]
    cells += [(note, a, b, c, number(score)) for a, b, c, score, note in rows]
    if quoting == "none":
        return "".join("\t".join(row) + "\n" for row in cells)
    out = io.StringIO()
    rule = csv.QUOTE_ALL if quoting == "all" else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=delimiter, quoting=rule, lineterminator="\n").writerows(cells)
    return out.getvalue()


@pytest.mark.parametrize("count", COUNTS)
def test_tables_agree_with_what_was_written_or_are_refused(tmp_path, count):
    read = 0
    for number in range(count):
        draw = random.Random(number)
        rows = rows_of(draw)
        path = tmp_path / draw.choice(["x.csv", "x.tsv"])
        path.write_text(written(draw, rows))
        try:
            scores = ss.read_table(path)
        except ss.InputError as error:
            why = str(error)
        else:
            why, read = "", read + 1
        if why:
            assert "line" in why or "quotes" in why, (number, why)
            assert "\n" not in why
            continue
        cubes = {"human": scores["human"], "m": scores["score"].sel(metric="m")}
        for system, segment, scorer, score, _ in rows:
            value = cubes[scorer].sel(system=system, segment=segment).item()
            assert math.isclose(value, score), (number, system, segment, scorer, score, value)
        assert sum(int(np.isfinite(cube).sum()) for cube in cubes.values()) == len(rows)
    assert read > count / 2


def test_rows_are_not_swallowed_by_quotes(tmp_path):
    lines = ["text\tsystem\tsegment\thuman\tm"]
    texts = {3: '"a', 9: 'b"'}
    lines += [f"{texts.get(i, 'c')}\tA\t{i}\t{i}\t.5" for i in range(12)]
    lines += [f"c\tB\t{i}\t{i}\t.5" for i in range(12)]
    (tmp_path / "x.tsv").write_text("\n".join(lines))
    assert ss.read_table(tmp_path / "x.tsv")["human"].notnull().all()
    (tmp_path / "x.csv").write_text("\n".join(lines).replace("\t", ","))
    with pytest.raises(ss.InputError, match="quotes join 25 lines into 19"):
        ss.read_table(tmp_path / "x.csv")


@pytest.mark.parametrize("delimiter", ["\t", ";"])
def test_commas_of_thousands_are_no_decimals(tmp_path, delimiter):
    rows = ["system,segment,human,m", *(f"{s},{i},{i},876" for s in "AB" for i in range(3))]
    text = "\n".join(rows).replace(",", delimiter).replace("876", "1,234", 1)
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ss.InputError, match=r"line 2: 1,234 may be 1234 or 1\.234"):
        ss.read_table(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text(text.replace("1,234", "0,234"))
    assert ss.read_table(tmp_path / "x.csv")["score"].values.ravel()[0] == 0.234


def test_ids_that_are_one_number_are_one_segment(tmp_path):
    ids = {"human": [1, 2, 3], "m": [1.0, 2.0, 3.0]}
    rows = [
        {"system": s, "segment": i, "scorer": scorer, "score": i + ord(s)}
        for scorer, numbers in ids.items()
        for s in "AB"
        for i in numbers
    ]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    scores = ss.read_table(tmp_path / "x.json")
    assert list(scores["segment"].values) == ["1", "2", "3"]
    np.testing.assert_array_equal(scores["score"][0], scores["human"])
    versions = [dict(row, system=f"gpt-4{'.0' * (row['system'] == 'A')}") for row in rows]
    (tmp_path / "x.json").write_text(json.dumps(versions))
    assert ss.read_table(tmp_path / "x.json").sizes["system"] == 2


@pytest.mark.parametrize("count", COUNTS)
def test_sums_do_not_depend_on_the_order_of_rows_or_the_scores_are_refused(count):
    for number in range(count):
        draw = np.random.default_rng(number)
        offset = draw.choice([0.0, 1.0, 1e3, 1e7, 2.0**53])
        human, noise = draw.normal(size=(2, 5, 30)).round(3)
        human += np.arange(5.0)[:, np.newaxis]
        human, metric = human + offset, human + noise + offset
        made = {"systems": list("ABCDE"), "metrics": ["m"], "higher_is_better": [True]}
        try:
            scores = ss.make_scores(human, [metric], **made)
        except ss.InputError as error:
            why = str(error)
        else:
            why = ""
        if why:
            assert "subtract the same number from all" in why
            assert offset >= 1e7
            continue
        order = draw.permutation(30)
        shuffled = ss.make_scores(human[:, order], [metric[:, order]], **made)
        centred = ss.make_scores(human - offset, [metric - offset], **made)
        values = [ss.correlations.correlate(x)["value"].values for x in (scores, shuffled, centred)]
        np.testing.assert_allclose(values[1:], values[:-1], atol=1e-5)


@pytest.mark.parametrize("cached", ["<v/>", "", "<v></v>", "<v>0.5</v>"])
def test_formulas_that_nobody_computed_are_refused(tmp_path, cached):
    path = tmp_path / "x.xlsx"
    header = ["system", "segment", "scorer", "score"]
    cells = [(s, i, c, float(i)) for s in "AB" for i in (1.0, 2.0, 3.0) for c in ("human", "m")]
    sheets(path, notes=[["other"]], scores=[header, *cells])
    with zipfile.ZipFile(path) as book:
        files = {name: book.read(name) for name in book.namelist()}
    name = "xl/worksheets/sheet1.xml"
    last = b"<c><v>3.0</v></c></row></sheetData>"
    assert last in files[name]
    formula = f'<c r="D13"><f>SUM(A1)</f>{cached}</c></row></sheetData>'.encode()
    files[name] = files[name].replace(last, formula)
    with zipfile.ZipFile(path, "w") as book:
        for each, content in files.items():
            book.writestr(each, content)
    if "0.5" in cached:
        assert ss.read_table(path, sheet="scores")["score"][0, 1, 2] == 0.5
    else:
        with pytest.raises(ss.InputError, match="the formula in D13 was never computed"):
            ss.read_table(path, sheet="scores")
