"""Predictions on the segments that a gold standard and every system share."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import DegenerateScoreWarning, InputError
from supersample.scores.predictions import LABEL, PREDICTION, PREDICTS, validate_predictions

ROUNDING = 64 * np.finfo(np.float64).eps
"""Distance from 1 at which an |r| counts as exactly 1."""


class GoldStandard(NamedTuple):
    """Labels of one gold standard and the predictions, on the segments where all have a number."""

    name: str
    labels: NDArray[np.float64]
    """Shape (n,)."""
    predictions: NDArray[np.float64]
    """Shape (systems, n)."""
    same_units: NDArray[np.bool_]
    """Whether each system predicts in the units of this gold standard, or in undeclared ones."""
    mask: str

    def of(self, systems: Sequence[int]) -> "GoldStandard":
        """Select systems by their numbers, on the same segments."""
        chosen = list(systems)
        return self._replace(
            predictions=self.predictions[chosen], same_units=self.same_units[chosen]
        )


def common_predictions(data: xr.Dataset) -> list[GoldStandard]:
    """Select the common segments of each gold standard, in the order of gold standards.

    Raises
    ------
    InputError
        If `data` are no Predictions, or fewer than two segments are left to a gold standard.
    """
    validate_predictions(data)
    predictions = data[PREDICTION.name].transpose(*PREDICTION.dims).to_numpy()
    predicted = ~np.isnan(predictions)
    predicts = np.array([str(name) for name in data[PREDICTS.name].to_numpy()])
    golds = []
    labels = data[LABEL.name].transpose(*LABEL.dims).to_numpy()
    for name, of_gold in zip(data["gold"].to_numpy(), labels, strict=True):
        labelled = ~np.isnan(of_gold)
        use = labelled & predicted.all(axis=0)
        left = int(use.sum())
        if left < 2:
            least = int((predicted & labelled).sum(axis=1).argmin())
            raise InputError(
                f"only {left} segments have both a label of '{name}' and a prediction of every "
                f"system; the fewest has '{data['system'].values[least]}', leave it out"
            )
        same = (predicts == str(name)) | (predicts == "")
        kept = predictions if use.all() else predictions[:, use]
        mask = f"{name} {left}/{use.size}"
        golds.append(GoldStandard(str(name), of_gold[use], kept, same, mask))
    return golds


def exact_ones(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations with those that differ from 1 or -1 by rounding alone made exact."""
    return np.where(1 - np.abs(r) <= ROUNDING, np.sign(r), r)


def warn_degenerate(r: NDArray[np.float64], gold: str, systems: NDArray[np.str_]) -> None:
    """Warn of constant predictions or labels, which have no correlation."""
    undefined = np.isnan(r)
    if undefined.all():
        text = f"the labels of '{gold}', or all predictions, do not vary: every r is NaN"
        warnings.warn(text, DegenerateScoreWarning, stacklevel=3)
    elif undefined.any():
        text = f"predictions do not vary: r with {gold} is NaN for {', '.join(systems[undefined])}"
        warnings.warn(text, DegenerateScoreWarning, stacklevel=3)
