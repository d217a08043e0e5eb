"""Tables of shared tasks as they are printed."""

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
    return ss.tasks.run_tasks("wmt23", data, folder / "out", resamples=20, metrics="all", **pairs)


def test_a_page_has_a_column_a_task_and_marks_what_metrics_are(result):
    page = tasks_table(result)
    titles = [column.title for column in page.columns]
    assert titles[:5] == ["metric", "#", "average", "mean #", "#"]
    assert titles[5::2] == [str(task) for task in range(1, result.sizes["measure"])]
    latex, markdown = to_latex(page, "tasks"), to_markdown(page)
    assert r"\underline{BLEU} & " in latex
    assert "GEMBA-MQM* & " in latex
    assert "| (CometKiwi-XL*) " in markdown
    assert "| <u>chrF</u> " in markdown
    assert "; baselines are underlined; contrastive metrics in parentheses." in latex
    assert "1: wmt23 en-de,zh-en PA, weight 0.25." in markdown


def test_a_terminal_has_numbered_tasks_and_underlines_letters_alone(result):
    from rich.console import Console

    table = tasks_table(result, compact=True)
    assert [column.title for column in table.columns][:4] == [
        "metric",
        " # average",
        "mean #",
        " #      1",
    ]
    assert table.notes[0] == "1: wmt23 en-de,zh-en PA, weight 0.25."
    console = Console(width=200, force_terminal=True, record=True, color_system="standard")
    with console.capture() as printed:
        console.print(to_rich(table))
    assert "\x1b[4mBLEU\x1b[0m" in printed.get()
