"""Result variables take dimensions, units and meaning from their declarations, or are refused."""

import numpy as np
import pytest

import supersample as ss
from supersample.results.variables import RESULT_VARIABLES, result_variables


def test_dimensions_follow_the_leading_ones():
    values = {"difference": np.zeros((2, 3, 3)), "n": np.array([4, 5])}
    made = result_variables(values, ("basis",))
    assert made["difference"].dims == ("basis", "metric", "other_metric")
    assert made["n"].dims == ("basis",)
    assert made["difference"].attrs["long_name"] == RESULT_VARIABLES["difference"].doc


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nonsense": np.zeros(2)}, "no variable 'nonsense'"),
        ({"r": np.zeros((2, 2))}, "'r' has 2 dimensions"),
        ({"significant": np.zeros((2, 2))}, "of kind 'b'"),
    ],
)
def test_what_is_not_declared_is_refused(values, message):
    with pytest.raises(ss.InputError, match=message):
        result_variables(values)


def test_all_variables_of_a_ranking_are_declared():
    sample = ss.hybrid_supersample(ss.load_example(), n=200)
    ranking = ss.rank(ss.correlations.compare_correlations(sample))
    assert set(ranking.data_vars) <= set(RESULT_VARIABLES)
    for name, variable in ranking.data_vars.items():
        dims = RESULT_VARIABLES[name].dims
        assert variable.dims[len(variable.dims) - len(dims) :] == dims
        assert variable.dtype.kind in RESULT_VARIABLES[name].kinds
        assert variable.attrs["long_name"] == RESULT_VARIABLES[name].doc
