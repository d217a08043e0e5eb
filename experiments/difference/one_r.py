"""Intervals of one r over systems: coverage, sides and width of every candidate."""

import numpy as np
from scipy.special import ndtri, stdtrit

from experiments.difference.plan import HALVES
from experiments.difference.settings import Two
from experiments.honest_inference.shapes import Floats
from supersample.inference.two_correlations.fisher_jackknife import (
    ScorePairs,
    jackknife_variance,
    sampled_pairs,
)

FISHER = "Fisher"
LEVEL = 0.975
Row = dict[str, float | str]


def arms(pairs: ScorePairs) -> dict[str, Floats]:
    """Half widths of 95 % intervals of the first metric's z, by every candidate."""
    n, normal = pairs.n, 1.0 / (pairs.n - 3)
    jackknife = jackknife_variance(pairs.left_a)
    ratio, t = np.maximum(1.0, jackknife / normal), stdtrit(n - 2, LEVEL)
    found = {FISHER: ndtri(LEVEL) * np.sqrt(np.full(ratio.shape, normal))}
    for half in HALVES:
        found[f"raised({half:g})"] = t * np.sqrt(normal * ratio ** (n / (n + half)))
    found["larger"] = t * np.sqrt(normal * ratio)
    found["jackknife"] = stdtrit(n - 1, LEVEL) * np.sqrt(jackknife)
    return found


def measure_one_r(name: str, two: Two, seed: tuple[int, ...], samples: int) -> list[Row]:
    """Coverage of each candidate in one setting, misses of its limits, and width by Fisher's."""
    r = float(two.correlations()[0])
    pairs = sampled_pairs(two.draw(np.random.default_rng(seed), samples))
    z = np.arctanh(np.clip(pairs.r_a, -1 + 1e-12, 1 - 1e-12))
    widths, rows = {}, []
    for candidate, arm in arms(pairs).items():
        low, high = np.tanh(z - arm), np.tanh(z + arm)
        widths[candidate] = float(np.mean(high - low))
        row: Row = {
            "setting": name,
            "systems": two.n,
            "r": r,
            "candidate": candidate,
            "cover": float(np.mean((low <= r) & (r <= high))),
            "above": float(np.mean(low > r)),
            "below": float(np.mean(high < r)),
            "width": widths[candidate] / widths[FISHER],
        }
        rows.append(row)
    return rows
