"""What a newcomer mistook: ties, marks, orientation, corrections, and how things are called."""

import re

import pytest

import supersample as ss

EXAMPLE = ss.load_example()
METRICS = ["--human", "simulated", "--lower-is-better", "errors-85"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, the same with another heading for the scorer, and one of many metrics."""
    folder = tmp_path_factory.mktemp("scores")
    ss.write_scores(EXAMPLE, folder / "scores.csv")
    table = (folder / "scores.csv").read_text()
    (folder / "metrik.csv").write_text(table.replace("scorer", "metrik", 1))
    names = {f"m{i}": 0.9 for i in range(55)}
    many = ss.simulate_scores(systems=6, segments=20, correlations=names, seed=1)
    ss.write_scores(many, folder / "many.csv")
    return folder


def test_a_tie_by_another_measure_is_no_other_best(command, folder):
    three = ("--metrics", "good-90,strong-95,weak-40")
    tied = command("spa", str(folder / "scores.csv"), *METRICS[:2], *three).out
    assert "other measures" not in tied
    several = command("segments", "example", "-q").out
    assert "\nBest here by other measures: strong-95 by pdp/item.\n" in several


def test_filled_marks_mean_the_same_in_the_figure_and_on_the_page(tmp_path):
    ranking = ss.rank(EXAMPLE, n=50)
    ss.write_report(ranking, tmp_path / "report.html")
    page = re.findall('circle class="(sure|unsure)"', (tmp_path / "report.html").read_text())
    axes = ss.figures.plot_differences(ranking)
    filled = next(x for x in axes.lines if x.get_mfc() != "white" and x.get_marker() == "o")
    assert len(filled.get_xdata()) == page.count("sure") == 2
    said = [text.get_text() for text in axes.get_legend().get_texts()]
    assert said == ["ruled out as the best on new systems", "not ruled out as the best"]
    assert "Bars: how far each may be behind" in axes.get_xlabel().replace("\n", " ")


def test_a_wrong_declaration_is_to_be_removed(command, folder):
    table = str(folder / "scores.csv")
    turned = (*METRICS[:2], "--lower-is-better", "errors-85,good-90")
    told = "good-90 is declared as lower is better: unless it counts errors, remove it from --lower"
    assert told in command("rank", table, *turned, "-n", "0").err
    assert told in command("inspect", table, *turned, "-q").out


def test_what_is_ruled_out_without_a_pair_told_apart_says_why():
    ranking = ss.rank(EXAMPLE, n=50).assign_attrs(added_metrics="fair-70")
    line = next(line for line in ss.show(ranking).answer if line.startswith("fair-70"))
    assert "no pair of it with another is told apart, yet it is ruled out as the best: that" in line


def test_corrected_and_uncorrected_answers_name_each_other(command, folder):
    pair = (str(folder / "scores.csv"), *METRICS[:2], "--metrics", "strong-95,good-85")
    told = "p, of this pair alone: .*All metrics against one: rank DATA --baseline METRIC"
    assert re.search(told, command("compare", *pair).out)
    beside = command("rank", "example", "-n", "0", "--baseline", "good-85").out
    assert "7 comparisons. One pair alone: compare DATA --metrics A,B." in beside


@pytest.mark.parametrize("added", [False, True])
def test_too_few_swaps_for_many_comparisons_are_said(command, folder, tmp_path, added):
    lines = (folder / "many.csv").read_text().splitlines()
    mine = [line.replace(",m1,", ",mine,") for line in lines if ",m1," in line]
    (tmp_path / "mine.csv").write_text("\n".join([lines[0], *mine]))
    yours = ("--add-metric", f"mine={tmp_path / 'mine.csv'}", "--higher-is-better", "mine")
    call = (str(folder / "many.csv"), "--human", "simulated", "--baseline", "m2", "-m", "PA")
    out = command("rank", *call, *(yours if added else ())).out
    told = "After Holm for 54 comparisons, no p-value of 1,000 resamples can be below"
    assert (told in out) == ("add --resamples 2" in out) == (not added)  # mine is compared alone


def test_latex_captions_end_once_and_name_the_data(command, tmp_path):
    command("rank", "example", "-n", "50", "-o", tmp_path, "--figures", "none", "-q")
    captions = {
        path.stem: re.search(r"\\caption\{(.*)\}", path.read_text())[1]
        for path in tmp_path.glob("*.tex")
        if "caption" in path.read_text()
    }
    assert {"ranking", "exact"} <= captions.keys()
    assert all(text.endswith(".") and not text.endswith("..") for text in captions.values())
    assert "embedded example" in captions["exact"]
    assert r"errors-85 $\downarrow$ &" in (tmp_path / "exact.tex").read_text()


@pytest.mark.parametrize("preset", ["spa", "segments", "compare", "rank"])
def test_help_says_the_name_of_the_preset(command, preset):
    assert f" {preset} [OPTIONS]" in command(preset, "--help").out.splitlines()[0]


CALLS = {
    "read_mtme: missing a required argument: 'test_set'": lambda: ss.read_mtme("wmt23/zh-en"),
    "hybrid_supersample: too many positional arguments": (
        lambda: ss.hybrid_supersample(EXAMPLE, 10_000)
    ),
    "no option 'confidence' in rank: did you mean 'confidence_level'?": (
        lambda: ss.rank(EXAMPLE, confidence=0.9)
    ),
}


@pytest.mark.parametrize("told", CALLS)
def test_arguments_in_the_wrong_place_are_refused_in_a_line(told):
    with pytest.raises(ss.InputError, match=re.escape(told)) as refusal:
        CALLS[told]()
    assert "\n" not in str(refusal.value)


def test_a_misnamed_column_and_metric_are_told_what_helps(command, folder):
    table = str(folder / "metrik.csv")
    told = command("rank", table, "--human", "simulated").err
    assert f"say which it is by {table}:scorer=NAME" in told
    with pytest.raises(ss.InputError, match="did you mean 'BLEURT-20'"):
        ss.keep_metrics(
            ss.simulate_scores(
                systems=5,
                segments=9,
                correlations=dict.fromkeys(["BLEU", "BLEURT-20", "COMET", "chrF", "TER"], 0.8),
            ),
            ["BLEURT"],
        )
