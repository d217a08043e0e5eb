"""From Scores to system-level scores: validated, masked, as additive statistics, with signs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.engine.additive import (
    Finalizer,
    Statistics,
    combine,
    mean_columns,
    sum_over_units,
    system_totals,
    tied,
)
from supersample.errors import InputError, check_choice, listed, quoted
from supersample.execution.checksums import content_code
from supersample.inference.arguments import numbers_of
from supersample.scores.corpus.metrics import corpus_finalizer
from supersample.scores.schema import (
    HIGHER_IS_BETTER,
    HUMAN,
    HUMAN_COUNT,
    SCORE,
    TEAM,
    Variable,
    all_metrics,
    check_dataset,
    check_numbers,
    corpus_metrics,
    make_declared,
    statistics_variable,
    switches_of,
    validate_scores,
)
from supersample.scores.selection import Mask, partly_scored, select_segments, unrated_systems

HumanMean = Literal["ratings", "segments"]


@dataclass(frozen=True)
class PreparedScores:
    """Scores on the segments of a mask, with their additive statistics and signs.

    Attributes
    ----------
    scores
        The Scores on the segments of the mask.
    statistics
        Additive statistics of all scorers by unit; the human scores come first.
    metrics
        Names and orientation of all metrics, corpus metrics last; see `all_metrics`.
    signs
        Signs that make larger scores better; the sign of the human scores comes first.
    """

    scores: xr.Dataset
    human_mean: HumanMean
    statistics: Statistics
    metrics: xr.Dataset
    signs: Floats

    @property
    def names(self) -> NDArray[np.str_]:
        """Labels of all metrics."""
        return self.metrics["metric"].to_numpy()

    @property
    def attrs(self) -> dict[Any, Any]:
        """Attributes of results: the attributes of the Scores, the mask and the human mean."""
        return {**self.scores.attrs, "human_mean": self.human_mean}

    def of_systems(self, scores: Floats, attrs: dict[Any, Any]) -> xr.Dataset:
        """Make system-level scores of numbers (systems, 1 + metrics), people's first."""
        names = ("system", "team") if TEAM.name in self.scores.coords else ("system",)
        return xr.Dataset(
            {
                "system_human": ("system", scores[:, 0], self.scores[HUMAN.name].attrs),
                "system_score": (("system", "metric"), scores[:, 1:]),
                "higher_is_better": self.metrics["higher_is_better"],
            },
            coords={name: self.scores[name] for name in names} | {"metric": self.metrics["metric"]},
            attrs=attrs,
        )


def prepare_scores(
    scores: xr.Dataset,
    *,
    unit: str = "segment",
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> PreparedScores:
    """Validate Scores, apply a mask (see `select_segments`), and sum their statistics by unit.

    The human score of a system is a mean over ratings (each segment has the weight ``human_count``)
    or over segments. The unit is a segment or a document.
    """
    validate_scores(scores)
    selected = select_segments(scores, mask)
    if unrated := unrated_systems(selected):
        raise InputError(f"no human scores of {listed(unrated, 5)}; leave them out (--exclude)")
    selected = _with_gaps_named(selected).assign_attrs(scores=content_code(scores))
    metrics = all_metrics(selected)
    return PreparedScores(
        selected,
        human_mean,
        _unit_statistics(selected, unit, human_mean),
        metrics,
        orientation_signs(selected["human"], metrics),
    )


def _with_gaps_named(scores: xr.Dataset) -> xr.Dataset:
    """Name metrics that miss segments in the attribute ``partly_scored``; remove an old one."""
    named = scores.copy(deep=False)
    named.attrs.pop("partly_scored", None)
    gaps = partly_scored(named)
    return named.assign_attrs(partly_scored=gaps) if gaps else named


def orientation_signs(human: xr.DataArray, metrics: xr.Dataset) -> Floats:
    """Signs that make larger scores better; the sign of the human scores comes first."""
    human_higher = bool(human.attrs.get("higher_is_better", 1))
    return np.where([human_higher, *metrics["higher_is_better"].to_numpy()], 1.0, -1.0)


def corpus_part(scores: xr.Dataset, metric: str) -> tuple[Floats, Finalizer]:
    """Per-segment statistics of a corpus metric, and its finalizer."""
    variable = statistics_variable(metric)
    values, attrs = variable.of(scores), scores[variable.name].attrs
    finalizer = corpus_finalizer(attrs["finalizer"], json.loads(attrs["options"]))
    if values.shape[-1] != finalizer.width:
        raise InputError(
            f"{finalizer} takes {finalizer.width} statistics; those of {quoted(metric)} are "
            f"{values.shape[-1]}"
        )
    return values, finalizer


def human_columns(scores: xr.Dataset, human_mean: HumanMean) -> tuple[Floats, Floats | None]:
    """Human scores (systems, segments) and their numbers of ratings; None means one each."""
    check_choice("human mean", human_mean, get_args(HumanMean))
    counts = None
    if human_mean == "ratings" and HUMAN_COUNT.name in scores:
        counts = HUMAN_COUNT.of(scores).astype(np.float64)
    return HUMAN.of(scores), counts


def _unit_statistics(scores: xr.Dataset, unit: str, human_mean: HumanMean) -> Statistics:
    """Additive statistics of all scorers, summed over each unit: human, metrics, corpus metrics."""
    human, counts = human_columns(scores, human_mean)
    parts: list[tuple[Sequence[Floats], Finalizer]] = [
        mean_columns(human, counts),
        *(mean_columns(values) for values in SCORE.of(scores)),
    ]
    for metric in corpus_metrics(scores):
        values, finalizer = corpus_part(scores, metric)
        parts.append((list(np.moveaxis(values, -1, 0)), finalizer))
    if unit != "document":
        return combine(parts)
    numbers = unit_numbers(scores, unit)
    count = int(numbers.max()) + 1
    if count < 2:
        raise InputError("the unit is a document, but there is only one document")
    return combine(
        (np.moveaxis(sum_over_units(np.stack(columns, -1), numbers, count), -1, 0), finalizer)
        for columns, finalizer in parts
    )


def unit_numbers(scores: xr.Dataset, unit: str) -> NDArray[np.int64]:
    """Give the number of each segment's unit: of its document, in order of names, or its own."""
    if unit != "document":
        return np.arange(scores.sizes["segment"])
    if "document" not in scores.coords:
        raise InputError("the unit is a document, but these Scores have no documents")
    return np.unique(scores["document"].to_numpy(), return_inverse=True)[1]


SYSTEM_HUMAN = Variable("system_human", ("system",), "fiu", "human score", "human score")
SYSTEM_SCORE = Variable("system_score", ("system", "metric"), "fiu", "metric score", "score")
SYSTEM_SCORES = (SYSTEM_HUMAN, SYSTEM_SCORE, HIGHER_IS_BETTER, TEAM)
HYBRIDS, SYSTEMS = "hybrids", "systems"
SETS = "sets"
"""Basis of new language pairs or sets: the groups of an average are a sample of groups."""


def make_system_scores(
    human: ArrayLike,
    score: ArrayLike,
    *,
    systems: Sequence[str],
    metrics: Sequence[str],
    higher_is_better: Sequence[bool] | None = None,
    human_higher_is_better: bool = True,
    attrs: dict[str, Any] | None = None,
) -> xr.Dataset:
    """Make a Dataset of system-level scores, if there are no segment-level scores.

    Parameters
    ----------
    human : array_like, shape (systems,)
        Human scores.
    score : array_like, shape (metrics, systems)
        Metric scores; none may be missing.
    systems, metrics : sequence of str
        Labels.
    higher_is_better : sequence of bool, optional
        Declared orientation of each metric; all True by default.
    human_higher_is_better : bool, default True
        Declared orientation of the human scores.
    attrs : dict, optional
        Attributes, such as the source; they are copied into results.

    Returns
    -------
    xarray.Dataset
        ``system_human`` (system), ``system_score`` (system, metric) and ``higher_is_better``
        (metric); `compare` and `rank` accept it.

    Raises
    ------
    InputError
        If shapes do not fit the labels, labels repeat, or a score is not finite.

    Examples
    --------
    >>> scores = make_system_scores([1, 2, 3], [[1, 3, 2]], systems=list("ABC"), metrics=["m"])
    >>> dict(scores.sizes)
    {'system': 3, 'metric': 1}
    """
    values = {
        "system_human": human,
        "system_score": numbers_of("score", score).T,
        "higher_is_better": [True] * len(metrics) if higher_is_better is None else higher_is_better,
    }
    labels = {"system": systems, "metric": metrics}
    known = {"source": "system-level scores", **(attrs or {})}
    is_higher = switches_of("human_higher_is_better", human_higher_is_better)
    scores = make_declared("system-level scores", SYSTEM_SCORES, values, labels, known)
    scores["system_human"].attrs["higher_is_better"] = int(is_higher)
    check_system_scores(scores)
    return scores


def check_system_scores(scores: xr.Dataset) -> None:
    """Refuse system-level scores with missing or infinite numbers, or with unwritable texts."""
    check_dataset(scores, "system-level scores", SYSTEM_SCORES, {"system": 0, "metric": 0})
    what = [f"the metric {quoted(name)}" for name in scores["metric"].to_numpy()]
    numbers = [SYSTEM_HUMAN.of(scores), *SYSTEM_SCORE.of(scores).T]
    for name, values in zip(["the human scores", *what], numbers, strict=True):
        check_numbers(name, values, scores, "system")
        if np.isnan(values).any():
            raise InputError(f"{name} must be finite; leave out systems or metrics with gaps")


def system_level_scores(
    scores: xr.Dataset, *, mask: Mask = "common", human_mean: HumanMean = "ratings"
) -> xr.Dataset:
    """Compute the system-level scores of the original systems.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; or a sample or system-level scores, whose mask and mean are already fixed.
    mask : {"common", "complete", "all"}, default "common"
        "common": human and metric scores on the segments rated for every system. "all": metric
        scores on all segments, human scores on rated segments. See `select_segments`.
    human_mean : {"ratings", "segments"}, default "ratings"
        Whether the human score is the mean over ratings (``human_count``) or over segments.

    Returns
    -------
    xarray.Dataset
        As from `make_system_scores`, with the attributes ``mask`` and ``human_mean``.

    Raises
    ------
    InputError
        If `scores` is not Scores, a sample or system-level scores; if an option is unknown, or is
        given for scores that never had segments.

    Examples
    --------
    >>> from supersample import load_example
    >>> from supersample.comparisons.correlations import correlate
    >>> systems = system_level_scores(load_example(), mask="all")
    >>> systems.attrs["mask"]
    'all 500/500, human 480-485'
    >>> r = correlate(systems)["value"]
    """
    if "system_score" in scores:
        if "mask" not in scores.attrs and (mask != "common" or human_mean != "ratings"):
            raise InputError(
                "mask and human mean (--mask, --human-mean) need scores of segments; "
                "system-level scores have none"
            )
        return scores.assign_attrs(
            system_scores=content_code(scores.drop_dims("hybrid", errors="ignore"))
        )
    if "segment" not in scores.dims:
        raise InputError(
            "expected a sample of hybrid_supersample, Scores, or a result of make_system_scores"
        )
    prepared = prepare_scores(scores, mask=mask, human_mean=human_mean)
    values = tied(prepared.statistics.finalize(system_totals(prepared.statistics.values)))
    return prepared.of_systems(values, prepared.attrs)


def oriented_scores(data: xr.Dataset) -> Floats:
    """Scores of the systems, (systems, 1 + metrics), people's first; signs make larger better."""
    systems = system_level_scores(data)
    human = systems["system_human"]
    scores = systems["system_score"].transpose("system", "metric")
    both = np.column_stack([np.asarray(human.data), np.asarray(scores.data)])
    return np.asarray(both * orientation_signs(human, systems))
