"""Raw ratings to human scores: quality control, standardisation, means over repeated ratings."""

import numpy as np
import xarray as xr

from supersample.errors import InputError
from supersample.inference.resampling.p_values import PAIRED_TESTS, paired_p_value
from supersample.scores.ratings import DAMAGED, TRANSLATION, check_ratings


def check_assessors(
    ratings: xr.Dataset, *, method: str = "wilcoxon", alpha: float = 0.05
) -> xr.Dataset:
    """Tell which assessors score damaged translations significantly lower than the same undamaged.

    Parameters
    ----------
    ratings : xarray.Dataset
        Ratings, with damaged translations (kind BAD) that have the labels of those they were made
        of. Repeated ratings of one translation by one assessor count as their mean.
    method : {"wilcoxon", "t-test"}, default "wilcoxon"
        The paired test, one-sided: Wilcoxon's signed-rank or Student's.
    alpha : float, default 0.05
        Assessors with p < alpha are reliable.

    Returns
    -------
    xarray.Dataset
        Along ``assessor``: ``pairs``, how many damaged translations have their original;
        ``mean_difference``, of the scores of the damaged from those of the originals; ``p_value``
        (NaN without pairs); ``reliable``; ``reason`` why not, or empty.

    Raises
    ------
    InputError
        If these are no Ratings, the method is unknown or alpha lies outside (0, 1).

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by the
    crowd alone", Natural Language Engineering 23: assessors are judged by a significance test
    against their own ratings of undamaged translations.

    Examples
    --------
    >>> from supersample import make_ratings
    >>> ratings = make_ratings(
    ...     [80, 70, 90, 60, 75, 20, 40, 70, 50, 70], assessor=["a"] * 10, system=["A"] * 10,
    ...     segment=list("12345") * 2, kind=["TGT"] * 5 + ["BAD"] * 5)
    >>> check_assessors(ratings)["p_value"].values
    array([0.03125])
    """
    check_ratings(ratings)
    if method not in PAIRED_TESTS:
        raise InputError(f"no paired test '{method}'; there are {', '.join(PAIRED_TESTS)}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha lies between 0 and 1, not {alpha}")
    names, who = np.unique(ratings["assessor"].to_numpy(), return_inverse=True)
    _, what = _translations(ratings)
    values, kinds = ratings["rating"].to_numpy(), ratings["kind"].to_numpy()
    pairs = np.zeros(names.size, dtype=np.int64)
    mean, p = np.full(names.size, np.nan), np.full(names.size, np.nan)
    for i in range(names.size):
        own = who == i
        originals = _means(what[own & (kinds == TRANSLATION)], values[own & (kinds == TRANSLATION)])
        damaged = _means(what[own & (kinds == DAMAGED)], values[own & (kinds == DAMAGED)])
        both = sorted(originals.keys() & damaged.keys())
        pairs[i] = len(both)
        if both:
            first = np.array([originals[key] for key in both])
            second = np.array([damaged[key] for key in both])
            mean[i] = (second - first).mean()
            p[i] = paired_p_value(first, second, method=method)
    reliable = p < alpha
    reasons = [
        ""
        if reliable[i]
        else (
            f"damaged translations not significantly lower (p = {p[i]:.3g}, {pairs[i]} pairs)"
            if pairs[i]
            else "no damaged translation beside its original"
        )
        for i in range(names.size)
    ]
    return xr.Dataset(
        {
            "pairs": ("assessor", pairs),
            "mean_difference": ("assessor", mean),
            "p_value": ("assessor", p),
            "reliable": ("assessor", reliable),
            "reason": ("assessor", np.array(reasons, dtype=np.str_)),
        },
        coords={"assessor": names},
        attrs={**ratings.attrs, "method": method, "alpha": alpha},
    )


def keep_reliable(ratings: xr.Dataset, assessors: xr.Dataset) -> xr.Dataset:
    """Keep the ratings of reliable assessors; the attribute ``assessors_dropped`` names the others.

    Parameters
    ----------
    ratings : xarray.Dataset
    assessors : xarray.Dataset
        What `check_assessors` gave.

    Returns
    -------
    xarray.Dataset
        Ratings.

    Raises
    ------
    InputError
        If no assessor is reliable.

    Examples
    --------
    >>> from supersample import make_ratings
    >>> ratings = make_ratings([1, 2], assessor=["a", "a"], system=["A", "B"], segment=["1", "1"])
    >>> keep_reliable(ratings, check_assessors(ratings))
    Traceback (most recent call last):
    supersample.errors.InputError: no assessor is reliable: a (no damaged translation beside ...)
    """
    check_ratings(ratings)
    reliable = assessors["assessor"].to_numpy()[assessors["reliable"].to_numpy()]
    bad = assessors.isel(assessor=~assessors["reliable"].to_numpy())
    dropped = ", ".join(
        f"{name} ({reason})"
        for name, reason in zip(bad["assessor"].values, bad["reason"].values, strict=True)
    )
    if not reliable.size:
        raise InputError(f"no assessor is reliable: {dropped}")
    kept = np.isin(ratings["assessor"].to_numpy(), reliable)
    return ratings.isel(row=kept).assign_attrs(assessors_dropped=dropped)


def standardize_ratings(ratings: xr.Dataset) -> xr.Dataset:
    """Standardise ratings to z-scores of each assessor: ``z = (x - mean) / sd``, sd with n - 1.

    Mean and standard deviation are those of the assessor's ratings of translations; damaged ones
    (BAD) are put on the same scale but do not count.

    Parameters
    ----------
    ratings : xarray.Dataset

    Returns
    -------
    xarray.Dataset
        Ratings in standard deviations, without those of assessors who gave fewer than two or always
        the same; ``assessors_without_z`` names them.

    Raises
    ------
    InputError
        If these are no Ratings, or none is left.

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2013), "Continuous measurement scales in human evaluation of
    machine translation"; Graham and Liu (2016), section 3.1.

    Examples
    --------
    >>> from supersample import make_ratings
    >>> ratings = make_ratings(
    ...     [60, 80, 10, 50], assessor=["a", "a", "b", "b"], system=["A", "B"] * 2,
    ...     segment=["1"] * 4)
    >>> standardize_ratings(ratings)["rating"].values.round(4)
    array([-0.7071,  0.7071, -0.7071,  0.7071])
    """
    check_ratings(ratings)
    names, who = np.unique(ratings["assessor"].to_numpy(), return_inverse=True)
    values = ratings["rating"].to_numpy()
    counted = ratings["kind"].to_numpy() == TRANSLATION
    z = np.full(values.size, np.nan)
    without = []
    for i, name in enumerate(names):
        own = values[(who == i) & counted]
        if own.size < 2 or np.ptp(own) == 0:
            without.append(f"{name} ({own.size} ratings that do not vary)")
            continue
        z[who == i] = (values[who == i] - own.mean()) / own.std(ddof=1)
    kept = ~np.isnan(z)
    if not kept.any():
        raise InputError(f"no assessor has ratings that vary: {', '.join(without)}")
    standard = ratings.isel(row=kept).assign(rating=("row", z[kept]))
    standard["rating"].attrs.update(ratings["rating"].attrs, units="standard deviations")
    return standard.assign_attrs(
        standardized="z per assessor", assessors_without_z=", ".join(without)
    )


def average_ratings(ratings: xr.Dataset) -> xr.Dataset:
    """Average repeated ratings of a translation, and ratings of a system in the two usual ways.

    Parameters
    ----------
    ratings : xarray.Dataset

    Returns
    -------
    xarray.Dataset
        ``human`` (system, segment), the mean over ratings of a translation, NaN where there is
        none, ``human_count`` (system, segment), and of each system ``mean_over_ratings``,
        ``mean_over_segments`` and ``ratings``. Damaged translations do not count.

    Raises
    ------
    InputError
        If these are no Ratings, or none is of a translation.

    Examples
    --------
    >>> from supersample import make_ratings
    >>> ratings = make_ratings(
    ...     [60, 80, 10], assessor=["a", "b", "a"], system=["A"] * 3, segment=["1", "1", "2"])
    >>> average = average_ratings(ratings)
    >>> average["mean_over_ratings"].values, average["mean_over_segments"].values
    (array([50.]), array([40.]))
    """
    check_ratings(ratings)
    rated = ratings.isel(row=ratings["kind"].to_numpy() == TRANSLATION)
    if not rated.sizes["row"]:
        raise InputError("there are ratings of damaged translations alone")
    systems, system = np.unique(rated["system"].to_numpy(), return_inverse=True)
    segments, segment = np.unique(rated["segment"].to_numpy(), return_inverse=True)
    shape = (systems.size, segments.size)
    total, count = np.zeros(shape), np.zeros(shape)
    np.add.at(total, (system, segment), rated["rating"].to_numpy())
    np.add.at(count, (system, segment), 1.0)
    human = np.divide(total, count, out=np.full(shape, np.nan), where=count > 0)
    dims = ("system", "segment")
    return xr.Dataset(
        {
            "human": (dims, human),
            "human_count": (dims, count),
            "mean_over_ratings": ("system", total.sum(axis=1) / count.sum(axis=1)),
            "mean_over_segments": ("system", np.nanmean(human, axis=1)),
            "ratings": ("system", count.sum(axis=1).astype(np.int64)),
        },
        coords={"system": systems, "segment": segments},
        attrs=dict(ratings.attrs),
    )


def _translations(ratings: xr.Dataset) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Count (system, segment) pairs apart: a number for that of each row."""
    segments, segment = np.unique(ratings["segment"].to_numpy(), return_inverse=True)
    _, system = np.unique(ratings["system"].to_numpy(), return_inverse=True)
    return segments.size, system * segments.size + segment


def _means(
    what: np.ndarray[tuple[int], np.dtype[np.int64]],
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> dict[int, float]:
    keys, place = np.unique(what, return_inverse=True)
    means = np.bincount(place, values) / np.bincount(place) if keys.size else keys
    return dict(zip(keys.tolist(), means.tolist(), strict=True))
