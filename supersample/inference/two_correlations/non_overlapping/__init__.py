"""Tests and intervals for two correlations of one sample that share no variable.

Compared are r12 and r34; r13, r14, r23 and r24 are the correlations between their variables.
"""

from supersample.inference.two_correlations.non_overlapping.fisher_z import (
    dunn1969,
    raghunathan1996,
    silver2004,
    steiger1980,
)
from supersample.inference.two_correlations.non_overlapping.large_sample import pearson1898
from supersample.inference.two_correlations.non_overlapping.recovery import zou2007, zou2007_test

__all__ = [
    "dunn1969",
    "pearson1898",
    "raghunathan1996",
    "silver2004",
    "steiger1980",
    "zou2007",
    "zou2007_test",
]
