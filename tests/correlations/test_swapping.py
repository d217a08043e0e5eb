"""Swapping metrics' scores, against scores swapped by hand."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.engine.swaps import standardise
from supersample.inference.one_correlation.coefficients import kendall, pearson, spearman
from supersample.scores.selection import complete_cases
from tests.corpora import mean_as_corpus_metric

EXAMPLE = ss.load_example()


@pytest.mark.parametrize("scheme", ["systems", "inputs", "both"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_swapping_agrees_with_scores_swapped_by_hand(scheme, coefficient):
    from supersample.engine.swaps import standardise, swap_masks

    small = EXAMPLE.isel(metric=[0, 4], segment=slice(40))
    d = ss.compare_by_swapping(small, scheme=scheme, coefficient=coefficient, resamples=60, seed=4)
    complete = complete_cases(small)
    signs = np.array([1.0, -1.0])[:, None, None]  # errors-85 is lower-is-better
    a, b = standardise(complete["score"].values * signs)
    human = complete["human"].mean("segment").values
    r = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[coefficient]
    masks = swap_masks(
        scheme, systems=12, segments=a.shape[1], seed=4, replicates=np.arange(60, dtype=np.uint64)
    )
    null = []
    for mask in masks:
        first, second = np.where(mask, b, a).mean(axis=1), np.where(mask, a, b).mean(axis=1)
        null.append(r(human, first)[0] - r(human, second)[0])
    observed = r(human, a.mean(axis=1))[0] - r(human, b.mean(axis=1))[0]
    k = (np.abs(null) >= abs(observed) - 1e-12).sum()
    assert float(d["p_value"][0, 0, 1]) == pytest.approx((k + 1) / 61)


def test_alternatives_of_swapping():
    p = {
        alternative: ss.compare_by_swapping(EXAMPLE, alternative=alternative, resamples=99)
        for alternative in ("two-sided", "greater", "less")
    }
    greater, less = (p[side]["p_value"].values[0] for side in ("greater", "less"))
    np.testing.assert_array_equal(greater, less.T)
    assert (np.diag(p["two-sided"]["p_value"].values[0]) == 1).all()
    assert greater[0, 6] == 0.01  # strong-98 over weak-40


@pytest.mark.parametrize("scheme", ["systems", "inputs", "both"])
def test_a_mean_as_a_corpus_metric_swaps_as_that_metric(scheme):
    plain = EXAMPLE.isel(metric=slice(3), segment=slice(80))
    both = mean_as_corpus_metric(plain, "good-90")
    found = ss.compare_by_swapping(both, scheme=scheme, resamples=99, seed=2)
    others = {"other_metric": ["strong-98", "strong-95"]}
    own, again = (
        found["p_value"].sel({**others, "metric": m}) for m in ("good-90", "good-90 again")
    )
    np.testing.assert_allclose(again, own)
    r = found["value"].isel(basis=0)
    assert float(r.sel(metric="good-90 again")) == pytest.approx(float(r.sel(metric="good-90")))


def test_swapping_is_of_complete_cases():
    holed = EXAMPLE.copy(deep=True)
    holed["score"][2, 3, :100] = np.nan
    complete = complete_cases(holed)
    assert complete.sizes["segment"] < 400
    assert "complete" in complete.attrs["mask"]
    holed["score"][2, 3, 1:] = np.nan
    with pytest.raises(ss.InputError, match="fewer than two segments"):
        complete_cases(holed)


SYSTEMS = ss.make_system_scores(
    range(9), [range(9)], systems=[str(i) for i in range(9)], metrics=["m"]
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.compare_by_swapping(EXAMPLE, scheme="all"), "no scheme"),
        (lambda: ss.compare_by_swapping(EXAMPLE, alternative="more"), "no alternative"),
        (lambda: ss.compare_by_swapping(SYSTEMS), "segment-level"),
    ],
)
def test_bad_options_are_named(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_drawn_masks_agree_with_all_masks(coefficient):
    """PERM-SYSTEMS on 12 systems has 4,096 masks: p over all of them, ties counted exactly."""
    metrics = EXAMPLE.isel(metric=[0, 1, 2, 3])
    drawn = ss.compare_by_swapping(
        metrics, scheme="systems", coefficient=coefficient, resamples=2_000
    )
    complete = complete_cases(metrics)
    scores = standardise(complete["score"].values).mean(axis=2)
    human = complete["human"].mean("segment").values
    masks = (np.arange(4096)[:, None] >> np.arange(12)) & 1 == 1
    of = {"pearson": pearson, "spearman": spearman, "kendall": kendall}[coefficient]

    def r(values):
        both = np.stack([np.broadcast_to(human, values.shape), values], axis=-1)
        return of(both)[:, 0, 1]

    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        null = r(np.where(masks, scores[j], scores[i])) - r(np.where(masks, scores[i], scores[j]))
        observed = null[0]  # nothing swapped
        exact = (np.abs(null) >= np.abs(observed) - 1e-9).mean()
        p = float(drawn["p_value"].values[0, i, j])
        assert abs(p - exact) < 5 * np.sqrt(exact * (1 - exact) / 2_000) + 1 / 2_000
