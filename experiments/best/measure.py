"""Shares of samples in which each candidate is wrong, and how much it finds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from experiments.best.candidates import (
    BORROWED,
    LAWS,
    NOISES,
    STATISTIC,
    STATISTICS,
    Sampled,
    behind_lower,
    chunks,
    critical,
    multiplier_p_values,
    upper_limits,
)
from experiments.best.plan import ALPHA, DIVISORS
from experiments.best.settings import Setting
from experiments.honest_inference import best_set
from experiments.honest_inference.shapes import Floats
from supersample.inference.comparisons_with_best import DIVISOR

FLIPS = 999
TODAY = "today"
COMPARED = "compare_metrics"
"""What the library does."""
PAIRS = "borrowed from the upper half, both rows, half"
MULTIPLIED = (STATISTIC, "borrowed from the upper half, both rows")
Counts = dict[str, dict[str, list[Floats]]]


def measure(
    setting: Setting, seed: tuple[int, ...], samples: int, slow_samples: int
) -> dict[str, dict[str, float]]:
    """Measure every candidate in one setting.

    Names are KIND | STATISTIC | LAW | DIVISOR, KIND being "best" (which metrics could be the best),
    "pairs" or "behind". The best: ``wrong`` (share in which a given best is left out, of the role
    that is left out most), ``mean_wrong`` (over the best metrics), ``left`` (metrics). Pairs:
    ``wrong`` (any false pair), ``found``. Behind: ``cover`` (over rows), ``least_cover`` (of a
    role), ``width``. The first `slow_samples` alone have today's set, joint laws and limits.
    """
    rng = np.random.default_rng(seed)
    drawn = setting.draw(rng, samples)
    truth = Truth.of(setting)
    counts: Counts = {}
    for part in chunks(drawn):
        for name in STATISTICS:
            _count_statistic(name, part, truth, counts)
        _count_compared(part, truth, counts)
    for part in chunks(drawn[:slow_samples]):
        _count_limits(part, truth, counts)
        _count_behind(part, truth, counts)
        for name in MULTIPLIED:
            for noise in NOISES:
                p = multiplier_p_values(part.statistics[name], part.influences, noise, rng)
                _add(counts, f"best | {name} | multipliers {noise:g} | 1", out=p <= ALPHA)
    _count_today(drawn[:slow_samples], truth, counts)
    return {name: truth.summary(name, parts) for name, parts in counts.items()}


def measure_chosen(
    setting: Setting, seed: tuple[int, ...], samples: int, slow_samples: int
) -> dict[str, dict[str, float]]:
    """Measure in one setting what was chosen, and today's."""
    drawn = setting.draw(np.random.default_rng(seed), samples)
    truth = Truth.of(setting)
    counts: Counts = {}
    for part in chunks(drawn):
        for name in (STATISTIC, PAIRS):
            _count_statistic(name, part, truth, counts)
        _count_compared(part, truth, counts)
    for part in chunks(drawn[:slow_samples]):
        _count_behind(part, truth, counts)
    _count_today(drawn[:slow_samples], truth, counts)
    return {name: truth.summary(name, parts) for name, parts in counts.items()}


class Truth:
    """What is true of a setting, and how counts are summed up."""

    def __init__(self, r: Floats, roles: list[tuple[float, ...]]) -> None:
        self.r = r
        self.first, self.second = np.triu_indices(r.size, 1)
        self.best = r >= r.max() - 1e-9
        self.behind = r.max() - r
        ahead = r[self.first] - r[self.second]
        self.sign = np.where(np.abs(ahead) < 1e-9, 0.0, np.sign(ahead))
        self.roles = [np.array([other == role for other in roles]) for role in sorted(set(roles))]

    @classmethod
    def of(cls, setting: Setting) -> "Truth":
        """Truth of a setting."""
        return cls(np.asarray(setting.r), setting.roles)

    def summary(self, name: str, parts: dict[str, list[Floats]]) -> dict[str, float]:
        """Means over samples."""
        of = {key: np.concatenate(values) for key, values in parts.items()}
        if name.startswith("best"):
            out = of["out"].mean(axis=0)
            best = [
                float(out[role & self.best].mean()) for role in self.roles if _any(role & self.best)
            ]
            left = float((~of["out"]).sum(axis=1).mean())
            return {"wrong": max(best), "mean_wrong": float(out[self.best].mean()), "left": left}
        if name.startswith("pairs"):
            return {"wrong": float(of["false"].mean()), "found": float(of["found"].mean())}
        cover = of["cover"].mean(axis=0)
        least = min(float(cover[role].mean()) for role in self.roles)
        width = float(of["width"].mean())
        return {"cover": float(cover.mean()), "least_cover": least, "width": width}


def _any(mask: NDArray[np.bool_]) -> bool:
    return bool(mask.any())


def _add(counts: Counts, name: str, **values: NDArray[Any]) -> None:
    of_name = counts.setdefault(name, {})
    for key, value in values.items():
        of_name.setdefault(key, []).append(value)


def _count_statistic(name: str, part: Sampled, truth: Truth, counts: Counts) -> None:
    q = part.statistics[name]
    largest = q.max(axis=-2)
    others = q.shape[-1] - 1
    of_pairs = q[..., truth.first, truth.second]
    order = np.argsort(-np.abs(of_pairs), axis=-1)
    size = np.take_along_axis(np.abs(of_pairs), order, -1)
    false = np.take_along_axis(np.sign(of_pairs) != truth.sign, order, -1)
    steps = -ndtri(ALPHA / (2 * np.arange(size.shape[-1], 0, -1)))
    for divisor in DIVISORS if name in BORROWED else (1.0,):
        for law in LAWS:
            c = divisor * critical(law, ALPHA, others)
            _add(counts, f"best | {name} | {law} | {divisor:g}", out=largest > c)
        claimed = np.logical_and.accumulate(size >= divisor * steps, axis=-1)
        any_false = (claimed & false).any(axis=-1)
        found = (claimed & ~false).sum(axis=-1)
        _add(counts, f"pairs | {name} | Holm | {divisor:g}", false=any_false, found=found)


def _count_limits(part: Sampled, truth: Truth, counts: Counts) -> None:
    count = truth.r.size
    uppers = {level: upper_limits(part, level).max(axis=-2) for level in (0.9, 0.95)}
    for name in STATISTICS:
        for law in LAWS:
            for divisor in (1.0, 1.1) if name in BORROWED else (1.0,):
                for level in (0.025, 0.05):
                    c = divisor * critical(law, level, count - 1)
                    lower = behind_lower(part.statistics[name], part.r, c)
                    for confidence, upper in uppers.items():
                        covers = (lower <= truth.behind) & (truth.behind <= upper)
                        label = f"{law} {level:g}, upper {confidence:g}"
                        key = f"behind | {name} | {label} | {divisor:g}"
                        _add(counts, key, cover=covers, width=(upper - lower).mean(axis=-1))


def _count_today(drawn: Floats, truth: Truth, counts: Counts) -> None:
    signs = best_set.sign_flips(drawn.shape[1], FLIPS)
    for scores in drawn:
        best, _, adjusted = best_set.compare_metrics(scores, signs)
        r = np.corrcoef(scores.T)[0, 1:]
        seen = np.sign(r[truth.first] - r[truth.second])
        claimed = adjusted[truth.first, truth.second] <= ALPHA
        false = np.array([(claimed & (seen != truth.sign)).any()])
        found = np.array([(claimed & (seen == truth.sign)).sum()])
        _add(counts, f"best | {TODAY} | all | 1", out=(best <= ALPHA)[np.newaxis])
        _add(counts, f"pairs | {TODAY} | all | 1", false=false, found=found)


def _count_compared(part: Sampled, truth: Truth, counts: Counts) -> None:
    """Count what `compare_metrics` claims, computed for many samples at once."""
    out, claimed = compared(part)
    seen = np.sign(part.r[:, truth.first] - part.r[:, truth.second])
    _add(counts, f"best | {COMPARED} | all | 1", out=out)
    false = (claimed & (seen != truth.sign)).any(axis=-1)
    found = (claimed & (seen == truth.sign)).sum(axis=-1)
    _add(counts, f"pairs | {COMPARED} | all | 1", false=false, found=found)


def _count_behind(part: Sampled, truth: Truth, counts: Counts) -> None:
    """Count what the limits of `compare_metrics` cover."""
    lower, upper = behind(part)
    covers = (lower <= truth.behind) & (truth.behind <= upper)
    width = (upper - lower).mean(axis=-1)
    _add(counts, f"behind | {COMPARED} | limits | 1", cover=covers, width=width)


def behind(part: Sampled) -> tuple[Floats, Floats]:
    """Limits of `compare_metrics` for three or more metrics without copies, (samples, K)."""
    q = part.statistics[STATISTIC]
    c = critical("Bonferroni", ALPHA, q.shape[-1] - 1)
    upper = np.maximum(upper_limits(part, 1 - ALPHA).max(axis=-2), 0.0)
    ahead = part.r[..., :, np.newaxis] - part.r[..., np.newaxis, :]
    possible = (q.max(axis=-2) <= c)[..., np.newaxis] & ~np.eye(q.shape[-1], dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(possible & (q < 0), ahead * (1 + c / q), 0.0).max(axis=-2)
    upper = np.where(upper > 0, upper, least)
    return behind_lower(q, part.r, c), np.where(possible.any(axis=-2), upper, 0.0)


def compared(part: Sampled) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Give what `compare_metrics` finds of three or more metrics without copies.

    Which are ruled out (samples, K), and which pairs differ (samples, pairs).
    """
    q, of_pairs = part.statistics[STATISTIC], part.statistics[PAIRS] / DIVISOR
    first, second = part.index
    c = critical("Bonferroni", ALPHA, q.shape[-1] - 1)
    out = q.max(axis=-2) > c
    size = np.abs(of_pairs[..., first, second])
    order = np.argsort(-size, axis=-1)
    steps = -ndtri(ALPHA / (2 * np.arange(size.shape[-1], 0, -1)))
    stepped = np.logical_and.accumulate(np.take_along_axis(size, order, -1) >= steps, axis=-1)
    claimed = np.zeros(size.shape, bool)
    np.put_along_axis(claimed, order, stepped, -1)
    loser_out = np.where(part.r[:, first] < part.r[:, second], out[:, first], out[:, second])
    return out, claimed & loser_out
