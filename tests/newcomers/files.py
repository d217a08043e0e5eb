"""Files that newcomers bring, with what they should read as.

``python -m tests.newcomers.files FOLDER`` writes them all. Each has the scores of ``tests.readers.
files_people_have``: three systems, four segments, people's scores and perhaps those of two metrics.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.readers.files_people_have import (
    HUMAN,
    METRICS,
    PLACES,
    READ,
    SCORE,
    SEGMENTS,
    SYSTEMS,
    judged,
    lines,
    text,
    wide,
)


@dataclass
class File:
    """A file, or several, and how it should be read.

    Parameters
    ----------
    name : str
    content : str, bytes, dict or callable
        What to write; a dict has further files by their names, a function takes the path.
    options : list of str
        Of the command line, beside the file.
    refused : str
        Message, where the file is refused; options that it names are then followed.
    mended : str or callable
        The file as the message says to write it.
    metrics : tuple of str
        Metrics that it has.
    said : str
        What is told of the reading.
    """

    name: str
    content: object
    options: list[str] = field(default_factory=list)
    refused: str = ""
    mended: object = None
    metrics: tuple[str, ...] = METRICS
    said: str = ""


def put(path, content):
    """Write a file of a text, bytes, or by a function; or several, by their names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if callable(content):
        content(path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, dict):
        for name, each in content.items():
            put(path.parent / name, each)
    else:
        path.write_text(content, encoding="utf-8", newline="")
    return path


def known():
    """Files that were read before."""
    flags = {"human": "--human", "language_pair": "--language-pair"}
    for name, content, options in READ:
        given = [part for key in options if key in flags for part in (flags[key], options[key])]
        if of_data := options.get("columns", {}):
            given.append(":" + ",".join(f"{key}={value}" for key, value in of_data.items()))
        people = "humeval" in name
        yield File(name, content, given, metrics=() if people else METRICS)


def segments_called():
    """Segments by names that others use."""
    for name in ("doc_id", "item", "example", "prompt"):
        yield File(f"{name}.csv", text(wide(segment=name)), said=f"{name} as segment")


def percentages():
    """Scores of a metric as percentages."""
    header, *rows = wide()
    rows = [[*row[:-1], f"{row[-1]}%"] for row in rows]
    yield File("percent.csv", text([header, *rows]))
    rows[3][-1] = rows[3][-1].removesuffix("%")
    half = text([header, *rows])
    yield File(
        "half-percent.csv", half, refused="write percent signs in every row", mended=text(wide())
    )


def structs():
    """Parquet with the objects within objects of JSON lines."""
    yield File("structs.parquet", lambda path: pq.write_table(pa.Table.from_pylist(judged()), path))
    yield File("judges.jsonl", lines(judged()))


def gaps():
    """Scores that are missing, by words that the user declares."""
    rows = [*wide(), ["D", "0", "-", "n/a", "-"]]
    options = [":missing=-,n/a", "--exclude", "D"]
    yield File("gaps.csv", text(rows), options)
    dashes = text([*wide(), ["D", "0", "-", 1.0, 1.0]])
    yield File(
        "dashes.csv",
        dashes,
        ["--exclude", "D"],
        refused="the score '-' is not a number (column human)",
    )


def repetitions():
    """Rows that stand there again, and scores that differ."""
    rows = wide()
    yield File("again.csv", text([*rows, *rows[1:4]]), said="9 rows left out that repeat others")
    low, high = ([*rows[1][:2], rows[1][2] + d, *rows[1][3:]] for d in (-1, 1))
    both = text([rows[0], low, *rows[2:], high])
    yield File(
        "conflict.csv", both, refused="a second score of 'human' for system 'A', segment '0'"
    )


def annotators():
    """A column for each annotator, or a row for each rating."""
    header, *rows = wide()
    names = [f"annotator_{k}" for k in (1, 2, 3)]
    each = [[*row[:2], *(row[2] + d for d in (-1, 0, 1)), *row[3:]] for row in rows]
    header = [*header[:2], *names, *header[3:]]
    yield File(
        "annotators.csv", text([header, *each]), refused="there are annotator_1, annotator_2"
    )
    rated = [["annotator_id", "model", "item", "rating"], *ratings()]
    yield File("ratings.csv", text(rated), metrics=(), said="means of 2 assessors")
    beside = {"ratings.csv": text(rated), "scores.csv": text(wide())}
    options = ["--ratings", "ratings.csv:scale=raw"]
    yield File("scores.csv", beside, options)


def ratings():
    """Two annotators of each translation, who differ by 2."""
    return [
        [k, SYSTEMS[i], SEGMENTS[j], float(HUMAN[i, j]) + d]
        for k, d in ((1, -1), (2, 1))
        for i, j in PLACES
    ]


def errors():
    """Errors of MQM, as WMT publishes them, each worth a point, and who has none."""
    header = [
        *("system", "doc", "doc_id", "seg_id", "rater"),
        *("source", "target", "category", "severity", "comment"),
    ]
    rows = [header]
    for i, j in PLACES:
        start = [SYSTEMS[i], "doc", int(j) + 1, SEGMENTS[j], f"rater{j}", "a", "b"]
        found = [[*start, "Accuracy/Mistranslation", "Minor", ""]] * int(HUMAN[i, j])
        rows += found or [[*start, "No-error", "No-error", ""]]
    said = "minus the weights of MQM's errors"
    yield File("mqm.tsv", text(rows, "\t"), metrics=(), said=said)


def appraise():
    """ESA by Appraise, without a header."""
    rows = [
        [f"eng{k}", SYSTEMS[i], j, "TGT", "eng", "deu", HUMAN[i, j] + d, "doc", "False", "[]", 1, 2]
        for k, d in ((1, -1), (2, 1))
        for i, j in PLACES
    ]
    yield File("esa.csv", text(rows), metrics=(), said="means of ratings of Appraise by slider")


def label_studio():
    """Tasks of Label Studio, two annotations each and a cancelled one."""
    found = []
    for n, (i, j) in enumerate(PLACES):
        answers = [(10, HUMAN[i, j] - 1, False), (11, HUMAN[i, j] + 1, False), (12, 0, True)]
        annotations = [
            {
                "id": 100 * n + who,
                "completed_by": {"id": who, "email": f"{who}@example.org"} if n % 2 else who,
                "was_cancelled": cancelled,
                "ground_truth": False,
                "lead_time": 4.2,
                "result": [
                    {
                        "id": "x",
                        "from_name": "quality",
                        "to_name": "text",
                        "type": "rating",
                        "value": {"rating": int(value)},
                        "origin": "manual",
                    },
                    {
                        "from_name": "why",
                        "to_name": "text",
                        "type": "textarea",
                        "value": {"text": ["It reads well."]},
                    },
                ],
            }
            for who, value, cancelled in answers
        ]
        shown = {"model": SYSTEMS[i], "item_id": SEGMENTS[j], "text": "Shown to people."}
        found.append({"id": n, "data": shown, "annotations": annotations, "predictions": []})
    yield File("label-studio.json", json.dumps(found), metrics=(), said="means of")


def pearmut():
    """Annotations of Pearmut: two users, a document at a time, with attention checks."""

    def line(user, item_i, items, answers):
        blank = {"error_spans": [], "textfield": None}
        given = [{s: {"score": x, **blank} for s, x in each.items()} for each in answers]
        return {
            "annotation": given,
            "actions": [],
            "item": items,
            "user_id": user,
            "item_i": item_i,
        }

    check = {"item_id": "attention_check_1", "src": "s", "tgt": {"A": "t"}}
    check["validation"] = {"A": {"score": [30, 30]}}
    found = [line("u1", "welcome_0", [{"item_id": "tutorial_1", "tgt": {}}], [{"A": None}])]
    for user, d in (("u1", -1), ("u2", 1)):
        found.append(line(user, 0, [check], [{"A": 30}]))
        items = [{"item_id": j, "src": "s", "tgt": dict.fromkeys(SYSTEMS, "t")} for j in SEGMENTS]
        scores = [
            {s: float(HUMAN[i, k]) + d for i, s in enumerate(SYSTEMS)} for k in range(len(SEGMENTS))
        ]
        found.append(line(user, 1, items, scores))
    said = "3 attention checks left out"
    yield File("pearmut.jsonl", lines(found), metrics=(), said=said)


def nested():
    """Scores of judges in lists, and in names within names."""
    found = [
        {
            "item": SEGMENTS[j],
            "outputs": [
                {
                    "model": SYSTEMS[i],
                    "text": "An output.",
                    "judgments": [
                        {"judge": name, "score": float(value)}
                        for name, value in (
                            ("human", HUMAN[i, j]),
                            *zip(METRICS, SCORE[:, i, j], strict=True),
                        )
                    ],
                }
                for i in range(3)
            ],
        }
        for j in range(4)
    ]
    yield File("nested.json", json.dumps(found))
    values = {"human": HUMAN, "COMET": SCORE[0], "BLEU": SCORE[1]}
    deep = {
        m: {s: {j: float(v[i, k]) for k, j in enumerate(SEGMENTS)} for i, s in enumerate(SYSTEMS)}
        for m, v in values.items()
    }
    rows = [
        {"scorer": m, "system": SYSTEMS[i], "segment": SEGMENTS[j], "score": float(v[i, j])}
        for m, v in values.items()
        for i, j in PLACES
    ]
    yield File(
        "deep.json", json.dumps(deep), refused="write an array of rows", mended=json.dumps(rows)
    )


def mistakes():
    """Files with a mistake that the message names."""
    rows = wide()
    whole = text(rows)
    title = f"Results of the study\n{whole}"
    yield File("title.csv", title, refused="the header has Results, of, the", mended=whole)
    words = [rows[0], *([*row[:2], "good" if row[2] > 50 else "bad", *row[3:]] for row in rows[1:])]
    said = "the column 'human' has words such as '"
    yield File("words.csv", text(words), refused=said, mended=whole)
    odd = [["Name of translator", "Text nr", *rows[0][2:]], *rows[1:]]
    said = "the header has Name of translator, Text nr"
    yield File("odd.csv", text(odd), refused=said, mended=whole)
    one = [[*row[:4], row[4] if row[0] != "B" else "failed"] for row in rows]
    yield File(
        "failed.csv",
        text(one),
        refused="the score 'failed' is not a number (column BLEU)",
        mended=whole,
    )
    noted = [[*rows[0], "BLEURT"], *([*row, f"{row[4]} (ok)"] for row in rows[1:])]
    yield File("noted.csv", text(noted), said="the column 'BLEURT' is not read")


KINDS = (
    *(known, segments_called, percentages, structs, gaps, repetitions, annotators),
    *(errors, appraise, label_studio, pearmut, nested, mistakes),
)
FILES = [file for kind in KINDS for file in kind()]


if __name__ == "__main__":
    for number, each in enumerate(FILES, start=1):
        put(Path(sys.argv[1]) / f"{number:02}" / each.name, each.content)
    print(f"{len(FILES)} files in {sys.argv[1]}")
