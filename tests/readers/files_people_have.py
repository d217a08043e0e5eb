"""Files of the same scores as people and tools write them, and how they are read."""

import csv
import gzip
import io
import json
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SYSTEMS, SEGMENTS, METRICS = ("A", "B", "C"), ("0", "1", "2", "3"), ("COMET", "BLEU")
DRAW = np.random.default_rng(0)
HUMAN = DRAW.integers(0, 100, (3, 4)).astype(float)
SCORE = DRAW.random((2, 3, 4)).round(4) + 0.00005
PLACES = [(i, j) for i in range(3) for j in range(4)]


def long(header=("system", "segment", "scorer", "score"), human="human"):
    """Rows of a long table, the header first."""
    rows = [list(header)]
    for scorer, values in ((human, HUMAN), *zip(METRICS, SCORE, strict=True)):
        rows += [[SYSTEMS[i], SEGMENTS[j], scorer, float(values[i, j])] for i, j in PLACES]
    return rows


def wide(system="system", segment="segment", human="human", more=()):
    """Rows of a wide table, the header first; further columns have texts."""
    rows = [[system, segment, *more, human, *METRICS]]
    for i, j in PLACES:
        scores = [float(HUMAN[i, j]), *(float(x) for x in SCORE[:, i, j])]
        rows.append([SYSTEMS[i], SEGMENTS[j], *(f"text, {name} {j}" for name in more), *scores])
    return rows


def text(rows, delimiter=",", decimal=".", end="\n"):
    """Write rows as delimited text."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end)
    for row in rows:
        writer.writerow([str(x).replace(".", decimal) if isinstance(x, float) else x for x in row])
    return stream.getvalue()


def objects(rows):
    """Rows as objects."""
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def lines(values):
    """Write objects as JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values)


def zstandard(content):
    """Pack by Zstandard."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content.encode())
    return sink.getvalue().to_pybytes()


def judged():
    """Objects of judges' scores within an object, human preference beside."""
    return [
        {
            "model": SYSTEMS[i],
            "prompt": f"prompt {j}",
            "scores": dict(zip(METRICS, map(float, SCORE[:, i, j]), strict=True)),
            "human_preference": float(HUMAN[i, j]),
        }
        for i, j in PLACES
    ]


def judged_rows():
    """Rows of each judge, with the human score in each."""
    rows = [["model", "prompt_id", "judge", "score", "human"]]
    for judge, values in zip(METRICS, SCORE, strict=True):
        rows += [
            [SYSTEMS[i], SEGMENTS[j], judge, float(values[i, j]), float(HUMAN[i, j])]
            for i, j in PLACES
        ]
    return rows


def general_task(year):
    """Human evaluation of WMT's general task, a line a segment, two language pairs in 2025."""
    found = []
    for j in range(4):
        if year == 24:
            scores = {
                s: [{"score": HUMAN[i, j] + d} for d in (-2, 2)] for i, s in enumerate(SYSTEMS)
            }
            found.append({"doc_id": f"test-en-news_x_#_{j}", "scores": scores, "tgt_text": {}})
            continue
        scores = {
            s: {"human1": HUMAN[i, j] - 2, "errors1": [], "human2": HUMAN[i, j] + 2}
            for i, s in enumerate(SYSTEMS)
        }
        found += [
            {"doc_id": f"{pair}_#_edu_#_d1_#_{j}", "src_text": "s", "scores": scores}
            for pair in ("cs-uk_UA", "en-et_EE")
        ]
    return found


def comet():
    """What comet-score writes with --to_json."""
    return {
        f"outputs/{system}.txt": [
            {"src": "s", "mt": "t", "ref": "r", "COMET": float(SCORE[0, i, j])} for j in range(4)
        ]
        for i, system in enumerate(SYSTEMS)
    }


def lists(rows):
    """Columns as lists."""
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def within_documents():
    """Segments that are numbered within documents."""
    rows = [["system", "doc_id", "seg_id", "human", *METRICS]]
    for row in wide()[1:]:
        document, number = divmod(int(row[1]), 2)
        rows.append([row[0], f"doc{document}", number + 1, *row[2:]])
    return rows


def with_pairs():
    """Two language pairs in a table."""
    rows = wide()
    return [
        [*rows[0], "lp"],
        *([*row, pair] for pair in ("en-de", "en-cs") for row in rows[1:]),
    ]


def parquet(path, rows):
    """Write Parquet."""
    pq.write_table(pa.table(lists(rows)), path)


def indexed(rows):
    """Rows with the index that pandas writes first."""
    return [["", *rows[0]], *([k, *row] for k, row in enumerate(rows[1:]))]


RENAMED = ("System ID", "SEG-ID", "Metric", "Value")
WIDE, LONG = text(wide()), text(long())
READ = [  # name, content, options (at most one)
    ("long.csv", LONG, {}),
    ("long.tsv", text(long(), "\t"), {}),
    ("long.csv.gz", gzip.compress(LONG.encode()), {}),
    ("long.csv.zst", zstandard(LONG), {}),
    ("wide.csv", WIDE, {}),
    ("wide.tsv", text(wide(), "\t"), {}),
    ("texts.csv", text(wide(more=("src", "mt", "ref"))), {}),
    ("judges.csv", text(long(("model", "prompt", "judge", "score"))), {}),
    ("renamed.csv", text(long(RENAMED)), {}),
    ("judges-human.csv", text(judged_rows()), {}),
    ("semicolons.csv", text(long(), ";"), {}),
    ("german.csv", text(wide(), ";", ","), {}),
    ("german.tsv", text(wide(), "\t", ","), {}),
    ("crlf.csv", "\ufeff" + text(wide(), end="\r\n"), {}),
    ("pandas.csv", text(indexed(wide())), {}),
    ("mqm.csv", text(wide(human="MQM")), {}),
    ("expert.csv", text(wide(human="expert")), {"human": "expert"}),
    ("experts-long.csv", text(long(human="expert")), {"human": "expert"}),
    ("odd.csv", text(wide(system="hypothesizer")), {"columns": {"system": "hypothesizer"}}),
    ("odd-segment.csv", text(wide(segment="textnr")), {"columns": {"segment": "textnr"}}),
    ("documents.csv", text(within_documents()), {}),
    ("pairs.csv", text(with_pairs()), {"language_pair": "en-cs"}),
    ("long.json", json.dumps(objects(long())), {}),
    ("wide.json", json.dumps(objects(wide()), indent=1), {}),
    ("columns.json", json.dumps(lists(wide())), {}),
    ("long.jsonl", lines(objects(long())), {}),
    ("wide.jsonl.gz", gzip.compress(lines(objects(wide())).encode()), {}),
    ("judges.jsonl", lines(judged()), {}),
    ("wide.parquet", lambda path: parquet(path, wide()), {}),
    ("wmt24-genmt-humeval.jsonl", lines(general_task(24)), {}),
    ("wmt25-genmt-humeval.jsonl", lines(general_task(25)), {"language_pair": "cs-uk_UA"}),
]

PAIRWISE = text([["model_a", "model_b", "winner"], *([a, b, a] for a, b in pairwise(SYSTEMS))])
ALONE = text([["system", "human", "BLEU"], *([s, 1.0, 2.0] for s in SYSTEMS)])
