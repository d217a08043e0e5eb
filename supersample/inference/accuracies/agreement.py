"""Pairwise accuracy and soft pairwise accuracy of metrics, from preferences over system pairs.

For a pair of systems i < j a *preference* is a number from 0 (i is better) to 1 (j is better):
the p-value of "i is better than j" for soft pairwise accuracy (SPA), that p-value rounded for
pairwise accuracy (PA). Both are means over pairs of 1 - |human - metric| (Thompson, Mathur,
Deutsch and Khayrallah 2024, equations 1 and 3), 1 at best and 0 at worst.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from supersample.errors import InputError, check_choice
from supersample.inference.accuracies.sign_flip import system_pairs
from supersample.inference.arguments import SUM_TIE, Floats

Ties = Literal["half", "up"]


def preferences(differences: ArrayLike, *, ties: Ties = "half") -> Floats:
    """Round the preference of each system pair: 0 where i is better by mean score, 1 where j is.

    Parameters
    ----------
    differences : array_like, shape (..., units)
        Paired differences x_i - x_j, from `sign_flip.pair_differences`, of scores that are higher
        for better systems.
    ties : {"half", "up"}
        Preference of a pair whose sums are equal (within `SUM_TIE` of sum |d|). "half": 0.5, the
        rounded mid-p with halves kept; two ties agree, a tie and a preference half agree, and the
        order of systems does not matter. "up": 1, as equation 3 rounds p = 0.5 up, so that a tie
        counts as "j is better".

    Examples
    --------
    >>> preferences([[1.0, 2.0], [-1.0, -1.0], [0.1, -0.1]])
    array([0. , 1. , 0.5])
    """
    check_choice("tie rule", ties, get_args(Ties))
    d = np.asarray(differences, dtype=np.float64)
    total = d.sum(axis=-1)
    tied = np.abs(total) <= SUM_TIE * np.abs(d).sum(axis=-1)
    return np.where(tied, 0.5 if ties == "half" else 1.0, np.where(total > 0, 0.0, 1.0))


def mean_agreement(human: ArrayLike, metric: ArrayLike) -> Floats:
    """Mean over system pairs of one minus the absolute difference of two preferences.

    Preferences of the same pairs, shape (..., pairs), broadcast against each other: p-values give
    SPA (equation 1), rounded preferences give PA (equation 3). From 0 to 1; 1 for a metric against
    itself.

    Examples
    --------
    >>> float(mean_agreement([0.0, 0.5], [0.25, 0.25]))
    0.75
    """
    difference = np.asarray(human, dtype=np.float64) - np.asarray(metric, dtype=np.float64)
    return np.asarray((1.0 - np.abs(difference)).mean(axis=-1))


def component_matrices(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Lay out the three panels of Figure 1: human and metric preferences and their agreement.

    Preferences of shape (pairs,), in the order of `sign_flip.system_pairs`, give three matrices of
    shape (systems, systems): entry (i, j) of the upper triangle is that of the pair; NaN on and
    below the diagonal.

    Examples
    --------
    >>> component_matrices([0.0, 0.5, 1.0], [0.1, 0.5, 0.8])[2].round(1)
    array([[nan, 0.9, 1. ],
           [nan, nan, 0.8],
           [nan, nan, nan]])
    """
    h = np.asarray(human, dtype=np.float64)
    m = np.asarray(metric, dtype=np.float64)
    systems = int((1 + np.sqrt(1 + 8 * h.size)) / 2)
    if h.ndim != 1 or h.shape != m.shape or systems * (systems - 1) // 2 != h.size:
        raise InputError(f"preferences of {h.shape} and {m.shape} are not those of system pairs")
    panels = np.full((3, systems, systems), np.nan)
    panels[:, *system_pairs(systems)] = h, m, 1.0 - np.abs(h - m)
    return panels[0], panels[1], panels[2]
