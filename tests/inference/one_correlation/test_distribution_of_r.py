"""The exact distribution of r against mpmath, scipy quadrature, closed forms and other routes."""

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, special, stats

from supersample.inference.one_correlation import (
    density_of_r,
    distribution_function_of_r,
    moments_of_r,
    quantile_of_r,
)

GOLDEN = Path(__file__).parents[2] / "golden"
RHOS = [-0.999, -0.91, 0.0, 0.5, 0.99, 0.999]
SIZES = [4, 5, 12, 200, 9999, 100_000]


def golden(name):
    """Golden values, each column an array; tests/golden/distribution_of_r.py makes them."""
    with (GOLDEN / name).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def test_density_and_distribution_function_have_their_golden_values():
    known = golden("distribution_of_r.csv")
    at = known["r"], known["rho"], known["n"]
    np.testing.assert_allclose(density_of_r(*at), known["density"], rtol=1e-10)
    below = distribution_function_of_r(*at)
    np.testing.assert_allclose(below, known["distribution_function"], rtol=1e-10, atol=0)


def test_moments_have_their_golden_values():
    known = golden("moments_of_r.csv")
    moments = moments_of_r(known["rho"], known["n"])
    np.testing.assert_allclose(moments.mean, known["mean"], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(moments.variance, known["variance"], rtol=1e-10)
    np.testing.assert_allclose(moments.skewness, known["skewness"], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rho", RHOS)
def test_density_integrates_to_one_within_1e9(rho, n):
    far = 1e-12 if rho > 0 else 1 - 1e-12
    inner = quantile_of_r([0.01, 0.5, 0.99, far], rho, n)
    cuts = [-1.0, *np.sort(inner), 1.0]
    pieces = [
        integrate.quad(lambda r: density_of_r(r, rho, n), low, high, epsabs=1e-11, epsrel=1e-11)[0]
        for low, high in pairwise(cuts)
    ]
    assert sum(pieces) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_quantiles_invert_the_distribution_function_to_1e8(n):
    p = np.array([1e-10, 1e-4, 0.025, *np.linspace(0.1, 0.9, 9), 0.975, 1 - 1e-6])[:, np.newaxis]
    r = quantile_of_r(p, RHOS, n)
    np.testing.assert_allclose(distribution_function_of_r(r, RHOS, n), p + 0 * r, atol=1e-11)
    assert np.all(np.diff(r, axis=0) > 0)


@pytest.mark.parametrize("rho", [-0.5, 0.91])
@pytest.mark.parametrize("n", [4, 15])
def test_distribution_function_agrees_with_its_conditional_form(rho, n):
    """r / sqrt(1 - r^2) is (z + eta c) / d, with z normal, c and d chi of n - 1 and n - 2."""
    eta = rho / np.sqrt(1 - rho**2)
    r = np.array([-0.7, 0.1, 0.6, 0.97])
    t = (r / np.sqrt(1 - r**2))[:, np.newaxis, np.newaxis]
    nodes, weights = np.polynomial.legendre.leggauss(120)
    chi, weights = 6 * (nodes + 1), 6 * weights  # from 0 to 12
    c, d = stats.chi.pdf(chi, n - 1) * weights, stats.chi.pdf(chi, n - 2) * weights
    below = special.ndtr(t * chi - eta * chi[:, np.newaxis])
    mixed = np.einsum("rcd,c,d->r", below, c, d)
    np.testing.assert_allclose(distribution_function_of_r(r, rho, n), mixed, atol=1e-12)


def test_without_correlation_it_is_students():
    r = np.linspace(-0.99, 0.99, 23)
    for n in (4, 5, 30):
        t = r * np.sqrt((n - 2) / (1 - r**2))
        below = distribution_function_of_r(r, 0, n)
        np.testing.assert_allclose(below, stats.t.cdf(t, n - 2), atol=1e-13)
        assert moments_of_r(0, n).variance == pytest.approx(1 / (n - 1), rel=1e-12)


def test_moments_agree_with_closed_forms_and_hotellings_series():
    rho, n = np.array([0.3, -0.8, 0.95])[:, np.newaxis], np.array([4.0, 12.0, 60.0])
    ratio = np.exp(2 * (special.gammaln(n / 2) - special.gammaln((n - 1) / 2)))
    mean = 2 * rho / (n - 1) * ratio * special.hyp2f1(0.5, 0.5, (n + 1) / 2, rho**2)
    below_one = (n - 2) / (n - 1) * (1 - rho**2) * special.hyp2f1(1, 1, (n + 1) / 2, rho**2)
    moments = moments_of_r(rho, n)
    np.testing.assert_allclose(moments.mean, mean, rtol=1e-11)
    np.testing.assert_allclose(moments.variance, 1 - below_one - mean**2, rtol=1e-8)
    n = 2000.0
    large = moments_of_r(rho, n)
    np.testing.assert_allclose(rho - large.mean, rho * (1 - rho**2) / (2 * n), rtol=2e-3)
    np.testing.assert_allclose(large.variance, (1 - rho**2) ** 2 / (n - 1), rtol=3e-3)
    np.testing.assert_allclose(large.skewness, -6 * rho / np.sqrt(n), rtol=1e-2)


def test_signs_mirror():
    r, n = np.linspace(-1, 1, 21), 7
    np.testing.assert_array_equal(density_of_r(r, 0.6, n), density_of_r(-r, -0.6, n))
    both = distribution_function_of_r(r, 0.6, n) + distribution_function_of_r(-r, -0.6, n)
    np.testing.assert_allclose(both, 1, atol=1e-14)
    p = np.array([0.2, 0.7])
    np.testing.assert_allclose(quantile_of_r(p, 0.6, n), -quantile_of_r(1 - p, -0.6, n), rtol=1e-12)


def test_ends():
    assert density_of_r(1, 0.5, 5) == 0
    limit = density_of_r(1 - 1e-13, 0.5, 4)
    assert density_of_r(1, 0.5, 4) == pytest.approx(float(limit), rel=1e-10)
    assert list(distribution_function_of_r([-1, 1], 0.5, 5)) == [0, 1]
    assert list(quantile_of_r([0, 1], 0.5, 5)) == [-1, 1]


@pytest.mark.parametrize("rho", [-1, 1])
def test_perfect_correlation_is_certain(rho):
    assert list(quantile_of_r([0.0, 0.3, 1.0], rho, 5)) == [rho] * 3
    assert density_of_r(rho, rho, 5) == np.inf
    assert density_of_r(0.5, rho, 5) == 0
    steps = [0, 0, 1] if rho > 0 else [1, 1, 1]
    assert list(distribution_function_of_r([-1, 0, 1], rho, 5)) == steps
    mean, variance, skewness = moments_of_r(rho, 5)
    assert (mean, variance) == (rho, 0)
    assert np.isnan(skewness)


def test_what_is_unknown_stays_unknown_and_shapes_broadcast():
    assert np.isnan(density_of_r(np.nan, 0.5, 5))
    assert np.isnan(distribution_function_of_r(0.5, np.nan, 5))
    assert np.isnan(quantile_of_r(np.nan, 0.5, 5))
    assert np.isnan(moments_of_r(np.nan, 5).variance)
    assert quantile_of_r(np.full((3, 1), 0.5), 0.5, [4, 5]).shape == (3, 2)
    assert quantile_of_r([], 0.5, 5).shape == (0,)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (density_of_r, (0.5, 0.5, 3), "n of at least 4"),
        (density_of_r, (1.5, 0.5, 5), "from -1 to 1"),
        (distribution_function_of_r, (0.5, -1.1, 5), "from -1 to 1"),
        (quantile_of_r, (1.1, 0.5, 5), r"probability must be in \[0, 1\]"),
        (moments_of_r, (0.5, np.inf), "finite n"),
    ],
)
def test_bad_arguments_are_refused(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)
