"""Tables read as an independent reader reads them, or refused with a line that names the row."""

import csv
import io
import math
import random

import numpy as np
import pytest

import supersample as ss

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
    with pytest.raises(ss.InputError, match="quotes take 25 whole lines for 19"):
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
