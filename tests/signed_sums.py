"""The distribution of signed sums by convolution on a grid: a plain second route to p-values."""

import numpy as np

FINEST = 1 << 9


def exact_p_values(differences, *, convention="mid"):
    """p-values of `normal_p_values` without its limit: all signs of all differences count.

    Differences that are whole multiples of a tenth are exact; others are put on a grid of
    1 / `FINEST` of the largest one.
    """
    differences = np.asarray(differences, dtype=np.float64)
    rows = differences.reshape(-1, differences.shape[-1])
    return np.array([_p_value(row, convention) for row in rows]).reshape(differences.shape[:-1])


def _p_value(row, convention):
    largest = np.abs(row).max()
    if largest == 0:
        return 0.5 if convention == "mid" else 1.0
    step = 0.1 if np.allclose(row * 10, np.rint(row * 10), atol=1e-9) else largest / FINEST
    units = np.rint(row / step).astype(np.int64)
    mass = np.ones(1)
    for size in np.abs(units):  # shifted down and up by the size
        mass = 0.5 * np.pad(mass, (2 * size, 0)) + 0.5 * np.pad(mass, (0, 2 * size))
    sums = np.arange(mass.size) - mass.size // 2
    above, equal = (mass[chosen].sum() for chosen in (sums > units.sum(), sums == units.sum()))
    return above + (0.5 if convention == "mid" else 1.0) * equal
