"""Equal scores agree with nothing, whatever they are, and whichever of them are missing.

Means over different counts differ by rounding, which must not be taken for what metrics tell.
"""

import numpy as np
import pytest

import supersample as ss

COUNTS = [20, pytest.param(2_000, marks=pytest.mark.faults)]
MEASURES = ["pearson", "spearman", "kendall"]
MEASURES += [f"{name}/{by}" for name in ("pearson", "tau_b") for by in ("item", "system", "none")]


def equal_somewhere(rng):
    """Scores of which people's or one metric's are equal, and the name of that scorer."""
    systems, segments = int(rng.integers(3, 9)), int(rng.integers(2, 40))
    constant = rng.choice([-1.0, 1.0]) * 10 ** rng.uniform(-9, 13)
    human, *metrics = rng.normal(size=(3, systems, segments)) * 10 ** rng.uniform(-6, 6)
    people = rng.random() < 0.5
    same = np.full((systems, segments), constant)
    human, metrics[0] = (same, metrics[0]) if people else (human, same)
    gaps = rng.random((3, systems, segments)) < rng.choice([0, 0.2, 0.6])
    gaps[:, :, :2] = False
    counts = rng.integers(1, 9, (systems, segments)) if rng.random() < 0.5 else None
    scores = ss.make_scores(
        np.where(gaps[0], np.nan, human),
        np.where(gaps[1:], np.nan, metrics),
        systems=[f"s{i}" for i in range(systems)],
        metrics=["first", "noise"],
        human_count=counts,
    )
    return scores, slice(None) if people else ["first"]


@pytest.mark.filterwarnings("ignore::supersample.errors.DegenerateScoreWarning")
@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")
@pytest.mark.parametrize("count", COUNTS)
def test_equal_scores_have_no_correlation(count):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        scores, equal = equal_somewhere(rng)
        measure, mask = rng.choice(MEASURES), rng.choice(["all", "common", "complete"])
        found = ss.agreement(scores, str(measure), mask=str(mask))["value"]
        assert np.isnan(found.sel(metric=equal)).all(), (seed, measure, mask, found)
