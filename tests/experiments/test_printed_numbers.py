"""Numbers that READMEs and pages print are those of the committed files that they come from."""

import re
import tomllib
from pathlib import Path

import pytest

from experiments.committed import ROOT, rows_of, value_of

PROMISING = [
    *("README.md", "docs/start.md", "docs/architecture.md"),
    *("docs/explain/*.md", "docs/howto/*.md", "docs/coming_from/*.md"),
    *("supersample/presentation/glossary.toml", "supersample/presentation/notes.py"),
    "supersample/cli/*.py",
]
"""Pages, terms of --explain and help, whose every percentage is held to a result or told of."""
LEVELS = {"5 %", "95 %"}
NO_PROMISES = {
    "README.md": [],
    "docs/explain/intervals.md": [
        "at least 93 %",  # of the heading
        "at most 5.5 % on real shapes",
    ],
    "docs/explain/segments.md": ["a weight of 0.6 to 3 %."],  # what WMT23's formulas give
    "docs/howto/my_metric.md": ["with a probability of 80 %", "noise of 1.6 % for 1,000 segments"],
}
"""Levels, powers and bounds of a count."""

HELD = tomllib.loads(Path(__file__).with_name("printed_numbers.toml").read_text())


def number(text, form):
    """A cell as printed: a number by its format, as it stands without one."""
    return format(float(text), form) if form and text else text


def markdown_rows(table):
    """Rows of a Markdown table, with the columns and formats that are asked for."""
    columns = table["columns"]
    forms = table.get("formats", {})
    return [
        "| " + " | ".join(number(row[name], forms.get(name)) for name in columns) + " |"
        for row in rows_of(table["file"], table.get("where", {}))
    ]


def text_of(page):
    """The text of a page in one line; of Python, with its strings joined."""
    text = (ROOT / page).read_text()
    if page.endswith(".py"):
        text = re.sub(r'"\s*\n\s*f?"', "", text)
    return " ".join(text.split())


def values_of(claim):
    """The numbers of a sentence, each found in a file by row and column.

    One with `digits` is printed without the 0 before its point.
    """
    found = []
    for of in claim["numbers"]:
        of = claim.get("all", {}) | of
        value = value_of(of)
        found.append(f"{value:.{of['digits']}f}".lstrip("0") if "digits" in of else value)
    return found


@pytest.mark.parametrize(
    ("page", "table"),
    [(page, table) for table in HELD["table"] for page in table["pages"]],
    ids=lambda of: of if isinstance(of, str) else of["file"],
)
def test_tables(page, table):
    text = (ROOT / page).read_text()
    expected = markdown_rows(table)
    assert expected
    assert "\n".join(expected) in text


@pytest.mark.parametrize("claim", HELD["claim"], ids=lambda of: of["says"][:40])
def test_sentences(claim):
    assert claim["says"].format(*values_of(claim)) in text_of(claim["page"])


def not_held(page, text):
    """Percentages of a page that no claim holds."""
    held = [
        claim["says"].format(*values_of(claim)) for claim in HELD["claim"] if claim["page"] == page
    ]
    for sentence in sorted([*held, *NO_PROMISES.get(page, ())], key=len, reverse=True):
        text = text.replace(sentence, "")
    return [found for found in re.findall(r"\d[\d.,]* %", text) if found not in LEVELS]


@pytest.mark.parametrize("pattern", PROMISING)
def test_every_percentage_that_is_promised_is_held_to_a_result(pattern):
    pages = [path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)]
    assert pages
    assert {page: found for page in pages if (found := not_held(page, text_of(page)))} == {}


def test_a_percentage_without_a_result_is_found():
    text = text_of("README.md") + " Its limits cover 92.3 % of all."
    assert not_held("README.md", text) == ["92.3 %"]


def test_a_wrong_number_is_found():
    claim = dict(HELD["claim"][0])
    first = dict(claim["numbers"][0], times=7)
    text = " ".join((ROOT / claim["page"]).read_text().split())
    wrong = claim["says"].format(*values_of({"numbers": [first, *claim["numbers"][1:]]}))
    assert wrong not in text
