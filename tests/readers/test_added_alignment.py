"""A metric's own scores, added back from a file whose lines name no segment."""

import random

import numpy as np
import pytest

import supersample as ss

SYSTEMS = ("A", "B", "C")
REFUSALS = (
    "line 1 may be segment 0 or segment 1",
    "which have another order here",
    "lines do not name segments, and",
    "lines for",  # where segments without numbers are absent from the table
)


def labels(draw, count):
    """Labels of a test set in its order, most of them with numbers that say it."""
    kind = draw.choice(["0", "1", "seg", "padded", "float", "5", "gaps", "words", "documents"])
    if kind == "words":
        return draw.sample([f"{a}{b}" for a in "bdfkmz" for b in ("a", "o", "ee", "ix")], count)
    if kind == "documents":
        return [f"{d}:{i}" for d in draw.sample("xyz", 3) for i in range(count)][:count]
    if kind == "gaps":
        return [str(i) for i in sorted(draw.sample(range(3 * count), count))]
    form = {"seg": "seg-{}", "padded": "{:04d}", "float": "{}.0"}.get(kind, "{}")
    first = int(kind) if kind.isdigit() else draw.choice([0, 1])
    return [form.format(first + i) for i in range(count)]


def write_table(path, draw, segments, values):
    """Write a long table with gaps, in the order of the test set, shuffled or sorted."""
    absent = draw.sample(segments, draw.choice([0, 0, 0, 1, 2]))
    kept = [segment for segment in segments if segment not in absent]
    rows = [
        (system, segment, scorer, values[scorer, system, segment])
        for scorer in ("m", "n", "human")
        for system in SYSTEMS
        for segment in kept
        if scorer != draw_gaps(draw) or draw.random() > 0.2
    ]
    order = draw.choice(["kept", "kept", "shuffled", "sorted", "by segment", "scorers"])
    if order == "shuffled":
        draw.shuffle(rows)
    elif order == "sorted":
        rows.sort()
    elif order == "by segment":
        rows.sort(key=lambda row: segments.index(row[1]))
    elif order == "scorers":
        rows.sort(key=lambda row: row[2])
    text = "".join(f"{a},{b},{c},{d!r}\n" for a, b, c, d in rows)
    path.write_text("system,segment,scorer,score\n" + text)
    return rows


def draw_gaps(draw):
    return draw.choice(["m", "m", "human", ""])


def added_back(table, added):
    """Scores with the metric added back; None if its file is refused, which must be well said."""
    scores = ss.read_table(table)
    try:
        return ss.add_metric(scores, "own", added, orientation="higher-is-better")
    except ss.InputError as error:
        message = str(error)
    assert any(reason in message for reason in REFUSALS), message
    assert "write a table with the columns system, segment and score" in message
    return None


@pytest.mark.parametrize("block", range(4))
def test_own_scores_agree_to_the_bit_or_are_refused(tmp_path, block):
    agreed = 0
    for number in range(25):
        draw = random.Random(1_000 * block + number)
        segments = labels(draw, draw.randint(5, 12))
        names = [(m, s, x) for m in ("m", "n", "human") for s in SYSTEMS for x in segments]
        values = {name: draw.random() for name in names}
        rows = write_table(tmp_path / "table.csv", draw, segments, values)
        present = {row[:3] for row in rows}
        lines = {
            system: [
                repr(values["m", system, x]) if (system, x, "m") in present else "None"
                for x in segments
            ]
            for system in SYSTEMS
        }
        added = tmp_path / ("own.seg.score" if draw.random() < 0.5 else f"folder-{number}")
        if added.suffix:
            text = "".join(f"{s}\t{x}\n" for s in SYSTEMS for x in lines[s])
            added.write_text(text)
        else:
            added.mkdir()
            for system, own in lines.items():
                (added / f"{system}.txt").write_text("\n".join(own) + "\n")
        scores = added_back(tmp_path / "table.csv", added)
        if scores is None:
            continue
        own, known = (scores["score"].sel(metric=name).values for name in ("own", "m"))
        np.testing.assert_array_equal(own, known, err_msg=f"{block} {number}")
        agreed += 1
    assert agreed >= 10  # of 25; the rest have labels or an order that say too little


def test_lines_follow_the_numbers_and_the_note_says_so(tmp_path):
    rows = ["system,segment,scorer,score"]
    for scorer, present in (("m", (0, 1, 2, 4)), ("human", (0, 1, 2, 3, 4))):
        rows += [f"{s},{i},{scorer},{ord(s) + i}" for s in SYSTEMS for i in present]
    (tmp_path / "table.csv").write_text("\n".join(rows))
    (tmp_path / "own").write_text("".join(f"{s} {ord(s) + i}\n" for s in SYSTEMS for i in range(7)))
    scores = ss.read_table(tmp_path / "table.csv")
    assert list(scores["segment"].values) == ["0", "1", "2", "4", "3"]
    added = ss.add_metric(scores, "own", tmp_path / "own", orientation="higher-is-better")
    np.testing.assert_array_equal(added["score"].sel(metric="own"), scores["human"])
    note = "by segment numbers, line 1 being segment 0 (2 lines of no segment)"
    assert note in added.attrs["added_notes"]
