"""Scores as segment-level statistics take them: rated and scored translations, by group."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, listed
from supersample.inference.segments.statistics import Flat, Grouping, flatten
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.corpus.statistics import corpus_metrics
from supersample.scores.groups import (
    AVERAGE,
    common_metrics,
    group_seed,
    named_scores,
    shared_facts,
    split_by,
)
from supersample.scores.prepared import orientation_signs
from supersample.scores.schema import HUMAN, SCORE, validate_scores
from supersample.scores.selection import Mask, select_segments


class Translations(NamedTuple):
    """Translations of one group that people rated and every metric scored, oriented."""

    scores: xr.Dataset
    """The Scores, for labels and attributes."""
    human: NDArray[np.float64]
    """Shape (systems, segments), larger meaning better, 0 where not kept."""
    metrics: NDArray[np.float64]
    """Shape (metrics, systems, segments), as `human`."""
    keep: NDArray[np.bool_]
    """Which translations count, shape (systems, segments)."""
    seed: int
    """Keys everything random of this group."""

    def by(self, grouping: Grouping) -> Flat:
        """Arrange the translations by item, by system, or in one group."""
        return flatten(self.human, self.metrics, self.keep, grouping)

    def of_segments(self, chosen: NDArray[np.bool_]) -> "Translations":
        """Keep some segments."""
        return self._replace(
            scores=self.scores.isel(segment=chosen),
            human=self.human[:, chosen],
            metrics=self.metrics[:, :, chosen],
            keep=self.keep[:, chosen],
        )


class Groups(NamedTuple):
    """Groups of translations, or one set, and attributes for results."""

    of: dict[str, Translations]
    grouped: bool
    """Whether there are groups, with an average over them."""
    attrs: dict[Any, Any]

    @property
    def first(self) -> xr.Dataset:
        """Scores of the first group, for labels of metrics."""
        return next(iter(self.of.values())).scores

    @property
    def lead(self) -> tuple[str, ...]:
        """Dimension of groups, if there are any."""
        return ("group",) if self.grouped else ()

    def over(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Stack the values of all groups under their average; a single set's are left alone."""
        return np.stack([np.mean(values, axis=0), *values]) if self.grouped else values[0]

    def over_counts(self, counts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Stack numbers of all groups under their sum; a single set's are left alone."""
        return np.stack([np.sum(counts, axis=0), *counts]) if self.grouped else counts[0]

    def coordinates(self) -> dict[str, Any]:
        """Labels of metrics and groups."""
        named = {"group": [AVERAGE, *self.of]} if self.grouped else {}
        return {"metric": self.first["metric"].to_numpy().astype(str), **named}

    def variables(self) -> dict[str, xr.Variable]:
        """Numbers of systems, segments and translations, and metrics' orientation."""
        parts = self.of.values()
        numbers = {
            "systems": [np.array(part.keep.any(axis=1).sum()) for part in parts],
            "segments": [np.array(part.keep.any(axis=0).sum()) for part in parts],
            "translations": [np.array(part.keep.sum()) for part in parts],
        }
        counted = {name: np.asarray(self.over_counts(each)) for name, each in numbers.items()}
        return {
            **result_variables(counted, self.lead),
            **result_variables({"higher_is_better": self.first["higher_is_better"].to_numpy()}),
        }

    def facts(self, **facts: Any) -> dict[Any, Any]:
        """Attributes of a result, signature included."""
        kept = [int(part.keep.sum()) for part in self.of.values()]
        of = [f"translations of {name}" if self.grouped else "translations" for name in self.of]
        if "by" in self.attrs:
            kept, of = [sum(kept)], [f"translations in {len(of)} {self.attrs['by']}s"]
        return result_attrs(self.attrs, n=kept, counted=of, **facts)


def groups_of(
    scores: xr.Dataset | Mapping[str, xr.Dataset], *, mask: Mask, by: str | None, seed: int = 0
) -> Groups:
    """Settle which translations, metrics and groups are compared.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, or those of several language pairs by name.
    mask : {"all", "common", "complete"}
    by : {"domain", "document"} or None
    seed : int
        The seed of a group is a function of this one and the group's name.

    Raises
    ------
    InputError
        If Scores are invalid, lack the labels asked for, or leave nothing to compare.
    """
    if not isinstance(scores, xr.Dataset):
        return _of_mapping(named_scores(scores, by), mask, seed)
    whole = _translations(scores, mask, seed)
    if by is None:
        return Groups({"": whole}, False, dict(whole.scores.attrs))
    parts, attrs = split_by(whole.scores, by, _usable, f"two segments, and of one {_TWO}")
    labels = whole.scores[by].to_numpy().astype(str)
    groups = {
        name: whole.of_segments(labels == name)._replace(seed=group_seed(seed, name))
        for name in parts
    }
    return Groups(groups, True, {**whole.scores.attrs, **attrs})


def _of_mapping(scores: dict[str, xr.Dataset], mask: Mask, seed: int) -> Groups:
    for part in scores.values():
        validate_scores(part)
    common, alone = common_metrics(scores)
    groups = {}
    for name, part in scores.items():
        try:
            groups[name] = _translations(part.sel(metric=common), mask, group_seed(seed, name))
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    attrs: dict[Any, Any] = shared_facts([group.scores for group in groups.values()])
    attrs["metrics_left_out"] = ", ".join(f"{name} (not in all)" for name in alone)
    return Groups(groups, True, attrs)


def _translations(scores: xr.Dataset, mask: Mask, seed: int) -> Translations:
    validate_scores(scores)
    corpus = corpus_metrics(scores)
    if not scores.sizes["metric"]:
        raise InputError(f"corpus metrics have no scores of segments: {listed(corpus)}")
    selected = select_segments(scores, mask)
    human, metrics = HUMAN.of(selected), SCORE.of(selected)
    rated = ~np.isnan(human)
    scored = ~np.isnan(metrics)
    keep = rated & scored.all(axis=0)
    _check(selected, keep, rated & scored)
    if keep.sum() < rated.sum():
        selected = selected.assign_attrs(
            mask=f"{selected.attrs['mask']}, {keep.sum()} of {rated.sum()} rated translations "
            "scored by every metric"
        )
    if corpus:
        left_out = [selected.attrs.get("metrics_left_out") or ""]
        left_out += [f"{name} (a corpus metric)" for name in corpus]
        selected = selected.assign_attrs(metrics_left_out=", ".join(filter(None, left_out)))
    signs = orientation_signs(selected["human"], selected)
    return Translations(
        selected,
        np.where(keep, human, 0.0) * signs[0],
        np.where(keep, metrics, 0.0) * signs[1:, np.newaxis, np.newaxis],
        keep,
        seed,
    )


_TWO = "two translations that people rated and every metric scored"


def _usable(part: xr.Dataset) -> bool:
    """Whether a group has two segments, and two rated and scored translations of one."""
    kept = ~np.isnan(HUMAN.of(part)) & ~np.isnan(SCORE.of(part)).any(axis=0)
    return part.sizes["segment"] >= 2 and bool(kept.sum(axis=0).max() >= 2)


def _check(scores: xr.Dataset, keep: NDArray[np.bool_], usable: NDArray[np.bool_]) -> None:
    """Refuse Scores without two translations of one segment, or with fewer than two systems."""
    if keep.sum(axis=0).max(initial=0) >= 2:
        return
    names = scores["metric"].to_numpy()
    few = [name for name, use in zip(names, usable, strict=True) if use.sum(axis=0).max() < 2]
    what = f"the metric {listed(few, 5)}" if few else "some metrics"
    raise InputError(f"no segment has {_TWO}; leave out {what}, or use the mask 'all'")
