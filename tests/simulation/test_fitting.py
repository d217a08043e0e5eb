"""Populations made of data, fitted to it, and hypothetical systems."""

import numpy as np
import pytest

import supersample as ss
from supersample.simulation.populations import hypothetical_systems

EXAMPLE = ss.load_example()
R = ss.correlations.correlate(EXAMPLE)["value"].to_numpy().squeeze()


def test_systems_and_hybrids_are_finite_populations_oriented_by_declaration():
    systems = ss.simulation.FinitePopulation(EXAMPLE)
    assert systems.size == 12
    np.testing.assert_allclose(np.corrcoef(systems.scores.T)[0, 1:], R, rtol=1e-12)
    sample = ss.hybrid_supersample(EXAMPLE, n=500)
    hybrids = ss.simulation.FinitePopulation(sample)
    assert (hybrids.size, hybrids.basis) == (500, "hybrids")
    assert ss.simulation.FinitePopulation(sample, basis="systems").size == 12
    assert ss.simulation.FinitePopulation(sample, replacement="with").size is None
    expected = ss.correlations.correlate(sample)["value"].sel(basis="hybrids").squeeze()
    np.testing.assert_allclose(np.corrcoef(hybrids.scores.T)[0, 1:], expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")  # r below 0
@pytest.mark.parametrize("r", [-1, -0.3, 0, 0.91, 1])
def test_hypothetical_systems_correlate_exactly(r):
    systems = hypothetical_systems(r, size=50, seed=3)
    assert ss.correlations.correlate(systems)["value"].item() == pytest.approx(r, abs=1e-14)


@pytest.mark.parametrize(("r", "size"), [(1.1, 10), (0.5, 2), (np.nan, 10)])
def test_impossible_hypothetical_systems_are_refused(r, size):
    with pytest.raises(ss.InputError):
        hypothetical_systems(r, size=size)
