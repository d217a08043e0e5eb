"""How Table 1 is counted, and that what the paper prints is consistent with itself."""

import numpy as np
import pytest

import supersample as ss
from experiments.common import pairs
from experiments.spa24.published import GAIN_CLUSTERS, GAIN_SIGNIFICANT, TABLE_1
from experiments.spa24.table1 import Counts, _gain
from tests.toy_scores import scores_of, small


def test_the_printed_gains_are_averages_of_the_printed_rows():
    rows = list(TABLE_1.values())
    assert _gain([row.significant for row in rows]) == GAIN_SIGNIFICANT
    assert _gain([row.clusters for row in rows]) == GAIN_CLUSTERS


def test_the_printed_most_is_of_distinct_metrics():
    for row in TABLE_1.values():
        assert row.significant[2] == pairs(row.distinct[2])
        assert row.clusters[2] == row.distinct[2]


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")  # m2 and m3 by design
def test_identical_metrics_are_counted_once_among_distinct_ones():
    human, score = small(segments=60, metrics=4)
    score[2] = -human
    score[3] = score[2]
    ranking = ss.rank(ss.compare(scores_of(human, score), ["SPA", "PA"], resamples=99))
    counts = Counts.of(ranking)
    of_spa = ranking.sel(measure="SPA").squeeze()
    others = of_spa["significant"].sel(metric="m2", other_metric=["m0", "m1"]).to_numpy().sum()
    assert others > 0
    assert counts.significant[1] - counts.among_distinct[1] == others
    assert counts.distinct[1] == len(np.unique(of_spa["value"].to_numpy().round(10)))
