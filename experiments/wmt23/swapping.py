"""The task's own tests, written plainly: scores (or pairs of translations) swapped one by one.

As ``PermutationSigDiff`` and ``PairwisePermutationSigDiff`` of mt-metrics-eval do, without their
early stopping; p is (k + 1) / (B + 1) here as well.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import supersample as ss

Floats = NDArray[np.float64]
TESTED = (
    ("wmt23 en-de pearson", "COMET", "YiSi-1"),
    ("wmt23 en-de pearson", "MetricX-23", "BLEU"),
    ("wmt23 en-de pearson/none swap scores", "mbr-metricx-qe", "MaTESe"),
    ("wmt23 en-de pearson/none swap scores", "COMET", "Calibri-COMET22"),
    ("wmt23 en-de pearson/none swap scores", "XLsim", "f200spBLEU"),
    ("wmt23 en-de acc_eq/item swap pairs", "COMET", "BLEURT-20"),
    ("wmt23 en-de acc_eq/item swap pairs", "MEE4", "BERTscore"),
    ("wmt23 en-de acc_eq/item swap pairs", "GEMBA-MQM", "CometKiwi"),
)
"""Tasks, and pairs of metrics, the better one first."""


def p_values(data: Path, resamples: int) -> Iterator[tuple[str, str, str, float]]:
    """Task, two metrics, and the p-value that the first is the better one."""
    root = data / "mt-metrics-eval-v2"
    segments = ss.read_mtme(root, "wmt23", "en-de", metrics="primary")
    systems = ss.read_mtme(root, "wmt23", "en-de", metrics="primary", level="system")
    random = np.random.default_rng(23)
    for task, first, second in TESTED:
        if "acc_eq" in task:
            credits = [pair_credits(segments, name) for name in (first, second)]
            p = swapped(*credits, np.mean, resamples, random)
        else:
            human, scores = vectors(systems, segments, task, [first, second])

            def r(x: Floats, human: Floats = human) -> float:
                return float(np.corrcoef(human, x)[0, 1])

            p = swapped(*scores, r, resamples, random)
        yield task, first, second, p


def vectors(
    systems: xr.Dataset, segments: xr.Dataset, task: str, metrics: list[str]
) -> tuple[Floats, list[Floats]]:
    """Human scores, and z-scores of metrics, of systems or of rated translations."""
    if "none" not in task:
        human = systems["system_human"].to_numpy()
        scores = [systems["system_score"].sel(metric=name).to_numpy() for name in metrics]
    else:
        rated = segments["human"].notnull().to_numpy()
        human = segments["human"].to_numpy()[rated]
        scores = [segments["score"].sel(metric=name).to_numpy()[rated] for name in metrics]
    return human, [(x - x.mean()) / x.std() for x in scores]


def pair_credits(segments: xr.Dataset, metric: str) -> Floats:
    """Whether the metric is right on each pair of translations of one segment, all rated ones."""
    agreement = ss.agreement(segments, "acc_eq")
    threshold = agreement["threshold"].sel(metric=metric).item()
    human = segments["human"].to_numpy()
    rated = ~np.isnan(human).any(axis=0)
    first, second = np.triu_indices(len(human), 1)
    x = segments["score"].sel(metric=metric).to_numpy()[:, rated]
    d = x[first] - x[second]
    order = np.where(np.abs(d) <= threshold, 0.0, np.sign(d))
    human = human[:, rated]
    return np.asarray((order == np.sign(human[first] - human[second])).astype(float).ravel())


def swapped(
    first: Floats,
    second: Floats,
    statistic: Callable[[Floats], float],
    resamples: int,
    random: np.random.Generator,
) -> float:
    """One-sided p-value of the difference of a statistic of two metrics."""
    observed = statistic(first) - statistic(second)
    count = 0
    for _ in range(resamples):
        mask = random.random(first.size) < 0.5
        left, right = np.where(mask, second, first), np.where(mask, first, second)
        count += statistic(left) - statistic(right) >= observed - 1e-10
    return (count + 1) / (resamples + 1)
