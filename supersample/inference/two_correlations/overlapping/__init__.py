"""Tests and intervals for two correlations that share a variable.

Variable 1 is the shared one (the human scores): r12 against r13, with r23 between the metrics. The
parent package describes arguments, results and errors.
"""

from supersample.inference.two_correlations.overlapping.differences import (
    hendrickson1970,
    hotelling1940,
    olkin1967,
    pearson1898,
    williams1959,
)
from supersample.inference.two_correlations.overlapping.fisher_z import (
    dunn1969,
    hittner2003,
    meng1992,
    meng1992_interval,
    steiger1980,
    zou2007,
    zou2007_test,
)

__all__ = [
    "dunn1969",
    "hendrickson1970",
    "hittner2003",
    "hotelling1940",
    "meng1992",
    "meng1992_interval",
    "olkin1967",
    "pearson1898",
    "steiger1980",
    "williams1959",
    "zou2007",
    "zou2007_test",
]
