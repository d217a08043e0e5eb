"""The report takes every number from a committed file, and its Markdown is current."""

import re

import pytest

from docs.report import build
from docs.report.figures import FIGURES
from experiments.committed import ROOT

TEXT = "".join(build.template(paper) for paper in build.PAPERS)
# Digits that are no results: formulas, code, names, years, headings, levels, and definitions.
ALLOWED = (
    r"^## S12 .*?(?=^## S13 )",  # formulas
    r"^## 8 .*?(?=^## 9 )",  # a rule with a date
    r"\$\$.*?\$\$",
    r"`[^`]*`",
    r"\barXiv [\d.]+\b",
    r"\bWMT\d\d\b",
    r"\b(19|20)\d\d\b",
    r"^#+ S?\d+ ",
    r"\bFigure S?\d\b",
    r"\b[Ss]ections? \d+\b",
    r"\bS\d+\b",
    r"\b1 − r²",
    r"\b(95|10|5)\N{NO-BREAK SPACE}%",
    r"\b10,000\b",
    r"\bk − 1\b",
    r"^\d\. ",
    r"\| 1 \|$",  # Zou's width by itself
)


def test_every_key_is_found_and_used():
    known, studies = build.numbers()
    used = set(build.KEY.findall(TEXT))
    assert used == set(known)
    for number in known.values():
        assert re.fullmatch(r"[\d,]+(\.\d+)?", number.text), number.key
        assert all((ROOT / file).is_file() for file in number.files), number.key
    made = {number.study for number in known.values() if ".csv" in number.files[0]}
    assert made == set(studies)


def test_no_number_is_typed_by_hand():
    text = build.KEY.sub("", TEXT)
    for pattern in ALLOWED:
        text = re.sub(pattern, "", text, flags=re.M | re.S)
    assert [line for line in text.split("\n") if re.search(r"\d", line)] == []


@pytest.mark.parametrize("paper", build.PAPERS)
def test_the_markdown_in_the_repository_is_current(paper):
    made = build.markdown(paper)
    assert "{" not in re.sub(r"\$\$.*?\$\$", "", made, flags=re.S)
    assert (build.HERE / f"{paper}.md").read_text() == made, "make report"
    figures = re.findall(r"\]\((figures/\w+\.svg)\)", made)
    assert all((build.HERE / name).is_file() for name in figures)


def test_the_report_is_short():
    words = re.sub(r"\|[-:| ]+\|", " ", build.markdown("report")).replace("|", " ").split()
    assert len(words) <= 3_500
    advice = build.template("report").partition("**What to do.**")[2].partition("\n")[0]
    assert advice.count(". ") + 1 == 5


def test_marks_of_metrics_are_as_many_as_are_counted():
    rows = [line.strip("| ").split(" | ") for line in build.names().split("\n")[2:]]
    metrics = [row[:4] for row in rows] + [row[4:] for row in rows if len(row) == 8]
    known = build.numbers()[0]
    assert len({of[0] for of in metrics}) == int(known["unadjusted.metrics"].text)
    keys = "listed.ende", "listed.zhen", "listed.both"
    for key, cells in zip(keys, zip(*(of[1:] for of in metrics), strict=True), strict=True):
        assert sum("(" not in cell for cell in cells) == int(known[key].text)
    both = [float(of[3].strip(r"\*()")) for of in metrics]
    assert both == sorted(both, reverse=True)


def test_the_pages_stand_alone():
    pytest.importorskip("mdit_py_plugins", reason="needs the extra docs")
    pages = {paper: build.page(paper) for paper in build.PAPERS}
    both = "".join(pages.values())
    assert both.count("data:image/svg+xml;base64,") == both.count(" alt=") == len(FIGURES)
    assert both.count("<math") == TEXT.count("$$") / 2
    papers = "|".join(build.PAPERS)
    assert not re.search(rf'(src|href)="(?!data:|#|({papers})\.html)', both)
    targets = set(re.findall(r'id="([\w.]+)"', pages["supplement"]))
    links = set(re.findall(r'href="(?:supplement\.html)?#([\w.]+)"', both))
    assert links == targets == set(build.numbers()[0])
