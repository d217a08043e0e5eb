"""Averages over groups: level and coverage of the average difference of two metrics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.honest_inference.plan import ALPHA
from experiments.honest_inference.populations import Setting, draw, random_settings
from experiments.honest_inference.shapes import Floats
from supersample.inference.two_correlations.averages import average_difference
from supersample.inference.two_correlations.system_scores import sampled_pairs

GROUPS = (2, 3, 5)
OWN_SHARE = 0.3
"""Of the variance of scores in a group of shared systems, beside what all groups have in common."""


@dataclass(frozen=True)
class GroupedSetting:
    """Groups of one population each, or one whose systems all groups share."""

    groups: tuple[Setting, ...]
    shared: bool


def grouped_settings(seed: int, count: int, *, null: bool) -> list[GroupedSetting]:
    """Draw settings: 2, 3 or 5 groups in turn, half of them with shared systems."""
    single = iter(random_settings(seed, 5 * count, null=null))
    settings = []
    for i in range(count):
        first = next(single)
        size, shared = GROUPS[i % 3], i % 2 == 1
        groups = (first,) * size if shared else (first, *(next(single) for _ in range(size - 1)))
        settings.append(GroupedSetting(groups, shared))
    return settings


def draw_groups(setting: GroupedSetting, rng: np.random.Generator, samples: int) -> list[Floats]:
    """Draw samples (samples, n, 3) of every group.

    Groups that share their systems have scores in common and, to `OWN_SHARE` of the variance,
    scores of their own, of the same population: correlations are the population's in each.
    """
    if not setting.shared:
        return [draw(group, rng, samples) for group in setting.groups]
    common = draw(setting.groups[0], rng, samples)
    own = [draw(group, rng, samples) for group in setting.groups]
    return [np.sqrt(1 - OWN_SHARE) * common + np.sqrt(OWN_SHARE) * each for each in own]


def measure_average(setting: GroupedSetting, seed: tuple[int, ...], samples: int) -> dict[str, Any]:
    """Share of rejections of an average difference of 0, or coverage of the true one, by scale."""
    rng = np.random.default_rng(seed)
    pairs = [sampled_pairs(scores) for scores in draw_groups(setting, rng, samples)]
    found: dict[str, Any] = {}
    r = np.array([[group.r_a, group.r_b] for group in setting.groups])
    for scale, of in (("r", r), ("z", np.arctanh(r))):
        truth = float((of[:, 0] - of[:, 1]).mean())
        average = average_difference(pairs, scale=scale, shared_systems=setting.shared)  # type: ignore[arg-type]
        covered = (average.lower <= truth) & (truth <= average.upper)
        found[scale] = {
            "coverage": float(covered.mean()),
            "rejected": float((average.p_value <= ALPHA).mean()),
        }
    return found
