"""Preferences of every scorer over the pairs of systems of a group, and what they agree to."""

import numpy as np
from numpy.typing import NDArray

from supersample.accuracies.inputs import Comparable
from supersample.accuracies.p_values import PValues, corpus_p_values, system_p_values
from supersample.inference.accuracies.agreement import TIE, Ties, mean_agreement, preferences
from supersample.inference.accuracies.sign_flip import pair_differences, system_pairs


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
    return np.concatenate([of_segments, *(own[np.newaxis] for own in of_corpora)])


def hard_accuracy(group: Comparable, ties: Ties = "half") -> NDArray[np.float64]:
    """PA of every metric of a group."""
    rounded = rounded_preferences(group, ties)
    return mean_agreement(rounded[0], rounded[1:])


def soft_accuracy(group: Comparable, p_values: PValues) -> NDArray[np.float64]:
    """SPA of every metric of a group."""
    p = soft_preferences(group, p_values)
    return mean_agreement(p[0], p[1:])
