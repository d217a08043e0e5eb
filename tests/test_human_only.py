"""Human-only intervals, by hand and on real scores."""

import numpy as np
import pytest

import supersample as ss

EXAMPLE = ss.load_example()


def test_human_only_intervals_by_hand():
    scores = EXAMPLE.isel(metric=[0], segment=slice(60))
    ours = ss.human_only_intervals(scores, resamples=4_000, seed=1)
    selected = ss.select_segments(scores)
    human, metric = selected["human"].values, selected["score"].values[0].mean(axis=1)
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(4_000):
        segments = rng.integers(0, human.shape[1], human.shape[1])
        draws.append(np.corrcoef(human[:, segments].mean(axis=1), metric)[0, 1])
    expected = np.quantile(draws, [0.025, 0.975])
    # two Monte-Carlo runs of 4,000: quantiles agree to a few percent of the spread
    assert float(ours["lower"].item()) == pytest.approx(expected[0], abs=0.1 * np.std(draws))
    assert float(ours["upper"].item()) == pytest.approx(expected[1], abs=0.1 * np.std(draws))
    half = (ours["upper"] - ours["lower"]) / 2
    np.testing.assert_allclose(ours["plus_minus"], half)
    np.testing.assert_allclose(ours["symmetric_upper"], ours["r"] + half)


@pytest.mark.real_data
def test_wmt23_human_only_intervals_are_narrower_and_their_plus_minus_passes_1(data_root):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de", metrics="all")
    narrow, fisher = ss.human_only_intervals(scores), ss.correlate(scores)
    ratio = (fisher["upper"] - fisher["lower"]) / (narrow["upper"] - narrow["lower"])
    assert float(ratio.min()) > 1
    # the symmetric form passes 1 for the metric with the highest r
    assert float(narrow["upper"].max()) < 1 < float(narrow["symmetric_upper"].max())


SYSTEMS = ss.make_system_scores(
    range(9), [range(9)], systems=[str(i) for i in range(9)], metrics=["m"]
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.human_only_intervals(SYSTEMS), "segment-level"),
    ],
)
def test_bad_options_are_named(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()


def test_ratings_weigh_as_they_do_in_r():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 20, (12, EXAMPLE.sizes["segment"]))
    weighted = EXAMPLE.assign(human_count=(("system", "segment"), counts))
    interval = ss.human_only_intervals(weighted, resamples=2_000)
    centre = (interval["lower"] + interval["upper"]) / 2
    # the drawn r scatter about the r they are drawn for
    assert float(np.abs(centre - interval["r"]).max()) < 0.03
