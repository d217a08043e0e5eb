"""A test defined outside the package is chosen by name, like those inside it."""

import numpy as np
import pytest
from scipy.special import ndtr

import supersample as ss
from supersample.inference.arguments import HypothesisTest, Interval
from supersample.inference.two_correlations import (
    OVERLAPPING,
    ComparisonMethod,
    register_comparison,
)
from supersample.inference.two_correlations.overlapping import dunn1969


def fixed_test(r12, r13, r23, n, *, alternative="two-sided"):
    """A z-test with a standard error of 0.1, whatever the data."""
    z = (np.asarray(r12) - r13) / 0.1 + 0.0 * np.asarray(n)
    tail = {"two-sided": 2 * ndtr(-np.abs(z)), "greater": ndtr(-z), "less": ndtr(z)}
    return HypothesisTest(z, tail[alternative])


def fixed_interval(r12, r13, r23, n, *, confidence_level=0.95):
    difference = np.asarray(r12) - r13 + 0.0 * np.asarray(n)
    return Interval(difference - 0.3, difference + 0.3)


@pytest.fixture
def fixed2026():
    register_comparison(
        "overlapping",
        ComparisonMethod("fixed2026", fixed_test, fixed_interval),
    )
    yield OVERLAPPING["fixed2026"]
    del OVERLAPPING["fixed2026"]


def test_a_registered_test_compares_metrics(fixed2026):
    example = ss.load_example()
    result = ss.correlations.compare_correlations(example, method="fixed2026")
    r = result["value"].values
    np.testing.assert_allclose(
        result["statistic"].values, (r[..., :, None] - r[..., None, :]) / 0.1, atol=1e-12
    )
    significant = np.abs(result["difference"].values) > 0.196
    np.testing.assert_array_equal(result["significant"].values, significant)
    assert significant.any()
    assert not significant.all()
    one_sided = ss.correlations.compare_correlations(
        example, method="fixed2026", alternative="greater"
    )
    np.testing.assert_array_equal(
        one_sided["significant"].values, one_sided["p_value"].values <= 0.05
    )


def test_a_registered_test_is_in_the_list_of_all_and_in_sweeps(fixed2026, tmp_path):
    listed = ss.correlations.compare_overlapping(0.9, 0.8, 0.7, 20).sel(test="fixed2026")
    assert float(listed["statistic"]) == pytest.approx(1.0)
    assert (float(listed["lower"]), str(listed["scale"].values)) == (pytest.approx(-0.2), "r")
    study = {"inputs": ["example"], "n": [50], "methods": ["fixed2026"]}
    swept = ss.simulation.sweep(study, tmp_path / "sweep")
    assert list(swept["comparison"].values) == ["fixed2026"]


def test_registration_refuses_what_is_taken_or_unknown():
    with pytest.raises(ss.InputError, match="'dunn1969' is already registered"):
        register_comparison("overlapping", ComparisonMethod("dunn1969", dunn1969))
    with pytest.raises(ss.InputError, match="there are overlapping"):
        register_comparison("dependent", ComparisonMethod("new", dunn1969))
