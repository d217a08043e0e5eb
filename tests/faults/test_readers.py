"""An independent reader, written by hand, reads what the table reader reads, or it is refused."""

import csv
import io
import math
import random
import warnings

import numpy as np
import pytest

import supersample as ss

COUNTS = [20, pytest.param(1_000, marks=pytest.mark.faults)]
GAPS = {"", "none", "nan", "na", "null"}
NAMES = ["A", "b c", "d,e", 'f"g', "'h", "=i", "é", "1", "1.5", "-2", "x;y", "N/A", "null"]
NUMBERS = ["{:.3f}", "{!r}", "{:+.2f}", "{:e}", " {:.1f} ", "{:.0f}"]
ROLES = ("system", "segment", "scorer", "score")


def content(draw):
    """Header and rows of a table, long or wide, with gaps, further columns and doubled rows."""
    systems, scorers = draw.sample(NAMES, draw.randint(2, 4)), ["human", *draw.sample("mnop", 2)]
    segments = [f"{draw.choice(['', 's', 'seg-'])}{i}" for i in range(draw.randint(2, 6))]
    shown = draw.choice(NUMBERS).format

    def number():
        gap = draw.random() < 0.05
        return draw.choice(["", "NA", "None", "nan"]) if gap else shown(draw.uniform(-9, 99))

    if draw.random() < 0.5:
        header = [*ROLES]
        rows = [[a, b, c, number()] for a in systems for b in segments for c in scorers]
    else:
        header = ["system", "segment", *scorers]
        rows = [[a, b, *(number() for _ in scorers)] for a in systems for b in segments]
    if draw.random() < 0.5:
        header.append("note")
        for row in rows:
            row.append(draw.choice(["", "plain", "two words", "5", '"', "it's", "a,b", "c;d"]))
    if draw.random() < 0.5:
        draw.shuffle(rows)
    if draw.random() < 0.2:
        rows.pop(draw.randrange(len(rows)))
    if draw.random() < 0.1:
        rows.append(draw.choice(rows))
    if draw.random() < 0.1:
        draw.choice(rows)[draw.randrange(2, 4 if "score" in header else 5)] = "x"
    if draw.random() < 0.1:
        draw.choice(rows).append("more")
    order = draw.sample(range(len(header)), len(header))
    return [[row[i] for i in order] + row[len(order) :] for row in [header, *rows]]


def written(draw, rows):
    """Bytes of a file, and how the csv module reads it."""
    how = {"delimiter": draw.choice(",\t;"), "lineterminator": draw.choice(["\n", "\r\n"])}
    if how["delimiter"] == "\t" and draw.random() < 0.5:
        text = "".join("\t".join(row) + how["lineterminator"] for row in rows)
        return text.encode(), {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    out, coding = io.StringIO(), draw.choice(["utf-8", "utf-8-sig"])
    csv.writer(out, **how, quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(rows)
    return out.getvalue().encode(coding), {"delimiter": how["delimiter"]}


def number_of(text):
    """Number of a cell; None where it is missing."""
    text = text.strip()
    return None if text.lower() in GAPS else float(text)


def by_hand(rows):
    """Scores by scorer, system and segment, from rows of texts; a ValueError refuses a table."""
    header, *rest = rows
    found = {}
    for row in rest:
        if len(row) != len(header):
            raise ValueError("as many cells as the header")
        cells = dict(zip(header, row, strict=True))
        of = [cells[name].strip() for name in ("system", "segment")]
        named = {cells["scorer"]: cells["score"]} if "score" in cells else cells
        for scorer, text in named.items():
            if scorer in ("system", "segment", "note"):
                continue
            key = (scorer, *of)
            if key in found and found[key] != number_of(text):
                raise ValueError("twice, with different scores")
            found[key] = number_of(text)
    return found


def of_csv(raw, how):
    text = raw.decode("utf-8-sig")
    return by_hand([row for row in csv.reader(io.StringIO(text, newline=""), **how) if row])


def expectation(raw, how):
    """What the reader by hand reads, None where it refuses the file."""
    try:
        return of_csv(raw, how)
    except ValueError:
        return None


def refusal(path):
    """Scores of a file, or the line that refuses it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.LeftOutWarning)  # of notes that begin as numbers
            return ss.read_table(path)
    except ss.InputError as error:
        return str(error)


@pytest.mark.parametrize("count", COUNTS)
def test_readers_agree_or_the_file_is_refused(tmp_path, count):
    read = 0
    for seed in range(count):
        draw = random.Random(seed)
        raw, how = written(draw, content(draw))
        path = tmp_path / draw.choice(["x.csv", "x.tsv"])
        path.write_bytes(raw)
        expected, scores = expectation(raw, how), refusal(path)
        if isinstance(scores, str):
            assert "\n" not in scores
            assert "line" in scores or (expected is not None and few(expected)), (seed, scores)
            continue
        read += 1
        assert expected is not None, seed
        cube = {"human": scores["human"]}
        cube |= {str(name): scores["score"].sel(metric=name) for name in scores["metric"].values}
        assert {scorer for scorer, *_ in expected} == set(cube)
        for (scorer, system, segment), score in expected.items():
            value = float(cube[scorer].sel(system=system, segment=segment))
            same = math.isnan(value) if score is None else value == score
            assert same, (seed, scorer, system, segment, value, score)
        known = sum(score is not None for score in expected.values())
        assert known == sum(int(np.isfinite(each).sum()) for each in cube.values())
    assert read > count / 2


def few(expected):
    """Whether scores are too few to be compared: of a scorer, or of systems or segments."""
    present = [key for key, score in expected.items() if score is not None]
    empty = {scorer for scorer, *_ in expected} - {scorer for scorer, *_ in present}
    return bool(empty) or any(len({key[i] for key in present}) < 2 for i in range(3))
