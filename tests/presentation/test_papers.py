"""Tables for papers fit a page and compile."""

import math
import re
import shutil
import subprocess
from functools import cache

import pytest

import supersample as ss
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation import rankings
from supersample.presentation.rankings import paper_table
from supersample.presentation.studies import PAPER, exact_table
from supersample.presentation.table import Column, Table, latex_notes, to_latex
from tests.rankings import sample_and_ranking, scores_of

NAMES = [f"a_metric-of-27&letters-{i:02d}$" for i in range(25)]
# made by the worker that needs them: what is compiled at imports, every worker compiles
long_ranking = cache(lambda: sample_and_ranking(NAMES, method="fisher-jackknife")[1])
accuracies = cache(lambda: ss.rank(ss.compare(scores_of(NAMES), ["SPA", "PA"], resamples=19)))
OF_SEGMENTS = ["acc_eq/item", "pdp/item", "pearson/none"]
segments = cache(lambda: ss.rank(ss.compare(scores_of(NAMES), OF_SEGMENTS, resamples=3)))
PLAIN = r"\documentclass[11pt]{article}\usepackage[margin=1in]{geometry}"
ACL = (  # the page, columns and type of acl.sty, which no package of TeX Live holds
    r"\documentclass[11pt,twocolumn]{article}\usepackage[a4paper,hmargin=2.5cm,vmargin=2.5cm,"
    r"columnsep=0.6cm]{geometry}\usepackage{times}\usepackage[font=small]{caption}"
)


def test_a_ranking_has_at_most_six_columns_and_few_sentences():
    _, both = sample_and_ranking(["a", "b", "c"])
    for ranking in (long_ranking(), both):
        table = paper_table(ranking)
        assert len(table.columns) <= 6
        assert len(re.findall(r"\.(?= |$)", f"{table.caption}.")) <= 4
    table = paper_table(long_ranking())
    interval = "r with its own 95 % interval."
    assert table.caption == f"Agreement of 25 metrics with human scores over 8 systems; {interval}"
    assert any("corrected for comparing all metrics" in note for note in table.notes)
    assert not any("`" in note for note in table.notes)
    fields = [column.field for column in table.columns]
    assert fields == ["rank", "metric", "value", "behind", "p_best"]
    part = long_ranking().squeeze()
    assert [row[4] for row in table.rows] == part["p_best"].values.tolist()
    assert table.rows[0][3] == f"up to {float(part['behind_upper'][0]):.3f}"
    assert max(len(row[1]) for row in table.rows) <= 26
    assert table.notes[-1].endswith(long_ranking().attrs["signature"])


def test_best_values_are_bold_and_p_values_have_three_digits():
    columns = (
        Column("metric"),
        Column("value", "r", ".2f", best="max"),
        Column("p_value", "p", ".3g"),
    )
    rows = ("a", 0.904, 1e-9), ("b", 0.899, 0.5), ("c", math.nan, math.nan)
    latex = to_latex(Table(columns, rows, "Values"), "values")
    assert r"a & \textbf{0.90} & $<$ 0.001 \\" in latex
    assert r"b & \textbf{0.90} & 0.500 \\" in latex
    assert r"c &  &  \\" in latex


def test_rows_columns_and_caption_are_chosen_and_a_sentence_is_for_the_text():
    ranking = ss.rank(ss.system_level_scores(ss.load_example()))
    chosen = {"columns": ["metric", "r, systems"], "rows": ["weak-40", "strong-95"]}
    latex = ss.to_latex(ranking, caption="Mine", **chosen)
    rows = [line for line in latex.splitlines() if line.endswith(r" \\")]
    assert [row.split(" & ")[0] for row in rows] == ["metric", "strong-95", "weak-40"]
    assert r"\caption{Mine.}" in latex
    sentence = latex.partition("\\end{table*}\n% ")[2].partition("\n")[0]  # of all eight
    assert sentence in ss.to_latex(ranking)
    assert r"95 agrees best with people (r = 0.928; 95 \% interval 0.716 to 0.983 " in sentence
    assert sentence.endswith(r"same segments: the best is one of 6 of 8 metrics (95 \% sure).")
    pair = ss.rank(ss.keep_metrics(ss.load_example(), ["strong-95", "weak-40"]), n=0)
    told = ss.to_latex(pair).partition("\n% ")[2].partition("\n")[0]
    assert told.startswith(
        "strong-95 agrees better with people than weak-40 (r = 0.928 and 0.065; "
    )
    assert told.endswith(" over systems; n = 12).")
    for refused in ({"rows": ["strong"]}, {"columns": ["r"]}):
        with pytest.raises(ss.InputError):
            ss.to_latex(ranking, **refused)


def test_averages_over_groups_have_a_table_too_and_a_sentence_that_names_tied_metrics():
    tied = ss.load_example().isel(metric=[0, 0, 7]).assign_coords(metric=["a", "b", "c"])
    scores = {"u": tied, "v": tied.isel(system=slice(8))}
    table = paper_table(ss.rank(compare_over_groups(scores, n=30)))
    assert (table.columns[2].heading, len(table.rows)) == ("r, systems", 3)
    assert table.notes[0].startswith("a, b agree best with people on average over sets (r = 0.9")


def test_the_caption_names_the_interval_and_the_notes_are_of_the_columns():
    _, both = sample_and_ranking(["a", "b", "c"])
    table = paper_table(both)
    assert "r with its own 95 % interval." in table.caption
    assert table.columns[-1].title == "r, hybrids"
    assert any(note.startswith("r over hybrids: ") for note in table.notes)
    for note in [*table.notes, *paper_table(long_ranking()).notes][:-1]:
        assert not note.startswith("wins: ")
        assert "Intervals over hybrids" not in note


TABLES = {
    "ranking": lambda: paper_table(long_ranking()),
    "exact": lambda: exact_table(ss.exact_hybrid_correlations(scores_of(NAMES)), PAPER),
    "accuracies": lambda: paper_table(accuracies()),
    "segments": lambda: paper_table(segments()),
}
SCALED = {
    "pages": lambda: rankings.ranking_table(segments()),
    "summary": lambda: rankings.summary_table(accuracies()),
    "infinite": lambda: exact_table(ss.exact_hybrid_correlations(scores_of(NAMES))),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_for_papers_have_at_most_six_columns(name):
    table = TABLES[name]()
    assert len(table.columns) <= 6
    assert max(len(str(row[i])) for row in table.rows for i in (0, 1)) <= 26
    if name != "exact":
        assert table.notes[-1].startswith("Signature: ")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex and booktabs")
@pytest.mark.parametrize("preamble", [PLAIN, ACL])
def test_they_compile_without_overfull_boxes(tmp_path, preamble):
    for name, made in (TABLES | SCALED).items():
        table = made()
        (tmp_path / f"{name}.tex").write_text(to_latex(table, name), encoding="utf-8")
        (tmp_path / f"{name}-notes.tex").write_text(latex_notes(table), encoding="utf-8")
    body = r"\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}\begin{document}"
    body += "".join(rf"\input{{{name}}}" for name in (*TABLES, *SCALED)) + r"\onecolumn\sloppy"
    body += " ".join(rf"\input{{{name}-notes}}" for name in TABLES)
    (tmp_path / "main.tex").write_text(f"{preamble}{body}\\end{{document}}", encoding="utf-8")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "main.log").read_text(errors="replace")
    assert "Overfull" not in log
    assert "Undefined" not in log
