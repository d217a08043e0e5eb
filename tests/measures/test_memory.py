"""What does not fit into memory is refused before the work."""

import numpy as np
import pytest

import supersample as ss
from supersample.execution import memory


@pytest.mark.parametrize("measure", ["spearman", "MAE", "PA", "SPA", "acc_eq/item", "tau_b/none"])
def test_swaps_of_many_metrics_are_refused_at_once(measure, monkeypatch):
    scores = ss.load_example().isel(segment=slice(0, 20))
    ss.agreement(scores, measure)
    monkeypatch.setattr(memory, "usable_memory", lambda: 2.0**28)
    method = ss.measures.as_measure(measure).schemes[0]
    with pytest.raises(ss.InputError, match=r"1,000,000 swaps of 8 metrics, 28 pairs, take 2 GiB"):
        ss.compare(scores, measure, method=method, resamples=1_000_000)


def test_comparisons_of_many_predictions_are_refused(monkeypatch):
    numbers = np.random.default_rng(0).normal(size=(30, 9))
    names = [f"s{i}" for i in range(30)]
    data = ss.make_predictions(numbers, numbers[:1], systems=names, gold=["HTER"])
    monkeypatch.setattr(memory, "usable_memory", lambda: 1e5)
    with pytest.raises(ss.InputError, match="comparisons of 30 systems take"):
        ss.quality_estimation.evaluate_predictions(data)
