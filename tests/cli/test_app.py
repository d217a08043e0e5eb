"""The application: help, endings and streams, whatever the command."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from supersample.scores.files import write_scores
from supersample.scores.schema import load_example
from tests.long_tables import QUICK, SCORES, check_refused, table_text

RUN = [sys.executable, "-c", "from supersample.cli import main; main()"]


def run(*arguments, **options):
    return subprocess.run([*RUN, *arguments], capture_output=True, text=True, **options)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_the_commands(command, arguments):
    result = command(*arguments).done
    assert "rank      Rank metrics by their correlation with people." in result.out


def test_the_version_is_said(command):
    assert command("--version").out.startswith("supersample ")


def test_too_little_memory_gets_one_line(command, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("supersample.hybrids.samples.compute_rows", exhausted)
    check_refused(command("rank", "example"), "not enough memory (Unable to")


def broken(*_, **__):
    raise AttributeError("no such thing \x1b[2J" + 500 * "x")


def test_an_unexpected_error_gets_one_line_and_a_way_to_see_more(command, monkeypatch):
    monkeypatch.setattr("supersample.comparisons.rankings.prepare_hybrids", broken)
    result = command("rank", "example")
    assert result.status == 1
    assert result.err.startswith(r"error: unexpected AttributeError: no such thing \x1b[2Jxxx")
    assert result.err.endswith("...; supersample --debug shows where\n")
    with pytest.raises(AttributeError, match="no such thing"):
        command("--debug", "rank", "example")


ODD = "a\x1b[2J\x07\0\u202e\n"


NAMED = ("metric", "system", "segment")
COMMANDS = [
    ("rank", *QUICK),
    ("rank", "--random", "systems"),
    ("inspect",),
    ("spa",),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_names_reach_the_terminal_printable(command, words):
    scores = load_example()
    odd = {name: [f"{ODD}{x}" for x in scores[name].values] for name in NAMED}
    facts = ("source", "human", "mask", "read_as", "names_matched")
    scores = scores.assign_coords(odd).assign_attrs(dict.fromkeys(facts, ODD))
    write_scores(scores, "odd.zarr")
    result = command(*words, "odd.zarr").done
    assert "\\x1b[2J" in result.out
    assert set("\x1b\x07\0\u202e").isdisjoint(result.out + result.err)


def test_help_is_quick_and_loads_nothing_heavy():
    code = (
        "import sys\nfrom supersample.cli import main\n"
        "try:\n    main(['rank', '--help'])\n"
        "except SystemExit:\n    print(*sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split("\n")[-2].split())
    assert "typer" in loaded
    assert not {"numpy", "xarray", "numba", "matplotlib", "dask"} & loaded


def test_a_pipe_is_read_in_ascii_and_a_ranking_imports_nothing_slow_that_it_does_not_need():
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    env["PYTHONPROFILEIMPORTTIME"] = "1"  # each import is a line on standard error
    named = ["--human", "people", "--lower-is-better", "ter"]
    result = run("rank", "-", *named, *QUICK, input=table_text(SCORES), env=env)
    assert result.returncode == 0
    imports = re.findall(r"^import time:.*\| +(\S+)$", result.stderr, re.MULTILINE)
    assert "numba" in imports
    assert not {"scipy.stats", "zarr", "matplotlib", "pyarrow.parquet"} & {*imports}
    lines = result.stderr.splitlines()
    said, people = [line for line in lines if not line.startswith("import time:")]
    assert said.startswith("standard input: 5 systems, 2 metrics")
    assert people.startswith("people tell 0 of 10 pairs of systems apart")
    assert "ter's r is" in result.stdout


def test_a_reader_that_stops_reading_gets_no_traceback():
    process = subprocess.Popen([*RUN, "fetch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 0
    assert "Traceback" not in error
    assert "Exception" not in error


def test_a_reader_that_stops_reading_stops_nothing_else(command, tmp_path, monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as unread:
        monkeypatch.setattr(sys, "stdout", unread)
        assert command("compare", "example", "--out", "out", "--figures", "none").status == 0
        unread.write("nothing fails later either")
    assert (tmp_path / "out" / "ranking.csv").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_fails_is_said(command, monkeypatch):
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        result = command("compare", "example")
    assert result.status == 2
    assert result.err.splitlines()[-1].startswith("error: standard output: No space left")


@pytest.mark.posix("signals")
def test_an_interrupt_ends_quietly_with_its_own_status():
    # Standard input stays open, so that the command waits for it.
    code = "from supersample.cli import main; print('ready', flush=True); main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "rank", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # not ignored
    )  # fmt: skip
    assert process.stdout.readline() == b"ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (out, err) == (b"", b"")


def test_stopped_work_is_tidied_up_without_a_warning():
    """Python's tracker of semaphores outlives a process that ends at once."""
    code = (
        "import os, multiprocessing as m\nfrom supersample.__main__ import main\ntry:\n    main()\n"
        "except SystemExit:\n    kept = m.get_context('spawn').Lock()\n    os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (9, "")
