import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersample.inference.one_correlation import fisher_interval
from supersample.inference.two_correlations import OVERLAPPING, overlapping

TESTS = [method.test for method in OVERLAPPING.values()]
INTERVALS = [method.interval for method in OVERLAPPING.values() if method.interval]
Z_TESTS = [overlapping.dunn1969, overlapping.steiger1980, overlapping.meng1992]
inside = st.floats(-0.999, 0.999)


@st.composite
def triples(draw):
    """Correlations of three variables, r23 from a partial correlation."""
    r12, r13, partial = draw(inside), draw(inside), draw(inside)
    return r12, r13, r12 * r13 + partial * np.sqrt((1 - r12**2) * (1 - r13**2))


sizes = st.integers(4, 10**6)


@pytest.mark.parametrize("test", TESTS)
@given(triples(), sizes)
def test_swapping_the_metrics_changes_the_sign(test, triple, n):
    r12, r13, r23 = triple
    ours = test(r12, r13, r23, n)
    swapped = test(r13, r12, r23, n)
    np.testing.assert_array_equal(ours.statistic, -swapped.statistic)
    np.testing.assert_array_equal(ours.p_value, swapped.p_value)


@pytest.mark.parametrize("test", TESTS)
@given(triples(), sizes)
def test_the_three_alternatives_agree(test, triple, n):
    two_sided = test(*triple, n)
    greater = test(*triple, n, alternative="greater").p_value
    less = test(*triple, n, alternative="less").p_value
    if np.isnan(two_sided.statistic):
        assert test == OVERLAPPING["hittner2003"].test
        return
    assert greater + less == pytest.approx(1)
    assert two_sided.p_value == pytest.approx(2 * min(greater, less))
    if abs(two_sided.statistic) > 1e-7:  # nearer to 0, scipy's t distribution gives 0.5 itself
        assert (greater < less) == (two_sided.statistic > 0)
    assert np.sign(two_sided.statistic) == np.sign(triple[0] - triple[1])


@pytest.mark.parametrize("interval", INTERVALS)
@given(triples(), sizes, st.floats(0.01, 0.999))
def test_intervals_contain_the_difference_and_swap_with_the_metrics(interval, triple, n, level):
    r12, r13, r23 = triple
    lower, upper = interval(r12, r13, r23, n, confidence_level=level)
    scale = np.arctanh if interval == OVERLAPPING["meng1992"].interval else np.asarray
    difference = scale(r12) - scale(r13)
    assert lower <= difference + 1e-15
    assert upper >= difference - 1e-15
    other = interval(r13, r12, r23, n, confidence_level=level)
    np.testing.assert_array_equal((lower, upper), (-other.upper, -other.lower))


@pytest.mark.parametrize(
    ("test", "interval"),
    [
        (overlapping.meng1992, overlapping.meng1992_interval),
        (overlapping.zou2007_test, overlapping.zou2007),
    ],
)
@given(triples(), st.integers(4, 200))
def test_the_interval_at_the_p_value_ends_at_zero(test, interval, triple, n):
    statistic, p = test(*triple, n)
    if not 1e-6 < p < 1 - 1e-6:  # 1 - p is a confidence level with digits to spare
        return
    lower, upper = interval(*triple, n, confidence_level=1 - p)
    nearest = lower if statistic > 0 else upper
    assert nearest == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("r", [-1.0, -0.3, 0.0, 0.881, 1.0])
def test_identical_metrics_do_not_differ(test, r):
    assert test(r, r, 1, 12) == (0, 1)
    assert test(r, np.nextafter(r, 0), 1, 12) == (0, 1)  # r23 = 1 leaves rounding alone
    assert test(r, r, 1, 12, alternative="less") == (0, 0.5)


@pytest.mark.parametrize("test", [*Z_TESTS, overlapping.hittner2003])
def test_a_perfect_correlation_is_infinitely_far_on_the_z_scale(test):
    assert test(1, 0.5, 0.5, 12) == (np.inf, 0)
    assert test(0.5, 1, 0.5, 12, alternative="less") == (-np.inf, 0)
    assert test(1, -1, -1, 12) == (np.inf, 0)


def test_limits_at_a_perfect_correlation():
    t, _ = overlapping.williams1959(1, 0.6, 0.6, 12)
    assert t == pytest.approx(2 * np.sqrt(11 / (1 - 0.36)))
    assert overlapping.williams1959(1 - 1e-9, 0.6, 0.6, 12).statistic == pytest.approx(t, rel=1e-4)
    assert overlapping.hotelling1940(1, 0.6, 0.6, 12) == (np.inf, 0)
    z, _ = overlapping.pearson1898(1, 0.6, 0.6, 12)
    assert z == pytest.approx(0.4 * np.sqrt(12) / (1 - 0.36))
    lower, upper = overlapping.zou2007(1, 0.6, 0.6, 12)
    # What is left is Fisher's interval for r13, turned round.
    below, above = fisher_interval(0.6, 12)
    np.testing.assert_allclose((lower, upper), (1 - above, 1 - below))
    near = overlapping.zou2007(1 - 1e-12, 0.6, 0.6, 12)
    np.testing.assert_allclose(near, (lower, upper), atol=1e-5)
    assert overlapping.zou2007(1, -1, -1, 12) == (2, 2)
    assert overlapping.zou2007_test(1, -1, -1, 12) == (np.inf, 0)


@pytest.mark.parametrize("function", [*TESTS, *INTERVALS])
def test_nan_stays_nan_and_arguments_broadcast(function):
    r23 = np.array([[0.5], [np.nan]])
    one, other = function(0.6, [0.5, np.nan, 0.6], r23, [10, 20, 30])
    assert one.shape == other.shape == (2, 3)
    assert np.array_equal(np.isnan(one), [[False, True, False], [True, True, True]])
    assert np.array_equal(np.isnan(one), np.isnan(other))
    alone = function(0.6, 0.5, 0.5, 10)
    assert (one[0, 0], other[0, 0]) == alone
    assert alone[0].shape == ()


@pytest.mark.parametrize("function", [*TESTS, *INTERVALS])
def test_what_cannot_be_is_refused(function):
    with pytest.raises(ValueError, match=r"r12 = 0\.9, r13 = 0\.9, r23 = 0\.1 "):
        function([0.5, 0.9], 0.9, [0.5, 0.1], 20)
    with pytest.raises(ValueError, match=r"r13 = -1\.01"):
        function(0.5, -1.01, 0.5, 20)
    with pytest.raises(ValueError, match=r"(\w+\d{4}) needs n of at least 4, not 3"):
        function(0.5, 0.4, 0.3, [10, 3])


@pytest.mark.parametrize("test", TESTS)
def test_unknown_alternatives_are_refused(test):
    with pytest.raises(ValueError, match=r"'two\.sided'; there are two-sided, greater, less"):
        test(0.5, 0.4, 0.3, 20, alternative="two.sided")
