"""One-sided paired tests: whether second scores are lower than the first ones of the same items."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

PAIRED_TESTS = ("wilcoxon", "t-test")


def paired_p_value(first: ArrayLike, second: ArrayLike, *, method: str = "wilcoxon") -> float:
    """p-value of the hypothesis that second scores are lower, by Wilcoxon's or Student's test.

    Parameters
    ----------
    first, second : array_like, shape (pairs,)
    method : {"wilcoxon", "t-test"}
        Wilcoxon's signed-rank test (1945): zero differences are left out; exact up to 50 pairs
        without ties, else as scipy has it. Student's: mean(d) / (sd(d) / sqrt(n)), sd with n - 1.

    Returns
    -------
    float
        1 where no difference is other than 0, and for the t-test where there is one pair.

    Examples
    --------
    >>> paired_p_value([80, 70, 90, 60, 75, 85], [20, 40, 70, 50, 70, 81])
    0.015625
    """
    difference = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if not difference.any():
        return 1.0
    if method == "wilcoxon":
        return float(stats.wilcoxon(difference, alternative="less").pvalue)
    if difference.size < 2:
        return 1.0
    if np.ptp(difference) == 0:
        return 0.0 if difference[0] < 0 else 1.0
    return float(stats.ttest_1samp(difference, 0.0, alternative="less").pvalue)
