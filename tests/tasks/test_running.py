"""Shared tasks from files to files: added metrics, what is left out."""

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.execution import limits
from supersample.presentation.rankings import tasks_table
from supersample.presentation.table import to_markdown
from supersample.tasks import running
from tests.toy_sets import SYSTEMS, segment_lines, write_test_set

PAIRS = ["en-de", "zh-en"]
RUN = {"language_pairs": PAIRS, "resamples": 50}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_test_set(tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="module")
def finished(data):
    return ss.tasks.run_tasks("wmt23", data, **RUN)


def test_tasks_and_their_average(finished):
    result = finished
    assert result.sizes == {"measure": 8, "basis": 1, "group": 1, "metric": 4, "other_metric": 4}
    agreement = result["value"].to_numpy().squeeze()
    scale = np.array([1] + [0.5, 0.5, 1] * 2)
    weights = result["weight"].to_numpy()[1:]
    np.testing.assert_allclose(weights, [1 / 4] + [1 / 8] * 6)
    in_one_range = agreement[1:] * scale[:, None] + (1 - scale)[:, None]
    np.testing.assert_allclose(agreement[0], weights @ in_one_range)
    assert (np.diff(agreement[0]) <= 0).all()
    np.testing.assert_allclose(
        result["average_rank"], weights @ result["cluster"].to_numpy().squeeze()[1:]
    )


def test_differences_have_p_values_adjusted_ones_and_intervals(finished):
    result = finished
    p = result["p_value"].to_numpy()
    assert p.min() >= 1 / 51
    assert (result["p_holm"].to_numpy() >= p - 1e-12).all()
    assert (result["p_simultaneous"].to_numpy() >= 1 / 51).all()
    assert result["p_best"].isel(metric=0, measure=0) == 1  # nothing is ahead of the first
    difference = result["difference"].to_numpy()
    lower, upper = result["difference_lower"].to_numpy(), result["difference_upper"].to_numpy()
    np.testing.assert_allclose((lower + upper) / 2, difference, atol=1e-12)
    np.testing.assert_allclose(lower, -upper.swapaxes(-1, -2), atol=1e-12)
    significant = result["significant"].to_numpy()
    assert significant.any()
    assert (difference[significant] > 0).all()  # one-sided, as in the shared task


def test_contrastive_metrics_take_part_if_asked_for(data, tmp_path):
    result = ss.tasks.run_tasks("wmt23", data, metrics="all", **RUN)
    contrastive = result["contrastive"]
    assert contrastive["metric"].values[contrastive.values].tolist() == ["CometKiwi-XL"]
    page = to_markdown(tasks_table(result))
    assert "(CometKiwi-XL*)" in page
    assert "<u>BLEU</u>" in page


def test_all_workers_give_the_same_bits_and_are_started_once(data, finished, started, clients):
    result = ss.tasks.run_tasks("wmt23", data, workers="tcp://here:1", **RUN)
    assert started == ["tcp://here:1"]
    xr.testing.assert_identical(result, finished)
    result = ss.tasks.run_tasks("wmt23", data, workers=clients["processes"], **RUN)
    xr.testing.assert_identical(result, finished)


def test_an_added_metric_moves_no_other_ones_values(data, tmp_path, finished):
    for k, pair in enumerate(PAIRS):
        scores = np.random.default_rng(k).normal(size=(len(SYSTEMS), 30))
        (tmp_path / f"mine.{pair}.seg.score").write_text(segment_lines(-scores))
    mine = {"mine": (str(tmp_path / "mine.{pair}.seg.score"), "lower-is-better")}
    result = ss.tasks.run_tasks("wmt23", data, added=mine, **RUN)
    assert "mine ◀ ↓" in to_markdown(tasks_table(result))
    others = finished["metric"].to_numpy()
    assert result["value"].sel(metric=others).equals(finished["value"])
    p = result["p_value"].sel(metric=others, other_metric=others)
    assert p.equals(finished["p_value"])
    # oriented: a system's score is the mean of all its segments
    human = (data / "wmt23/human-scores/en-de.mqm.sys.score").read_text().split()[1::2]
    means = np.random.default_rng(0).normal(size=(len(SYSTEMS), 30)).mean(axis=1)
    expected = np.corrcoef(means, np.array(human, float))[0, 1]
    found = result["value"].sel(measure="wmt23 en-de pearson", metric="mine").item()
    assert found == pytest.approx(expected, abs=1e-12)


def test_an_added_metric_that_misses_scores_is_refused(data, tmp_path):
    scores = np.zeros((len(SYSTEMS), 30))
    scores[2, :3] = np.nan
    (tmp_path / "mine.seg.score").write_text(segment_lines(scores))
    mine = {"mine": (str(tmp_path / "mine.seg.score"), "higher-is-better")}
    with pytest.raises(ss.InputError, match="'mine' has no score of 3 translations of wmt23 en-de"):
        ss.tasks.run_tasks("wmt23", data, added=mine, **RUN)


def test_what_does_not_fit_into_memory_is_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "usable_memory", lambda: 2.0**15)
    with pytest.raises(
        ss.InputError, match=r"sums of 4 metrics under 50 swaps take .* fewer resam"
    ):
        ss.tasks.run_tasks("wmt23", data, **RUN)


@pytest.mark.filterwarnings("ignore::supersample.ApproximationWarning")
def test_soft_accuracy_needs_memory_for_two_columns_of_each_pair_of_systems(
    data, tmp_path, monkeypatch
):
    file = tmp_path / "mine.toml"
    head = 'test_set = "wmt23"\nlanguage_pairs = ["en-de"]\n[[task]]\n'
    file.write_text(head + 'measure = "SPA"\n')
    asked = []
    monkeypatch.setattr(running, "check_memory", lambda needed, *_: asked.append(needed))
    for resamples in (9, 10):
        ss.tasks.run_tasks(file, data, resamples=resamples)
    scores = ss.read_mtme(data, "wmt23", "en-de", metrics="reference")
    pairs = scores.sizes["system"] * (scores.sizes["system"] - 1) // 2
    of_null = 16 * 2 * 6  # of pairs of metrics, in the task and on average
    assert asked[1] - asked[0] == 8 * 4 * 2 * pairs + of_null


@pytest.mark.filterwarnings("ignore::supersample.OrientationWarning")
def test_an_added_metric_has_one_orientation_and_a_name_of_its_own(data, tmp_path):
    for sign, pair in zip((1, -1), PAIRS, strict=True):
        human = ss.read_mtme(data, "wmt23", pair, metrics="all")["human"].fillna(0.0)
        (tmp_path / f"mine.{pair}.seg.score").write_text(segment_lines(sign * human.to_numpy()))
    file = str(tmp_path / "mine.{pair}.seg.score")
    with pytest.raises(ss.InputError, match=r"^the orientation of 'mine' is inferred otherwise on"):
        ss.tasks.run_tasks("wmt23", data, added={"mine": (file, "infer")}, **RUN)
    with pytest.raises(ss.InputError, match=r"^a metric 'BLEU' exists already"):
        ss.tasks.run_tasks("wmt23", data, added={"BLEU": (file, "infer")}, **RUN)


def test_reversed_metrics_are_named_and_turned_if_declared(data, tmp_path, finished):
    turned = write_test_set(tmp_path)
    for file in (turned / "wmt23/metric-scores").glob("*/BLEU-refA.*.score"):
        rows = [row.split() for row in file.read_text().splitlines()]
        file.write_text("".join(f"{system}\t{-float(x)!r}\n" for system, x in rows))
    with pytest.warns(ss.OrientationWarning, match="clearly negative r .*: BLEU"):
        ss.tasks.run_tasks("wmt23", turned, **RUN)
    result = ss.tasks.run_tasks("wmt23", turned, lower_is_better=["BLEU"], **RUN)
    np.testing.assert_allclose(result["value"], finished["value"], atol=1e-12)
    assert "BLEU ↓" in to_markdown(tasks_table(result))
    with pytest.raises(ss.InputError, match="no metric 'bleu'; there are BLEU"):
        ss.tasks.run_tasks("wmt23", turned, lower_is_better=["bleu"], **RUN)


def test_a_metric_without_all_scores_is_left_out_of_a_task_and_of_the_average(tmp_path):
    data = write_test_set(tmp_path)
    file = data / "wmt23/metric-scores/zh-en/chrF-refA.seg.score"
    rows = file.read_text().splitlines(keepends=True)
    file.write_text("".join(["A\tNone\n", *rows[1:]]))
    (data / "wmt23/metric-scores/en-de/COMET-refA.sys.score").unlink()
    result = ss.tasks.run_tasks("wmt23", data, **RUN)
    left_out = result.attrs["left_out"]
    assert "COMET (no system-level score of A, B, C" in left_out
    assert "chrF (no score of 1 of " in left_out
    blank = np.isnan(result["value"]).squeeze().transpose("metric", "measure")
    tasks = result["measure"].to_numpy()
    assert tasks[blank.sel(metric="COMET").to_numpy()].tolist() == [
        "average",
        "wmt23 en-de,zh-en PA",
        "wmt23 en-de pearson",
    ]
    assert tasks[blank.sel(metric="chrF").to_numpy()].tolist() == [
        "average",
        "wmt23 zh-en pearson/none",
        "wmt23 zh-en acc_eq/item",
    ]
    assert not blank.sel(metric="BLEU").any()


def test_soft_accuracy_by_few_segments_is_warned_of(tmp_path):
    data = write_test_set(tmp_path)
    file = data / "wmt23/metric-scores/en-de/BLEU-refA.seg.score"
    rows = file.read_text().splitlines(keepends=True)
    file.write_text("".join(["A\t1e4\n", *rows[1:]]))
    options = {**RUN, "language_pairs": ["en-de"]}
    with pytest.warns(ss.ApproximationWarning, match="en-de SPA: few segments .* for BLEU"):
        ss.tasks.run_tasks("wmt24-on-wmt23", data, **options)


def test_people_who_translated_beside_the_standard_reference_are_systems(tmp_path):
    # he-en of wmt23: metrics compare with refB, and refA is one of the systems
    data = write_test_set(tmp_path / "sets")
    same = ss.tasks.run_tasks("wmt23", data, language_pairs=["en-de"], resamples=9)
    for path in sorted((data / "wmt23").rglob("*en-de*")):
        if path.is_dir():
            path.rename(path.with_name("he-en"))
        else:
            path.rename(path.with_name(path.name.replace("en-de", "he-en")))
    for path in sorted((data / "wmt23").rglob("*-refA.*.score")):
        path.rename(path.with_name(path.name.replace("-refA", "-refB")))
    for path in (data / "wmt23").rglob("*.score"):
        path.write_text(path.read_text().replace("F\t", "refA\t").replace(" F ", " refA "))
    result = ss.tasks.run_tasks("wmt23", data, language_pairs=["he-en"], resamples=9)
    np.testing.assert_allclose(result["value"], same["value"], atol=1e-12)
    assert "refA" not in result.attrs["left_out"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 0}, "resamples are counted from 1"),
        ({"alternative": "better"}, "no alternative 'better'"),
        ({"confidence_level": 1.0}, "confidence level must be between"),
        ({"confidence_level": 0.0}, "confidence level must be between"),
        ({"metrics": "best"}, "no kind of metrics 'best'"),
    ],
)
def test_options_out_of_range_are_refused(data, tmp_path, options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.tasks.run_tasks("wmt23", data, **{**RUN, **options})
