"""Published segment-level values of WMT23, and those of mt-metrics-eval."""

import csv

import numpy as np
import pytest

import supersample as ss
from supersample.readers.mtme import read_segment_scores
from tests.conftest import DATA_ROOT

FOLDER = DATA_ROOT / "segment-level"
WMT23 = DATA_ROOT / "mt-metrics-eval-v2" / "wmt23"
pytestmark = pytest.mark.skipif(
    not (FOLDER.is_dir() and WMT23.is_dir()),
    reason="no published segment-level values: set SUPERSAMPLE_DATA to a data root with them",
)
GROUPINGS = {"sys": "system", "all": "item"}
NAMES = {
    "kendall": "tau_b",
    "kendall_b": "tau_b",
    "variant_c": "tau_c",
    "variant_23": "tau_23",
    "variant_acc23": "acc_23",
    "calibrated_23": "tau_eq",
    "calibrated_acc23": "acc_eq",
}


def rows_of(name):
    with (FOLDER / name).open() as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def label(statistic, grouping):
    return f"{NAMES.get(statistic, statistic)}/{GROUPINGS.get(grouping, grouping)}"


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def computed(request):
    """Language pair, all its metrics with the six sentinels, and what is published of them."""
    pair = request.param
    scores = ss.read_mtme(WMT23.parent, "wmt23", pair, metrics="all")
    for path in sorted((FOLDER / "sentinels" / pair).glob("*.seg.score")):
        name = path.name.removesuffix(".seg.score").rpartition("-")[0]
        scores = ss.add_metric(scores, name, path, orientation="higher-is-better")
    wanted = {label(row["statistic"], row["grouping"]) for row in rows_of(f"mtme_{pair}.tsv")}
    statistics = [name for name in sorted(wanted) if not name.startswith("threshold")]
    with pytest.warns(ss.DegenerateScoreWarning, match="SENTINEL-SRC-MQM"):
        return pair, scores, ss.agreement(scores, statistics)


def test_mtme_values_are_met(computed):
    # 43 metrics x 21 statistics a pair, without sampled pairs in the calibration
    pair, _, found = computed
    rows = rows_of(f"mtme_{pair}.tsv")
    met = 0
    for row in rows:
        if row["statistic"].startswith("threshold"):
            continue
        metric = row["MEmetric" if "MEmetric" in row else "metric"].strip("*")
        at = {
            "measure": label(row["statistic"], row["grouping"]),
            "metric": metric.removesuffix("[noref]"),
        }
        assert found["value"].sel(at).item() == pytest.approx(float(row["value"]), abs=1e-9)
        met += 1
    assert met == 43 * 21
    assert len(rows) == 43 * 23


def test_the_column_of_thresholds_holds_none(computed):
    # AverageCorrelation of mt-metrics-eval returns 0 in place of the threshold, a p-value's place.
    # The thresholds themselves: the accuracy there is the calibrated one, and no smaller one's is.
    pair, scores, found = computed
    thresholds = [row for row in rows_of(f"mtme_{pair}.tsv") if "threshold" in row["statistic"]]
    assert {float(row["value"]) for row in thresholds} == {0.0}
    accuracy = found.sel(measure="acc_eq/item")
    human = scores["human"].to_numpy()
    first, second = np.triu_indices(len(human), 1)
    rated = ~np.isnan(human).any(axis=0)
    h = np.sign(human[first] - human[second])[:, rated]
    for metric in ("MetricX-23", "BLEURT-20", "SENTINEL-SRC-MQM", "chrF"):
        x = scores["score"].sel(metric=metric).to_numpy()
        x = (x[first] - x[second])[:, rated]
        t = accuracy["threshold"].sel(metric=metric).item()
        right = [
            (np.where(abs(x) <= at, 0, np.sign(x)) == h).mean() for at in (t, np.nextafter(t, 0))
        ]
        assert right[0] == pytest.approx(accuracy["value"].sel(metric=metric).item(), abs=1e-12)
        assert right[1] < right[0] or t == 0
        assert found["threshold"].sel(measure="tau_eq/item", metric=metric).item() == t


def test_published_values_are_met_to_all_digits(computed):
    # Perrella et al. (2024), "Guardians of the machine translation meta-evaluation", ACL: 38 x 8
    pair, scores, found = computed
    system_level = published_system_scores(pair, scores)
    with pytest.warns(ss.DegenerateScoreWarning, match="SENTINEL-SRC-MQM"):
        r = ss.correlate(system_level)["value"].isel(basis=0)
    rows = rows_of(f"guardians_{pair}.tsv")
    assert len(rows) == 38 * 8
    for row in rows:
        if row["level"] == "sys":
            value = r.sel(metric=row["metric"]).item()
        else:
            at = label(row["coefficient"], row["grouping"])
            value = found["value"].sel(measure=at, metric=row["metric"]).item()
        if np.isnan(value):  # printed as 0 there: the same score for all translations compared
            assert row["metric"].startswith(("SENTINEL-SRC", "SENTINEL-REF")), row
            assert row["grouping"] == "item" or row["level"] == "sys", row
            value = 0.0
        assert abs(value - float(row["value"])) < 5.0001e-8, row


def published_system_scores(pair, scores):
    """System-level scores as published: of files, of sentinels the means over all segments."""
    systems = [str(name) for name in scores["system"].to_numpy()]
    metrics = []
    for name in scores["metric"].to_numpy():
        reference = scores["reference"].sel(metric=name).item() or "sentinel"
        path = WMT23 / "metric-scores" / pair / f"{name!s}-{reference}.sys.score"
        if path.is_file():
            read = read_segment_scores(path, 1)
            metrics.append([read[system][0] for system in systems])
        else:
            metrics.append(scores["score"].sel(metric=name).mean("segment").to_numpy())
    human = read_segment_scores(WMT23 / "human-scores" / f"{pair}.mqm.sys.score", 1)
    return ss.make_system_scores(
        [human[system][0] for system in systems],
        metrics,
        systems=systems,
        metrics=[str(name) for name in scores["metric"].to_numpy()],
    )


def test_swapped_pairs_agree_with_plain_swaps(computed):
    # p of PairwisePermutationSigDiff by other coins, one for each pair of translations of a segment
    pair, scores, found = computed
    if pair == "zh-en":
        pytest.skip("one language pair is enough")
    names = [
        "MetricX-23",
        "XCOMET-Ensemble",
        "COMET",
        "BLEURT-20",
        "GEMBA-MQM",
        "CometKiwi",
        "MaTESe",
    ]
    metrics = scores.sel(metric=names)
    options = {"alternative": "greater", "estimator": "k/B", "resamples": 1000}
    p = ss.compare(metrics, "acc_eq", method="pairs", **options)["p_value"].isel(measure=0)
    human = scores["human"].to_numpy()
    first, second = np.triu_indices(len(human), 1)
    rated = ~np.isnan(human).any(axis=0)
    h = np.sign(human[first] - human[second])[:, rated]
    x = metrics["score"].to_numpy()
    x = (x[:, first] - x[:, second])[:, :, rated]
    at = found["threshold"].sel(measure="acc_eq/item", metric=names).to_numpy()[:, None, None]
    right = (np.where(abs(x) <= at, 0, np.sign(x)) == h).reshape(len(names), -1).astype(np.int8)
    coins = np.random.default_rng(0).integers(0, 2, (300, right.shape[1]), dtype=np.int8)
    apart = []
    for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
        difference = (right[i] - right[j]).astype(float)
        null = (1 - 2 * coins) @ difference
        plain = np.mean(null >= difference.sum() - 1e-9)
        expected = (plain + p[i, j].item()) / 2
        error = np.sqrt(expected * (1 - expected) * (1 / 300 + 1 / 1000)) + 1e-3
        apart.append((plain - p[i, j].item()) / error)
    assert len(apart) == 21
    assert np.abs(apart).max() < 4
