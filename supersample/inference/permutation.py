"""p-values from replicates of a statistic under the null hypothesis."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.inference.arguments import Alternative, check_alternative


def permutation_p_value(
    observed: ArrayLike,
    null_replicates: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> NDArray[np.float64]:
    """``(k + 1) / (B + 1)``, k of B null replicates being as extreme as what was observed.

    As extreme is ``null >= observed`` for "greater", ``null <= observed`` for "less", and
    ``|null| >= |observed|`` for "two-sided", which supposes that the null distribution is symmetric
    about 0, as it is when two metrics swap scores. It is never 0: what was observed counts as one
    of the replicates.

    Parameters
    ----------
    observed : array_like, shape (...)
        The statistic on the data themselves.
    null_replicates : array_like, shape (B, ...)
        The statistic with labels swapped at random; NaN ones are left out, B with them. Values are
        compared as they are: where ties matter, hand over numbers that tie exactly.
    alternative : {"two-sided", "greater", "less"}
        Which replicates count as extreme.

    Returns
    -------
    ndarray of float64, shape (...)
        NaN where the observed statistic is, or where no replicate is defined.

    Raises
    ------
    ValueError
        Without replicates, or if the alternative is unknown.

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
    seen = np.asarray(observed, dtype=np.float64)
    null = np.asarray(null_replicates, dtype=np.float64)
    if null.ndim == 0 or null.shape[0] == 0:
        raise ValueError("a permutation p-value needs null replicates on the first axis")
    if alternative == "two-sided":
        extreme = np.abs(null) >= np.abs(seen)
    else:
        extreme = null >= seen if alternative == "greater" else null <= seen
    replicates = (~np.isnan(null)).sum(axis=0)
    p_value = (extreme.sum(axis=0) + 1) / (replicates + 1)
    return np.where(np.isnan(seen) | (replicates == 0), np.nan, p_value)
