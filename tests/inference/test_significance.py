import numpy as np
import pytest

from supersample.errors import InputError
from supersample.inference.significance import greedy_clusters, replicate_p_values

NULL = np.array([0.3, -0.3, 0.1, -0.1, 0.0, 0.2, -0.4, 0.0, 0.0, 0.1])[:, None]


def test_alternatives():
    assert replicate_p_values([0.3], NULL).tolist() == [0.3]
    assert replicate_p_values([0.3], NULL, alternative="greater").tolist() == [0.1]
    assert replicate_p_values([0.3], NULL, alternative="less").tolist() == [1.0]
    assert replicate_p_values([-0.3], NULL, alternative="less").tolist() == [0.2]
    p = replicate_p_values([0.3], NULL, estimator="(k+1)/(B+1)")
    assert p == pytest.approx(4 / 11)
    with pytest.raises(InputError, match="'both' is not one of"):
        replicate_p_values([0.3], NULL, alternative="both")


def test_ties_are_exact_unless_asked_otherwise():
    null = np.full((4, 1), 0.1 + 0.2)
    assert replicate_p_values([0.3], null).tolist() == [1.0]
    assert replicate_p_values([0.1 + 0.2], np.full((4, 1), 0.3)).tolist() == [1.0]
    assert replicate_p_values([0.1 + 0.2], np.full((4, 1), 0.3), tie=0.0).tolist() == [0.0]


def test_clusters_open_at_the_first_metric_that_differs_from_any_in_the_current_one():
    p = np.ones((5, 5))
    for i, j in ((0, 2), (1, 3), (2, 4), (3, 4)):
        p[i, j] = p[j, i] = 0.05
    order = np.array([3, 1, 4, 0, 2])
    values = np.linspace(0.9, 0.5, 5)
    # from the best: {0, 1}, then 2 differs from 0; {2, 3} although 3 differs from 1; then 4
    expected = np.array([1, 1, 2, 2, 3])
    assert greedy_clusters(values, p).tolist() == expected.tolist()
    shuffled = greedy_clusters(values[order], p[np.ix_(order, order)])
    assert shuffled.tolist() == expected[order].tolist()
    assert greedy_clusters(values, p, alpha=0.01).tolist() == [1] * 5
