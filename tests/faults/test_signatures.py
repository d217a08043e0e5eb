"""Different numbers have different signatures, whatever option made the difference.

A command runs without an option and with it. Where a number in its tables differs, so does a
signature.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.faults.test_fuzzed_commands import COMMANDS, STUCK, called
from tests.faults.test_options import (
    BESIDES,
    ELSEWHERE,
    LINES,
    SAME,
    SOURCES,
    values_of,
)

pytestmark = pytest.mark.usefixtures("no_page")

UNSIGNED = {"inspect", "run", "sweep"}
"""Commands that print no numbers, or keep them in a store of their own."""
SHOWN = {"figures", "figure_width", "report", "out", "full", "explain"}
"""What is shown or drawn, which changes no number."""
SIGNATURE = re.compile(r'[\w.]+:[^\n"]*\|version:[\w.+]+')
NUMBER = re.compile(r"\d+\.\d+(e-?\d+)?")
NAMED = [
    ("rank", "--lower-is-better m"),
    ("rank", "--by domain", "--by domain --weight a=2"),
    ("rank", "--hybrids 0 --seed 3"),
    ("rank", "--measure SPA", "--measure SPA --metrics good,m"),
    ("rank", "--measure pdp/item", "--measure pdp/item --only system-1,system-2,system-3"),
    ("plan", "--comparisons 3"),
]
"""Options whose effect no signature told once."""


def lines():
    """Each command with each source that it may have."""
    for words, kinds in sorted(COMMANDS.items()):
        name = " ".join(words)
        sources = SOURCES if "{source}" in LINES.get(name, "{source}") else SOURCES[:1]
        for source in sources if name not in UNSIGNED else []:
            yield pytest.param(name, kinds, source, id=f"{name} {source.split()[0]}")


def found(name, source, more=""):
    """Status of a command, the numbers of its tables by file, and its signatures."""
    shutil.rmtree("out", ignore_errors=True)
    shutil.rmtree("out.zarr", ignore_errors=True)
    options = {option.name for option in COMMANDS[tuple(name.split())]}
    base = LINES.get(name, "{source}").format(source=source)
    head, dashes, tail = base.partition(" -- ")
    written = "--out out" if "out" in options and "--out" not in base else ""
    written += " --figures none" if "figures" in options else ""
    written += " --full" if not options & {"out"} and "full" in options else ""
    line = f"{name} {head} {more} {written} {dashes}{tail}"
    status, out, _ = called(line.split(), STUCK)
    paths = [path for path in Path().glob("out/**/*") if path.is_file()]
    texts = [out, *(path.read_text() for path in paths if path.suffix in (".json", ".tex"))]
    numbers = {path.name: path.read_text() for path in paths if path.suffix in (".csv", ".tsv")}
    numbers = numbers or {"": SIGNATURE.sub("", out)}
    return status, numbers, {each for text in texts for each in SIGNATURE.findall(text)}


def rounded(text):
    """Text with numbers of nine digits: sums of streamed hybrids have another order."""
    return NUMBER.sub(lambda found: f"{float(found[0]):.9g}", text)


def told_apart(one, other):
    """Whether two runs have other signatures, or the same numbers."""
    (_, numbers, signatures), (_, others, signed) = one, other
    both = numbers.keys() & others.keys()
    return (
        all(rounded(numbers[name]) == rounded(others[name]) for name in both)
        or signed != signatures
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", NAMED, ids=" ".join)
def test_options_that_change_numbers_change_the_signature(files, monkeypatch, case):
    monkeypatch.chdir(files)
    name, *both = case
    one, other = (found(name, SOURCES[0], more) for more in ("", *both)[-2:])
    assert one[0] == other[0] == 0
    assert one[1] != other[1]
    assert one[2] != other[2]


@pytest.mark.faults
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kinds", "source"), [*lines()])
def test_no_option_changes_numbers_alone(files, monkeypatch, name, kinds, source):
    monkeypatch.chdir(files)
    base, no_number = LINES.get(name, ""), SAME | BESIDES | SHOWN | ELSEWHERE
    plain = found(name, source)
    assert plain[0] == 0
    assert plain[2]
    options = [each for each in kinds if each.param_type_name == "option"]
    options = [x for x in options if x.opts[0] not in base and x.name not in no_number]
    values = [value for x in options for value in values_of(x, kinds[x], source)]
    runs = {value: found(name, source, value) for value in values}
    alike = [value for value, run in runs.items() if run[0] == 0 and not told_apart(plain, run)]
    assert not alike
