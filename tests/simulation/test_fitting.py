"""Hypothetical systems."""

import numpy as np
import pytest

import supersample as ss
from supersample.simulation.populations import hypothetical_systems


@pytest.mark.parametrize("r", [-1, -0.3, 0, 0.91, 1])
def test_hypothetical_systems_correlate_exactly(r):
    systems = hypothetical_systems(r, size=50, seed=3)
    assert np.corrcoef(systems.T)[0, 1] == pytest.approx(r, abs=1e-14)


@pytest.mark.parametrize("size", [2, 2**20 + 1])
def test_impossible_hypothetical_systems_are_refused(size):
    with pytest.raises(ss.InputError, match="systems can be made up"):
        hypothetical_systems(0.5, size=size)
