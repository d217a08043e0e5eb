"""Systems ranked by people: which differ, which ranks they can have, and the rule of WMT24."""

import csv
import gzip
import json
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from tests.toy_scores import scores_of


def people(values, **labels):
    """Scores of people alone."""
    return scores_of(values, np.empty((0, *np.shape(values))), **labels)


def drawn(seed=0, systems=5, documents=30, each=3):
    """Human scores of documents, and the document of each segment."""
    rng = np.random.default_rng(seed)
    of_documents = rng.normal(size=(systems, documents)) - np.arange(systems)[:, np.newaxis] / 3
    values = np.repeat(of_documents, each, axis=1) + rng.normal(size=(systems, documents * each))
    return values, [f"d{k:02}" for k in np.repeat(np.arange(documents), each)]


def test_tests_of_documents_of_one_size_are_paired_t_tests_of_their_means():
    values, documents = drawn()
    found = ss.rank_systems(people(values, document=documents)).sel(group="all")
    means = values.reshape(5, 30, 3).mean(axis=2)
    for a, b in combinations(range(5), 2):
        expected = stats.ttest_rel(means[a], means[b])
        pair = found.sel(system=f"s{a}", other_system=f"s{b}")
        assert float(pair["p_value"]) == pytest.approx(expected.pvalue, rel=1e-9)
        limits = expected.confidence_interval()
        assert [float(pair[f"difference_{end}"]) for end in ("lower", "upper")] == pytest.approx(
            [limits.low, limits.high]
        )
    own = stats.ttest_1samp(means[0], 0).confidence_interval()
    assert found["lower"].sel(system="s0") == pytest.approx(own.low)
    assert (found["p_simultaneous"] >= found["p_value"]).all()


def test_ranks_and_groups_follow_from_the_pairs_that_differ():
    values, documents = drawn(seed=1, systems=8)
    part = ss.rank_systems(people(values, document=documents)).sel(group="all")
    differ, count = part["differs_adjusted"].to_numpy(), part.sizes["system"]
    assert 0 < differ.sum() < count * (count - 1)
    ahead = part["mean"].to_numpy()[:, np.newaxis] > part["mean"].to_numpy()
    assert (part["rank_first"] == 1 + (differ & ahead).sum(axis=0)).all()
    assert (part["rank_last"] == count - (differ & ahead).sum(axis=1)).all()
    assert (part["may_be_best"] == (part["rank_first"] == 1)).all()
    letters = part["tie_groups"].to_numpy()
    for a, b in combinations(range(count), 2):
        assert bool({*letters[a]} & {*letters[b]}) != differ[a, b]
    assert (part["mean"].diff("system") <= 0).all()


def test_domains_count_equally_and_metrics_rank_systems_too():
    values, documents = drawn(systems=4, documents=24)
    domain = ["news"] * 18 * 3 + ["talk"] * 6 * 3
    scores = scores_of(values, -values[np.newaxis], document=documents, domain=domain,
                       higher_is_better=[False])  # fmt: skip
    found = ss.rank_systems(scores, by="domain")
    assert found["group"].values.tolist() == ["average", "news", "talk"]
    means = found["mean"].sel(system="s2")
    assert means[0] == pytest.approx(float(means[1:].mean()))
    by_metric = ss.rank_systems(scores, "m0", by="domain")
    assert by_metric["system"].values.tolist() == found["system"].values.tolist()
    np.testing.assert_allclose(by_metric["p_simultaneous"], found["p_simultaneous"], atol=1e-9)


def test_assessors_who_rate_all_alike_add_no_error_and_strict_ones_do():
    values, documents = drawn(systems=3)
    scores = people(values, document=documents)
    rng = np.random.default_rng(0)

    def errors(strictness):
        who = np.repeat(rng.integers(0, 6, (3, 30)), 3, axis=1)
        ratings = ss.make_ratings(
            (values + strictness * np.arange(6)[who]).ravel(),
            assessor=[f"a{k}" for k in who.ravel()],
            system=np.repeat(scores["system"].to_numpy(), 90).tolist(),
            segment=np.tile(scores["segment"].to_numpy(), 3).tolist(),
        )
        rated = ss.rate_scores(scores, ratings)
        both = [ss.rank_systems(rated), ss.rank_systems(scores, ratings=ratings)]
        np.testing.assert_allclose(both[0]["mean"], both[1]["mean"])
        return [float((each["upper"] - each["lower"]).mean()) for each in both]

    assert errors(3.0)[1] > 1.2 * errors(3.0)[0]


@pytest.mark.parametrize(
    ("values", "options", "told"),
    [
        (np.ones((3, 2)), {}, "scores of 2 segments; at least 4 are needed"),
        (np.ones((3, 9)), {"random": "documents"}, "have no documents"),
        (np.ones((3, 9)), {"by": "domain"}, "have no domains"),
        (np.ones((3, 9)), {"rule": "wmt24"}, "have no domains"),
        (np.ones((3, 9)), {"mask": "complete"}, "no mask"),
        (np.full((3, 9), np.nan), {}, "no segment was scored for every system"),
    ],
)
def test_what_cannot_be_answered_is_said(values, options, told):
    values[0, 0] = 1.0
    with pytest.raises(ss.InputError, match=told):
        ss.rank_systems(people(values), **options)


def test_systems_that_only_one_of_several_assessors_rated_are_refused():
    values = np.random.default_rng(0).normal(size=(3, 9))
    labels = {"system": np.repeat(["s0", "s1", "s2"], 9).tolist()}
    labels["segment"] = np.tile(people(values)["segment"].to_numpy(), 3).tolist()
    for assessors, refused in (("abc", True), ("aab", True), ("aaa", False)):
        who = np.repeat([*assessors], 9).tolist()
        ratings = ss.make_ratings(values.ravel(), assessor=who, **labels)
        if refused:
            with pytest.raises(ss.InputError, match="s2: rated by one assessor alone"):
                ss.rank_systems(people(values), ratings=ratings)
        else:
            found = ss.rank_systems(people(values), ratings=ratings)
            assert "assessor" not in found.attrs["method"]


def test_equal_scores_are_ties():
    found = ss.rank_systems(people(np.ones((3, 9)))).sel(group="all")
    assert (found["p_simultaneous"] == 1).all()
    assert found["tie_groups"].values.tolist() == ["a"] * 3
    assert found["rank_last"].values.tolist() == [3] * 3


def test_one_document_names_the_unit_that_helps():
    scores = people(np.random.default_rng(0).normal(size=(3, 9)), document=["d"] * 9)
    with pytest.raises(ss.InputError, match="draws segments"):
        ss.rank_systems(scores)
    assert ss.rank_systems(scores, random="segments").sizes["system"] == 3


def released(root, pair):
    """Scores of the released ratings, read by other code than the package's."""
    folder = root / "wmt24-esa"
    lines = (folder / "wmt24" / "documents" / f"{pair}.docs").read_text().splitlines()
    domains, documents = zip(*(line.split("\t") for line in lines), strict=True)
    last = {}
    for file in sorted(folder.glob(f"esa.{pair}.*.csv.gz")):
        with gzip.open(file, "rt") as stream:
            for row in csv.reader(stream):
                if row[3] == "TGT" and "#" not in row[7]:
                    key = row[1], int(row[2])
                    last[key] = max(last.get(key, (0.0, 0.0)), (float(row[-1]), float(row[6])))
    systems, items = (sorted({key[k] for key in last}) for k in (0, 1))
    values = [[last[system, item][1] for item in items] for system in systems]
    of = {"document": [documents[i] for i in items], "domain": [domains[i] for i in items]}
    empty = np.empty((0, *np.shape(values)))
    return ss.make_scores(values, empty, systems=systems, metrics=[], **of)


@pytest.mark.parametrize("pair", ["en-cs", "en-zh"])
def test_wmt24s_rule_is_met(data_root, pair):
    found = ss.rank_systems(released(data_root, pair), rule="wmt24")
    published = json.loads((data_root / "wmt24-esa" / "wmt24_rule.json").read_text())[pair]
    for system, expected in published["systems"].items():
        part = found.sel(group="average", system=system)
        assert float(part["mean"]) == pytest.approx(expected["mean"], abs=1e-6)
        ranks = [int(part["published_first"]), int(part["published_last"])]
        assert [*ranks, int(part["published_cluster"])] == [*expected["rank"], expected["cluster"]]


def test_few_documents_do_not_tell_many_equal_systems_apart():
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values, document = rng.normal(size=(16, 5))[:, np.repeat(range(5), 2)], list("aabbccddee")
        scores = people(values + rng.normal(size=values.shape), document=document)
        wrong += bool(ss.rank_systems(scores)["differs_adjusted"].any())
    assert wrong <= 5  # 2 are expected


@pytest.mark.parametrize(("systems", "samples"), [(2, 60), (12, 30)])
def test_two_assessors_do_not_tell_equal_systems_apart(systems, samples):
    wrong, who = 0, np.arange(20) % 2
    names = [f"s{k}" for k in range(systems)]
    labels = {"system": np.repeat(names, 20).tolist()}
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(systems, 20)) + rng.normal(size=(systems, 2))[:, who]
        scores = people(values)
        labels["segment"] = np.tile(scores["segment"].to_numpy(), systems).tolist()
        rated = np.array(["ann", "bob"])[np.tile(who, systems)].tolist()
        ratings = ss.make_ratings(values.ravel(), assessor=rated, **labels)
        wrong += bool(ss.rank_systems(scores, ratings=ratings)["differs_adjusted"].any())
    assert wrong <= 4


def test_a_domain_of_two_documents_does_not_tell_equal_systems_apart():
    wrong, documents = 0, np.repeat(np.arange(32), 2)
    labels = {"document": [f"d{k:02}" for k in documents]}
    labels["domain"] = ["talk" if k < 2 else "news" for k in documents]
    for seed in range(30):
        values = np.random.default_rng(seed).normal(size=(8, 32))[:, documents]
        values += np.random.default_rng((seed, 1)).normal(size=values.shape)
        found = ss.rank_systems(people(values, **labels), by="domain")
        wrong += bool(found["differs_adjusted"].sel(group="average").any())
    assert wrong <= 4


def test_one_assessor_for_each_domain_is_refused():
    values, labels = np.random.default_rng(0).normal(size=(3, 12)), {}
    scores = people(values, domain=["news"] * 6 + ["talk"] * 6)
    labels["segment"] = np.tile(scores["segment"].to_numpy(), 3).tolist()
    labels["system"] = np.repeat(scores["system"].to_numpy(), 12).tolist()
    ratings = ss.make_ratings(values.ravel(), assessor=(["a"] * 6 + ["b"] * 6) * 3, **labels)
    with pytest.raises(ss.InputError, match=r"s0 in news, .* rated by one assessor"):
        ss.rank_systems(scores, ratings=ratings, by="domain")


def test_results_do_not_depend_on_the_order_of_systems():
    values, document = drawn(systems=8)
    scores = people(values, document=document)
    found, turned = map(ss.rank_systems, (scores, scores.isel(system=slice(None, None, -1))))
    np.testing.assert_allclose(found["p_simultaneous"], turned["p_simultaneous"], rtol=1e-9)


def test_limits_of_means_end_where_the_scale_ends(tmp_path):
    rows = [
        ("ann", system, k, "TGT", "eng", "ces", score, f"doc{k}", "False", "[]", 1, 2)
        for system, scores in (("A", [100, 100, 100, 90]), ("B", [0, 0, 0, 20]))
        for k, score in enumerate(scores)
    ]
    with (tmp_path / "esa.csv").open("w") as stream:
        csv.writer(stream).writerows(rows)
    ratings = ss.read_ratings(tmp_path / "esa.csv")
    scores = ss.read_table(tmp_path / "esa.csv")
    found = ss.rank_systems(scores, ratings=ratings).sel(group="all")
    beyond = ss.rank_systems(scores).sel(group="all")
    assert (float(found["upper"].max()), float(found["lower"].min())) == (100.0, 0.0)
    assert float(beyond["upper"].max()) > 100
    standard = ss.prepare_ratings(ratings)
    assert ss.rank_systems(scores, ratings=standard).sel(group="all")["lower"].min() < 0


def test_few_long_documents_count_as_few():
    rng = np.random.default_rng(3)
    lengths = np.array([9, 9, 8, *[1] * 12])
    document = np.repeat(np.arange(lengths.size), lengths)
    values = rng.normal(size=(2, lengths.size))[:, document] + rng.normal(size=(2, document.size))
    found = ss.rank_systems(people(values, document=[f"d{k:02}" for k in document]))
    apart = values[0] - values[1]
    left_out = [apart[document != k].mean() - apart.mean() for k in range(lengths.size)]
    error = np.sqrt(14 / 15 * np.square(left_out).sum())
    freedom = (lengths**2).sum() ** 2 / (lengths**4).sum() - 1
    assert 2 < freedom < 3
    expected = 2 * stats.t.sf(abs(apart.mean()) / error, freedom)
    pair = found["p_value"].sel(group="all", system="s0", other_system="s1")
    assert float(pair) == pytest.approx(expected)


def test_a_system_with_few_documents_is_unsure_and_others_stay_as_sure():
    values, documents = drawn(systems=4, documents=20)
    whole = ss.rank_systems(people(values, document=documents))
    values[3, 9:] = np.nan  # the first three documents
    found = ss.rank_systems(people(values, document=documents), mask="all")
    width = (found["upper"] - found["lower"]).sel(group="all")
    before = (whole["upper"] - whole["lower"]).sel(group="all")
    assert float(width.sel(system="s3")) > 1.5 * float(before.sel(system="s3"))
    np.testing.assert_allclose(width.sel(system="s0"), before.sel(system="s0"))
    own = [np.nanmean(values[3, 3 * k : 3 * k + 3]) for k in range(3)]
    limits = stats.ttest_1samp(own, 0).confidence_interval()
    assert float(width.sel(system="s3")) == pytest.approx(limits.high - limits.low, rel=0.2)
    values[3, 3:] = np.nan
    with pytest.raises(ss.InputError, match="s3: scores of one document"):
        ss.rank_systems(people(values, document=documents), mask="all")


def test_a_constant_difference_is_a_difference():
    values = np.random.default_rng(0).integers(0, 100, 60) + np.array([[0.0], [10.0], [10.0]])
    part = ss.rank_systems(people(values)).sel(group="all")
    assert part["differs_adjusted"].sel(system="s0").values.sum() == 2
    pair = part.sel(system="s1", other_system="s2")
    assert (float(pair["p_value"]), float(pair["p_simultaneous"])) == (1.0, 1.0)
    few = ss.rank_systems(people(values[:, :4])).sel(group="all")
    assert not few["differs_adjusted"].any()  # four segments cannot show it: p = 1/8


def test_many_overlapping_groups_have_no_letters():
    rng = np.random.default_rng(0)
    family = rng.normal(size=(14, 200))
    versions = np.repeat(family, 2, axis=0) + 1e-3 * rng.normal(size=(28, 200))
    versions[1::2] -= 0.01
    part = ss.rank_systems(people(versions)).sel(group="all")
    assert part["differs_adjusted"].any()
    assert (part["tie_groups"] == "").all()
