import numpy as np

import supersample as ss
from experiments.calibration.coverage import Setting, coverage
from experiments.calibration.populations import estimand_values
from supersample.inference.two_correlations.overlapping import zou2007

NULL = ss.simulation.Population([[1, 0.9, 0.9], [0.9, 1, 0.85], [0.9, 0.85, 1]])
APART = ss.simulation.Population([[1, 0.95, 0.6], [0.95, 1, 0.6], [0.6, 0.6, 1]])


def test_known_from_first_looks():
    """Zou with n = 12 systems covers, with n = 10,000 hybrids about 6 %; Williams' rejects so."""
    found = coverage(
        {"null": Setting(NULL, 12, 300)},
        ["zou", "zou:hybrids:hybrid", "williams1959", "williams1959:hybrids"],
        replicates=400,
    ).sel(setting="null", quantity="difference")
    covered = found["coverage"].values
    rejected = found["rejected"].values
    assert 0.90 < covered[0] < 0.985
    assert covered[1] < 0.12
    assert 0.02 < rejected[2] < 0.10
    assert rejected[3] > 0.88
    np.testing.assert_allclose(found["estimand"], 0, atol=1e-12)


def test_shares_are_counted_from_plain_intervals():
    """Written anew, from the same samples."""
    setting = Setting(APART, 9, 40)
    found = coverage({"apart": setting}, ["zou"], replicates=60, seed=3)
    samples = APART.draw(3, np.arange(60, dtype=np.uint64), 9, 40).mean(axis=2)
    limits = []
    for scores in samples:
        r = np.corrcoef(scores, rowvar=False)
        limits.append(zou2007(r[0, 1], r[0, 2], r[1, 2], 9))
    lower, upper = np.array(limits).T
    truth = estimand_values(APART, 9, 40)["observed"][1]
    own = found.sel(setting="apart", quantity="difference", procedure="zou:systems:observed")
    assert own["coverage"] == np.mean((lower <= truth) & (truth <= upper))
    assert own["below"] == np.mean(upper < truth)
    assert own["above"] == np.mean(lower > truth)
    assert own["rejected"] == np.mean((lower > 0) | (upper < 0))
    np.testing.assert_allclose(own["width"], np.mean(upper - lower), rtol=1e-9)


def test_estimands_of_a_population():
    """Closed form: with noise N / L; without; and of hybrids by their weights."""
    values = estimand_values(APART, 10, 50)
    noise = 16 * (0.3 + 0.7 * np.eye(3)) / 50
    observed = np.asarray(APART.correlation) + noise
    r = observed[0, 1:] / np.sqrt(observed[0, 0] * np.diag(observed)[1:])
    np.testing.assert_allclose(values["observed"], [r[0], r[0] - r[1]], rtol=1e-12)
    np.testing.assert_allclose(values["true"], [0.95, 0.35], rtol=1e-12)
    hybrid = 0.4 * observed + (np.asarray(APART.correlation) + noise * 50) / 100
    r = hybrid[0, 1:] / np.sqrt(hybrid[0, 0] * np.diag(hybrid)[1:])
    np.testing.assert_allclose(values["hybrid"], [r[0], r[0] - r[1]], rtol=1e-12)


def test_undefined_intervals_are_counted():
    """Few noisy segments: what is taken off for noise leaves no variance in many samples."""
    noisy = ss.simulation.Population(np.asarray(NULL.correlation), segment_deviation=20)
    found = coverage({"noisy": Setting(noisy, 6, 20)}, ["zou:systems:true"], replicates=40)
    own = found.isel(setting=0, procedure=0)
    assert (own["undefined"] > 0).all()
    assert (own["coverage"] <= 1 - own["undefined"] / 40).all()
