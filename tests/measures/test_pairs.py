"""What pairwise accuracies must be, whatever the scores: identities, order, gaps, extremes."""

import numpy as np
import pytest
from scipy.stats import permutation_test

import supersample as ss
from experiments.spa24.components import accuracy_components
from supersample import InputError
from supersample.engine.swaps import standardise, swap_masks
from tests.toy_scores import scores_of, small

# Scores of few segments, so that results can be counted by hand.
pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")

SPA, PA = ss.measures.SoftPairwiseAccuracy, ss.measures.PairwiseAccuracy
HUMAN, SCORE = small()
DRAWN = ss.measures.PValues("monte_carlo", permutations=300)
ROUTES = [ss.measures.PValues(), DRAWN]
DOCUMENTS = list("aabbccddeeffgg")
CLOSE = {"rtol": 0, "atol": 1e-12}


def spa(scores, p_values="normal", **options):
    return ss.agreement(scores, SPA(p_values), **options)["value"].values.ravel()


def pa(scores):
    return ss.agreement(scores, PA())["value"].values.ravel()


def parts_of(scores, p_values="normal", measure="SPA"):
    """Preferences of people and metrics, pair of systems by pair."""
    return accuracy_components(scores, p_values=p_values).sel(measure=measure)


@pytest.mark.parametrize("p_values", [*ROUTES, ss.measures.PValues(convention="at_least")])
def test_people_against_themselves_agree_wholly(p_values):
    scores = scores_of(HUMAN, [HUMAN, 3 * HUMAN - 7])
    np.testing.assert_allclose(spa(scores, p_values), 1.0, **CLOSE)
    np.testing.assert_array_equal(pa(scores), 1.0)


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")
@pytest.mark.parametrize("p_values", ROUTES)
def test_a_negated_metric_has_the_complementary_preferences(p_values):
    # SPA(-m) = mean(1 - |p_h + p_m - 1|), p-values of m from its components
    parts = parts_of(scores_of(HUMAN, SCORE), p_values)
    both = parts["human"] + parts["preference"] - 1
    expected = (1 - np.abs(both)).mean(("system", "other_system"))
    np.testing.assert_allclose(spa(scores_of(HUMAN, -SCORE), p_values), expected, **CLOSE)
    declared = spa(scores_of(HUMAN, -SCORE, higher_is_better=[False] * 3), p_values)
    np.testing.assert_allclose(declared, spa(scores_of(HUMAN, SCORE), p_values), **CLOSE)


@pytest.mark.filterwarnings("ignore::supersample.errors.DegenerateScoreWarning")
def test_p_values_that_count_ties_whole_depend_on_the_order_of_systems():
    given = scores_of(np.ones((3, 4)), [np.arange(12).reshape(3, 4)])
    moved = given.isel(system=[2, 1, 0])
    whole = ss.measures.PValues(convention="at_least")
    assert spa(given, whole)[0] != spa(moved, whole)[0]


def test_the_order_of_segments_changes_only_drawn_p_values_and_those_within_their_error():
    human, score = small(segments=20)
    order = np.random.default_rng(1).permutation(20)
    given, moved = scores_of(human, score), scores_of(human[:, order], score[:, :, order])
    np.testing.assert_allclose(spa(given), spa(moved), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(pa(given), pa(moved))
    drawn = ss.measures.PValues("monte_carlo", permutations=4000)
    parts = [parts_of(x, drawn) for x in (given, moved)]
    gap = np.abs(parts[0]["preference"] - parts[1]["preference"]).max()
    assert 0 < gap < 5 * np.sqrt(2 * 0.25 / 4000)


def test_drawn_p_values_agree_with_scipy_within_monte_carlo_error():
    human, score = small(segments=30)
    how = ss.measures.PValues("monte_carlo", "at_least", permutations=9999)
    parts = parts_of(scores_of(human, score), how).sel(metric="m0")
    order = np.argsort(-human.mean(axis=1), kind="stable")
    for i, j in [(0, 1), (0, 5), (2, 3)]:
        theirs = permutation_test(
            (score[0, order[i]], score[0, order[j]]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            alternative="greater",
            n_resamples=9999,
            vectorized=True,
            rng=np.random.default_rng(0),
        ).pvalue
        assert abs(float(parts["preference"][i, j]) - theirs) < 5 * np.sqrt(2 * 0.25 / 9999)


def test_a_seed_is_a_seed():
    scores = scores_of(HUMAN, SCORE)
    zero = spa(scores, DRAWN, seed=0)
    np.testing.assert_array_equal(zero, spa(scores, DRAWN))
    assert (spa(scores, DRAWN, seed=1) != zero).any()


def test_documents_are_permuted_whole():
    scores = scores_of(HUMAN, SCORE, document=DOCUMENTS)
    sums = HUMAN.reshape(6, 7, 2).sum(axis=2), SCORE.reshape(3, 6, 7, 2).sum(axis=3)
    of_documents = spa(scores, ss.measures.PValues(unit="document"))
    np.testing.assert_allclose(of_documents, spa(scores_of(*sums)), **CLOSE)


def test_missing_scores_leave_their_segments_out_for_all():
    human, score = HUMAN.copy(), SCORE.copy()
    human[0, 0] = score[2, 3, 1] = np.nan
    scores, left = scores_of(human, score), scores_of(human[:, 2:], score[:, :, 2:])
    np.testing.assert_array_equal(spa(scores), spa(left))
    np.testing.assert_array_equal(pa(scores), pa(left))
    result = ss.agreement(scores, "SPA")
    assert result["segments"] == 12
    assert result.attrs["mask"] == "common 13/14, complete 12"


def swapped_by_hand(human, score, p_values, seed, resamples, **options):
    """PA and SPA of two metrics after each swap, by the verb: (resamples, 2 measures)."""
    systems, segments = human.shape
    of_units = p_values.unit == "document"
    masks = swap_masks(
        "inputs",
        systems=systems,
        segments=segments // 2 if of_units else segments,
        seed=seed,
        replicates=np.arange(resamples, dtype=np.uint64),
    )
    z, null = standardise(score), []
    for mask in np.repeat(masks, 2, axis=2) if of_units else masks:
        both = [np.where(mask, z[1], z[0]), np.where(mask, z[0], z[1])]
        swapped = scores_of(human, both, **options)
        values = ss.agreement(swapped, [SPA(p_values), "PA"], seed=seed)["value"].squeeze()
        null.append(np.diff(values)[:, 0])
    return -np.array(null)


@pytest.mark.parametrize(
    "p_values",
    [
        ss.measures.PValues("monte_carlo", permutations=50),
        ss.measures.PValues("normal", "at_least"),
        ss.measures.PValues(unit="document"),
        ss.measures.PValues("monte_carlo", "at_least", "document", 50),
    ],
)
def test_swaps_are_scores_that_are_exchanged_by_every_kind_of_p_value(p_values):
    human, score = small(seed=3)
    score[1] = 0.1 * score[1] + human
    score[:, 1] = score[:, 0]  # two systems without any difference
    score[:, 2] = score[:, 0]
    labels = {"document": DOCUMENTS}
    null = swapped_by_hand(human, score[:2], p_values, 2, 29, **labels)
    measures = [SPA(p_values), PA(p_values)]
    scores = scores_of(human, score[:2], **labels)
    found = ss.compare(scores, measures, resamples=29, seed=2)
    assert found["segments"].values.ravel().tolist() == [14, 14]
    own = found.isel(basis=0, group=0, metric=0, other_metric=1)
    extreme = (np.abs(null) >= np.abs(own["difference"].values) - 1e-10).sum(axis=0)
    np.testing.assert_allclose(own["p_value"], (extreme + 1) / 30)


def test_ties_in_floating_point_count_no_more_replicates():
    exact, fallen = (
        ss.compare(ss.load_example(), ["SPA", "PA"], ties=ties, resamples=499)["p_value"]
        for ties in ("exact", "floating_point")
    )
    assert (fallen <= exact).all()
    # PA takes few values, and rounding makes some of its ties fall short
    assert (fallen < exact).sel(measure="PA").any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "drawn"}, "no method of p-values 'drawn'"),
        ({"convention": "whole"}, "no convention of p-values 'whole'"),
        ({"unit": "word"}, "no unit 'word'"),
        ({"unit": 2}, "no unit '2'"),
        ({"permutations": 0}, "permutations must be 1 to"),
        ({"unit": "document"}, "have no documents"),
    ],
)
def test_p_values_that_there_are_not_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        spa(scores_of(HUMAN, SCORE), ss.measures.PValues(**options))


@pytest.mark.parametrize("p_values", ["normal", "monte_carlo"])
@pytest.mark.parametrize("offset", [1e9, -5e9])
def test_accuracies_do_not_depend_on_how_far_scores_lie_from_zero(offset, p_values):
    near = np.random.default_rng(1).normal(size=(3, 8, 28)) + np.linspace(0, 1, 8)[:, None]
    far = offset + near
    moved, kept = (scores_of(values[0], values[1:]) for values in (far, far - offset))
    assert np.abs(spa(moved, p_values) - spa(kept, p_values)).max() < 1e-9
    assert np.abs(pa(moved) - pa(kept)).max() < 1e-9


def test_one_giant_unit_is_warned_of():
    values = np.random.default_rng(1).normal(size=(2, 6, 60))
    values[1, :, 0] += 30 * np.arange(6)
    scores = scores_of(values[0], values[1:], metrics=["giant"])
    with pytest.warns(ss.ApproximationWarning, match=r"few segments .* to 0\.\d+ for giant on"):
        normal = ss.agreement(scores, "SPA")["value"]
    many = ss.measures.PValues("monte_carlo", permutations=20_000)
    assert abs(normal.item() - spa(scores, many)[0]) > 0.01  # and no warning
