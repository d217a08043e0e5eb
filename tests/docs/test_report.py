"""The report takes every number from a committed file, and its page stands alone."""

import re

import pytest

from docs.report import build
from docs.report.figures import FIGURES
from experiments.committed import ROOT

TEMPLATE = (build.HERE / "report.md").read_text()
# Digits that are no results: formulas, code, names, years, headings, levels, and definitions.
ALLOWED = (
    r"^## 13 .*?(?=^## 14 )",  # formulas
    r"\$\$.*?\$\$",
    r"`[^`]*`",
    r"\bWMT\d\d\b",
    r"\b(19|20)\d\d\b",
    r"^#+ \d+ ",
    r"\bFigure \d\b",
    r"\b[Ss]ections? \d+( and \d+|(, \d+)+ and \d+)?\b",
    r"^\| \d \|",  # the section of a study
    r"\b1 − r²",
    r"\b(95|10|5) %",
    r"\b10,000\b",
    r"\bk − 1\b",
    r"\| 1 \|$",  # Zou's width by itself
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the page of the site into a folder."""
    folder = tmp_path_factory.mktemp("report")
    build.write_site_page(folder)
    return folder


def test_every_key_is_found_and_used():
    known, studies = build.numbers()
    used = set(build.KEY.findall(TEMPLATE))
    assert used == set(known)
    for number in known.values():
        assert re.fullmatch(r"[\d,]+(\.\d+)?", number.text), number.key
        assert all((ROOT / file).is_file() for file in number.files), number.key
    made = {number.study for number in known.values() if ".csv" in number.files[0]}
    assert made == set(studies)


def test_no_number_is_typed_by_hand():
    text = build.KEY.sub("", TEMPLATE)
    for pattern in ALLOWED:
        text = re.sub(pattern, "", text, flags=re.M | re.S)
    assert [line for line in text.split("\n") if re.search(r"\d", line)] == []


def test_numbers_of_the_page_are_links_to_their_files(folder):
    text = (folder / "index.md").read_text()
    assert "{" not in re.sub(r"\$\$.*?\$\$", "", text, flags=re.S)
    number = build.numbers()[0]["together.drawn_out"]
    assert f"[{number.text}](../../experiments/best/results/joint.csv)" in text
    links = set(re.findall(r"\]\((\.\./\.\./[^)]*)\)", text))
    assert links
    assert all((ROOT / "docs" / "report" / link).is_file() for link in links)


def test_metrics_are_named_once_for_each_set(folder):
    text = (folder / "index.md").read_text()
    rows = [line.split(" | ") for line in build.names().split("\n")[2:]]
    assert [row[0] for row in rows] == ["| en-de", "| zh-en", "| both"]
    known = build.numbers()[0]
    for key, (_, left, ruled_out) in zip(
        ("answers.ende_r", "answers.zhen_r", "pooled.wmt23_left"), rows, strict=True
    ):
        assert f"{left} | {ruled_out}" in text
        assert len(left.split(", ")) == int(known[key].text)
        both = left.split(", ") + ruled_out.removesuffix(" |").split(", ")
        assert len(set(both)) == int(known["unadjusted.metrics"].text)


def test_the_page_stands_alone(folder):
    pytest.importorskip("mdit_py_plugins", reason="needs the extra docs")
    html = build.page(folder)
    assert html.count("data:image/svg+xml;base64,") == len(FIGURES)
    assert html.count("<math") == TEMPLATE.count("$$") / 2
    assert not re.search(r'(src|href)="(?!data:|#)', html)
    targets, links = (
        set(re.findall(rf'{name}="{start}([\w.]+)"', html))
        for name, start in (("id", ""), ("href", "#"))
    )
    assert links == targets == set(build.numbers()[0])
    assert html.count(" alt=") == len(FIGURES)
