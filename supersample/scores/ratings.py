"""The Ratings Dataset: what each assessor said of each translation, before anything is averaged."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supersample.errors import InputError
from supersample.scores.variables import Variable

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
        Who rated whose translation of which segment; the same may stand there repeatedly.
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
    if values.ndim != 1 or any(len(own) != values.size for own in columns.values()):
        raise InputError("ratings and their labels are columns of one length")
    if not values.size:
        raise InputError("there is no rating")
    if not np.isfinite(values).all():
        raise InputError(f"rating {int(np.argmin(np.isfinite(values))) + 1} is not finite")
    unknown = sorted(set(kinds) - {TRANSLATION, DAMAGED})
    if unknown:
        raise InputError(f"a rating is of kind TGT or BAD, not '{unknown[0]}'")
    ratings = xr.Dataset(
        {"rating": ("row", values)},
        coords={name: ("row", np.array(own, dtype=np.str_)) for name, own in columns.items()},
        attrs=dict(attrs or {}),
    )
    for variable in RATINGS:
        ratings[variable.name].attrs.update(units=variable.units, long_name=variable.doc)
    return ratings


def check_ratings(ratings: xr.Dataset) -> None:
    """Refuse what are no Ratings.

    Raises
    ------
    InputError
        With what is missing.
    """
    for variable in RATINGS:
        if variable.name not in ratings or ratings[variable.name].dims != variable.dims:
            raise InputError(f"Ratings lack '{variable.name}' {variable.dims}: {variable.doc}")
