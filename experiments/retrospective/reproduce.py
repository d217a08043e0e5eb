"""What published conclusions of metrics tasks become under each test and adjustment."""

from pathlib import Path

from experiments.common import Part
from experiments.retrospective.accuracies import table_1
from experiments.retrospective.answers import METRICS, could_be_best
from experiments.retrospective.correlations import (
    over_systems,
    pooled,
    test_sets,
    without_one_system,
)

SMALL = {"hybrids": 20, "resamples": 20, "kinds": METRICS[:1], "most": 8}
NEEDS = ("wmt12", "wmt15", "wmt20", "mt-metrics-eval-v2")


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """Conclusions over systems of every set present, of averages, and of SPA's Table 1."""
    sets = test_sets(data)
    few = dict([*sets.items()][: 1 if smoke else None])
    return [
        over_systems(sets, data),
        pooled(sets),
        without_one_system(few),
        could_be_best(data, **SMALL if smoke else {"hybrids": 1_000, "resamples": 999}),
        table_1(data, resamples=20 if smoke else 1000, most=1 if smoke else None),
    ]
