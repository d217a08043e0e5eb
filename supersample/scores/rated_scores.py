"""Raw ratings as the human scores of Scores: placed on their segments, and averaged."""

from collections import Counter

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.scores.ratings import average_ratings, check_ratings
from supersample.scores.schema import HUMAN, HUMAN_COUNT, validate_scores
from supersample.scores.selection import match_names

_CARRIED = ("assessors_dropped", "assessors_without_z")


def place_ratings(ratings: xr.Dataset, scores: xr.Dataset) -> xr.Dataset:
    """Find the place of each rating in Scores, and leave out ratings without one.

    Systems are matched by name, also where files write it differently and one name fits (attribute
    ``names_matched``). Segments are matched by their labels or, where ratings name the k-th segment
    of a document ("document:k", as `read_appraise` does), by counting in the Scores' documents.
    Then only documents that somebody rated whole, with as many segments as in the Scores, can be
    counted.

    Parameters
    ----------
    ratings : xarray.Dataset
        Ratings.
    scores : xarray.Dataset
        Scores.

    Returns
    -------
    xarray.Dataset
        Ratings with the Scores' labels. The attribute ``ratings_left_out`` counts those without a
        place, by reason.

    Raises
    ------
    InputError
        If these are no Ratings or no Scores, or no rating has a place.

    Examples
    --------
    >>> from supersample import load_example, make_ratings
    >>> ratings = make_ratings(
    ...     [60, 80], assessor=["a"] * 2, system=["system-01"] * 2, segment=["segment-007", "7"])
    >>> placed = place_ratings(ratings, load_example())
    >>> placed["segment"].values.tolist(), placed.attrs["ratings_left_out"]
    (['segment-007'], '1 of a segment that is not there')
    """
    check_ratings(ratings)
    validate_scores(scores)
    systems = [str(name) for name in scores["system"].to_numpy()]
    rated = ratings["system"].to_numpy().tolist()
    matched = match_names(list(dict.fromkeys(rated)), systems)
    system = np.array([matched.get(name, name) for name in rated])
    segment, why = _segments(ratings, scores)
    of_system = np.isin(system, systems)
    left_out = Counter(
        ["of a system that is not there"] * int((~of_system).sum())
        + [reason for reason, is_here in zip(why, of_system, strict=True) if reason and is_here]
    )
    kept = of_system & (segment != "")
    reasons = ", ".join(f"{count} {what}" for what, count in left_out.items())
    if not kept.any():
        raise InputError(f"no rating has a place in the scores: {reasons}")
    return (
        ratings.assign_coords(system=("row", system), segment=("row", segment))
        .isel(row=kept)
        .assign_attrs(
            ratings_left_out=reasons,
            names_matched=", ".join(f"{a} = {b}" for a, b in matched.items()),
        )
    )


def rate_scores(scores: xr.Dataset, ratings: xr.Dataset) -> xr.Dataset:
    """Replace the human scores of Scores by raw ratings.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    ratings : xarray.Dataset
        Ratings, as they are to be averaged; see `prepare_ratings`.

    Returns
    -------
    xarray.Dataset
        Scores with ``human``, the mean over ratings of a translation, and ``human_count``, their
        number, so that the human score of a system or a hybrid is the mean over ratings or over
        segments, as ``human_mean`` says. Systems that nobody rated are left out and named.

    Raises
    ------
    InputError
        As `place_ratings`; or if fewer than two systems are left.

    Examples
    --------
    >>> from supersample import load_example, make_ratings
    >>> ratings = make_ratings(
    ...     [60, 80, 10], assessor=["a", "b", "a"], system=["system-01"] * 2 + ["system-02"],
    ...     segment=["segment-007"] * 3)
    >>> rated = rate_scores(load_example(), ratings)
    >>> [rated[name].sel(segment="segment-007").values for name in ("human", "human_count")]
    [array([70., 10.]), array([2., 1.])]
    """
    placed = place_ratings(ratings, scores)
    average = average_ratings(placed)
    rated = [str(name) for name in scores["system"].to_numpy() if name in average["system"]]
    unrated = [str(name) for name in scores["system"].to_numpy() if name not in average["system"]]
    if len(rated) < 2:
        raise InputError(f"ratings of {len(rated)} systems have a place; at least 2 are needed")
    at = {"system": rated, "segment": scores["segment"].to_numpy()}
    human = average["human"].reindex(at)
    count = average["human_count"].reindex(at, fill_value=0.0)
    left_out = [scores.attrs.get("systems_left_out", ""), *(f"{s} (not rated)" for s in unrated)]
    result = scores.sel(system=rated).assign(
        {
            HUMAN.name: (HUMAN.dims, human.to_numpy(), {"higher_is_better": 1}),
            HUMAN_COUNT.name: (HUMAN_COUNT.dims, count.to_numpy()),
        }
    )
    result.attrs |= {
        **{name: ratings.attrs.get(name, "") for name in _CARRIED},
        "human": f"ratings ({ratings.attrs.get('prepared', 'as given')})",
        "systems_left_out": ", ".join(filter(None, left_out)),
        "ratings_left_out": placed.attrs["ratings_left_out"],
        "ratings_used": int(placed.sizes["row"]),
    }
    validate_scores(result)
    return result


def _segments(ratings: xr.Dataset, scores: xr.Dataset) -> tuple[NDArray[np.str_], list[str]]:
    """Label of each rating's segment in the Scores, "" without a place, and why it has none."""
    labels = [str(label) for label in ratings["segment"].to_numpy()]
    existing = {str(label) for label in scores["segment"].to_numpy()}
    if existing & set(labels) or "document" not in scores.coords:
        found = [label if label in existing else "" for label in labels]
        return np.array(found), ["" if at else "of a segment that is not there" for at in found]
    segments: dict[str, list[str]] = {}
    documents = scores["document"].to_numpy()
    for document, segment in zip(documents, scores["segment"].to_numpy(), strict=True):
        segments.setdefault(str(document), []).append(str(segment))
    parts = [_document_and_number(label, segments) for label in labels]
    longest: dict[str, int] = {}
    for document, number in parts:
        longest[document] = max(longest.get(document, 0), number)

    def place_and_reason(document: str, number: int) -> tuple[str, str]:
        if document not in segments:
            return "", "of a document that is not there"
        if not number or longest[document] != len(segments[document]):
            return "", "of documents rated in part, which part is not known"
        return segments[document][number - 1], ""

    places, why = zip(*(place_and_reason(*part) for part in parts), strict=True)
    return np.array(places), list(why)


def _document_and_number(label: str, documents: dict[str, list[str]]) -> tuple[str, int]:
    """Take "document:k" apart, and "document:assessor:k", whose number has no start: 0."""
    document, _, number = label.rpartition(":")
    if document in documents and number.isascii() and number.isdigit():
        return document, int(number)
    return next((name for name in documents if label.startswith(f"{name}:")), label), 0
