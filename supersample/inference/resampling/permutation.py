"""p-values from replicates of a statistic under the null hypothesis."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError
from supersample.inference.arguments import (
    Alternative,
    Estimator,
    check_alternative,
    check_estimator,
)


def permutation_p_value(
    observed: ArrayLike,
    null_replicates: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    estimator: Estimator = "(k+1)/(B+1)",
    tie: float = 0.0,
) -> NDArray[np.float64]:
    """``(k + 1) / (B + 1)``, k of B null replicates being as extreme as what was observed.

    As extreme is ``null >= observed`` for "greater", ``null <= observed`` for "less", and
    ``|null| >= |observed|`` for "two-sided", which supposes that the null distribution is symmetric
    about 0, as it is when two metrics swap scores. It is never 0: what was observed counts as one
    of the replicates (unless ``k / B`` is asked for).

    Parameters
    ----------
    observed : array_like, shape (...)
        The statistic on the data themselves.
    null_replicates : array_like, shape (B, ...)
        The statistic with labels swapped at random; NaN ones are left out, B with them.
    alternative : {"two-sided", "greater", "less"}
        Which replicates count as extreme.
    estimator : {"(k+1)/(B+1)", "k/B"}
        The second reproduces papers that do not count what was observed; it may be 0.
    tie : float
        Replicates that fall short of the observed value by this or less still count. At 0 values
        are compared as they are, so that numbers equal but for rounding tie by accident:
        differences of accuracies, all multiples of one over the number of pairs, need 1e-10.

    Returns
    -------
    ndarray of float64, shape (...)
        NaN where the observed statistic is, or where no replicate is defined.

    Raises
    ------
    InputError
        Without replicates, or if the alternative or the estimator is unknown.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, equation 4.11; Phipson and
    Smyth (2010), "Permutation p-values should never be zero", Statistical Applications in Genetics
    and Molecular Biology 9.

    Examples
    --------
    >>> print(permutation_p_value(2.0, [-3.0, -1.0, 0.0, 1.0]))
    0.4
    """
    check_alternative(alternative)
    check_estimator(estimator)
    seen = np.asarray(observed, dtype=np.float64)
    null = np.asarray(null_replicates, dtype=np.float64)
    if null.ndim == 0 or null.shape[0] == 0:
        raise InputError("a permutation p-value needs null replicates on the first axis")
    if alternative == "two-sided":
        extreme = np.abs(null) >= np.abs(seen) - tie
    else:
        extreme = null >= seen - tie if alternative == "greater" else null <= seen + tie
    replicates = (~np.isnan(null)).sum(axis=0)
    added = 0 if estimator == "k/B" else 1
    p_value = (extreme.sum(axis=0) + added) / np.maximum(replicates + added, 1)
    return np.where(np.isnan(seen) | (replicates == 0), np.nan, p_value)
