"""What does not fit into memory is refused before the work."""

import tracemalloc

import numpy as np
import pytest

import supersample as ss
from supersample.execution import limits


@pytest.mark.parametrize("measure", ["spearman", "MAE", "PA", "SPA", "acc_eq/item", "tau_b/none"])
def test_swaps_of_many_metrics_are_refused_at_once(measure, monkeypatch):
    scores = ss.load_example().isel(segment=slice(0, 20))
    ss.agreement(scores, measure)
    monkeypatch.setattr(limits, "usable_memory", lambda: 2.0**28)
    method = ss.measures.as_measure(measure).schemes[0]
    with pytest.raises(ss.InputError, match=r"1,000,000 resamples of 28 pairs take 2 GiB"):
        ss.compare(scores, measure, method=method, resamples=1_000_000)


@pytest.mark.parametrize("measure", ["MAE", "SPA", "acc_eq/item"])
def test_draws_of_many_metrics_are_refused_at_once(measure, monkeypatch):
    scores = ss.load_example().isel(segment=slice(0, 20))
    monkeypatch.setattr(limits, "usable_memory", lambda: 2.0**28)
    with pytest.raises(ss.InputError, match=r"1,000,000 resamples of 28 pairs take 2 GiB"):
        ss.compare(scores, measure, random="segments", resamples=1_000_000)


def predictions(systems, segments):
    numbers = np.random.default_rng(0).normal(size=(systems, segments))
    names = [f"s{i}" for i in range(systems)]
    return ss.make_predictions(numbers, numbers[:1], systems=names, gold=["HTER"])


def test_comparisons_of_many_predictions_are_refused(monkeypatch):
    data = predictions(30, 9)
    monkeypatch.setattr(limits, "usable_memory", lambda: 1e5)
    with pytest.raises(ss.InputError, match="comparisons of 30 systems take"):
        ss.quality_estimation.evaluate_predictions(data)


def test_segments_left_out_in_turn_take_no_memory_of_their_own():
    scores = ss.simulate_scores(systems=4, segments=3_000, correlations={"a": 0.9, "b": 0.8})
    ss.rank(scores.isel(segment=slice(0, 50)))
    tracemalloc.start()
    ss.compare(scores, random="segments", resamples=9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000**2
