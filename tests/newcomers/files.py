"""Files that newcomers bring, in the folder `data`, with what they should read as.

Each has the scores of `wide.csv`: three systems, four segments, people's scores and perhaps those
of two metrics.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"
SYSTEMS, METRICS = ("A", "B", "C"), ("COMET", "BLEU")
WIDE = (DATA / "wide.csv").read_text()
HUMAN, *SCORE = np.loadtxt(DATA / "wide.csv", skiprows=1, delimiter=",", usecols=(2, 3, 4)).T
HUMAN, SCORE = HUMAN.reshape(3, 4), np.reshape(SCORE, (2, 3, 4))


@dataclass
class File:
    """A file, and how it should be read.

    Parameters
    ----------
    name : str
    options : str
        Of the command line, beside the file; those of the file begin with a colon.
    refused : str
        Message, where the file is refused; options that it names are then followed.
    by_hand : bool
        Whether the file must be changed before it can be read.
    metrics : tuple of str
        Metrics that it has.
    said : str
        What is told of the reading.
    """

    name: str
    options: str = ""
    refused: str = ""
    by_hand: bool = False
    metrics: tuple[str, ...] = METRICS
    said: str = ""


READ = """
    long.csv long.tsv long.csv.gz long.csv.zst long.xlsx long.json long.jsonl
    wide.csv wide.tsv wide.xlsx wide.json wide.jsonl.gz wide.parquet
    texts.csv judges.csv renamed.csv judges-human.csv semicolons.csv german.csv german.tsv crlf.csv
    pandas.csv mqm.csv documents.csv percent.csv
    judges.jsonl
"""
"""Files that need no option."""
FILES = [
    *map(File, READ.split()),
    File("expert.csv", "--human expert"),
    File("experts-long.csv", "--human expert"),
    File("odd.csv", ":system=hypothesizer"),
    File("odd-segment.csv", ":segment=textnr"),
    File("pairs.csv", "--language-pair en-cs"),
    File("sheets.xlsx", ":sheet=first"),
    File("gaps.csv", ":missing=-,n/a --exclude D"),
    File("wide.csv", "--ratings ratings.csv:scale=raw"),
    *(
        File(f"{name}.csv", said=f"{name} as segment")
        for name in ("doc_id", "item", "example", "prompt")
    ),
    File("again.csv", said="9 scores left out that repeat others"),
    File("noted.csv", said="the column 'BLEURT' is not read"),
    # people's scores alone
    File("wmt24-genmt-humeval.jsonl", metrics=()),
    File("wmt25-genmt-humeval.jsonl", "--language-pair cs-uk_UA", metrics=()),
    File("ratings.csv", metrics=(), said="means of 2 assessors"),
    File("mqm.tsv", metrics=(), said="minus the weights of MQM's errors"),
    File("esa.csv", metrics=(), said="means of ratings of Appraise by slider"),
    File("pearmut.jsonl", metrics=(), said="ratings left out: 2 of attention checks"),
    # refused
    File("dashes.csv", "--exclude D", refused="the score '-' is not a number (column human)"),
    File("conflict.csv", refused="a second score of 'human' for system 'A'", by_hand=True),
    File("annotators.csv", refused="there are annotator_1, annotator_2"),
    File("half-percent.csv", refused="write percent signs in every row", by_hand=True),
    File("deep.json", refused="write an array of rows", by_hand=True),
    File("title.csv", refused="the header has Results, of, the", by_hand=True),
    File("words.csv", refused="the column 'human' has words such as '", by_hand=True),
    File("two-words.csv", refused="the header has Name of translator, Text nr", by_hand=True),
    File("failed.csv", refused="the score 'failed' is not a number (column BLEU)", by_hand=True),
]
