"""The Ratings Dataset: each assessor's ratings of translations, and their averages."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supersample.errors import InputError, quoted
from supersample.scores.variables import LARGEST, Variable, annotate, check_texts

RATING = Variable("rating", ("row",), "f", "points", "what the assessor gave the translation")
ASSESSOR = Variable("assessor", ("row",), "UOT", "1", "who rated")
SYSTEM = Variable("system", ("row",), "UOT", "1", "whose translation")
SEGMENT = Variable("segment", ("row",), "UOT", "1", "of which segment")
KIND = Variable(
    "kind", ("row",), "UOT", "1", "TGT: a translation as it is; BAD: the same, damaged on purpose"
)
RATINGS = (RATING, ASSESSOR, SYSTEM, SEGMENT, KIND)
TRANSLATION, DAMAGED = "TGT", "BAD"


def make_ratings(
    rating: ArrayLike,
    *,
    assessor: Sequence[str],
    system: Sequence[str],
    segment: Sequence[str],
    kind: Sequence[str] | None = None,
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Ratings Dataset from columns, and validate it.

    Parameters
    ----------
    rating : array_like, shape (rows,)
        Higher meaning better.
    assessor, system, segment : sequence of str
        Who rated whose translation of which segment; combinations may repeat.
    kind : sequence of str, optional
        "TGT" (all, by default) or "BAD", a translation damaged on purpose to control quality,
        which has the labels of the translation it was made of.
    attrs : mapping, optional
        Where the ratings come from.

    Returns
    -------
    xarray.Dataset
        ``rating``, ``assessor``, ``system``, ``segment`` and ``kind``, all along ``row``.

    Raises
    ------
    InputError
        If columns differ in length, there is no row, a rating is not finite, or a kind is unknown.

    Examples
    --------
    >>> ratings = make_ratings([70, 90], assessor=["a", "a"], system=["A", "B"], segment=["1", "1"])
    >>> ratings.sizes["row"]
    2
    """
    try:
        values = np.asarray(rating, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"the ratings are not numbers: {error}") from error
    kinds = [TRANSLATION] * values.size if kind is None else list(kind)
    columns = {"assessor": assessor, "system": system, "segment": segment, "kind": kinds}
    if values.ndim != 1 or any(len(labels) != values.size for labels in columns.values()):
        raise InputError("ratings and their labels are columns of one length")
    if not values.size:
        raise InputError("there is no rating")
    fine = np.abs(values) <= LARGEST  # not NaN either
    if not fine.all():
        raise InputError(f"rating {int(np.argmin(fine)) + 1} is not finite, or beyond {LARGEST:g}")
    unknown = sorted(set(kinds) - {TRANSLATION, DAMAGED})
    if unknown:
        raise InputError(f"a rating is of kind TGT or BAD, not {quoted(unknown[0])}")
    ratings = xr.Dataset(
        {"rating": ("row", values)},
        coords={name: ("row", np.array(labels, dtype=np.str_)) for name, labels in columns.items()},
        attrs=dict(attrs or {}),
    )
    annotate(ratings, RATINGS)
    check_texts(ratings, "Ratings")
    return ratings


def check_ratings(ratings: xr.Dataset) -> None:
    """Refuse other Datasets than Ratings."""
    for variable in RATINGS:
        if variable.name not in ratings or ratings[variable.name].dims != variable.dims:
            raise InputError(f"Ratings lack '{variable.name}' {variable.dims}: {variable.doc}")


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
