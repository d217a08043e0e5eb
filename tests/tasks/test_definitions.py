"""Definitions of shared tasks, and 30 kinds of mistakes in them, each told with its task."""

import pytest

import supersample as ss
from tests.toy_sets import write_test_set

HEAD = 'test_set = "wmt23"\nlanguage_pairs = ["en-de", "zh-en"]\n'
PEARSON = '[[task]]\nmeasure = "pearson"\n'
SEGMENT = '[[task]]\nmeasure = "acc_eq"\n'
MISTAKES = [
    ("a = ", 0, "not valid TOML: Invalid value"),
    (HEAD + "[[task]\n", 0, "not valid TOML: Expected"),
    (HEAD + "seed = 1\n" + PEARSON, 0, "no key 'seed'; there are title"),
    (HEAD, 0, r"there is no task: write \[\[task\]\]"),
    (HEAD + "task = 3\n", 0, "there is no task"),
    (HEAD + "task = [3]\n", 0, "a task is a table"),
    ("title = 3\n" + HEAD + PEARSON, 0, "title must be a text, not 3"),
    (HEAD + PEARSON + "tau = 2\n", 1, "no key of a task 'tau'; there are test_set"),
    (HEAD + PEARSON + 'level = "system"\n', 1, "no key of a task 'level'; there are test_set"),
    ('test_set = "wmt23"\n' + PEARSON, 1, "the task has no language_pairs"),
    ('language_pairs = ["en-de"]\n' + PEARSON, 1, "the task has no test_set"),
    (HEAD + "[[task]]\n", 1, "the task has no measure"),
    (HEAD + PEARSON + "[[task]]\nweight = 2\n", 2, "the task has no measure"),
    (HEAD + PEARSON.replace("pearson", "r"), 1, "no measure 'r'; there are pearson"),
    (HEAD + SEGMENT.replace("acc_eq", "acc_eq/segment"), 1, "no grouping 'segment'; there are"),
    (
        HEAD + SEGMENT.replace("acc_eq", "acc_eq/system"),
        1,
        "tasks cannot test acc_eq/system; they test pearson",
    ),
    (HEAD + SEGMENT.replace("acc_eq", "pdp/none"), 1, "pdp uses pairs within a segment: pdp/item"),
    (HEAD + SEGMENT.replace("acc_eq", "MAE"), 1, "tasks cannot test MAE; they test pearson"),
    (HEAD + PEARSON.replace('"pearson"', "3"), 1, "measure must be a text, not 3"),
    (HEAD + PEARSON + 'swap = "scores"\n', 1, "no unit to swap of pearson 'scores'; there are sys"),
    (HEAD + SEGMENT + 'swap = "words"\n', 1, "no unit to swap of acc_eq/item 'words'; there are s"),
    (HEAD + SEGMENT + 'swap = "scores"\n', 1, "of acc_eq/item 'scores'; there are segments, pairs"),
    (HEAD + PEARSON + "weight = 0\n", 1, "weight must be a number above 0, not 0"),
    (HEAD + PEARSON + 'weight = "much"\n', 1, "weight must be a number above 0, not 'much'"),
    (HEAD + PEARSON + "weight = true\n", 1, "weight must be a number above 0, not True"),
    (HEAD + PEARSON + 'language_pairs = "F"\n', 1, "language_pairs must be a list of texts"),
    (HEAD + PEARSON + "gold = 1\n", 1, "gold must be a text, not 1"),
    (HEAD + PEARSON + 'language_pairs = ["en-de", "en-de"]\n', 1, "language pairs, each once"),
    (HEAD + PEARSON + "language_pairs = []\n", 1, "name the language pairs"),
    (HEAD + PEARSON + PEARSON, 2, "the task 'wmt23 en-de pearson' is defined twice"),
    (HEAD + PEARSON + PEARSON + "weight = 3\n", 2, "'wmt23 en-de pearson' is defined twice"),
]
OF_DATA = [
    (HEAD.replace("wmt23", "wmt99") + PEARSON, "no test set 'wmt99'.*; there is wmt23"),
    (HEAD.replace("zh-en", "cs-uk") + PEARSON, "pair 'cs-uk'.*--language-pair all, or en-de"),
    (HEAD + PEARSON + 'gold = "esa"\n', "no en-de human scores 'esa'.*; there are mqm"),
    (HEAD + SEGMENT + 'reference = "refB"\n', "with reference 'refB'.*; there are refA"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_test_set(tmp_path_factory.mktemp("sets"))


@pytest.mark.parametrize(("text", "task", "message"), MISTAKES)
def test_a_mistake_is_told_with_its_task(tmp_path, text, task, message):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(ss.InputError, match=message) as told:
        ss.tasks.read_tasks(file)
    assert "\n" not in str(told.value)
    assert str(told.value).startswith(f"{file}, task {task}: " if task else f"{file}")


@pytest.mark.parametrize(("text", "message"), OF_DATA)
def test_what_the_data_lack_is_told(tmp_path, data, text, message):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(ss.InputError, match=message):
        ss.tasks.run_tasks(file, data)


def test_what_is_no_definition_is_refused(tmp_path):
    with pytest.raises(ss.InputError, match=r"no task 'wmt22' .* did you mean 'wmt23'"):
        ss.tasks.read_tasks("wmt22")
    with pytest.raises(ss.InputError, match=r"there is no file .*none\.toml"):
        ss.tasks.read_tasks(tmp_path / "none.toml")
    with pytest.raises(ss.InputError, match=r"no language pair 'en-ru' in .*; there are en-de"):
        ss.tasks.read_tasks("wmt23", language_pairs=["en-ru"])


def test_wmt23_weighs_pooled_accuracy_three_of_twelve_and_goes_pair_by_pair():
    tasks = ss.tasks.read_tasks("wmt23").tasks
    assert [task.label for task in tasks] == [
        "wmt23 en-de,he-en,zh-en PA",
        *(
            f"wmt23 {pair} {statistic}"
            for pair in ("en-de", "he-en", "zh-en")
            for statistic in ("pearson", "pearson/none", "acc_eq/item")
        ),
    ]
    assert [task.weight for task in tasks] == [0.25] + [1 / 12] * 9
    assert [task.weight for task in ss.tasks.read_tasks("wmt24").tasks] == [1 / 6] * 6
    two = ss.tasks.read_tasks("wmt23", language_pairs=["zh-en", "en-de"])
    assert [task.weight for task in two.tasks] == [0.25] + [1 / 8] * 6


def test_a_task_overrides_what_all_share(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "Mine"\n'
        + HEAD
        + PEARSON
        + 'language_pairs = ["zh-en"]\nweight = 2.5\n'
        + SEGMENT
        + 'gold = "esa"\nswap = "pairs"\n'
    )
    mine = ss.tasks.read_tasks(file)
    assert mine.title == "Mine"
    assert [(task.label, task.weight) for task in mine.tasks] == [
        ("wmt23 zh-en pearson", pytest.approx(2.5 / 4.5)),
        ("wmt23 zh-en acc_eq/item gold esa swap pairs", pytest.approx(1 / 4.5)),
        ("wmt23 en-de acc_eq/item gold esa swap pairs", pytest.approx(1 / 4.5)),
    ]
