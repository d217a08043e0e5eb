"""Result variables take dimensions, units and meaning from their declarations, or are refused."""

import numpy as np
import pytest

import supersample as ss
from supersample.results.variables import RESULT_VARIABLES, result_variables


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
