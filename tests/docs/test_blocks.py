"""Every block of the README and of the pages runs as printed, and prints what stands below it.

The blocks of a page run in order, in one folder. ``sh`` holds commands and ``python`` statements,
also as code cells of pages; ``text`` below ``sh`` is what was printed, where ``...`` stands for
anything. Pages whose front matter says ``heavy: true`` run in `make docs` alone.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from supersample import cli, public_sets

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^(?P<fence>```+|:::+)(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=fence)$", re.M | re.S)
# Blocks that hold no commands, and what they are for.
NOT_RUN = {
    "bibtex": "an entry to cite",
    "toml": "a file, shown",
    "r": "another tool's call",
    "other": "another tool's call",
}
DIRECTIVES = re.compile(r"^\{(?!code-cell)[\w-]+\}")


class Block(NamedTuple):
    kind: str
    body: str
    line: int


def blocks(page):
    """Fenced blocks of a page that are no directives; code cells by what they hold."""
    text = page.read_text("utf-8")
    for match in FENCE.finditer(text):
        kind, body = match["kind"].strip(), match["body"]
        if DIRECTIVES.match(kind):
            continue
        if kind.startswith("{code-cell}"):
            body = "\n".join(line for line in body.split("\n") if not line.startswith(":"))
            kind = "sh" if body.startswith("%%sh\n") else "python"
            body = body.removeprefix("%%sh\n")
        yield Block(kind, body, text.count("\n", 0, match.start()) + 1)


def is_heavy(page):
    return re.match(r"---\n.*?^heavy: true$.*?^---$", page.read_text("utf-8"), re.M | re.S)


def commands(body):
    """Command lines, those that end with a backslash joined."""
    lines = re.sub(r"\\\n\s*", " ", body).split("\n")
    return [line for line in lines if line.strip() and not line.startswith("#")]


# Commands that cannot run here, and what is checked of them instead.
def _make(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)


def _pip(install, what):
    assert install == "install"
    extra = re.fullmatch(r"(?:\.|supersample)(\[(\w+)\])?", what)[2]
    assert extra is None or re.search(rf"^{extra} = ", (ROOT / "pyproject.toml").read_text(), re.M)


def _fetch(*names):
    assert set(names[:1]) <= set(public_sets())


def _sbatch(script, *_):
    assert (ROOT / script).is_file()


ELSEWHERE = {"make": _make, "pip": _pip, "sbatch": _sbatch, "supersample fetch": _fetch}


def run(line):
    """Run one command line; what it printed to the terminal."""
    words = shlex.split(line, comments=True)
    for name, check in ELSEWHERE.items():
        if words[: name.count(" ") + 1] == name.split():
            check(*words[name.count(" ") + 1 :])
            return ""
    assert words[0] == "supersample", line
    printed, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(errors),
        pytest.raises(SystemExit) as ended,
    ):
        cli.main(words[1:])
    assert not ended.value.code, f"{line}\n{errors.getvalue()}"
    return printed.getvalue()


def check_printed(expected, printed):
    """Hold what was printed to the page: equal but for blanks at ends, ... for anything."""

    def lines(text):
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))

    parts = [re.escape(part) for part in lines(expected).split("...")]
    assert re.fullmatch(".*".join(parts), lines(printed), re.S), f"printed now:\n{printed}"


def pages_to_run():
    for page in PAGES:
        if not is_heavy(page) and any(kind in ("sh", "python") for kind, *_ in blocks(page)):
            yield pytest.param(page, id=str(page.relative_to(ROOT)))


@pytest.mark.filterwarnings("default")  # as for readers, for whom warnings are no errors
@pytest.mark.parametrize("page", [*pages_to_run()])
def test_blocks_run_as_printed(page, tmp_path, monkeypatch, started):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names, printed = {"__name__": "__main__"}, ""
    for kind, body, line in blocks(page):
        if kind == "sh":
            printed = "".join(run(command) for command in commands(body))
        elif kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * line + body, str(page), "exec"), names)
            printed = output.getvalue()
        elif kind == "text":
            check_printed(body, printed)


def test_blocks_are_of_known_kinds():
    known = {"sh", "python", "text", *NOT_RUN}
    unknown = [
        f"{page.relative_to(ROOT)}:{line} {kind!r}"
        for page in PAGES
        for kind, _, line in blocks(page)
        if kind not in known
    ]
    assert unknown == []


def test_folders_are_written_once_a_page():
    for page in PAGES:
        lines = [line for kind, body, _ in blocks(page) if kind == "sh" for line in commands(body)]
        outs = [match for line in lines for match in re.findall(r"--out (\S+)", line)]
        assert len(outs) == len(set(outs)), f"{page}: {outs}"


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.count("\n") <= 135
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (ROOT / link).exists()] == []
