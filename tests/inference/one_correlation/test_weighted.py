"""Weighted coefficients against scipy on the systems drawn out one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from supersample.inference.coefficients import COEFFICIENTS

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall": lambda x, y: stats.kendalltau(x, y)[0],
}


@pytest.mark.parametrize("name", SCIPY)
@given(
    # few values, so that there are ties
    scores=hnp.arrays(np.float64, (6, 3), elements=st.sampled_from([-2.0, 0.0, 0.5, 1.0, 7.0])),
    counts=hnp.arrays(np.int64, (4, 6), elements=st.integers(0, 3)),
)
def test_counts_are_copies(name, scores, counts):
    counts[:, 0] += 1  # something is drawn
    weighted = COEFFICIENTS[name].weighted(scores, counts.astype(float))
    for row, own in zip(counts, weighted, strict=True):
        drawn = np.repeat(scores, row, axis=0)
        for k in (1, 2):
            if np.ptp(drawn[:, 0]) == 0 or np.ptp(drawn[:, k]) == 0:
                assert np.isnan(own[k - 1])
            else:
                expected = SCIPY[name](drawn[:, 0], drawn[:, k])
                assert own[k - 1] == pytest.approx(expected, abs=1e-12)
