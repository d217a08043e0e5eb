"""The comparison with other tools: each of our commands is one that the program has."""

import re
import shlex

import pytest

from experiments.peers import study
from supersample.cli import main


@pytest.mark.parametrize("task", study.tasks(), ids=lambda task: task["question"])
def test_every_command_is_known(task, capsys):
    for command in task["ours"].split(" && "):
        words = shlex.split(command)
        assert words[0] == "supersample"
        path = words[1:3] if words[1] == "test" else words[1:2]
        with pytest.raises(SystemExit, match="0"):
            main([*path, "--help"])
        shown = capsys.readouterr().out
        for word in words:
            if word.startswith("--"):
                assert re.search(rf"[ /,]{word}\b", shown)


def test_lines_of_others_are_counted():
    assert study.peer_lines(3, {}) == 3
    assert study.peer_lines("metrics + 1", {"metrics": 32}) == 33
    assert study.peer_lines("3 metrics + 3", {"metrics": 32}) == 99
