import numpy as np
import pytest

from supersample import make_system_scores, outlier_systems
from supersample.scores.outliers import distances_from_median


def outliers(scores, **cutoff):
    systems = [str(i) for i in range(len(scores))]
    data = make_system_scores(scores, [np.arange(len(scores))], systems=systems, metrics=["m"])
    return outlier_systems(data, **cutoff)["outlier"].values


# Rscript -e 'x <- c(.9,1.1,1.4,.7,-3.2,1.2); round(abs(x - median(x)) / mad(x, constant=1.483), 9)'
# R 4.2.2
def test_agrees_with_r():
    scores = [0.9, 1.1, 1.4, 0.7, -3.2, 1.2]
    expected = [0.269723533, 0.269723533, 1.078894134, 0.809170600, 11.328388402, 0.539447067]
    np.testing.assert_allclose(distances_from_median(scores), expected, atol=5e-10)
    np.testing.assert_array_equal(outliers(scores), [0, 0, 0, 0, 1, 0])


def test_the_cutoff_itself_is_no_outlier():
    scores = np.array([-1.0, 0.0, 1.0, -1.0, 1.0, 5.0, 0.0])
    distance = distances_from_median(scores)[5]
    assert not outliers(scores, cutoff=distance)[5]
    assert outliers(scores, cutoff=np.nextafter(distance, 0))[5]


def test_missing_scores_are_left_out():
    scores = np.array([1.0, 2.0, np.nan, 3.0, 40.0, 4.0])
    rated = ~np.isnan(scores)
    together = distances_from_median(scores)
    np.testing.assert_array_equal(together[rated], distances_from_median(scores[rated]))
    assert np.isnan(together[2])


def test_where_most_scores_are_equal_any_other_is_far():
    np.testing.assert_array_equal(distances_from_median([2, 2, 2, 2.1]), [0, 0, 0, np.inf])
    assert not outliers([2.0, 2.0, 2.0]).any()


@pytest.mark.parametrize("cutoff", [0, -1, np.nan])
def test_cutoffs_that_flag_everything_are_refused(cutoff):
    with pytest.raises(ValueError, match="cutoff"):
        outliers([1.0, 2.0], cutoff=cutoff)
