import csv
import io
import json

import numpy as np
import pytest
from rich.console import Console

from supersample.presentation.table import (
    Column,
    Table,
    escape_latex,
    leading_rows,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
    to_rich,
)

TABLE = Table(
    (
        Column("metric", "metric"),
        Column("r", "r, hybrids", ".3f"),
        Column("rank", "#"),
        Column("wins", "wins"),
        Column("significant", "significant"),
    ),
    (
        ("chr_F|1", 1 / 3, 1.0, 12, True),
        ("[b]x", float("nan"), float("nan"), 0, False),
        ("plain ↓", -0.5, 2.0, None, None),
    ),
    caption="Caption, 95 %",
    notes=("A note.",),
)


def test_csv_has_every_digit_and_field_names():
    assert to_csv(TABLE) == (
        "metric,r,rank,wins,significant\n"
        "chr_F|1,0.3333333333333333,1.0,12,true\n"
        "[b]x,,,0,false\n"
        "plain ↓,-0.5,2.0,,\n"
    )


def test_csv_quotes_what_needs_it():
    table = Table((Column("a", "a"),), (('x,"y"\nz',),))
    assert list(csv.reader(io.StringIO(to_csv(table)))) == [["a"], ['x,"y"\nz']]


def test_json_has_numbers_and_facts():
    facts = {"seed": 3, "baseline_r": float("nan")}
    read = json.loads(to_json(TABLE, **facts), parse_constant=pytest.fail)
    assert (read["seed"], read["baseline_r"]) == (3, None)
    assert read["rows"][0] == {
        "metric": "chr_F|1", "r": 1 / 3, "rank": 1.0, "wins": 12, "significant": True,
    }  # fmt: skip
    assert read["rows"][1]["r"] is None
    assert read["rows"][2]["wins"] is None


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_json_stays_json_where_a_statistic_is_infinite(infinite):
    text = to_json(Table((Column("t", "t"),), ((infinite,),)))
    assert json.loads(text, parse_constant=pytest.fail)["rows"] == [{"t": str(infinite)}]


def test_markdown():
    assert to_markdown(TABLE) == (
        "Caption, 95 %\n"
        "\n"
        "| metric   | r, hybrids |   # | wins | significant |\n"
        "| -------- | ---------: | --: | ---: | ----------- |\n"
        "| chr_F\\|1 |      0.333 |   1 |   12 | yes         |\n"
        "| [b]x     |            |     |    0 | no          |\n"
        "| plain ↓  |     -0.500 |   2 |      |             |\n"
        "\n"
        "A note.\n"
    )


def test_markdown_keeps_a_row_on_its_line():
    table = Table((Column("metric", "metric"),), (("two\nlines",),))
    assert "| two lines |" in to_markdown(table)


def test_latex():
    assert to_latex(TABLE, "ranking") == (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table*}\n"
        "\\centering\n"
        "\\footnotesize\n"
        "\\setlength{\\tabcolsep}{4pt}\n"
        "\\begin{tabular}{lrrrl}\n"
        "\\toprule\n"
        "metric & r, hybrids & \\# & wins & significant \\\\\n"
        "\\midrule\n"
        "chr\\_F|1 & 0.333 & 1 & 12 & yes \\\\\n"
        "{[}b]x &  &  & 0 & no \\\\\n"
        "plain $\\downarrow$ & $-$0.500 & 2 &  &  \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\caption{Caption, 95 \\%.}\n"
        "\\label{tab:ranking}\n"
        "\\end{table*}\n"
    )


def test_latex_escapes():
    escaped = r"\{x\} \textasciitilde{}\textasciicircum{} a\textbackslash{}b $-$1 $\downarrow$"
    assert escape_latex("{x} ~^ a\\b −1 ↓") == escaped
    assert escape_latex("a_b%c&d#e$f") == r"a\_b\%c\&d\#e\$f"


def printed(table):
    console = Console(width=100, file=io.StringIO(), color_system=None)
    console.print(to_rich(table))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_rich():
    assert printed(TABLE) == [
        "metric   r, hybrids  #  wins  significant",
        "─────────────────────────────────────────",
        "chr_F|1       0.333  1    12  yes",
        "[b]x                       0  no",
        "plain ↓      -0.500  2",
    ]


@pytest.mark.parametrize("name", ["[/]", "[bold]", ":smile:", "[link=x]y[/link]", "a\\[b]"])
def test_rich_prints_names_as_they_are(name):
    table = Table((Column("metric", name),), ((name,),))
    lines = printed(table)
    assert [line.strip() for line in (lines[0], lines[2])] == [name] * 2


def test_a_table_without_rows_prints():
    empty = Table((Column("metric", "metric"), Column("r", "r", ".3f")), ())
    assert to_csv(empty) == "metric,r\n"
    assert json.loads(to_json(empty)) == {"rows": []}
    assert to_markdown(empty) == "| metric | r   |\n| ------ | --- |\n\n"
    assert "\\midrule\n\\bottomrule" in to_latex(empty, "empty")
    assert any("metric" in line for line in printed(empty))


def test_a_terminal_gets_the_first_rows_of_a_long_table():
    table = Table((Column("a", "a"),), tuple((i,) for i in range(250)), "many")
    short = leading_rows(table)
    assert short.rows == table.rows[:100]
    assert short.caption == "many; the first 100 of 250 rows, --out writes all"
    assert leading_rows(short) is short


def test_each_part_of_a_wide_and_long_latex_table_names_its_pairs_and_has_the_caption():
    columns = (Column("system"), Column("other_system"), *(Column(f"n{i}") for i in range(9)))
    rows = tuple((f"s{i // 9}", f"t{i % 9}", *range(9)) for i in range(66))
    latex = to_latex(Table(columns, rows, "C"), "pairs")
    assert latex.count("s7 & t2 & ") == 2
    assert [part.count(r" \\") for part in latex.split(r"\caption{C.}")] == [51, 17, 51, 17, 0]


def test_a_wide_latex_table_becomes_several_that_name_their_rows():
    numbers = [Column(f"n{i}", number=".1f") for i in range(9)]
    places = [Column(f"p{i}", "rank") for i in range(9)]
    paired = [column for pair in zip(places, numbers, strict=True) for column in pair]
    columns = (Column("metric"), *paired)
    rows = tuple((name, *range(18)) for name in ("COMET-22", "chrF"))
    latex = to_latex(Table(columns, rows, "Values"), "values")
    parts = latex.split(r"\begin{table*}")[1:]
    assert len(parts) == 3
    for part in parts:
        lines = [line for line in part.split("\n") if line.startswith(("metric", "COMET"))]
        assert all(line.count("&") < 8 for line in lines)
        assert not lines[0].removesuffix(r" \\").endswith("rank")
        assert "COMET-22 &" in lines[1]
    assert latex.count("n0") == latex.count("n8") == 1
    assert r"\label{tab:values}" in parts[0]
    assert r"\label{tab:values-3}" in parts[2]
