"""How many items give a judge's agreement with people an interval of some width.

The noise of the agreement comes from answers that are there: over n items the limits are those of
`judge_agreement` with the standard error ``sqrt(v(k) / n)``, where k people answer every item. Of
the variance v of the agreement with one person, people share a part s (that of the judge and of
hard items), so ``v(k) = s + (v - s) / k``.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from supersample.engine import Floats
from supersample.raters.judges import (
    COLUMN,
    FEWEST_SHARED,
    Answers,
    Prepared,
    Scale,
    agreement_of,
    prepared,
    sides,
)
from supersample.tolerances import TINY

MOST_UNITS = 100_000


def plan_judge(
    answers: Answers,
    judge: str,
    *,
    width: float,
    raters: Sequence[int],
    scale: Scale | None = None,
    confidence_level: float = 0.95,
) -> xr.DataArray:
    """Find the number of items (segments, if items are of several systems) by statistic.

    Along raters are numbers of people who answer every item. NaN if more than 100,000 are needed.

    Examples
    --------
    >>> people = {f"p{k}": {i: (i + (i % 7 == k)) % 3 for i in range(60)} for k in range(3)}
    >>> answers = {**people, "judge": {i: i % 3 for i in range(60)}}
    >>> found = plan_judge(answers, "judge", width=0.1, raters=[1, 3])
    >>> found.sel(statistic="weighted kappa").values.tolist()
    [733.0, 186.0]
    """
    of = prepared(answers, judge, (), scale)
    sizes = np.arange(FEWEST_SHARED, MOST_UNITS + 1)
    value, variances = _variances(of, raters)
    enough = _narrow(value, variances, sizes, stdtrit(sizes - 1, (1 + confidence_level) / 2), width)
    first = np.where(enough.any(axis=-1), sizes[enough.argmax(axis=-1)], np.nan)
    coords = {"statistic": list(of.shown), "raters": list(raters)}
    return xr.DataArray(first[[COLUMN[name] for name in of.shown]], coords)


def _variances(of: Prepared, raters: Sequence[int]) -> tuple[Floats, Floats]:
    """Agreement with a person, and its variance a unit by (statistic, raters)."""
    value, own, shared = noise_of_people(of)
    shared, count = np.nan_to_num(shared)[:, np.newaxis], len(of.values) - 1
    own, most = own[:, np.newaxis], np.maximum(np.array(raters), count)
    of_all = shared + (own - shared) / count
    # people who disagree on different items share less than nothing, which more do not go on with
    least = of_all * count / most
    return value, np.maximum(np.maximum(shared + (own - shared) / np.array(raters), least), TINY)


def _narrow(value: Floats, variances: Floats, sizes: Any, t: Any, width: float) -> Any:
    """Whether limits are at most this far apart, (statistic, raters, sizes)."""
    errors = np.sqrt(variances[..., np.newaxis] / sizes)
    errors[::2] /= (1.0 - value[::2] ** 2)[:, np.newaxis, np.newaxis]  # r and kappa, Fisher's z
    apart = []
    for k in range(variances.shape[1]):
        lower, upper = sides(value[:, np.newaxis], errors[:, k], t, sizes)
        apart.append(upper - lower)
    return np.stack(apart, axis=1) <= width


def noise_of_people(of: Prepared) -> tuple[Floats, Floats, Floats]:
    """How much each unit's answers move the judge's agreement with a person.

    By r, share and kappa: the mean agreement with a person; its variance times the number of units;
    and how much of that two people share, NaN if no two answered the same. Each person counts on
    the units that they answered.
    """
    count = int(of.units.max()) + 1
    values, moved = [], np.full((len(of.values) - 1, count, 3), np.nan)
    for k in range(1, len(of.values)):
        whole, *left = agreement_of(of.values, of.coded, of.units, (0, k))
        used = np.unique(of.units[np.isfinite(of.values[[0, k]]).all(axis=0)])
        without = np.array(left)[used]
        size = np.sqrt(used.size * (used.size - 1))
        moved[k - 1, used] = size * (without - without.mean(axis=0))
        values.append(whole)
    pairs = [moved[j] * moved[k] for j, k in combinations(range(len(moved)), 2)]
    shared = _mean_of_known([np.full(3, np.nan), *(_mean_of_known(each) for each in pairs)])
    own = _mean_of_known([_mean_of_known(each) for each in moved**2])
    return np.mean(values, axis=0), own, shared


def _mean_of_known(values: ArrayLike) -> Floats:
    """Average over the first axis what is not NaN; NaN where nothing is known."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))
