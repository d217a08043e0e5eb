"""Stores in tests: what they hold, and processes that write them."""

import multiprocessing
from multiprocessing import forkserver
from pathlib import Path

import supersample as ss

SCORES = ss.simulate_scores(
    systems=5, segments=40, correlations={"good": 0.9, "bad": 0.4}, lower_is_better=("bad",), seed=3
)
MANY = {"n": 2_950, "chunk": 50}  # 59 chunks


def contents(path):
    """Every file of a store, but those that killed processes did not finish: name and bytes."""
    files = {str(file.relative_to(path)): file for file in sorted(Path(path).rglob("*"))}
    return {
        name: file.read_bytes()
        for name, file in files.items()
        if file.is_file() and file.suffix != ".partial"
    }


def recorded(path):
    """How many chunks of a run are finished."""
    return ss.hybrids.run_status(path).finished if (Path(path) / "zarr.json").exists() else 0


def written(path):
    """Files of a run's chunks and when they were written, to tell whether they are again."""
    there = Path(path).glob("*/c/**/*")
    files = [file for file in there if file.is_file() and file.suffix != ".partial"]
    return {file: file.stat().st_mtime_ns for file in files if "hybrid" in _metadata(file)}


def _metadata(file):
    return next(p / "zarr.json" for p in file.parents if (p / "zarr.json").exists()).read_text()


def run_many(path):
    """A run of many small chunks, for others to kill."""
    ss.hybrids.run_hybrids(SCORES, path, **MANY)


def forked():
    """Processes that start quickly: what they need is imported once, by the server that forks."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.buckets", "supersample.hybrids.resuming", "s3fs"])
    forkserver.ensure_running()  # before distributed can start it, with other imports
    return context
