"""A measure from outside the package: one class and one registration, by the recipe."""

from dataclasses import dataclass

import numpy as np
import pytest

import supersample as ss
from supersample.measures import registry

EXAMPLE = ss.load_example().isel(metric=slice(4))


@dataclass(frozen=True)
class Cosine(ss.SystemMeasure):
    """The cosine of the angle between centred scores: Pearson's r, written anew."""

    @property
    def name(self):
        return "cosine"

    def of_systems(self, scores, counts=None):
        weights = np.ones(scores.shape[:2]) if counts is None else counts
        weights = (weights / weights.sum(axis=1, keepdims=True))[:, :, np.newaxis]
        centred = scores - (scores * weights).sum(axis=1, keepdims=True)
        lengths = np.sqrt((centred**2 * weights).sum(axis=1, keepdims=True))
        with np.errstate(invalid="ignore"):
            centred = centred / lengths
        return (centred[:, :, :1] * centred[:, :, 1:] * weights).sum(axis=1)


@pytest.fixture(autouse=True)
def registered():
    ss.register_measure("cosine", Cosine)
    yield
    del registry._REGISTERED["cosine"]


def check_as_pearson(found, *names):
    assert list(found["measure"].values) == ["cosine", "pearson"]
    for name in names:
        own, other = found[name].values
        np.testing.assert_allclose(own, other, atol=1e-12)


def test_it_is_found_by_name():
    assert "cosine" in ss.measure_names()
    check_as_pearson(ss.agreement(EXAMPLE, ["cosine", "pearson"], by="document"), "value")
    with pytest.raises(ss.InputError, match="the measure 'cosine' is registered already"):
        ss.register_measure("cosine", Cosine)


@pytest.mark.parametrize("random", ["systems", "segments", "documents", "systems+segments"])
def test_it_has_every_bootstrap(random):
    found = ss.compare(EXAMPLE, ["cosine", "pearson"], random=random, resamples=50)
    check_as_pearson(found, "lower", "upper", "difference_lower", "p_simultaneous", "p_best")


@pytest.mark.parametrize("method", ["inputs", "systems", "both"])
def test_it_has_every_swap(method):
    found = ss.compare(EXAMPLE, ["cosine", "pearson"], method=method, resamples=50)
    check_as_pearson(found, "p_value", "p_holm", "p_simultaneous", "p_best")
    check_as_pearson(ss.rank(found), "rank", "cluster")


def test_it_has_ablations_and_a_place_in_shared_tasks(tmp_path):
    ablation = ss.ablate_systems(EXAMPLE, ["cosine", "pearson"], sizes=[6], subsets_per_size=20)
    check_as_pearson(ablation, "r")
    (tmp_path / "mine.toml").write_text(
        'test_set = "wmt23"\nlanguage_pairs = ["en-de"]\n[[task]]\nmeasure = "cosine"\n'
    )
    [task] = ss.read_tasks(tmp_path / "mine.toml").tasks
    assert (task.label, task.swap) == ("wmt23 en-de cosine", "systems")
