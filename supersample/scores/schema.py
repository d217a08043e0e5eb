"""The Scores Dataset: each variable is declared once, and made and validated from that."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supersample.errors import InputError, quoted
from supersample.scores.corpus.statistics import corpus_metrics, validate_corpus_statistics
from supersample.scores.variables import (
    LARGEST,
    Variable,
    check_dataset,
    check_numbers,
    make_declared,
    switches_of,
)

BOTH = ("system", "segment")
LABEL = "UOT"  # kinds of texts
HUMAN = Variable("human", BOTH, "f", "human score", "mean human score, NaN where nobody rated")
HUMAN_COUNT = Variable(
    "human_count", BOTH, "fiu", "ratings", "ratings of the human score; 1 where absent", True
)
SCORE = Variable("score", ("metric", *BOTH), "f", "metric score", "score, NaN where missing")
HIGHER_IS_BETTER = Variable(
    "higher_is_better", ("metric",), "b", "1", "whether larger scores mean better translations"
)
DOCUMENT = Variable("document", ("segment",), LABEL, "1", "the segment's document", True)
DOMAIN = Variable("domain", ("segment",), LABEL, "1", "the segment's domain", True)
REFERENCE_FREE = "src"
"""Reference of a metric that uses only the source."""
REFERENCE = Variable("reference", ("metric",), LABEL, "1", "what the metric compares with", True)

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
        Mean human scores; NaN, None, NA or masked where nobody rated.
    score : array_like, shape (metrics, systems, segments)
        Segment-level metric scores, NaN where missing; empty if there are no metrics yet.
    systems, metrics : sequence of str
        Labels, without duplicates. Without metrics, add some by `add_metric` or
        `add_corpus_metrics` before using the Scores.
    segments : sequence of str, optional
        Labels; default "0", "1", ...
    higher_is_better : sequence of bool, optional
        Declared orientation of each metric; all True by default.
    human_higher_is_better : bool, default True
        Declared orientation of the human scores.
    human_count : array_like, shape (systems, segments), optional
        Number of ratings in each human score; 1 by default.
    document, domain : sequence of str, optional
        Labels of each segment's document and domain.
    reference : sequence of str, optional
        Name of the reference with which each metric compares.
    attrs : mapping, optional
        Attributes, such as the source; they are copied into results.

    Returns
    -------
    xarray.Dataset
        Scores that `validate_scores` accepts.

    Raises
    ------
    InputError
        If shapes or labels do not fit, a score is not a number or is infinite, a metric or the
        human scores have no value at all, or there are fewer than two systems or segments.

    Examples
    --------
    >>> scores = make_scores(
    ...     [[1.0, 2.0], [3.0, 5.0]], [[[0.1, 0.2], [0.4, 0.3]]], systems=["A", "B"], metrics=["m"]
    ... )
    >>> dict(scores.sizes)
    {'system': 2, 'segment': 2, 'metric': 1}
    """
    if not len(metrics) and not np.size(score):
        score = np.empty((0, *np.shape(human)))
    values = {
        "human": human,
        "human_count": human_count,
        "score": score,
        "higher_is_better": [True] * len(metrics) if higher_is_better is None else higher_is_better,
        "document": document,
        "domain": domain,
        "reference": reference,
    }
    labels = {"system": systems, "segment": segments, "metric": metrics}
    scores = make_declared("scores", SCORES, values, labels, attrs)
    is_higher = switches_of("human_higher_is_better", human_higher_is_better)
    scores[HUMAN.name].attrs["higher_is_better"] = int(is_higher)
    validate_start(scores)
    return scores


def validate_scores(scores: xr.Dataset) -> None:
    """Check a Dataset against the declaration of Scores.

    Raises
    ------
    InputError
        With one line that says what is wrong, where, and what is expected.
    """
    validate_start(scores)
    if not scores.sizes["metric"] and not corpus_metrics(scores):
        raise InputError(
            "these Scores have no metric: add_metric (--add-metric) or add_corpus_metrics "
            "(--corpus-metric) adds one"
        )


def validate_start(scores: xr.Dataset) -> None:
    """Check Scores like `validate_scores`, but allow that there are no metrics yet."""
    if "system_score" in scores and "segment" not in scores.dims:
        raise InputError(
            "this needs segments, which system-level scores do not have; compare and rank "
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
