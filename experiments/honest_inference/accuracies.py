"""Ten metrics by soft pairwise accuracy: what the set of the best leaves out."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import supersample as ss
from experiments.honest_inference.plan import ALPHA
from experiments.honest_inference.shapes import Floats


@dataclass(frozen=True)
class AccuracySetting:
    """Metrics of segments of the same systems, compared by soft pairwise accuracy.

    Parameters
    ----------
    systems, segments, metrics : int
    noise : float
        Standard deviation of segments' noise of the human scores; systems' is 1.
    deviations : tuple of float
        Of metrics' noise; equal ones are equally good.
    shared : float
        Share of the metrics' noise that all have in common.
    tails : {"normal", "t4", "skewed"}
    """

    systems: int
    segments: int
    noise: float
    deviations: tuple[float, ...]
    shared: float
    tails: str


def accuracy_settings(seed: int) -> dict[str, AccuracySetting]:
    """Six settings of ten equally good metrics, and four whose noise is graded.

    The committed results have two more, "equal 7" and "equal 8", by swaps of whole systems, which
    SPA had then.
    """
    rng = np.random.default_rng(seed)
    settings = {}
    for i in range(6):
        settings[f"equal {i + 1}"] = AccuracySetting(
            systems=int(rng.integers(6, 15)),
            segments=int(rng.integers(40, 200)),
            noise=float(rng.uniform(2, 8)),
            deviations=(float(rng.uniform(2, 8)),) * 10,
            shared=float(rng.uniform(0, 0.8)),
            tails=("normal", "t4", "skewed")[i % 3],
        )
    for i in range(4):
        base = settings[f"equal {i + 1}"]
        deviations = tuple(float(d) for d in np.geomspace(2, 12, 10))
        settings[f"graded {i + 1}"] = replace(base, deviations=deviations)
    return settings


def measure_accuracies(
    setting: AccuracySetting, seed: tuple[int, ...], samples: int
) -> dict[str, float]:
    """Shares of samples in which the best is left out of the set, and in which it has shrunk.

    Metrics of equal noise are all the best. Otherwise the best has the largest SPA on average over
    the samples, which need not be the one of least noise: SPA asks for people's own confidence.
    """
    rng = np.random.default_rng(seed)
    accuracy, kept = [], []
    for number in range(samples):
        scores = _drawn_scores(setting, rng)
        with warnings.catch_warnings():  # some samples are dominated by few segments
            warnings.simplefilter("ignore", ss.ApproximationWarning)
            found = ss.compare(
                scores,
                "SPA",
                resamples=199,
                seed=number,
                workers="synchronous",
            )
        accuracy.append(found["value"].to_numpy().ravel())
        kept.append(found["p_best"].to_numpy().ravel() > ALPHA)
    means, in_set = np.mean(accuracy, axis=0), np.array(kept)
    best = (means == means.max()) | (len(set(setting.deviations)) == 1)
    return {
        "best": float(best.argmax()),
        "best_left_out": float((best & ~in_set).any(axis=1).mean()),
        "shrunk": float((~in_set).any(axis=1).mean()),
        "set_size": float(in_set.sum(axis=1).mean()),
    }


def _drawn_scores(setting: AccuracySetting, rng: np.random.Generator) -> Any:
    shape = (setting.systems, setting.segments)

    def noise(*lead: int) -> Floats:
        size = (*lead, *shape)
        if setting.tails == "t4":
            return np.asarray(rng.standard_t(4, size) / np.sqrt(2))
        if setting.tails == "skewed":
            return 1 - rng.exponential(size=size)
        return rng.standard_normal(size)

    quality = rng.standard_normal(shape[0])[:, np.newaxis]
    common, own = noise(), noise(len(setting.deviations))
    mixed = np.sqrt(setting.shared) * common + np.sqrt(1 - setting.shared) * own
    deviations = np.asarray(setting.deviations)[:, np.newaxis, np.newaxis]
    return ss.make_scores(
        quality + setting.noise * noise(),
        quality + deviations * mixed,
        systems=[f"system-{i}" for i in range(shape[0])],
        segments=[f"segment-{i}" for i in range(shape[1])],
        metrics=[f"metric-{i}" for i in range(len(deviations))],
    )
