"""Populations made of data, fitted to it, and hypothetical systems."""

import numpy as np
import pytest

import supersample as ss
from supersample.simulation.populations import hypothetical_systems

EXAMPLE = ss.load_example()
R = ss.correlations.correlate(EXAMPLE)["value"].sel(basis="systems").to_numpy()


def test_systems_and_hybrids_are_finite_populations_oriented_by_declaration():
    systems = ss.simulation.FinitePopulation(EXAMPLE)
    assert systems.size == 12
    np.testing.assert_allclose(systems.coefficients("pearson"), R, rtol=1e-12)
    sample = ss.hybrid_supersample(EXAMPLE, n=500)
    hybrids = ss.simulation.FinitePopulation(sample)
    assert (hybrids.size, hybrids.basis) == (500, "hybrids")
    assert ss.simulation.FinitePopulation(sample, basis="systems").size == 12
    assert ss.simulation.FinitePopulation(sample, replacement="with").size is None
    expected = ss.correlations.correlate(sample)["value"].sel(basis="hybrids")
    np.testing.assert_allclose(hybrids.coefficients("pearson"), expected, rtol=1e-12)


def test_a_fitted_normal_population_has_the_systems_correlations():
    fitted = ss.simulation.fit_population(EXAMPLE)
    np.testing.assert_allclose(fitted.coefficients("pearson"), R, rtol=1e-12)
    assert fitted.metrics == tuple(EXAMPLE["metric"].values)
    large = ss.simulation.sampling_distribution(fitted, 20_000, 3)
    np.testing.assert_allclose(large["mean"], R, atol=5 / np.sqrt(60_000))


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(ss.InputError, match="at least 4 systems, not 3"):
        ss.simulation.fit_population(ss.simulate_scores(systems=3, segments=20))
    flat = ss.make_system_scores(
        [1, 2, 3, 4], [[1, 1, 1, 1], [1, 2, 3, 5]], systems=list("ABCD"), metrics=["flat", "b"]
    )
    with pytest.raises(ss.InputError, match="flat do not vary"):
        ss.simulation.fit_population(flat)
    with pytest.raises(ss.InputError, match="no way to fit a population 'beta'"):
        ss.simulation.fit_population(EXAMPLE, method="beta")


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")  # r below 0
@pytest.mark.parametrize("r", [-1, -0.3, 0, 0.91, 1])
def test_hypothetical_systems_correlate_exactly(r):
    systems = hypothetical_systems(r, size=50, seed=3)
    assert ss.correlations.correlate(systems)["value"].item() == pytest.approx(r, abs=1e-14)


@pytest.mark.parametrize(("r", "size"), [(1.1, 10), (0.5, 2), (np.nan, 10)])
def test_impossible_hypothetical_systems_are_refused(r, size):
    with pytest.raises(ss.InputError):
        hypothetical_systems(r, size=size)
