"""What the retrospective concludes, and that metrics of its studies are equal as they say."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supersample as ss
from experiments.committed import rows_of
from experiments.retrospective import populations, swaps, tests_of_spa
from experiments.retrospective.correlations import over_systems, without_one_system
from experiments.retrospective.correlations import test_sets as sets_of
from experiments.retrospective.simulation import SAMPLES, Setting, draw, settings
from experiments.retrospective.variances import biases_apart, shares_apart, standardised
from experiments.wmt import read_wmt15

LIKE_EN_DE = Setting(12, 154, 3, 0.25, 0.2)


@pytest.mark.real_data
def test_conclusions_that_rest_on_one_system(data_root):
    sets = {"WMT12 es-en": sets_of(data_root)["WMT12 es-en"]}
    rows = without_one_system(sets).results.numbers["without-one"].rows
    assert rows == (("WMT12 es-en", 66, 36, 1, "uk-dan-moses"),)


@pytest.mark.real_data
def test_without_matrices_their_counts_are_met(data_root, tmp_path):
    sets = {"WMT15 en-cs": read_wmt15(data_root, "en-cs")}
    checks = over_systems(sets, tmp_path).checks
    assert [(check.published, check.verdict) for check in checks] == [
        (54, "agrees"),
        (30, "agrees"),
    ]


@pytest.mark.parametrize(("shared", "bias"), [(0.5, 0.0), (0.0, 0.2), (0.5, 1.0)])
def test_the_simulated_metrics_agree_equally(shared, bias):
    setting = Setting(8, 24, 5, shared, bias)
    drawn = (draw(np.random.default_rng([7, i]), setting) for i in range(100))
    spa = [tests_of_spa.Sample(scores, i).measured.values for i, scores in enumerate(drawn)]
    a, b = np.array(spa).T
    assert abs((a - b).mean()) < 3 * (a - b).std() / 10


def test_variances_find_what_was_simulated():
    drawn = [standardised(draw(np.random.default_rng([8, i]), LIKE_EN_DE)) for i in range(60)]
    # two of the twelve degrees of freedom of B's bias are A's own
    bias = np.array([biases_apart(each)[0] for each in drawn]) ** 2
    shared = np.array([shares_apart(each)[0] for each in drawn])
    for found, expected in ((bias, LIKE_EN_DE.bias**2), (shared, LIKE_EN_DE.shared)):
        assert found.mean() == pytest.approx(expected, abs=3 * found.std() / np.sqrt(60))


def test_p_values_are_those_of_a_comparison():
    scores = draw(np.random.default_rng(9), LIKE_EN_DE)
    sample = tests_of_spa.Sample(scores, 3)
    how = {"seed": 3, "resamples": tests_of_spa.RESAMPLES}
    for p, found in (
        (sample.by_swaps("inputs"), ss.compare(scores, "SPA", **how)),
        (sample.by_documents(), ss.compare(scores, tests_of_spa.SPA_BY_DOCUMENT, **how)),
        (sample.by_bootstrap(), ss.compare(scores, "SPA", random="documents", **how)),
    ):
        assert p == pytest.approx([found["p_value"].values[..., 0, 1].item()], rel=1e-12)


def test_swapped_documents_are_swapped_whole(monkeypatch):
    monkeypatch.setattr(populations, "RESAMPLES", 19)
    scores = draw(np.random.default_rng(10), Setting(8, 24, 5, 0.0, 0.2))
    sample = tests_of_spa.Sample(scores, 4)
    coins = np.random.default_rng(4).integers(0, 2, (19, 24))
    first, second = sample.prepared.metrics
    document = np.unique(scores["document"].to_numpy(), return_inverse=True)[1]
    z = [(metric - metric.mean()) / metric.std() for metric in (first, second)]
    seen = ss.agreement(scores, "SPA")["value"].to_numpy().ravel()
    beyond = 0
    for coin in coins:
        swapped = [np.where(coin[document], *pair) for pair in (z, z[::-1])]
        one, other = ss.agreement(_with_metrics(scores, swapped), "SPA")["value"].to_numpy().ravel()
        beyond += abs(one - other) >= abs(seen[0] - seen[1]) - 1e-10
    assert populations.swapped_documents(sample, 4) == pytest.approx([(1 + beyond) / 20])


def _with_metrics(scores, metrics):
    by_dims = scores["score"].transpose("metric", "system", "segment")
    swapped = by_dims.copy(data=np.stack(metrics)).transpose(*scores["score"].dims)
    return scores.assign(score=swapped)


@pytest.mark.real_data
def test_the_study_of_swaps_runs_small(data_root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["swaps", "--smoke", "--out", str(tmp_path)])
    monkeypatch.setattr(swaps, "ProcessPoolExecutor", ThreadPoolExecutor)  # starts at once
    monkeypatch.setattr("experiments.best.documents.REDRAWN", 2)
    for module in (populations, tests_of_spa):
        monkeypatch.setattr(module, "RESAMPLES", 19)
    swaps.main()
    parts = {"variances", "swaps", "swaps-wmt23"}
    assert {path.stem for path in tmp_path.iterdir()} == parts
    assert capsys.readouterr().out.count(".csv") == len(parts)


def test_kept_results_are_of_every_setting():
    rows = rows_of("retrospective/results/swaps.csv")
    assert len(rows) == len(settings())
    for row, setting in zip(rows, settings(), strict=True):
        assert [float(row[name]) for name in setting._fields] == list(setting)
        assert (row["range"], row["samples"]) == (setting.range, str(SAMPLES))
    of_wmt23 = rows_of("retrospective/results/swaps-wmt23.csv")
    assert [row["setting"] for row in of_wmt23] == [x.name for x in populations.populations()]


def test_the_named_metrics_are_those_that_are_counted():
    named = rows_of("retrospective/results/could-be-best.csv")
    for row in rows_of("retrospective/results/answers.csv"):
        of = [x for x in named if (x["set"], x["which"]) == (row["set"], row["which"])]
        assert len(of) == len({x["metric"] for x in of}) == int(row["metrics"])
        for new in ("systems", "documents"):
            left = sum(float(x[f"p_{new}"]) > 0.05 for x in of)
            assert left == int(row[f"r_{new}"])


def test_levels_that_are_kept():
    """Counts that the README prints, by the rule that it has."""
    rows = rows_of("retrospective/results/swaps.csv")
    real = [row for row in rows if row["range"] == "WMT23" and row["systems"] != "8"]
    unbiased = [row for row in real if float(row["bias"]) == 0]

    def kept(test, of):
        return [row for row in of if float(row[test]) <= 0.08]

    assert (len(rows), len(real), len(unbiased)) == (96, 20, 5)
    assert kept("bootstrap", rows) == rows
    assert kept("swapped_documents", real) == unbiased
    assert kept("swapped_segments", real) == kept("swapped_segments", unbiased)
    assert len(kept("swapped_segments", unbiased)) == 3
