import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersample.inference.two_correlations import NON_OVERLAPPING, non_overlapping, overlapping

TESTS = [method.test for method in NON_OVERLAPPING.values()]
INTERVALS = [method.interval for method in NON_OVERLAPPING.values() if method.interval]


@st.composite
def sixes(draw):
    """r12, r34, r13, r14, r23, r24 of four variables."""
    x = np.reshape(draw(st.lists(st.floats(-1, 1), min_size=16, max_size=16)), (4, 4))
    product = x @ x.T + 0.05 * np.eye(4)
    scale = np.sqrt(np.diag(product))
    m = product / np.outer(scale, scale)
    return m[0, 1], m[2, 3], m[0, 2], m[0, 3], m[1, 2], m[1, 3]


def exchanged(six):
    """The same with variables 1 and 2 in the place of 3 and 4."""
    r12, r34, r13, r14, r23, r24 = six
    return r34, r12, r13, r23, r14, r24


sizes = st.integers(4, 10**6)


@pytest.mark.parametrize("test", TESTS)
@given(sixes(), sizes)
def test_exchanging_the_correlations_changes_the_sign(test, six, n):
    ours, swapped = test(*six, n), test(*exchanged(six), n)
    np.testing.assert_allclose(ours.statistic, -swapped.statistic, rtol=1e-9, atol=1e-12)
    if not np.isnan(ours.statistic):
        assert np.sign(ours.statistic) == np.sign(six[0] - six[1])


@pytest.mark.parametrize("interval", INTERVALS)
@given(sixes(), sizes, st.floats(0.01, 0.999))
def test_the_interval_contains_the_difference(interval, six, n, level):
    lower, upper = interval(*six, n, confidence_level=level)
    assert lower <= six[0] - six[1] + 1e-15
    assert upper >= six[0] - six[1] - 1e-15


@given(sixes(), st.integers(4, 200))
def test_the_interval_at_the_p_value_ends_at_zero(six, n):
    statistic, p = non_overlapping.zou2007_test(*six, n)
    if not 1e-6 < p < 1 - 1e-6:
        return
    lower, upper = non_overlapping.zou2007(*six, n, confidence_level=1 - p)
    assert (lower if statistic > 0 else upper) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("name", ["pearson1898", "dunn1969", "zou2007"])
def test_a_variable_named_twice_is_the_overlapping_case(name):
    # Variables 1 and 3 one and the same: r13 = 1, r12 against r14 with r24 between.
    r12, r14, r24 = 0.7, 0.5, 0.6
    ours = getattr(non_overlapping, name)(r12, r14, 1, r14, r12, r24, 40)
    theirs = getattr(overlapping, name)(r12, r14, r24, 40)
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_and_perfect_correlations(test):
    assert test(0.4, 0.4, 0.1, 0.2, 0.3, 0.1, 20) == (0, 1)
    assert test(0.4, 0.4, 0.1, 0.2, 0.3, 0.1, 20, alternative="greater") == (0, 0.5)
    z, p = test(1, 0.2, 0.3, 0.1, 0.3, 0.1, 20)
    assert z > 0
    assert p < 0.05
    finite = (NON_OVERLAPPING[name].test for name in ("pearson1898", "zou2007"))
    assert np.isinf(z) == (test not in finite)


@pytest.mark.parametrize("function", [*TESTS, *INTERVALS])
def test_what_cannot_be_is_refused(function):
    with pytest.raises(ValueError, match=r"r12 = 0\.9, r34 = 0\.9, .* r24 = -0\.9 "):
        function(0.9, 0.9, [0.8, 0.9], [0.8, 0.9], [0.8, 0.9], [0.8, -0.9], 20)
    with pytest.raises(ValueError, match=r"r24 = 2"):
        function(0.5, 0.5, 0, 0, 0, 2, 20)
    with pytest.raises(ValueError, match=r"(\w+\d{4}) needs n of at least 4, not 3"):
        function(0.5, 0.4, 0, 0, 0, 0, 3)
