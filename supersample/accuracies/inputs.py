"""Scores as accuracies take them: complete, oriented, by permutation unit, and by group."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.accuracies.p_values import PValues, Unit, corpus_p_values, system_p_values
from supersample.engine.corpus_swaps import ScaledCorpus, scaled_corpus
from supersample.engine.permutations import unit_totals, windows
from supersample.errors import (
    ApproximationWarning,
    DegenerateScoreWarning,
    InputError,
    listed,
)
from supersample.execution.memory import check_memory
from supersample.inference.accuracies.agreement import Ties, mean_agreement, preferences
from supersample.inference.accuracies.sign_flip import pair_differences, system_pairs
from supersample.inference.arguments import SUM_TIE as TIE
from supersample.scores.corpus.statistics import all_metrics, corpus_metrics, with_metrics
from supersample.scores.groups import (
    AVERAGE,
    common_metrics,
    group_seed,
    named_scores,
    shared_facts,
    split_by,
)
from supersample.scores.prepared import corpus_part
from supersample.scores.schema import HUMAN, SCORE, validate_scores
from supersample.scores.selection import complete_cases

_WINDOW = "window"
SMALL = 0.01  # error of SPA that is warned of
NORMAL_ERRORS = (
    (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9),
    (0.0, 0.0023, 0.0059, 0.0121, 0.022, 0.0616, 0.158),
)
"""Share of one unit in the squared differences of two systems, and how far the normal p-value is
off at most, the other units being many: ``sup |(Phi((a - t) / b) + Phi((-a - t) / b)) / 2 -
Phi(-t)|``, a^2 the share and b^2 the rest."""
_FAR = 1e4  # scores further from zero than so many times their range are moved to zero


class Comparable(NamedTuple):
    """Scores of one group that are comparable across metrics: complete cases, oriented."""

    scores: xr.Dataset
    """The Scores on those segments, for labels and attributes."""
    human: NDArray[np.float64]
    """Shape (systems, segments), larger meaning better."""
    metrics: NDArray[np.float64]
    """Segment-level metrics, shape (metrics, systems, segments), larger meaning better."""
    corpus: tuple[ScaledCorpus, ...]
    """Corpus metrics, which have no scores of segments; in results they follow the others."""
    units: NDArray[np.generic] | None
    """Label of each segment's permutation unit; None where each segment is a unit."""
    seed: int
    """Keys everything random of this group."""

    @property
    def names(self) -> NDArray[np.str_]:
        """Labels of all metrics, segment-level ones first."""
        return all_metrics(self.scores)["metric"].to_numpy().astype(str)

    @property
    def higher_is_better(self) -> NDArray[np.bool_]:
        """Declared orientation of all metrics."""
        return all_metrics(self.scores)["higher_is_better"].to_numpy()

    def scorers(self) -> NDArray[np.float64]:
        """Human and segment-level scores by unit, (1 + metrics, systems, units), human first."""
        return self.by_unit(np.concatenate([self.human[np.newaxis], self.metrics]))

    def reordered(self, order: NDArray[np.intp]) -> "Comparable":
        """Put the systems in another order, but for those of `scores`."""
        return self._replace(
            human=self.human[order],
            metrics=self.metrics[:, order],
            corpus=tuple(metric.reordered(order) for metric in self.corpus),
        )

    def by_unit(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum scores of shape (scorers, systems, segments) over the segments of each unit."""
        if self.units is None:
            return values
        totals = unit_totals(values.transpose(1, 2, 0), self.units)
        return np.ascontiguousarray(totals.transpose(2, 0, 1))


class Groups(NamedTuple):
    """Groups of Scores, or a single one, and attributes for results."""

    of: dict[str, Comparable]
    grouped: bool
    """Whether there are groups, with an average over them, or a single set of Scores."""
    attrs: dict[Any, Any]

    @property
    def metrics(self) -> NDArray[np.str_]:
        """Labels of the metrics, the same in all groups."""
        return next(iter(self.of.values())).names

    def labels(self) -> list[str]:
        """Labels along the dimension ``group``, the average first."""
        return [AVERAGE, *self.of]

    def over(self, values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Stack the values of all groups under their average; a single set's are left alone."""
        if not self.grouped:
            return values[0]
        return np.stack([np.mean(values, axis=0), *values])


def comparable_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None,
    unit: Unit = "segment",
    seed: int = 0,
) -> Groups:
    """Settle what is compared: which segments, metrics, groups and units.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, or those of several language pairs by name.
    by : {"domain", "document"} or None
        Label of segments that groups one set of Scores.
    unit : {"segment", "document"} or int
        As in `PValues`.
    seed : int
        The seed of a group is a function of this one and the group's name.

    Raises
    ------
    InputError
        If Scores are invalid, lack the labels asked for, or leave nothing to compare.
    """
    if not isinstance(scores, xr.Dataset):
        return _of_mapping(named_scores(scores, by), unit, seed)
    complete = complete_cases(_with_windows(scores, unit))
    if by is None:
        whole = _comparable(complete, unit, seed)
        return Groups({"": whole}, False, dict(complete.attrs))
    parts, attrs = split_by(
        complete,
        by,
        lambda part: part.sizes["segment"] >= 2 and _unit_count(part, unit) >= 2,
        f"two complete {unit_name(unit)}s to permute",
    )
    groups = {name: _comparable(part, unit, group_seed(seed, name)) for name, part in parts.items()}
    return Groups(groups, True, {**complete.attrs, **attrs})


def unit_name(unit: Unit) -> str:
    """Name a permutation unit."""
    return f"window of {unit} segments" if isinstance(unit, int) else unit


def _of_mapping(scores: dict[str, xr.Dataset], unit: Unit, seed: int) -> Groups:
    for part in scores.values():
        validate_scores(part)
    common, alone = common_metrics({name: all_metrics(part) for name, part in scores.items()})
    groups = {}
    for name, part in scores.items():
        try:
            complete = complete_cases(_with_windows(with_metrics(part, common), unit))
            groups[name] = _comparable(complete, unit, group_seed(seed, name))
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    attrs: dict[Any, Any] = shared_facts([group.scores for group in groups.values()])
    attrs["metrics_left_out"] = ", ".join(f"{name} (not in all)" for name in alone)
    return Groups(groups, True, attrs)


def _with_windows(scores: xr.Dataset, unit: Unit) -> xr.Dataset:
    """Add the windows' numbers, before any segment is left out."""
    if not isinstance(unit, int) or "segment" not in scores.dims:
        return scores
    return scores.assign_coords({_WINDOW: ("segment", windows(scores.sizes["segment"], unit))})


def _unit_labels(scores: xr.Dataset, unit: Unit) -> NDArray[np.generic] | None:
    if unit == "segment" or unit == 1:
        return None
    if unit == "document":
        if "document" not in scores.coords:
            raise InputError("the unit is a document, but these Scores name no documents")
        return scores["document"].to_numpy()
    return scores[_WINDOW].to_numpy()


def _unit_count(scores: xr.Dataset, unit: Unit) -> int:
    labels = _unit_labels(scores, unit)
    return scores.sizes["segment"] if labels is None else int(np.unique(labels).size)


def _comparable(complete: xr.Dataset, unit: Unit, seed: int) -> Comparable:
    if _unit_count(complete, unit) < 2:
        raise InputError(f"there is only one {unit_name(unit)}, and nothing to permute")
    _check_size(complete, unit)
    human = complete[HUMAN.name].transpose(*HUMAN.dims).to_numpy()
    signs = np.where(complete["higher_is_better"].to_numpy(), 1.0, -1.0)[:, None, None]
    units = _unit_labels(complete, unit)
    higher = all_metrics(complete)["higher_is_better"]
    corpus = [
        scaled_corpus(
            *corpus_part(complete, metric),
            higher_is_better=bool(higher.sel(metric=metric)),
            units=units,
        )
        for metric in corpus_metrics(complete)
    ]
    return Comparable(
        complete,
        _near_zero(human)
        * (1.0 if complete[HUMAN.name].attrs.get("higher_is_better", 1) else -1.0),
        _near_zero(complete[SCORE.name].transpose(*SCORE.dims).to_numpy()) * signs,
        tuple(corpus),
        units,
        seed,
    )


def _check_size(complete: xr.Dataset, unit: Unit) -> None:
    """Refuse systems whose paired differences do not fit into memory; measured, 25 to 28 bytes."""
    systems, scorers = complete.sizes["system"], 1 + complete.sizes["metric"]
    needed = 32.0 * scorers * (systems * (systems - 1) // 2) * _unit_count(complete, unit)
    what = f"differences of all pairs of {systems:,} systems by {scorers} scorers"
    check_memory(needed, what, "keep fewer systems, metrics or segments")


def _near_zero(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract a scorer's lowest score, without any rounding, where all lie far from zero.

    Accuracies rest on differences of scores; what counts as a tie is relative to the scores, and
    would swallow differences of 1 between scores of 1e12. Other scores keep their bits.
    """
    lowest = scores.min(axis=(-2, -1), keepdims=True)
    spread = scores.max(axis=(-2, -1), keepdims=True) - lowest
    far = (spread > 0) & (np.abs(lowest) > _FAR * spread)
    return scores - np.where(far, lowest, 0.0) if far.any() else scores


def rounded_preferences(group: Comparable, ties: Ties = "half") -> NDArray[np.float64]:
    """Round the preferences of the pairs of systems, shape (1 + metrics, pairs), human first."""
    kinds = [
        preferences(pair_differences(x), ties=ties) for x in (group.human[None], group.metrics)
    ]
    first, second = system_pairs(group.human.shape[0])
    for metric in group.corpus:
        scores, room = metric.scores, TIE * np.abs(metric.scores)
        gap = scores[first] - scores[second]
        gap[np.abs(gap) <= room[first] + room[second]] = 0.0
        kinds.append(preferences(gap[np.newaxis, :, np.newaxis], ties=ties))
    return np.concatenate(kinds)


def soft_preferences(group: Comparable, p_values: PValues) -> NDArray[np.float64]:
    """p-values of the pairs of systems, shape (1 + metrics, pairs), human first."""
    of_segments = system_p_values(group.scorers(), p_values, seed=group.seed)
    of_corpora = [
        corpus_p_values(metric, p_values, seed=group.seed, scorer=len(of_segments) + i)
        for i, metric in enumerate(group.corpus)
    ]
    return np.concatenate([of_segments, *(p[np.newaxis] for p in of_corpora)])


def warn_if_constant(groups: Groups) -> None:
    """Name scorers whose scores are all the same in some group: they prefer no system."""
    constant = np.zeros(1 + groups.metrics.size, dtype=bool)
    for group in groups.of.values():
        scores = [group.human, *group.metrics, *(metric.scores for metric in group.corpus)]
        constant |= [bool(np.ptp(values) == 0) for values in scores]
    if constant.any():
        names = listed(np.array(["the human scores", *groups.metrics])[constant], 10)
        text = f"scores that do not vary prefer no system: {names}"
        warnings.warn(text, DegenerateScoreWarning, stacklevel=3)


def warn_if_dominated(groups: Groups, p_values: PValues) -> None:
    """Warn where few units decide, so that normal p-values may move SPA by more than `SMALL`.

    Named are scorers whose p-values are off by more than that on average over pairs, at worst.
    """
    if p_values.method != "normal":
        return
    errors = np.concatenate(
        [normal_errors(group.scorers()) for group in groups.of.values()], axis=1
    )
    names = ["the human scores", *groups.metrics]  # corpus metrics, the last, have no scores
    worst = [(names[i], error) for i, error in enumerate(errors.mean(axis=1)) if error > SMALL]
    if worst:
        text = (
            f"few {unit_name(p_values.unit)}s make most of the squared differences of systems, and "
            "the normal limit of p-values is off by up to "
            + listed((f"{error:.3f} for {name}" for name, error in worst), 5)
            + " on average over pairs; take exact p-values (--p-values exact)"
        )
        warnings.warn(text, ApproximationWarning, stacklevel=3)


def normal_errors(scorers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bound errors of normal p-values by the largest unit's share, shape (scorers, pairs)."""
    shares = []
    for scores in scorers:  # one at a time, whose differences a cache holds
        squares = np.square(pair_differences(scores))
        sums = squares.sum(axis=-1)
        shares.append(squares.max(axis=-1) / np.where(sums > 0, sums, 1.0))
    return np.asarray(np.interp(shares, *NORMAL_ERRORS))


def hard_accuracy(group: Comparable, ties: Ties = "half") -> NDArray[np.float64]:
    """PA of every metric of a group."""
    rounded = rounded_preferences(group, ties)
    return mean_agreement(rounded[0], rounded[1:])


def soft_accuracy(group: Comparable, p_values: PValues) -> NDArray[np.float64]:
    """SPA of every metric of a group."""
    p = soft_preferences(group, p_values)
    return mean_agreement(p[0], p[1:])
