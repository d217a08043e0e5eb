"""Common parts of benchmarks: timing, limits, and rows of results.

A benchmark prints its figures, writes them to the folder that ``--results`` names, and exits with
status 1 if a limit is missed. A limit in seconds depends on the machine: if Python with NumPy takes
twice as long to start, the limit is twice as high. Small sizes (``--smoke``) have no limits.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import median

START = 0.11
"""Seconds that Python with NumPy took to start on the machine where limits were set."""
COLUMNS = ("benchmark", "what", "value", "unit", "limit", "met")


def parser(doc: str) -> argparse.ArgumentParser:
    """Options of every benchmark."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("--smoke", action="store_true", help="small sizes, no limits")
    made.add_argument("--results", type=Path, metavar="FOLDER", help="where to write the figures")
    return made


class Report:
    """Figures of one benchmark, and the limits that they keep or miss."""

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        self.name, self.smoke, self.folder = name, options.smoke, options.results
        self._rows: list[tuple[str, ...]] = []
        self._missed: list[str] = []

    def add(
        self,
        what: str,
        value: float,
        unit: str,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """Print a figure, with its limit if it has one."""
        limit, met = "", ""
        if at_most is not None and unit == "s" and not self.smoke:
            at_most *= pace()
        if at_least is not None or at_most is not None:
            kept = value >= at_least if at_least is not None else value <= at_most
            limit = f">= {at_least:g}" if at_least is not None else f"<= {at_most:.3g}"
            met = "yes" if kept else "no"
            if not kept:
                self._missed.append(f"{what}: {value:.4g} {unit}, not {limit}")
        print(f"{what}: {value:.4g} {unit}" + (f" (limit {limit})" if limit else ""), flush=True)
        self._rows.append((self.name, what, f"{value:.4g}", unit, limit, met))

    def end(self) -> None:
        """Write the figures, and exit with status 1 if a limit is missed."""
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / f"{self.name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([COLUMNS, *self._rows])
        if self._missed and not self.smoke:
            sys.exit("missed: " + "; ".join(self._missed))


@cache
def pace() -> float:
    """Time that Python with NumPy takes to start, relative to the machine of the limits."""
    command = [sys.executable, "-c", "import numpy"]
    return median(run_measured(command)[0] for _ in range(9)) / START


def best(run: Callable[[], object], times: int) -> float:
    """Shortest of some runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def best_in_turn(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Shortest of some runs of each, in seconds; every round runs all of them in turn.

    So other work on the machine slows all of them, and changes their ratios little.
    """
    shortest = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            shortest[name] = min(shortest[name], best(run, 1))
    return shortest


def run_measured(command: list[str]) -> tuple[float, float]:
    """Seconds of a command and the peak of its process tree's memory, in MB.

    The memory is resident memory. It is measured every 20 ms and summed over the tree, so pages
    that processes share count several times.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(_resident(pid) for pid in _tree(process.pid)))
        time.sleep(0.02)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - start, peak / 2**20


def _tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:  # it has ended
        return
    for child in children:
        yield from _tree(int(child))


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (FileNotFoundError, ProcessLookupError):
        return 0
