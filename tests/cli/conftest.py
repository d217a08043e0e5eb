"""The command line, run in a folder of its own."""

import io
import sys
from typing import NamedTuple

import pytest

from supersample import cli


class Result(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder: its status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments, stdin=None):
        arguments = [str(argument) for argument in arguments]
        monkeypatch.setattr(sys, "argv", ["supersample", *arguments])
        if stdin is not None:
            raw = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        captured = capsys.readouterr()
        return Result(ended.value.code or 0, captured.out, captured.err)

    return command
