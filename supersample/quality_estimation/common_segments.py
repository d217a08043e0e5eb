"""What each gold standard can judge of Predictions, and correlations with it."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import DegenerateScoreWarning, InputError
from supersample.scores.predictions import LABEL, PREDICTION, PREDICTS, validate_predictions

ROUNDING = 64 * np.finfo(np.float64).eps
"""How near to 1 rounding leaves an |r| of exactly 1; taken away, so that r says so."""


class Judged(NamedTuple):
    """What one gold standard can judge: the segments that it and every system have a number for."""

    gold: str
    labels: NDArray[np.float64]
    """Shape (n,)."""
    predictions: NDArray[np.float64]
    """Shape (systems, n)."""
    same_units: NDArray[np.bool_]
    """Whether each system predicts in the units of this gold standard, or nobody said."""
    mask: str

    def of(self, systems: Sequence[int]) -> "Judged":
        """Select systems by their numbers, on the same segments."""
        chosen = list(systems)
        return self._replace(
            predictions=self.predictions[chosen], same_units=self.same_units[chosen]
        )


def judged_predictions(data: xr.Dataset) -> list[Judged]:
    """Select what each gold standard can judge, in the order of gold standards.

    Raises
    ------
    InputError
        If `data` are no Predictions, or fewer than two segments are left to a gold standard.
    """
    validate_predictions(data)
    predictions = data[PREDICTION.name].transpose(*PREDICTION.dims).to_numpy()
    predicted = ~np.isnan(predictions)
    predicts = np.array([str(name) for name in data[PREDICTS.name].to_numpy()])
    judged = []
    labels = data[LABEL.name].transpose(*LABEL.dims).to_numpy()
    for gold, own in zip(data["gold"].to_numpy(), labels, strict=True):
        labelled = ~np.isnan(own)
        use = labelled & predicted.all(axis=0)
        left = int(use.sum())
        if left < 2:
            least = int((predicted & labelled).sum(axis=1).argmin())
            raise InputError(
                f"only {left} segments have both a label of '{gold}' and a prediction of every "
                f"system; the fewest has '{data['system'].values[least]}', leave it out"
            )
        same = (predicts == str(gold)) | (predicts == "")
        kept = predictions if use.all() else predictions[:, use]
        judged.append(Judged(str(gold), own[use], kept, same, f"{gold} {left}/{use.size}"))
    return judged


def exact_ones(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make exactly 1 or -1 what differs from it by rounding alone."""
    return np.where(1 - np.abs(r) <= ROUNDING, np.sign(r), r)


def warn_degenerate(r: NDArray[np.float64], gold: str, systems: NDArray[np.str_]) -> None:
    """Name what has no correlation because it does not vary."""
    undefined = np.isnan(r)
    if undefined.all():
        text = f"the labels of '{gold}', or all predictions, do not vary: every r is NaN"
        warnings.warn(text, DegenerateScoreWarning, stacklevel=3)
    elif undefined.any():
        text = f"predictions do not vary: r with {gold} is NaN for {', '.join(systems[undefined])}"
        warnings.warn(text, DegenerateScoreWarning, stacklevel=3)
