import numpy as np
import pytest

from supersample.inference.one_correlation.intervals import fisher_interval
from supersample.inference.two_correlations.overlapping import zou2007
from supersample.inference.two_correlations.statistics import (
    LeftOut,
    jackknife_fisher_interval,
    jackknife_zou_interval,
)


def sample(n, seed, rho=0.9):
    rng = np.random.default_rng(seed)
    matrix = [[1, rho, rho], [rho, 1, 0.85], [rho, 0.85, 1]]
    scores = rng.normal(size=(n, 3)) @ np.linalg.cholesky(matrix).T
    left = np.array([np.corrcoef(np.delete(scores, i, 0), rowvar=False) for i in range(n)])
    return np.corrcoef(scores, rowvar=False), LeftOut(left[:, 0, 1], left[:, 0, 2])


def of_difference(r, left_out, **options):
    return jackknife_zou_interval(
        np.array(r[0, 1]), np.array(r[0, 2]), np.array(r[1, 2]), left_out, **options
    )


def test_without_the_jackknife_they_are_fishers_and_zous():
    r, left_out = sample(12, seed=1)
    for level in (0.9, 0.95):
        np.testing.assert_allclose(
            of_difference(r, left_out, weight=0.0, confidence_level=level),
            zou2007(r[0, 1], r[0, 2], r[1, 2], 12, confidence_level=level),
            rtol=1e-12,
        )
        np.testing.assert_allclose(
            jackknife_fisher_interval(
                np.array(r[0, 1]), left_out.a, weight=0.0, confidence_level=level
            ),
            fisher_interval(r[0, 1], 12, confidence_level=level),
            rtol=1e-12,
        )


def test_plain_computation():
    """Written anew from the module's formulas, with scipy's quantile and numpy's covariance."""
    from scipy.stats import t

    n, w = 10, 0.4
    r, left_out = sample(n, seed=2)
    z = np.arctanh(np.array(left_out))
    jackknife = np.cov(z) * (n - 1) * (n - 3) / n
    a, b, ab = r[0, 1], r[0, 2], r[1, 2]
    numerator = (ab - a * b / 2) * (1 - a**2 - b**2 - ab**2) + ab**3
    c = numerator / ((1 - a**2) * (1 - b**2))  # Zou (2007), equation 12
    v = (1 - w) * np.array([[1, c], [c, 1]]) / (n - 3) + w * jackknife
    q = t.ppf(0.975, (n - 1) / w**2)
    reach = q * np.sqrt(np.diag(v))
    low, high = np.tanh(np.arctanh([a, b]) - reach), np.tanh(np.arctanh([a, b]) + reach)
    rho = v[0, 1] / np.sqrt(v[0, 0] * v[1, 1])

    def joined(x, y):
        return np.sqrt(x**2 + y**2 - 2 * rho * x * y)

    expected = (
        a - b - joined(a - low[0], high[1] - b),
        a - b + joined(high[0] - a, b - low[1]),
    )
    np.testing.assert_allclose(of_difference(r, left_out, weight=w), expected, rtol=1e-10)
    np.testing.assert_allclose(
        jackknife_fisher_interval(np.array(a), left_out.a, weight=w), (low[0], high[0]), rtol=1e-10
    )


@pytest.mark.parametrize(("n", "rho"), [(6, 0.0), (12, 0.9), (20, 0.99)])
def test_under_normality_both_variances_agree_in_the_mean(n, rho):
    """The factor (n - 3) / n: mean of n (z jackknife) is 1 / (n - 3), to 4 % and the noise of
    4,000 samples."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(4_000, n))
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=(4_000, n))
    left = np.empty((4_000, n))
    for i in range(n):
        a, b = np.delete(x, i, 1), np.delete(y, i, 1)
        a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
        left[:, i] = (a * b).sum(1) / np.sqrt((a**2).sum(1) * (b**2).sum(1))
    z = np.arctanh(left)
    variances = (n - 3) * z.var(axis=1) * (n - 3)
    error = variances.std() / np.sqrt(variances.size)
    assert abs(variances.mean() - 1) < 0.06 + 4 * error


def test_the_weight_is_a_share():
    r, left_out = sample(8, seed=5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        of_difference(r, left_out, weight=1.5)
