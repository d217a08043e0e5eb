"""The Scores Dataset: each variable declared once, made and validated from the declaration."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError, quoted
from supersample.scores.corpus.statistics import corpus_metrics, validate_corpus_statistics
from supersample.scores.variables import LARGEST, Variable, annotate, check_dataset, check_numbers

HUMAN = Variable(
    "human",
    ("system", "segment"),
    "f",
    "human score",
    "mean human score of the translation, NaN where nobody rated it",
)
HUMAN_COUNT = Variable(
    "human_count",
    ("system", "segment"),
    "fiu",
    "ratings",
    "how many ratings the human score is the mean of; 1 where absent and rated",
    optional=True,
)
SCORE = Variable(
    "score",
    ("metric", "system", "segment"),
    "f",
    "metric score",
    "segment-level score, NaN where missing",
)
HIGHER_IS_BETTER = Variable(
    "higher_is_better", ("metric",), "b", "1", "whether larger scores mean better translations"
)
DOCUMENT = Variable(
    "document", ("segment",), "UOT", "1", "label of the segment's document", optional=True
)
DOMAIN = Variable(
    "domain", ("segment",), "UOT", "1", "label of the segment's domain", optional=True
)
REFERENCE = Variable(
    "reference", ("metric",), "UOT", "1", "reference the metric compares with", optional=True
)

SCORES = (HUMAN, HUMAN_COUNT, SCORE, HIGHER_IS_BETTER, DOCUMENT, DOMAIN, REFERENCE)
FEWEST = {"system": 2, "segment": 2, "metric": 0}


def make_scores(
    human: ArrayLike,
    score: ArrayLike,
    *,
    systems: Sequence[str],
    metrics: Sequence[str],
    segments: Sequence[str] | None = None,
    higher_is_better: Sequence[bool] | None = None,
    human_higher_is_better: bool = True,
    human_count: ArrayLike | None = None,
    document: Sequence[str] | None = None,
    domain: Sequence[str] | None = None,
    reference: Sequence[str] | None = None,
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Scores Dataset from arrays, and validate it.

    Parameters
    ----------
    human : array_like, shape (systems, segments)
        Mean human scores, NaN where nobody rated.
    score : array_like, shape (metrics, systems, segments)
        Segment-level metric scores, NaN where missing; empty where there are no metrics yet.
    systems, metrics : sequence of str
        Labels, without duplicates. Without metrics the Scores are no more than a start, to which
        `add_metric` and `add_corpus_metrics` add some.
    segments : sequence of str, optional
        Labels; "0", "1", ... by default.
    higher_is_better : sequence of bool, optional
        Declared orientation of each metric; all True by default.
    human_higher_is_better : bool, default True
        Declared orientation of the human scores.
    human_count : array_like, shape (systems, segments), optional
        Ratings behind each human score.
    document, domain : sequence of str, optional
        Labels of each segment's document and domain.
    reference : sequence of str, optional
        The reference each metric compares with.
    attrs : mapping, optional
        Where the scores come from; carried into results.

    Returns
    -------
    xarray.Dataset
        The Scores, as `validate_scores` accepts them.

    Raises
    ------
    InputError
        If shapes or labels do not fit, a score is no number or infinite, a metric or the human
        scores are missing throughout, or there are fewer than two systems or segments.

    Examples
    --------
    >>> scores = make_scores(
    ...     [[1.0, 2.0], [3.0, 5.0]], [[[0.1, 0.2], [0.4, 0.3]]], systems=["A", "B"], metrics=["m"]
    ... )
    >>> dict(scores.sizes)
    {'system': 2, 'segment': 2, 'metric': 1}
    """
    try:
        human_array = np.asarray(human, dtype=np.float64)
        score_array = np.asarray(score, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"the scores are not numbers in a rectangular array: {error}") from error
    if not len(metrics) and not score_array.size:
        score_array = np.empty((0, *human_array.shape))
    count = human_array.shape[-1] if human_array.ndim else 0
    labels = [str(i) for i in range(count)] if segments is None else list(segments)
    oriented = [True] * len(metrics) if higher_is_better is None else list(higher_is_better)
    variables: dict[str, tuple[tuple[str, ...], NDArray[np.generic] | Sequence[object]]] = {
        HUMAN.name: (HUMAN.dims, human_array),
        SCORE.name: (SCORE.dims, score_array),
        HIGHER_IS_BETTER.name: (HIGHER_IS_BETTER.dims, np.asarray(oriented, dtype=bool)),
    }
    if human_count is not None:
        variables[HUMAN_COUNT.name] = (HUMAN_COUNT.dims, np.asarray(human_count, dtype=np.float64))
    coordinates: dict[str, tuple[str, Sequence[str] | NDArray[np.str_]]] = {
        "system": ("system", list(systems)),
        "segment": ("segment", labels),
        "metric": ("metric", list(metrics) or np.empty(0, dtype=str)),
    }
    for declared, values in ((DOCUMENT, document), (DOMAIN, domain), (REFERENCE, reference)):
        if values is not None:
            labels_of = list(values) or np.empty(0, dtype=str)  # an empty list would be of floats
            coordinates[declared.name] = (declared.dims[0], labels_of)
    try:
        scores = xr.Dataset(variables, coords=coordinates, attrs=dict(attrs or {}))
    except ValueError as error:
        raise InputError(f"scores and labels do not fit together: {error}") from error
    scores[HUMAN.name].attrs["higher_is_better"] = int(human_higher_is_better)
    annotate(scores, SCORES)
    validate_start(scores)
    return scores


def validate_scores(scores: xr.Dataset) -> None:
    """Check a Dataset against the declaration of Scores.

    Raises
    ------
    InputError
        One line: what is wrong, where, and what is expected.
    """
    validate_start(scores)
    if not scores.sizes["metric"] and not corpus_metrics(scores):
        raise InputError(
            "these Scores have no metric: add_metric (--add-metric) or add_corpus_metrics "
            "(--corpus-metric) adds one"
        )


def validate_start(scores: xr.Dataset) -> None:
    """Check Scores to which metrics may still be added: `validate_scores` but for their number."""
    if "system_score" in scores and "segment" not in scores.dims:
        raise InputError(
            "these are system-level scores without segments, which this needs; compare and rank "
            "(supersample compare) take them"
        )
    check_dataset(scores, "Scores", SCORES, FEWEST)
    _check_values(scores)
    validate_corpus_statistics(scores)


def _check_values(scores: xr.Dataset) -> None:
    human = HUMAN.of(scores)
    check_numbers("the human scores", human, scores, *HUMAN.dims)
    for name, values in zip(scores.variables["metric"].to_numpy(), SCORE.of(scores), strict=True):
        check_numbers(f"the metric {quoted(name)}", values, scores, *HUMAN.dims)
    if HUMAN_COUNT.name in scores:
        counts = HUMAN_COUNT.of(scores)
        rated = ~np.isnan(human)
        if not ((counts[rated] > 0) & (counts[rated] <= LARGEST)).all():
            raise InputError("'human_count' must be a positive number wherever 'human' has one")
