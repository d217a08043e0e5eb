"""Ratings as human scores are made of them: reliable assessors, on one scale."""

from typing import Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, check_choice, listed, shortened
from supersample.inference.resampling.p_values import PAIRED_TESTS, paired_p_value
from supersample.scores.ratings import DAMAGED, TRANSLATION, check_ratings

QualityControl = Literal["wilcoxon", "t-test", "none"]
Scale = Literal["z", "raw"]


def prepare_ratings(
    ratings: xr.Dataset, *, quality_control: QualityControl = "wilcoxon", scale: Scale = "z"
) -> xr.Dataset:
    """Control the quality of ratings and standardise them, as human scores are usually made.

    Parameters
    ----------
    ratings : xarray.Dataset
        Ratings, from `read_ratings` or `read_appraise`.
    quality_control : {"wilcoxon", "t-test", "none"}, default "wilcoxon"
        The paired test of `check_assessors` by which unreliable assessors are dropped; "none" keeps
        all. Without translations damaged on purpose there is no test, and all are kept.
    scale : {"z", "raw"}, default "z"
        z-scores of each assessor (see `standardize_ratings`), or ratings as they were given.

    Returns
    -------
    xarray.Dataset
        Ratings; the attribute ``prepared`` names the options, for instance "z, wilcoxon", and
        ``assessors_dropped`` and ``assessors_without_z`` name who was left out and why.

    Raises
    ------
    InputError
        If these are no Ratings, an option is unknown, or nobody is left.

    Examples
    --------
    >>> from supersample import make_ratings
    >>> ratings = make_ratings([60, 80], assessor=["a"] * 2, system=["A", "B"], segment=["1"] * 2)
    >>> prepare_ratings(ratings)["rating"].values.round(4)
    array([-0.7071,  0.7071])
    """
    check_ratings(ratings)
    check_choice("quality control", quality_control, get_args(QualityControl))
    check_choice("scale of ratings", scale, get_args(Scale))
    damaged = bool((ratings["kind"].to_numpy() == DAMAGED).any())
    by = quality_control if damaged else "none"
    if by != "none":
        ratings = keep_reliable(ratings, check_assessors(ratings, method=by))
    if scale == "z":
        ratings = standardize_ratings(ratings)
    control = by if damaged else "no damaged translations"
    return ratings.assign_attrs(prepared=f"{scale}, {control}")


def check_assessors(
    ratings: xr.Dataset, *, method: str = "wilcoxon", alpha: float = 0.05
) -> xr.Dataset:
    """Test whether assessors score damaged translations lower than the same undamaged ones.

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
        Along ``assessor``: ``pairs``, the number of damaged translations with their original;
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
    against their ratings of undamaged translations.

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
    check_choice("paired test", method, PAIRED_TESTS)
    if not 0 < alpha < 1:
        raise InputError(f"alpha lies between 0 and 1, not {alpha}")
    names, who = np.unique(ratings["assessor"].to_numpy(), return_inverse=True)
    what = _translations(ratings)
    values, kinds = ratings["rating"].to_numpy(), ratings["kind"].to_numpy()
    pairs = np.zeros(names.size, dtype=np.int64)
    mean, p = np.full(names.size, np.nan), np.full(names.size, np.nan)
    for i in range(names.size):
        original, bad = ((who == i) & (kinds == kind) for kind in (TRANSLATION, DAMAGED))
        originals = _means(what[original], values[original])
        damaged = _means(what[bad], values[bad])
        both = sorted(originals.keys() & damaged.keys())
        pairs[i] = len(both)
        if both:
            first = np.array([originals[key] for key in both])
            second = np.array([damaged[key] for key in both])
            mean[i] = (second - first).mean()
            p[i] = paired_p_value(first, second, method=method)
    reliable = p < alpha
    reasons = [
        f"damaged translations not significantly lower (p = {p_value:.3g}, {count} pairs)"
        if count
        else "no damaged translation beside its original"
        for p_value, count in zip(p, pairs, strict=True)
    ]
    return xr.Dataset(
        {
            "pairs": ("assessor", pairs),
            "mean_difference": ("assessor", mean),
            "p_value": ("assessor", p),
            "reliable": ("assessor", reliable),
            "reason": ("assessor", np.where(reliable, "", reasons)),
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
        raise InputError(f"no assessor is reliable: {shortened(dropped, 300)}")
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
        rated = values[(who == i) & counted]
        if rated.size < 2 or np.ptp(rated) == 0:
            without.append(f"{name} ({rated.size} ratings that do not vary)")
            continue
        z[who == i] = (values[who == i] - rated.mean()) / rated.std(ddof=1)
    kept = ~np.isnan(z)
    if not kept.any():
        raise InputError(f"no assessor has ratings that vary: {listed(without)}")
    standard = ratings.isel(row=kept).assign(rating=("row", z[kept]))
    standard["rating"].attrs.update(ratings["rating"].attrs, units="standard deviations")
    return standard.assign_attrs(
        standardized="z per assessor", assessors_without_z=", ".join(without)
    )


def _translations(ratings: xr.Dataset) -> NDArray[np.int64]:
    """Code each row's (system, segment)."""
    segments, segment = np.unique(ratings["segment"].to_numpy(), return_inverse=True)
    _, system = np.unique(ratings["system"].to_numpy(), return_inverse=True)
    return np.asarray(system * segments.size + segment)


def _means(what: NDArray[np.int64], values: NDArray[np.float64]) -> dict[int, float]:
    keys, place = np.unique(what, return_inverse=True)
    means = np.bincount(place, values) / np.bincount(place) if keys.size else keys
    return dict(zip(keys.tolist(), means.tolist(), strict=True))
