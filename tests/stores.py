"""Stores in tests: what they hold, and which of their files were written when."""

import multiprocessing
from pathlib import Path

import supersample as ss

SCORES = ss.simulate_scores(
    systems=5, segments=40, correlations={"good": 0.9, "bad": 0.4}, lower_is_better=("bad",), seed=3
)
MANY = {"n": 2_950, "chunk": 50}  # 59 chunks, the last one full


def contents(path):
    """Every file of a store but those that say who wrote it, and when: name and bytes."""
    own = ("kept/store", "kept/sessions/", "kept/lengths/", "kept/partial/")
    names = {file: str(file.relative_to(path)) for file in sorted(Path(path).rglob("*"))}
    return {
        name: file.read_bytes()
        for file, name in names.items()
        if file.is_file() and not name.startswith(own) and not name.endswith(".lock")
    }


def finished(path):
    """Files of finished chunks and when they were written, to tell whether they are again."""
    records = sorted((Path(path) / "kept" / "finished").iterdir())
    written = {}
    for record in records:
        number = int(record.name)
        for name in ("human", "score", "first_system", "second_system", "share"):
            file = Path(path) / name / (f"{number}.0" if name == "score" else str(number))
            written[file] = (file.stat().st_ino, file.stat().st_mtime_ns)
    return written


def run_many(path):
    """A run of many small chunks, for others to kill."""
    ss.hybrids.run_hybrids(SCORES, path, **MANY)


def forked():
    """Processes that start quickly: what they need is imported once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.stores", "supersample.hybrids.runs"])
    return context
