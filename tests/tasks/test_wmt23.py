"""The tasks of WMT23 and WMT24 on two language pairs of WMT23, as mt-metrics-eval computes them."""

import json

import pytest

import supersample as ss
from tests.conftest import DATA_ROOT

FOLDER = DATA_ROOT / "segment-level"
SETS = DATA_ROOT / "mt-metrics-eval-v2"
pytestmark = pytest.mark.skipif(
    not (FOLDER.is_dir() and SETS.is_dir()),
    reason="no published values of tasks: set SUPERSAMPLE_DATA to a data root with them",
)
PAIRS = ["en-de", "zh-en"]


def published(name):
    content = json.loads((FOLDER / f"{name}_en-de_zh-en.json").read_text())
    tasks = [task["corrs"] for task in content["tasks"]]
    tables = [content["average"], *tasks]
    plain = [{m.removesuffix("[noref]"): r for m, r in table.items()} for table in tables]
    free = {m.removesuffix("[noref]") for m in tasks[0] if m.endswith("[noref]")}
    return content["weights"], plain, free


def check(result, name, bounds):
    weights, tables, free = published(name)
    assert result["weight"].to_numpy()[1:].tolist() == pytest.approx(weights)
    assert result.sizes["measure"] == len(tables)
    metrics = [str(name) for name in result["metric"].to_numpy()]
    assert {
        m for m, f in zip(metrics, result["reference_free"].to_numpy(), strict=True) if f
    } == free
    for t, (table, bound) in enumerate(zip(tables, bounds, strict=True)):
        assert set(table) == set(metrics)
        assert len(table) == 32
        for metric, value in table.items():
            found = result["value"].isel(measure=t).sel(metric=metric).item()
            assert abs(found - value) <= bound, (t, metric)


@pytest.fixture(scope="module")
def wmt23(tmp_path_factory):
    out = tmp_path_factory.mktemp("wmt23") / "out"
    return ss.tasks.run_tasks("wmt23", SETS, out, language_pairs=PAIRS, resamples=200)


def test_all_values_of_wmt23_are_met(wmt23):
    check(wmt23, "wmt23-tasks", [1e-9] * 8)


def test_clusters_separate_the_ends(wmt23):
    average = wmt23.isel(measure=0).squeeze()
    assert average["metric"].values[:2].tolist() == ["XCOMET-Ensemble", "XCOMET-QE-Ensemble"]
    clusters = average["cluster"].values
    assert clusters[0] == 1
    assert clusters[-1] >= 8
    assert average["metric"].values[-2:].tolist() == ["Random-sysname", "prismSrc"]


def test_all_values_of_the_tasks_of_wmt24_are_met(tmp_path):
    # SPA there by 1,000 random permutations, here in the limit
    result = ss.tasks.run_tasks(
        "wmt24-on-wmt23", SETS, tmp_path / "o", language_pairs=PAIRS, resamples=50
    )
    check(result, "wmt24-style-tasks", [0.003, 0.004, 1e-9, 0.004, 1e-9])
