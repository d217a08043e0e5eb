"""A measure from outside the package, one class and one registration, has all that others have."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import supersample as ss
from supersample.measures import registry
from supersample.measures.base import SCHEMES
from supersample.resampling import RANDOM
from tests.toy_sets import write_test_set

NAME = "best-weighted r"
EXAMPLE = ss.load_example().isel(segment=slice(120))


@dataclass(frozen=True)
class BestWeighted(ss.measures.SystemMeasure):
    """Pearson's r with more weight on systems that people rate higher."""

    name: ClassVar[str] = NAME

    def of_systems(self, scores, counts=None):
        counts = np.ones(scores.shape[:2]) if counts is None else counts
        better = scores[:, :, :1] > scores[:, :, 0][:, np.newaxis]
        weights = counts * (1.0 + (better * counts[:, np.newaxis]).sum(axis=-1))
        weights = weights[:, :, np.newaxis] / weights.sum(axis=1)[:, np.newaxis, np.newaxis]
        centred = scores - (weights * scores).sum(axis=1, keepdims=True)
        products = (weights * centred[:, :, :1] * centred).sum(axis=1)
        squares = (weights * centred**2).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return products[:, 1:] / np.sqrt(squares[:, :1] * squares[:, 1:])


@pytest.fixture(autouse=True)
def registered():
    ss.measures.register_measure(NAME, BestWeighted)
    yield
    del registry._REGISTERED[NAME]


def by_hand(scores):
    systems = ss.system_level_scores(scores)
    human = systems["system_human"].values
    weights = 1.0 + (human[:, None] > human).sum(axis=1)
    signs = np.where(systems["higher_is_better"], 1, -1)
    r = [np.cov(human, x, aweights=weights) for x in (systems["system_score"].values * signs).T]
    return np.array([c[0, 1] / np.sqrt(c[0, 0] * c[1, 1]) for c in r])


def test_it_is_named_and_measures():
    assert NAME in ss.measures.measure_names()
    ss.testing.check_measure(NAME)
    np.testing.assert_allclose(ss.agreement(EXAMPLE, NAME)["value"].squeeze(), by_hand(EXAMPLE))
    with pytest.raises(ss.InputError, match="is already registered"):
        ss.measures.register_measure(NAME, BestWeighted)


@pytest.mark.parametrize("method", SCHEMES[:3])
def test_it_has_every_swap_and_p_values_of_all_metrics_at_once(method):
    found = ss.compare(EXAMPLE, NAME, method=method, resamples=99).sel(measure=NAME)
    assert found["p_value"].min() <= 0.05
    assert (found["p_simultaneous"] >= found["p_value"]).all()
    assert found["p_best"].max() == 1


@pytest.mark.parametrize("random", RANDOM)
def test_it_has_intervals_over_whatever_is_random(random):
    found = ss.compare(EXAMPLE, NAME, random=random, resamples=99)
    assert ((found["lower"] <= found["value"]) & (found["value"] <= found["upper"])).all()
    assert found["significant"].sel(metric="strong-98", other_metric="useless-00").all()
    assert found["p_best"].max() == 1


@pytest.mark.parametrize("how", [{}, {"random": "systems"}])
def test_it_is_averaged_over_groups_and_ranked(how):
    found = ss.compare(EXAMPLE, NAME, by="document", resamples=99, **how)
    groups = found["value"].drop_sel(group="average")
    np.testing.assert_allclose(found["value"].sel(group="average"), groups.mean("group"))
    ranking = ss.rank(found)
    assert ranking["rank"].sel(group="average").values.ravel().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    # which columns they have is tested where tables are made; here, that a new measure is in them
    frame, first = ss.to_frame(ranking), ranking["value"].values.flat[0]
    assert set(frame["metric"]) == set(ranking["metric"].values)
    assert (frame == first).to_numpy().any()
    assert f"1 & {ranking['metric'].values[0]}" in ss.to_latex(ranking)


def test_it_is_a_column_of_a_shared_task(tmp_path):
    tasks = tmp_path / "mine.toml"
    tasks.write_text(
        'title = "Mine"\ntest_set = "wmt23"\nlanguage_pairs = ["en-de", "zh-en"]\n'
        f'[[task]]\nmeasure = "{NAME}"\n[[task]]\nmeasure = "acc_eq/item"\n'
    )
    sets = write_test_set(tmp_path / "sets")
    result = ss.tasks.run_tasks(tasks, sets, resamples=49)
    own = result.isel(basis=0, group=0)
    own = own.sel(measure=[label for label in result["measure"].values if NAME in str(label)])
    assert own.sizes["measure"] == 2
    assert own["value"].notnull().all()
    for values, p in zip(own["value"].values, own["p_value"].values, strict=True):
        best, worst = values.argmax(), values.argmin()
        assert 0 < p[best, worst] < p[worst, best] <= 1
