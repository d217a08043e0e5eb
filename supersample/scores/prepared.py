"""Prepare Scores once: validate, mask, make additive statistics and orientation signs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.additive import (
    Finalizer,
    Statistics,
    combine,
    combine_columns,
    mean_columns,
    sum_over_units,
)
from supersample.errors import InputError, check_choice, quoted
from supersample.execution.checksums import content_code
from supersample.scores.corpus.metrics import corpus_finalizer
from supersample.scores.corpus.statistics import all_metrics, corpus_metrics, statistics_variable
from supersample.scores.schema import HUMAN, HUMAN_COUNT, SCORE, validate_scores
from supersample.scores.selection import Mask, partly_scored, select_segments

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
        return xr.Dataset(
            {
                "system_human": ("system", scores[:, 0], self.scores[HUMAN.name].attrs),
                "system_score": (("system", "metric"), scores[:, 1:]),
                "higher_is_better": self.metrics["higher_is_better"],
            },
            coords={"system": self.scores["system"], "metric": self.metrics["metric"]},
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
        return combine_columns(parts)
    if "document" not in scores.coords:
        raise InputError("the unit is a document, but these Scores have no documents")
    labels, numbers = np.unique(scores["document"].to_numpy(), return_inverse=True)
    if labels.size < 2:
        raise InputError("the unit is a document, but there is only one document")
    return combine(
        (sum_over_units(np.stack(columns, axis=-1), numbers, labels.size), finalizer)
        for columns, finalizer in parts
    )
