"""Populations, sizes, seeds and intervals of the study, fixed before any of its results.

The rule, fixed with them: of the intervals for the difference whose unit is systems, or systems and
segments, the one whose coverage lies within 93 to 97 % in the most settings of `CHOOSING` is
chosen; of several, the one that is the least wide, relative to Zou's with n = systems, on average
over the settings where Zou's coverage lies within 93 to 97 %. It meets the aim if its coverage lies
within 93 to 97 % in every setting of `CHOOSING` and of `CONFIRMING`, and if it is no wider than
Zou's on that average. `CONFIRMING` is run for judging alone.
"""

from functools import partial

from experiments.calibration.coverage import Setting
from experiments.calibration.populations import (
    SEGMENT_DEVIATION,
    RatedPopulation,
    ShapedPopulation,
)
from supersample.simulation.populations import Population

REPLICATES = 2_000
RESAMPLES = 999
CHOOSING_SEED = 2016
CONFIRMING_SEED = 2026

Correlations = tuple[float, float, float]
NULL: Correlations = (0.9, 0.9, 0.85)
"""Human with the first metric, human with the second, and the metrics with each other."""
Normal = partial(Population, segment_deviation=SEGMENT_DEVIATION)
APART: Correlations = (0.95, 0.8, 0.75)
STRONG: Correlations = (0.98, 0.95, 0.94)
WEAK: Correlations = (0.5, 0.5, 0.5)


def matrix(correlations: Correlations) -> list[list[float]]:
    """All scorers' correlations with each other."""
    a, b, ab = correlations
    return [[1.0, a, b], [a, 1.0, ab], [b, ab, 1.0]]


CHOOSING = {
    "normal, no difference": Setting(Normal(matrix(NULL))),
    "normal, a difference": Setting(Normal(matrix(APART))),
    "normal, strong metrics": Setting(Normal(matrix(STRONG))),
    "normal, weak metrics": Setting(Normal(matrix(WEAK))),
    "normal, 6 systems": Setting(Normal(matrix(NULL)), systems=6),
    "normal, 8 systems": Setting(Normal(matrix(NULL)), systems=8),
    "normal, 20 systems": Setting(Normal(matrix(NULL)), systems=20),
    "skewed, no difference": Setting(ShapedPopulation(matrix(NULL), distribution="skewed")),
    "skewed, a difference": Setting(ShapedPopulation(matrix(APART), distribution="skewed")),
    "heavy-tailed": Setting(ShapedPopulation(matrix(NULL), distribution="heavy-tailed")),
    "log-normal, a difference": Setting(ShapedPopulation(matrix(APART), distribution="log-normal")),
    "uneven errors": Setting(ShapedPopulation(matrix(NULL), distribution="uneven")),
    "one outlier": Setting(ShapedPopulation(matrix(NULL), outliers="one")),
    "some outliers, a difference": Setting(ShapedPopulation(matrix(APART), outliers="some")),
    "five human levels": Setting(RatedPopulation(matrix(NULL), human_levels=5)),
    "ratings missing": Setting(RatedPopulation(matrix(APART), missing_ratings=0.3)),
}

CONFIRMING = {
    "normal, 10 systems, 1,000 segments": Setting(
        Population(matrix(APART), segment_deviation=3.0), systems=10, segments=1_000
    ),
    "skewed, 16 systems, a difference": Setting(
        ShapedPopulation(matrix(STRONG), distribution="skewed"), systems=16
    ),
    "heavy-tailed, 20 systems, a difference": Setting(
        ShapedPopulation(matrix(APART), distribution="heavy-tailed"), systems=20
    ),
    "log-normal, 10 systems": Setting(
        ShapedPopulation(matrix(NULL), distribution="log-normal"), systems=10
    ),
    "uneven errors, 14 systems, a difference": Setting(
        ShapedPopulation(matrix(APART), distribution="uneven"), systems=14
    ),
    "one outlier, 15 systems, a difference": Setting(
        ShapedPopulation(matrix(APART), outliers="one"), systems=15
    ),
    "some outliers, 10 systems": Setting(
        ShapedPopulation(matrix(NULL), outliers="some"), systems=10
    ),
    "seven levels, a tenth missing, 9 systems, 500 segments": Setting(
        RatedPopulation(matrix(APART), human_levels=7, missing_ratings=0.1),
        systems=9,
        segments=500,
    ),
}

PROCEDURES = (
    "zou:systems:observed",
    "zou:hybrids:hybrid",
    "zou:systems:hybrid",
    "zou:systems:true",
    "jackknife:systems:observed",
    "shrunken-jackknife(0.3):systems:observed",
    "shrunken-jackknife(0.5):systems:observed",
    "shrunken-jackknife(0.7):systems:observed",
    "shrunken-jackknife(0.5):systems:hybrid",
    "percentile:systems:observed",
    "bca:systems:observed",
    "bca:systems:hybrid",
    "percentile:systems+segments:observed",
    "percentile:segments:observed",
    "williams1959:systems",
    "williams1959:hybrids",
)
