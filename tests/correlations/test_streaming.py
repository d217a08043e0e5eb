import numpy as np
import pytest

import supersample as ss
from supersample.comparisons.correlations import streaming

SCORES = ss.simulate_scores(
    systems=5, segments=40, correlations={"good": 0.9, "bad": 0.4}, lower_is_better=("bad",), seed=3
)
N = 5_000


@pytest.fixture
def small_blocks(monkeypatch):
    """Many tasks of several blocks, the last ones short."""
    monkeypatch.setattr(streaming, "BLOCK", 300)
    monkeypatch.setattr(streaming, "BLOCKS", 3)


@pytest.mark.parametrize("bases", [None, ["hybrids"], ["hybrids", "systems without outliers"]])
@pytest.mark.parametrize("design", [ss.PairHybrids(pairs="random"), ss.MixHybrids()])
def test_streamed_correlations_are_those_of_the_sample(small_blocks, bases, design):
    sample = ss.hybrid_supersample(SCORES, n=N, seed=2, design=design)
    stored = ss.correlations.correlate(sample, bases=bases)
    streamed = ss.correlations.stream_correlations(SCORES, n=N, seed=2, design=design, bases=bases)
    assert list(streamed["basis"].values) == list(stored["basis"].values)
    for name in ("n", "value", "metric_r", "lower", "upper"):
        np.testing.assert_allclose(streamed[name], stored[name], atol=1e-12)
    assert streamed["identical"].equals(stored["identical"])
    assert streamed.attrs == stored.attrs


def test_comparisons_and_ranking_take_them(small_blocks):
    streamed = ss.rank(
        ss.correlations.compare_correlations(ss.correlations.stream_correlations(SCORES, n=N))
    )
    stored = ss.rank(ss.correlations.compare_correlations(ss.hybrid_supersample(SCORES, n=N)))
    assert list(streamed["metric"].values) == list(stored["metric"].values)
    np.testing.assert_allclose(streamed["difference_lower"], stored["difference_lower"], atol=1e-12)
    np.testing.assert_array_equal(streamed["significant"], stored["significant"])


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_bits_do_not_depend_on_workers(clients, name):
    options = {"n": streaming.BLOCK * 2 + 17, "seed": 1}
    one = ss.correlations.stream_correlations(SCORES, **options, workers=ss.Workers("synchronous"))
    assert one.identical(
        ss.correlations.stream_correlations(SCORES, **options, workers=clients[name])
    )


@pytest.mark.parametrize("chunks", [100, 300, 301, 450, 900, 1_300, N])
def test_bits_do_not_depend_on_chunks_that_tasks_read(small_blocks, chunks):
    """Blocks begin in one chunk, and may end in the next."""
    lazy = ss.hybrid_supersample(SCORES, n=N, seed=2, chunks=chunks)
    expected = ss.correlations.stream_correlations(SCORES, n=N, seed=2)
    for count in (1, 20):
        workers = ss.Workers("threads", count)
        streamed = ss.correlations.stream_correlations(lazy, workers=workers)
        np.testing.assert_array_equal(streamed["metric_r"], expected["metric_r"])


def test_a_sample_of_whole_numbers_is_streamed_and_stays_as_it_is(small_blocks):
    sample = ss.hybrid_supersample(SCORES, n=N, seed=2)
    whole = sample.assign(
        {name: (1_000 * sample[name]).astype(np.int64) for name in ("human", "score")}
    )
    before = whole.copy(deep=True)
    streamed = ss.correlations.stream_correlations(whole)
    np.testing.assert_allclose(
        streamed["value"], ss.correlations.correlate(whole)["value"], atol=1e-12
    )
    assert whole.identical(before)


def test_the_closed_form_is_met():
    exact = ss.exact_hybrid_correlations(SCORES, n=2_000_000)
    streamed = ss.correlations.stream_correlations(SCORES, n=2_000_000, bases=["hybrids"])["value"][
        0
    ]
    assert (np.abs(streamed - exact["r"]) < 5 * exact["standard_error"]).all()


def test_constant_metrics_have_no_correlation():
    constant = SCORES.copy(deep=True)
    constant["score"][1] = 0.1
    with pytest.warns(ss.DegenerateScoreWarning, match="bad"):
        r = ss.correlations.stream_correlations(constant, n=500)["value"].sel(basis="hybrids")
    assert np.isnan(r.sel(metric="bad"))
    assert np.isfinite(r.sel(metric="good"))


def test_metrics_are_identical_where_all_hybrids_have_the_same_scores(small_blocks):
    rng = np.random.default_rng(1)
    first = rng.integers(0, 9, (5, 30)).astype(float)
    scores = ss.make_scores(
        rng.normal(size=(5, 30)),
        np.stack([first, first, -first, first[:, ::-1]]),  # the last: the same, of systems alone
        systems=list("abcde"),
        metrics=["one", "same", "negated", "reversed"],
        higher_is_better=[True, True, False, True],
    )
    for bases in (None, ["hybrids"]):
        streamed = ss.correlations.stream_correlations(scores, n=N, bases=bases)
        stored = ss.correlations.correlate(ss.hybrid_supersample(scores, n=N), bases=bases)
        assert streamed["identical"].equals(stored["identical"])
    assert streamed["identical"].sel(metric="one").values.ravel().tolist() == [
        True,
        True,
        True,
        False,
    ]
    tests = ss.correlations.compare_correlations(streamed)["p_value"].sel(
        basis="hybrids", metric="one"
    )
    assert tests.sel(other_metric="same") == 1


def test_scores_far_from_zero_are_as_those_near_it():
    """At 1e12 doubles tell 1e-4 apart; sums of squares of such scores would tell nothing."""
    rng = np.random.default_rng(4)
    quality = np.linspace(0, 1, 8)[:, np.newaxis]
    far = 1e12 + quality + rng.normal(size=(3, 8, 40))
    near = far - 1e12
    found = [
        ss.correlations.stream_correlations(
            ss.make_scores(values[0], values[1:], systems=list("abcdefgh"), metrics=["m", "o"]),
            n=2_000,
        )["value"].to_numpy()
        for values in (far, near)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=2e-3)
