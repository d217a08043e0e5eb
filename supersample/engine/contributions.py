"""What each unit contributes to a score, to first order."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supersample.engine.statistics import Statistics, system_totals

_STEP = 1e-4  # of numerical derivatives, relative; exact to rounding where the score is linear

Tangent = Literal["own", "common"]
TANGENTS: tuple[Tangent, Tangent] = ("own", "common")


def score_contributions(statistics: Statistics, tangent: Tangent) -> NDArray[np.float64]:
    """Contributions of units to scores, whose mean over units is the score.

    With totals T, a unit's statistics t and U units, a unit contributes
    ``score + U g'(t - T / U)``, g the gradient of the score: the first-order (delta-method)
    contribution, which is the unit's own score where scores are means without gaps.

    Parameters
    ----------
    statistics : Statistics
    tangent : {"own", "common"}
        Where the gradient is taken: at each system's own totals, for drawing other units; or at the
        mean totals of all systems, for exchanging units between systems, as hybrids do.

    Returns
    -------
    ndarray, shape (systems, units, scorers)
    """
    values = statistics.values
    systems, units, _ = values.shape
    totals = system_totals(values)
    at = totals if tangent == "own" else np.broadcast_to(totals.mean(axis=0), totals.shape)
    scores = statistics.finalize(totals)
    deviations = values - totals[:, np.newaxis] / units
    out = np.empty((systems, units, scores.shape[1]))
    for s in range(systems):
        steps = _STEP * np.maximum(np.abs(at[s]), 1.0)
        moves = np.diag(steps)
        above, below = statistics.finalize(at[s] + moves), statistics.finalize(at[s] - moves)
        gradient = (above - below) / (2 * steps[:, np.newaxis])
        out[s] = scores[s] + units * (deviations[s] @ gradient)
    return out
