import numpy as np
import pytest

from supersample.inference.accuracies.lattice import convolved_tail, lattice_step


@pytest.mark.parametrize("step", [1.0, 0.1, 1 / 3, 0.04, 2.5e-4])
def test_step_of_noisy_multiples_is_found(step):
    rng = np.random.default_rng(0)
    multiples = rng.integers(-250, 250, size=400)
    multiples[:2] = 6, 35  # coprime, so that no coarser step fits
    noise = 1.0 + rng.uniform(-4e-15, 4e-15, size=400)
    assert lattice_step(multiples * step * noise) == pytest.approx(step, rel=1e-12)


def test_step_survives_standardising():
    scores = -np.round(np.random.default_rng(1).exponential(3.0, size=(2, 300)), 1)
    z = (scores - scores.mean()) / scores.std()
    step = lattice_step(z[0] - z[1])
    assert step == pytest.approx(0.1 / scores.std(), rel=1e-9)


def test_step_is_the_greatest():
    assert lattice_step(np.array([0.6, -1.5, 0.9, 0.0])) == pytest.approx(0.3)
    assert lattice_step(np.array([-25.200000000000003, 25.2, 4.2])) == pytest.approx(4.2)


def test_continuous_values_and_zeros_have_no_step():
    rng = np.random.default_rng(2)
    for _ in range(200):
        assert lattice_step(rng.normal(size=25)) == 0.0
    assert lattice_step(np.zeros(5)) == 0.0
    almost = 0.1 * np.arange(1, 30) + 1e-6 * rng.normal(size=29)
    assert lattice_step(almost) == 0.0


def test_convolution_is_the_binomial_distribution_for_equal_steps():
    # 5 of 9 signs positive: P(S > 1) = P(more than 5 heads), P(S = 1) = P(5 heads) of 9
    multiples = np.array([1] * 5 + [-1] * 4)
    above, equal = convolved_tail(multiples)
    assert above == pytest.approx((84 + 36 + 9 + 1) / 512, rel=1e-14)
    assert equal == pytest.approx(126 / 512, rel=1e-14)
