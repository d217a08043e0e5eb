import numpy as np
from scipy import stats

from supersample.engine.resamples import bootstrap_counts, jackknife_counts
from tests.engine import reference


def _counts(units, replicates, **options):
    return bootstrap_counts(units, replicates=np.arange(replicates, dtype=np.uint64), **options)


def test_counts_are_of_the_streams_draws():
    stream = reference.key(5, "bootstrap of systems")
    drawn = [int(reference.uniform(stream, 3, k) * 7) for k in range(7)]
    counts = bootstrap_counts(
        7, seed=5, replicates=np.array([3], dtype=np.uint64), purpose="bootstrap of systems"
    )
    np.testing.assert_array_equal(counts[0], np.bincount(drawn, minlength=7))


def test_a_replicate_does_not_depend_on_the_others():
    whole = _counts(11, 50, seed=1)
    alone = bootstrap_counts(11, seed=1, replicates=np.array([49, 7], dtype=np.uint64))
    np.testing.assert_array_equal(alone, whole[[49, 7]])


def test_units_are_drawn_uniformly():
    counts = _counts(9, 4000, seed=2).sum(axis=0)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_purposes_and_seeds_differ():
    assert (_counts(9, 20, seed=0) != _counts(9, 20, seed=1)).any()
    assert (_counts(9, 20, seed=0) != _counts(9, 20, seed=0, purpose="other")).any()


def test_the_jackknife_leaves_out_each_unit_once():
    np.testing.assert_array_equal(jackknife_counts(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
