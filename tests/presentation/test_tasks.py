"""Tables of shared tasks as they are printed."""

import numpy as np
import pytest

import supersample as ss
from supersample.presentation.rankings import tasks_table
from supersample.presentation.table import to_latex, to_markdown, to_rich
from tests.toy_sets import write_test_set


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    data = write_test_set(folder)
    pairs = {"language_pairs": ["en-de", "zh-en"]}
    return ss.tasks.run_tasks("wmt23", data, resamples=20, metrics="all", **pairs)


def test_a_page_has_a_column_a_task_and_marks_what_metrics_are(result):
    page = tasks_table(result)
    titles = [column.title for column in page.columns]
    assert titles[:6] == ["metric", "rank", "average", "best?", "mean rank", "rank"]
    assert titles[6::2] == [name.removeprefix("wmt23 ") for name in result["measure"].values[1:]]
    cells = [row[3] for row in page.rows]
    kept = result.isel(measure=0)["may_be_best"].squeeze().values
    assert (np.array(cells) != "ruled out").tolist() == kept.tolist()
    latex, markdown = to_latex(page, "tasks"), to_markdown(page)
    assert r" & rank \\" not in latex
    assert r"\underline{BLEU} & " in latex
    assert "GEMBA-MQM* & " in latex
    assert "| (CometKiwi-XL*) " in markdown
    assert "| <u>chrF</u> " in markdown
    assert "; baselines are underlined, except in plain text; contrastive metrics in" in markdown
    assert "r over systems takes metrics' scores of all segments" in markdown
    assert "Weights in the average: 0.25 for wmt23 en-de,zh-en PA, " in markdown


def test_a_terminal_underlines_letters_alone(result):
    from rich.console import Console

    console = Console(width=200, force_terminal=True, record=True, color_system="standard")
    with console.capture() as printed:
        console.print(to_rich(tasks_table(result)))
    assert "\x1b[4mBLEU\x1b[0m" in printed.get()
