import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import spearmanr, wilcoxon

import supersample as ss
from supersample.inference.p_values import signed_rank_p_value
from supersample.readers.wmt import read_segment_scores
from supersample.scores.ratings import keep_reliable, standardize_ratings


def ratings_of(rows):
    assessor, system, segment, rating, kind = zip(*rows, strict=True)
    return ss.make_ratings(rating, assessor=assessor, system=system, segment=segment, kind=kind)


# Six pairs each. "good" always scores the damaged lower: of the 2**6 sign patterns one is as
# extreme, p = 1/64. "lazy": differences -1, 2, -3, 4, -5, 6 have the ranks 1 to 6, W+ = 12; of the
# 64 subsets of {1..6}, 1 1 1 2 2 3 4 4 4 5 5 5 5 have the sums 0 to 12, together 42: p = 42/64.
GOOD = [("good", "A", str(i), 50 + 10 * i, "TGT") for i in range(6)] + [
    ("good", "A", str(i), 50 + 10 * i - (i + 1), "BAD") for i in range(6)
]
LAZY = [("lazy", "A", str(i), 50.0, "TGT") for i in range(6)] + [
    ("lazy", "A", str(i), 50.0 + d, "BAD") for i, d in enumerate([-1, 2, -3, 4, -5, 6])
]


def test_assessors_are_judged_by_the_paired_test_as_by_hand():
    checked = ss.check_assessors(ratings_of([*GOOD, *LAZY, ("new", "A", "1", 3, "TGT")]))
    assert list(checked["assessor"].values) == ["good", "lazy", "new"]
    np.testing.assert_allclose(checked["p_value"], [1 / 64, 42 / 64, np.nan], rtol=1e-12)
    assert list(checked["pairs"].values) == [6, 6, 0]
    assert list(checked["reliable"].values) == [True, False, False]
    np.testing.assert_allclose(checked["mean_difference"], [-3.5, 0.5, np.nan])
    assert checked["reason"].values[1].endswith("(p = 0.656, 6 pairs)")
    kept = keep_reliable(ratings_of([*GOOD, *LAZY]), ss.check_assessors(ratings_of([*GOOD, *LAZY])))
    assert set(kept["assessor"].values) == {"good"}
    assert kept.attrs["assessors_dropped"].startswith(
        "lazy (damaged translations not significantly"
    )


def test_wilcoxon_agrees_with_listing_all_signs():
    rng = np.random.default_rng(3)
    for _ in range(5):
        d = rng.normal(-0.3, 1, 9)
        ranks = 1 + np.argsort(np.argsort(np.abs(d)))
        observed = ranks[d > 0].sum()
        signs = (np.arange(2**9)[:, None] >> np.arange(9)) & 1
        listed = (signs @ ranks <= observed).mean()
        assert signed_rank_p_value(np.zeros(9), d) == pytest.approx(listed, rel=1e-12)


def test_tied_ranks_and_zeros_give_scipys_p_value():
    for d in ([-1, -1, 2, -3], [-1, 2, -2, 0, -4, -4], [1, 1, 1], [0, 0, -5, 3]):
        expected = wilcoxon(np.array(d, float), alternative="less").pvalue
        assert signed_rank_p_value(np.zeros(len(d)), d) == expected


def test_z_scores_by_hand():
    # a: 60, 80, 100 have mean 80 and sd 20 (n - 1); b: 10, 20 mean 15 and sd sqrt(50); c: no sd
    rows = [("a", "A", "1", 60), ("a", "A", "2", 80), ("a", "B", "1", 100), ("b", "A", "1", 10)]
    rows += [("b", "B", "1", 20), ("c", "A", "1", 7), ("c", "B", "1", 7)]
    z = standardize_ratings(
        ratings_of([*((*row, "TGT") for row in rows), ("a", "B", "1", 0, "BAD")])
    )
    half = 5 / np.sqrt(50)
    np.testing.assert_allclose(z["rating"], [-1, 0, 1, -half, half, -4], rtol=1e-14)
    assert z.attrs["assessors_without_z"] == "c (2 ratings that do not vary)"
    average = ss.average_ratings(z)
    np.testing.assert_allclose(average["human"], [[(-1 - half) / 2, 0], [(1 + half) / 2, np.nan]])
    np.testing.assert_array_equal(average["human_count"], [[2, 1], [2, 0]])
    np.testing.assert_allclose(average["mean_over_ratings"], [(-1 - half) / 3, (1 + half) / 2])
    np.testing.assert_allclose(average["mean_over_segments"], [(-1 - half) / 4, (1 + half) / 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ss.check_assessors(ratings_of(GOOD), confidence_level=1),
            "level must be between 0 and 1",
        ),
        (lambda: ss.average_ratings(ratings_of(GOOD[6:])), "only ratings of damaged translations"),
        (lambda: standardize_ratings(ratings_of(LAZY[:6])), "no assessor has ratings that vary"),
        (lambda: ss.average_ratings(ss.load_example()), "Ratings lack 'rating'"),
        (lambda: ratings_of([("a", "A", "1", 3, "TUT")]), "or REF, not 'TUT'"),
        (lambda: ratings_of([("a", "A", "1", np.inf, "TGT")]), "rating 1 is not finite"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()


@pytest.mark.real_data
def test_esa_ratings_of_wmt23_rank_as_the_published_scores(data_root):
    folder = data_root / "wmt23-esa"
    ratings = ss.read_appraise(folder / "240315rc5ESA.scores.csv")
    assert ratings.sizes["row"] == 3106
    assert ratings.attrs["dropped"] == (
        "99 items of ende-tutorial2, 99 items of ende-tutorial1, 10 rows that stand there twice"
    )
    published = read_segment_scores(folder / "en-de.ESA-1.seg.score", 557)
    raw = ss.average_ratings(ratings)
    names = [str(name) for name in raw["system"].values]
    expected = [np.nanmean(published[name]) for name in names]
    # the published scores are raw ones, one rating a translation: repeated ratings
    # among them move one pair of neighbours, Lan-BridgeMT and ONLINE-G, which are 0.08 points apart
    assert spearmanr(raw["mean_over_ratings"], expected).statistic > 0.99
    assert np.abs(raw["mean_over_ratings"] - expected).max() < 0.4
    checked = ss.check_assessors(ratings)
    assert list(checked["pairs"].values) == [12] * 33
    assert list(checked["assessor"].values[~checked["reliable"].values]) == [
        "engdeu6914",
        "engdeu6921",
    ]
    z = ss.average_ratings(standardize_ratings(keep_reliable(ratings, checked)))
    # z-scores take away how strict assessors are, who did not rate all systems alike
    assert spearmanr(z["mean_over_ratings"], expected).statistic > 0.94


@pytest.mark.real_data
def test_mqm_annotations_give_the_published_scores(data_root, tmp_path):
    folder = data_root / "mt-metrics-eval-v2" / "wmt23" / "human-scores"
    rows, places = ["assessor,system,segment,severity,category"], Counter()
    for line in (folder / "en-de.mqm.merged.seg.rating").read_text().splitlines():
        system, _, rating = line.partition("\t")
        segment = places[system]
        places[system] += 1
        if rating != "None":
            nothing = [{"severity": "no-error", "category": ""}]
            rows += [
                f"one,{system},{segment},{error['severity']},{error['category']}"
                for error in json.loads(rating)["errors"] or nothing
            ]
    (tmp_path / "errors.csv").write_text("\n".join(rows))
    scores = ss.read_table(tmp_path / "errors.csv")["human"].to_series()
    published = read_segment_scores(folder / "en-de.mqm.seg.score", 557)
    for system, values in published.items():
        own = [scores.get((system, str(i)), np.nan) for i in range(557)]
        np.testing.assert_allclose(own, values, rtol=0, atol=1e-9)


def campaign(seed=0):
    """Ratings of 4 systems and 30 segments by six people, of whom one answers at random."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(60, 10, (4, 30))
    rated = []
    for who in ("ann", "ben", "cat", "dan", "eve", "random"):
        noise = 40 if who == "random" else 4

        def rate(value, noise=noise, careless=who == "random"):
            return float(rng.normal(60 if careless else value, noise))

        for i in range(30):
            system = f"S{rng.integers(4)}"
            at = quality[int(system[1]), i]
            shown = [(at, "TGT"), (at - 30, "BAD_REF"), (at, "CHK"), (90.0, "REF")]
            rated += [(who, system, str(i), rate(value), kind) for value, kind in shown]
    return rated


def test_a_known_unreliable_assessor_is_found():
    checked = ss.check_assessors(ratings_of(campaign()))
    assert checked["assessor"].values[~checked["reliable"].values].tolist() == ["random"]
