"""Numbers that READMEs and pages print are those of the committed files that they come from."""

import tomllib
from pathlib import Path

import pytest

from experiments.committed import ROOT, rows_of, value_of

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
    text = " ".join((ROOT / claim["page"]).read_text().split())
    assert claim["says"].format(*values_of(claim)) in text


def test_a_wrong_number_is_found():
    claim = dict(HELD["claim"][0])
    first = dict(claim["numbers"][0], times=7)
    text = " ".join((ROOT / claim["page"]).read_text().split())
    wrong = claim["says"].format(*values_of({"numbers": [first, *claim["numbers"][1:]]}))
    assert wrong not in text
