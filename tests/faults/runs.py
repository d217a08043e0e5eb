"""Runs of the command line, for tests to kill and to signal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.stores import recorded

RUN = {"n": 60_000, "chunk": 250, "seed": 1}
OPTIONS = ["example", "-n", "60000", "--chunk", "250", "--seed", "1"]
COMMAND = [sys.executable, "-m", "supersample", "run", "--quiet", *OPTIONS]
STARTED = 120.0  # seconds until a process that does not start, or end, is given up


def wait_for(condition, seconds=STARTED):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.03)


def left(session):
    """Processes of a session that have not ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def begin(path, scheduler):
    """Begin a run in a session of its own."""
    return subprocess.Popen(
        [*COMMAND, "--out", path, "--scheduler", scheduler],
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        env=os.environ,
        preexec_fn=_heed_interrupts,
    )


def _heed_interrupts():
    """Undo what shells do to commands in the background: these ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for_moment(process, path, rng, moments=("import", "start", "middle", "middle")):
    """Let the command import, start or compute."""
    moment = rng.choice(moments)
    if moment == "middle":
        count = rng.randrange(2, 100)
        wait_for(lambda: process.poll() is not None or recorded(path) > count)
    else:
        time.sleep(rng.uniform(0.1, 0.6) if moment == "import" else rng.uniform(0.6, 3))
