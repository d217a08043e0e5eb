"""The Ratings Dataset: quality control, standardisation, alignment with Scores, averages."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.errors import (
    InputError,
    check_choice,
    check_confidence_level,
    listed,
    quoted,
    shortened,
)
from supersample.inference.arguments import numbers_of
from supersample.inference.p_values import signed_rank_p_value
from supersample.scores.alignment import check_numbering, match_names, matched_text
from supersample.scores.schema import (
    HUMAN,
    HUMAN_COUNT,
    LARGEST,
    Variable,
    check_dataset,
    checked_labels,
    make_declared,
    validate_start,
)
from supersample.tolerances import SUM_TIE

_CARRIED = "assessors_dropped assessors_without_z ratings_left_out names_matched"

RATING = Variable("rating", ("row",), "f", "points", "rating by the assessor")
ASSESSOR = Variable("assessor", ("row",), "UOT", "1", "who rated")
SYSTEM = Variable("system", ("row",), "UOT", "1", "whose translation")
SEGMENT = Variable("segment", ("row",), "UOT", "1", "segment of the translation")
KIND = Variable("kind", ("row",), "UOT", "1", "what was rated: TGT, BAD, REPEAT or REF")
ITEM = Variable("item", ("row",), "f", "1", "line of the test set, from 0", optional=True)
RATINGS = (RATING, ASSESSOR, SYSTEM, SEGMENT, KIND, ITEM)
KINDS = TRANSLATION, DAMAGED, REPEATED, REFERENCE = ("TGT", "BAD", "REPEAT", "REF")
"""A translation; a damaged copy of it; a repeat of it; a translation by people."""
_CALLED = {"": TRANSLATION, "SYSTEM": TRANSLATION, "BAD_REF": DAMAGED, "CHK": REPEATED}
"""Names of the kinds in files of Appraise and of Graham et al. (2017)."""


def kind_of(name: str, where: str = "") -> str:
    """Convert the name of a kind in a file; raise InputError for an unknown name."""
    kind = _CALLED.get(name.strip().upper(), name.strip().upper())
    if kind not in KINDS:
        raise InputError(
            f"{where}a rating is of type TGT (SYSTEM), BAD (BAD_REF), REPEAT (CHK) or REF, not "
            f"{quoted(name)}"
        )
    return kind


def make_ratings(
    rating: ArrayLike,
    *,
    assessor: Sequence[str],
    system: Sequence[str],
    segment: Sequence[str],
    kind: Sequence[str] | None = None,
    item: ArrayLike | None = None,
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Ratings Dataset from columns, and validate it.

    Parameters
    ----------
    rating : array_like, shape (rows,)
        Ratings; higher is better.
    assessor, system, segment : sequence of str
        Assessor, system and segment of each rating; combinations may repeat.
    kind : sequence of str, optional
        Kind of each row; "TGT", a translation, by default. The other kinds control quality and
        carry the labels of the translation they belong to: "BAD" (or BAD_REF), a damaged copy;
        "REPEAT" (CHK), the same translation shown again; "REF", a translation by people.
    item : array_like of int, shape (rows,), optional
        Line of the test set that each row is of, from 0.
    attrs : mapping, optional
        Attributes, such as the source; they are copied into results.

    Returns
    -------
    xarray.Dataset
        ``rating``, ``assessor``, ``system``, ``segment`` and ``kind``, all with dim (row).

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
    values = numbers_of("the ratings", rating)
    given = [TRANSLATION] * values.size if kind is None else checked_labels("kind", kind)
    kinds = [kind_of(name) for name in given]
    columns = {"assessor": assessor, "system": system, "segment": segment, "kind": kinds}
    if not values.size:
        raise InputError("there are no ratings")
    fine = np.abs(values) <= LARGEST  # False for NaN, too
    if not fine.all():
        raise InputError(
            f"rating {int(np.argmin(fine)) + 1} is not finite, missing or beyond {LARGEST:g}"
        )
    texts = {name: np.array(checked_labels(name, x), dtype=np.str_) for name, x in columns.items()}
    numbers = {"rating": values, "item": item}
    ratings = make_declared("ratings", RATINGS, numbers | texts, {}, attrs)
    check_ratings(ratings)
    return ratings


def check_ratings(ratings: xr.Dataset) -> None:
    """Refuse Datasets that are not Ratings."""
    check_dataset(ratings, "Ratings", RATINGS, {})


def average_ratings(ratings: xr.Dataset) -> xr.Dataset:
    """Average the ratings of each translation, and of each system in the two usual ways.

    Parameters
    ----------
    ratings : xarray.Dataset

    Returns
    -------
    xarray.Dataset
        Dims (system, segment): ``human``, the mean over ratings of a translation, NaN where there
        is none, and ``human_count``. Dim (system): ``mean_over_ratings``, ``mean_over_segments``
        and ``ratings``, their number. Only ratings of translations (TGT) count.

    Raises
    ------
    InputError
        If `ratings` are not Ratings, or no rating is of a translation.

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
        raise InputError("there are only ratings of damaged translations")
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


QualityControl = Literal["wilcoxon", "none"]
Scale = Literal["z", "raw"]


def prepare_ratings(
    ratings: xr.Dataset, *, quality_control: QualityControl = "wilcoxon", scale: Scale = "z"
) -> xr.Dataset:
    """Control the quality of ratings and standardise them, as is usual for human scores.

    Parameters
    ----------
    ratings : xarray.Dataset
        Ratings, from `read_ratings` or `read_appraise`.
    quality_control : {"wilcoxon", "none"}, default "wilcoxon"
        The test of `check_assessors`, which drops unreliable assessors; "none" keeps all assessors.
        Without damaged translations there is no test, and all are kept.
    scale : {"z", "raw"}, default "z"
        z-scores of each assessor (see `standardize_ratings`), or ratings as they were given.

    Returns
    -------
    xarray.Dataset
        Ratings. Attributes: ``prepared``, the options, for instance "z, wilcoxon";
        ``assessors_dropped`` and ``assessors_without_z``, who was left out and why.

    Raises
    ------
    InputError
        If `ratings` are not Ratings, an option is unknown, or no assessor is left.

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
    control: str = quality_control
    if control != "none" and not (ratings["kind"].to_numpy() == DAMAGED).any():
        control = "no damaged translations"
    elif control != "none":
        ratings = keep_reliable(ratings, check_assessors(ratings))
    if scale == "z":
        ratings = standardize_ratings(ratings)
    return ratings.assign_attrs(prepared=f"{scale}, {control}")


def check_assessors(ratings: xr.Dataset, *, confidence_level: float = 0.95) -> xr.Dataset:
    """Test whether assessors score damaged translations lower than the undamaged originals.

    The test is Wilcoxon's signed-rank test, one-sided.

    Parameters
    ----------
    ratings : xarray.Dataset
        Ratings. Damaged translations (kind BAD) have the labels of their originals. Repeated
        ratings of one translation by one assessor count as their mean.
    confidence_level : float, default 0.95
        Assessors with p below 1 minus this level are reliable.

    Returns
    -------
    xarray.Dataset
        Dim (assessor): ``pairs``, the number of damaged translations with their original;
        ``mean_difference``, damaged minus original; ``p_value`` (NaN without pairs);
        ``reliable``; ``reason``, why not, or empty.

    Raises
    ------
    InputError
        If `ratings` are not Ratings, or the level lies outside (0, 1).

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by the
    crowd alone", Natural Language Engineering 23: a significance test against ratings of undamaged
    translations decides which assessors are reliable.

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
    check_confidence_level(confidence_level)
    significance_level = round(1.0 - confidence_level, 12)
    labels = ["assessor", "system", "segment", "kind"]
    table: Any = ratings.to_dataframe()[[*labels, "rating"]]
    names = np.unique(table["assessor"])
    means = table.groupby(labels)["rating"].mean().unstack("kind").reindex(columns=KINDS)
    both = means[[TRANSLATION, DAMAGED]].dropna()
    pairs = np.zeros(names.size, dtype=np.int64)
    mean, p = np.full(names.size, np.nan), np.full(names.size, np.nan)
    for name, scores in both.groupby("assessor"):
        i, (first, second) = np.searchsorted(names, name), scores.to_numpy().T
        pairs[i], mean[i] = first.size, (second - first).mean()
        p[i] = signed_rank_p_value(first, second)
    reasons = [
        f"damaged translations not significantly lower (p = {p_value:.3g}, {count} pairs)"
        if count
        else "no damaged translation rated with its original"
        for p_value, count in zip(p, pairs, strict=True)
    ]
    return xr.Dataset(
        {
            "pairs": ("assessor", pairs),
            "mean_difference": ("assessor", mean),
            "p_value": ("assessor", p),
            "reliable": ("assessor", p < significance_level),
            "reason": ("assessor", np.where(p < significance_level, "", reasons)),
        },
        coords={"assessor": names},
        attrs={**ratings.attrs, "method": "wilcoxon", "significance_level": significance_level},
    )


def keep_reliable(ratings: xr.Dataset, assessors: xr.Dataset) -> xr.Dataset:
    """Keep the ratings of reliable assessors; the attribute ``assessors_dropped`` names the others.

    Parameters
    ----------
    ratings : xarray.Dataset
    assessors : xarray.Dataset
        A result of `check_assessors`.

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
    supersample.errors.InputError: no assessor is reliable: a (no damaged translation rated ...)
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

    The mean and standard deviation are taken over the assessor's ratings of translations (TGT).
    Ratings that control quality are put on the same scale, but do not count.

    Parameters
    ----------
    ratings : xarray.Dataset

    Returns
    -------
    xarray.Dataset
        Ratings in units of standard deviations. Assessors with fewer than two different ratings
        are left out; the attribute ``assessors_without_z`` names them.

    Raises
    ------
    InputError
        If `ratings` are not Ratings, or none is left.

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
    standard["rating"].attrs.pop("valid_range", None)
    return standard.assign_attrs(
        standardized="z per assessor", assessors_without_z=", ".join(without)
    )


def place_ratings(ratings: xr.Dataset, scores: xr.Dataset) -> xr.Dataset:
    """Find the place of each rating in Scores, and leave out ratings without one.

    Systems are matched by name. If files write names differently, they are matched where one name
    fits (attribute ``names_matched``). Segments are matched by label. If ratings name the k-th
    segment of a document ("document:k", as `read_appraise` gives), segments are counted in the
    Scores' documents; then only documents count that somebody rated completely and that have as
    many segments as in the Scores. Where ratings say the line of the test set (``item``), and the
    documents of all lines agree with those of the Scores, lines decide.

    Parameters
    ----------
    ratings : xarray.Dataset
        Ratings.
    scores : xarray.Dataset
        Scores.

    Returns
    -------
    xarray.Dataset
        Ratings with the Scores' labels. The attribute ``ratings_left_out`` counts ratings without a
        place, by reason.

    Raises
    ------
    InputError
        If the arguments are not Ratings and Scores, or no rating has a place.

    Examples
    --------
    >>> from supersample import load_example, make_ratings
    >>> ratings = make_ratings(
    ...     [60, 80], assessor=["a"] * 2, system=["system-01"] * 2, segment=["segment-007", "7"])
    >>> placed = place_ratings(ratings, load_example())
    >>> placed["segment"].values.tolist(), placed.attrs["ratings_left_out"]
    (['segment-007'], '1 of an unknown segment')
    """
    check_ratings(ratings)
    validate_start(scores)
    systems = [str(name) for name in scores["system"].to_numpy()]
    rated = ratings["system"].to_numpy().tolist()
    matched = match_names(list(dict.fromkeys(rated)), systems)
    earlier = scores.attrs.get("names_matched")
    system = np.array([matched.get(name, name) for name in rated])
    segment, why = _segments(ratings, scores)
    of_system = np.isin(system, systems)
    elsewhere = f"of systems that are not here ({listed(np.unique(system[~of_system]), 5)})"
    left_out = Counter(
        [elsewhere] * int((~of_system).sum())
        + [reason for reason, is_here in zip(why, of_system, strict=True) if reason and is_here]
    )
    kept = of_system & (segment != "")
    dropped = str(ratings.attrs.get("dropped") or "")
    counts = [f"{count} {what}" for what, count in left_out.items()]
    reasons = ", ".join(filter(None, [dropped, *counts]))
    if not kept.any():
        raise InputError(f"no rating has a place in the scores: {reasons}")
    return (
        ratings.assign_coords(system=("row", system), segment=("row", segment))
        .isel(row=kept)
        .assign_attrs(
            ratings_left_out=reasons,
            names_matched=", ".join(filter(None, [earlier, matched_text(matched)])),
        )
    )


def rate_scores(scores: xr.Dataset, ratings: xr.Dataset) -> xr.Dataset:
    """Replace the human scores of Scores by raw ratings.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    ratings : xarray.Dataset
        Ratings to average; see `prepare_ratings`.

    Returns
    -------
    xarray.Dataset
        Scores with ``human``, the mean over ratings of a translation, and ``human_count``, their
        number. The option ``human_mean`` of verbs says whether the human score of a system is the
        mean over ratings or over segments. Systems that nobody rated are left out and named.

    Raises
    ------
    InputError
        As `place_ratings`; and if fewer than two systems are left.

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
        **{name: placed.attrs.get(name, "") for name in _CARRIED.split()},
        "human": f"ratings ({ratings.attrs.get('prepared', 'as given')})",
        "systems_left_out": ", ".join(filter(None, left_out)),
        "ratings_used": int(placed.sizes["row"]),
    }
    validate_start(result)
    return result


def _segments(ratings: xr.Dataset, scores: xr.Dataset) -> tuple[NDArray[np.str_], list[str]]:
    """Label of each rating's segment in the Scores, or "" and the reason why there is none."""
    labels = [str(label) for label in ratings["segment"].to_numpy()]
    lines = _lines_of(ratings, labels, scores)
    if lines is not None:
        return scores["segment"].to_numpy().astype(str)[lines], [""] * len(labels)
    existing = {str(label) for label in scores["segment"].to_numpy()}
    if existing & set(labels) or "document" not in scores.coords:
        check_numbering("the ratings", [*dict.fromkeys(labels)], [*existing])
        found = [label if label in existing else "" for label in labels]
        return np.array(found), ["" if at else "of an unknown segment" for at in found]
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
            return "", "of an unknown document"
        if not number or longest[document] != len(segments[document]):
            return "", "of a document rated in part, with unknown segments"
        return segments[document][number - 1], ""

    places, why = zip(*(place_and_reason(*part) for part in parts), strict=True)
    return np.array(places), list(why)


def _lines_of(
    ratings: xr.Dataset, labels: Sequence[str], scores: xr.Dataset
) -> NDArray[np.int64] | None:
    """Line of each rating, if ratings say it and the documents of all of these lines agree."""
    if ITEM.name not in ratings or "document" not in scores.coords:
        return None
    lines = ratings[ITEM.name].to_numpy().astype(np.int64)
    documents = scores["document"].to_numpy().astype(str)
    if lines.max() >= documents.size:
        return None
    named = np.array([label.rpartition(":")[0] for label in labels])
    return lines if (documents[lines] == named).all() else None


def joined_ratings(parts: Sequence[xr.Dataset]) -> xr.Dataset:
    """Join the ratings of several files, such as the waves of a campaign.

    Raises
    ------
    InputError
        If only some of them say which line of the test set each item is.
    """
    if len(parts) == 1:
        return parts[0]
    if len({ITEM.name in part for part in parts}) > 1:
        raise InputError("only some files of ratings number the lines of the test set; read one")
    facts: dict[str, Any] = {}
    for name in ("source", "dropped"):
        facts[name] = "; ".join(str(x.attrs[name]) for x in parts if x.attrs.get(name))
    return xr.concat(parts, "row", combine_attrs="drop_conflicts").assign_attrs(facts)


def _document_and_number(label: str, documents: dict[str, list[str]]) -> tuple[str, int]:
    """Split "document:k", or "document:assessor:k", whose first number is unknown: then 0."""
    document, _, number = label.rpartition(":")
    if document in documents and number.isascii() and number.isdigit():
        return document, int(number)
    return next((name for name in documents if label.startswith(f"{name}:")), label), 0


def standardised(values: Floats, shared: NDArray[np.bool_], name: str) -> Floats:
    """Standardise to mean 0 and deviation 1 over translations; refuse scores that do not vary."""
    kept = values[shared]
    deviation = float(kept.std())
    if deviation <= SUM_TIE * float(np.abs(kept).max()):
        raise InputError(f"{quoted(name)} gave all translations the same score; leave it out")
    return np.asarray((values - kept.mean()) / deviation)
