"""One table of metrics and one of pairs, whatever was compared: every number where it belongs."""

import csv
from itertools import product

import numpy as np
import pytest

import supersample as ss
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation import labels, rankings
from supersample.presentation.table import to_csv
from tests.predictions import EVALUATION
from tests.rankings import sample_and_ranking
from tests.rankings import scores_of as simulated
from tests.toy_scores import scores_of, small
from tests.toy_sets import write_test_set

HUMAN, SCORE = small(segments=60, metrics=4)
SCORE[1] = SCORE[0]
SCORE[2] = HUMAN + 0.5 * SCORE[2]
SCORE[3] = -SCORE[3]
OPTIONS = {"metrics": ["best_1", "twin", "good", "other"], "higher_is_better": [True] * 3 + [False]}
LABELLED = scores_of(HUMAN, SCORE, domain=["a"] * 30 + ["b"] * 30, **OPTIONS)


def groups():
    parts = {name: simulated(["a", "b", "c"], systems=7 + i) for i, name in enumerate("uv")}
    return ss.rank(compare_over_groups(parts, n=30))


def task(folder):
    pairs = {"language_pairs": ["en-de", "zh-en"]}
    return ss.tasks.run_tasks("wmt23", write_test_set(folder), resamples=20, metrics="all", **pairs)


MADE = {
    "hybrids": lambda _: sample_and_ranking(["a", "b", "c"], lower_is_better=("b",))[1],
    "systems": lambda _: ss.rank(
        ss.correlations.compare_correlations(simulated(["a", "b", "c"]), method="fisher-jackknife")
    ),
    "groups": lambda _: groups(),
    "accuracies": lambda _: ss.rank(ss.compare(LABELLED, ["SPA", "PA"], resamples=99)),
    "domains": lambda _: ss.rank(ss.compare(LABELLED, ["SPA", "PA"], by="domain", resamples=99)),
    "segments": lambda _: ss.rank(ss.compare(LABELLED, ["pdp", "acc_eq"], resamples=9)),
    "bootstrap": lambda _: ss.rank(ss.compare(LABELLED, "pdp", random="segments", resamples=19)),
    "task": task,
    "predictions": lambda _: EVALUATION,
}


@pytest.fixture(scope="module", params=MADE)
def result(request, tmp_path_factory):
    return MADE[request.param](tmp_path_factory.mktemp(request.param))


def by_field(table):
    names = [column.field for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def flat(result):
    """A result without dimensions of one label before what is compared."""
    return result.squeeze([dim for dim in labels.LEAD if result.sizes.get(dim) == 1])


def test_metrics_have_every_number_in_the_order_of_the_ranking(result):
    item = labels.item_of(result)
    rows = by_field(rankings.plain_ranking_table(result))
    named, result = labels.named_dims(result), flat(result)
    along = [dim for dim in named if dim in ("gold", "group")]
    spread = [dim for dim in named if dim not in along]
    sizes = [result.sizes[dim] for dim in along]
    assert len(rows) == result.sizes[item] * int(np.prod(sizes))
    names = [name for name in ("value", "rank", "wins", "cluster", "lower", "upper", "p_best", "n",
             "may_be_best", "threshold", "undefined_groups", "mae") if name in result]  # fmt: skip
    for row in rows:
        own = result.sel({dim: row[dim] for dim in (*along, item)})
        for place in product(*(labels.names_of(result, dim) for dim in spread)):
            end = "".join(f"_{label}" for label in place).replace(" ", "_")
            at = dict(zip(spread, place, strict=True))
            for name in names:
                wanted = own[name].sel({d: x for d, x in at.items() if d in own[name].dims}).item()
                if name == "may_be_best" and np.isnan(row[f"p_best{end}"]):
                    wanted = None  # nothing is concluded
                np.testing.assert_equal(row[f"{name}{end}"], wanted)
    if item == "metric":
        order = [row["metric"] for row in rows][: result.sizes["metric"]]
        assert order == list(labels.in_order(result)["metric"].values)
        lowered = {row["metric"] for row in rows if not row["higher_is_better"]}
        assert lowered == set(result["metric"].values[~result["higher_is_better"].values])


def test_each_part_compares_every_pair_once_the_better_metric_first(result):
    item, other = labels.item_of(result), f"other_{labels.item_of(result)}"
    table = rankings.comparisons_table(result)
    rows, lead = by_field(table), labels.named_dims(result)
    count = result.sizes[item]
    parts = labels.places_of(result)
    assert len(rows) == len(parts) * count * (count - 1) // 2
    assert rows[0][lead[-1]] == parts[0][lead[-1]]
    fields = {"lower": "difference_lower", "upper": "difference_upper"}
    result = flat(result)
    for row in rows:
        own = result.sel({dim: row[dim] for dim in (*lead, item, other) if dim in result.dims})
        assert not row["difference"] < 0
        for field in set(row) - {*lead, item, other}:
            np.testing.assert_equal(row[field], own[fields.get(field, field)].item())


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("measured", ["SPA and PA", "r"])
def test_the_comparisons_hold_every_significant_pair(alternative, measured):
    example = ss.load_example()
    if measured == "r":
        sample = ss.hybrid_supersample(example, n=500)
        found = ss.correlations.compare_correlations(
            sample, method="williams1959", alternative=alternative
        )
    else:
        found = ss.compare(example, ["SPA", "PA"], alternative=alternative, resamples=199)
    ranking = ss.rank(found)
    [dim] = labels.named_dims(ranking)
    rows = by_field(rankings.comparisons_table(ranking))
    for label, count in zip(
        ranking[dim].values, ranking["significant_pairs"].values.ravel(), strict=True
    ):
        assert sum(row["p_value"] <= 0.05 for row in rows if row[dim] == label) == count > 0


def test_what_metrics_are_stands_first_and_numbers_are_in_full(tmp_path):
    result = task(tmp_path)
    text = to_csv(rankings.plain_ranking_table(result))
    header, *cells = csv.reader(text.splitlines())
    assert header[:5] == ["metric", "baseline", "contrastive", "reference_free", "average_rank"]
    rows = {row[0]: row for row in cells}
    assert rows["GEMBA-MQM"][1:4] == ["false", "false", "true"]
    at = header.index("value_average")
    assert float(rows["BLEU"][at]) == result["value"].isel(measure=0).sel(metric="BLEU").item()
