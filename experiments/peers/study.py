"""Twenty questions: what is typed, and how many rows come, beside the best other tool.

python -m experiments.peers            # minutes; needs WMT23, writes into results
python -m experiments.peers --smoke    # a few of them; writes into experiments/out

Other tools are not run: their lines are those of their documentation and source.
"""

import argparse
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import supersample as ss
from experiments.common import DATA, OUT
from experiments.data import require
from supersample.presentation.table import Column, Table, to_csv, to_markdown

HERE = Path(__file__).parent
SETS = "mt-metrics-eval-v2"
WIDTH = 80  # columns of the terminal
COLUMNS = (
    Column("question"),
    Column("peer"),
    Column("typed", "typed, ours"),
    Column("peer_typed", "peer's"),
    Column("rows", "rows, ours"),
    Column("peer_rows", "peer's"),
    Column("no_longer", "no longer, no more rows"),
    Column("peer_lines", "peer's lines"),
)


def tasks() -> list[dict[str, Any]]:
    """Questions and commands, as they are declared."""
    return list(tomllib.loads((HERE / "tasks.toml").read_text("utf-8"))["tasks"])


def files(folder: Path) -> None:
    """Write the small files that commands name: a table of scores, and those of one metric."""
    scores = ss.load_example().isel(segment=slice(100))
    frame = scores["score"].sel(metric=["strong-95", "good-90", "fair-70"]).to_series()
    wide = frame.unstack("metric").set_axis(["a", "b", "c"], axis=1)
    wide.assign(human=scores["human"].to_series()).reset_index().to_csv(
        folder / "t.csv", index=False
    )
    theirs = DATA / SETS / "wmt23" / "metric-scores" / "zh-en" / "chrF-refA.seg.score"
    (folder / "mine.seg.score").write_bytes(theirs.read_bytes())


def rows_of(command: str, folder: Path) -> int:
    """Count the rows that commands joined by && print on a terminal; they must succeed."""
    place = {**os.environ, "SUPERSAMPLE_SETS": str(DATA / SETS), "COLUMNS": str(WIDTH)}
    place["PYTHONPATH"] = os.pathsep.join([str(HERE.parents[1]), place.get("PYTHONPATH", "")])
    how: dict[str, Any] = {"cwd": folder, "env": place, "capture_output": True, "text": True}
    lines: list[str] = []
    for each in command.split(" && "):
        done = subprocess.run([sys.executable, "-m", *shlex.split(each)], check=False, **how)
        if done.returncode != 0:
            raise RuntimeError(f"{each}: {done.stderr.strip()}")
        lines += done.stdout.splitlines()
    return sum(max(1, math.ceil(len(line) / WIDTH)) for line in lines)


def peer_lines(told: int | str, counts: Mapping[str, int]) -> int:
    """Lines of another tool: a number, or so many for each metric and the rest."""
    if isinstance(told, int):
        return told
    times, what, more = re.fullmatch(r"(?:(\d+) )?(\w+) \+ (\d+)", told).groups("1")  # type: ignore[union-attr]
    return int(times) * counts[what] + int(more)


def study(chosen: Sequence[Mapping[str, Any]]) -> Table:
    """One row for each question."""
    root = DATA / SETS
    primary = ss.read_mtme(root, "wmt23", "zh-en", metrics="primary")
    counts = {"metrics": primary.sizes["metric"]}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files(Path(folder))
        for task in chosen:
            ours, lines = rows_of(task["ours"], Path(folder)), peer_lines(task["lines"], counts)
            others = peer_lines(task.get("rows", task["lines"]), counts)
            typed, theirs = len(task["ours"]), len(task["theirs"])
            met = "yes" if typed <= theirs and ours <= others else ""
            rows.append((task["question"], task["peer"], typed, theirs, ours, others, met, lines))
    met = sum(row[6] == "yes" for row in rows)
    shorter = sum(row[2] <= row[3] for row in rows)
    fewer = sum(row[4] <= row[5] for row in rows)
    by_ends = sum(row[2] <= row[3] and row[4] <= row[7] for row in rows)
    caption = (
        f"{met} of {len(rows)} no longer and no more rows; {shorter} no longer; {fewer} no more "
        f"rows; {by_ends} no longer and no more than the peer's lines"
    )
    return Table(COLUMNS, tuple(rows), caption)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run every question, and write the table."""
    made = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    made.add_argument("--smoke", action="store_true", help="a few questions")
    options = made.parse_args(arguments)
    require(DATA, "mt-metrics-eval-v2")
    every = tasks()
    kept = OUT / "peers" if options.smoke else HERE / "results"
    table = study(every[18:19] if options.smoke else every)
    kept.mkdir(parents=True, exist_ok=True)
    (kept / "tasks.csv").write_text(to_csv(table), "utf-8")
    (kept / "tasks.md").write_text(to_markdown(table), "utf-8")
    print(to_markdown(table))
