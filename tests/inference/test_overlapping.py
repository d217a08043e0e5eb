import numpy as np
import pytest

from supersample.inference.overlapping import williams1959, zou2007


# Hittner and May's program DEPCOR (Silver, Hittner and May 2006, Applied Psychological Measurement
# 30), as quoted in the tests of R's cocor 1.1-4.
def test_williams_published_example():
    t, p = williams1959(0.3, 0.4, 0.5, 100)
    assert t == pytest.approx(-1.0767, abs=5e-5)
    assert p == pytest.approx(0.2843, abs=5e-5)


# Zou (2007), p. 409: r12 = .396, r13 = .179, r23 = .088, n = 66 gives (-.093, .517).
def test_zou_published_example():
    np.testing.assert_allclose(zou2007(0.396, 0.179, 0.088, 66), (-0.093, 0.517), atol=5e-4)


def test_impossible_triples_are_refused():
    with pytest.raises(ValueError, match=r"r12 = 0\.9, r13 = 0\.9, r23 = 0\.1 "):
        williams1959([0.5, 0.9], 0.9, [0.5, 0.1], 20)


@pytest.mark.parametrize("test", [williams1959, zou2007])
def test_the_smallest_n_is_named(test):
    with pytest.raises(ValueError, match=f"{test.__name__} needs n >= 4"):
        test(0.5, 0.4, 0.3, 3)
