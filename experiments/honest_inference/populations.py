"""Random populations of systems: people's scores, and those of two or of many metrics.

Systems have a quality q of mean 0 and variance 1, human scores

    h = sqrt(1 - s) q + sqrt(s) u,    s the share of noise (segments, raters) in their variance,

and metric k has scores

    x_k = p_k q + sqrt(1 - p_k^2) e_k,    p_k = r_k / sqrt(1 - s),

with errors of mean 0 and variance 1 that are uncorrelated with q, so that corr(h, x_k) = r_k
exactly, whatever the shapes. A metric's own noise of segments is part of e_k.
"""

from dataclasses import asdict, dataclass

import numpy as np

from experiments.honest_inference.shapes import (
    ERRORS,
    QUALITIES,
    Floats,
    error,
    growth_scale,
    joint_errors,
    quality,
)

SIZES = (8, 24)
R_RANGE = (0.7, 0.99)
GAP_RANGE = (0.0, 0.15)
SHARED_RANGE = (0.0, 0.95)
NOISE_RANGE = (0.003, 0.12)
NULL_SHARE = 0.3
"""Of settings in which both metrics are equally good."""
ONE_SHAPE_SHARE = 0.6
"""Of settings in which both metrics' errors have one shape."""


@dataclass(frozen=True)
class Setting:
    """A population and a sample size.

    Parameters
    ----------
    n : int
    r_a, r_b : float
        True correlations.
    shared : float
        Correlation of both errors (with unlike shapes: nearly).
    noise : float
        s.
    quality, error_a, error_b : str
        Names of `shapes`.
    quality_shape, error_shape : float
        Their parameters.
    joint : bool
        Whether errors of one shape fail on the same systems (`joint_errors`), or are sums of a
        common part and one of each metric.
    """

    n: int
    r_a: float
    r_b: float
    shared: float
    noise: float
    quality: str
    quality_shape: float
    error_a: str
    error_b: str
    error_shape: float
    joint: bool

    def __str__(self) -> str:
        parts = asdict(self).items()
        return ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in parts)


def random_settings(seed: int, count: int, *, null: bool | None = None) -> list[Setting]:
    """Draw settings: null True, all with r_a = r_b; False, none; None, 30 %.

    n is uniform on 8 to 24; the larger r uniform on Fisher's scale over .7 to .99, so that half lie
    above .93; the difference uniform on 0 to .15, with the smaller r at least .7; noise uniform on
    the log scale; shapes and their parameters uniform. r that human scores of so much noise do not
    allow are drawn again.
    """
    rng = np.random.default_rng(seed)
    settings: list[Setting] = []
    while len(settings) < count:
        equal = bool(rng.random() < NULL_SHARE) if null is None else null
        high = float(np.tanh(rng.uniform(*np.arctanh(R_RANGE))))
        low = high if equal else high - float(rng.uniform(*GAP_RANGE))
        noise = float(np.exp(rng.uniform(*np.log(NOISE_RANGE))))
        if low < R_RANGE[0] or high > 0.995 * np.sqrt(1 - noise):
            continue
        r_a, r_b = (high, low) if rng.random() < 0.5 else (low, high)
        first = str(rng.choice(ERRORS))
        second = first if rng.random() < ONE_SHAPE_SHARE else str(rng.choice(ERRORS))
        settings.append(
            Setting(
                n=int(rng.integers(SIZES[0], SIZES[1] + 1)),
                r_a=r_a,
                r_b=r_b,
                shared=float(rng.uniform(*SHARED_RANGE)),
                noise=noise,
                quality=str(rng.choice(QUALITIES)),
                quality_shape=float(rng.random()),
                error_a=first,
                error_b=second,
                error_shape=float(rng.random()),
                joint=bool(rng.random() < 0.5),
            )
        )
    return settings


def draw(setting: Setting, rng: np.random.Generator, samples: int) -> Floats:
    """Draw samples of system scores, shape (samples, n, 3): human, a, b."""
    q = quality(setting.quality, setting.quality_shape, rng, (samples, setting.n))
    grows = "growing" in (setting.error_a, setting.error_b)
    arguments = (setting.quality, setting.quality_shape, setting.error_shape)
    scale = growth_scale(*arguments) if grows else 1.0
    shape, rho = setting.error_shape, setting.shared
    if setting.error_a == setting.error_b and setting.joint:
        e_a, e_b = joint_errors(setting.error_a, shape, rho, rng, q, scale)
    else:
        common, e_a, e_b = (
            error(name, shape, rng, q, scale)
            for name in (setting.error_a, setting.error_a, setting.error_b)
        )
        e_a, e_b = (np.sqrt(rho) * common + np.sqrt(1 - rho) * e for e in (e_a, e_b))
    human = _human(q, setting.noise, rng)
    scores = [_metric(q, r, setting.noise, e) for r, e in ((setting.r_a, e_a), (setting.r_b, e_b))]
    return np.stack([human, *scores], axis=2)


@dataclass(frozen=True)
class ManyMetrics:
    """A population with many metrics, in families whose errors correlate.

    Parameters
    ----------
    n : int
    r : tuple of float
        True correlations.
    shared, of_family : float
        Shares of the errors' variance that all metrics have in common, and those of a family.
    families : int
        Metric k is of family k modulo this.
    noise, quality, quality_shape, error, error_shape
        As for `Setting`.
    """

    n: int
    r: tuple[float, ...]
    shared: float
    of_family: float
    noise: float
    quality: str
    quality_shape: float
    error: str
    error_shape: float
    families: int = 5


def draw_many(setting: ManyMetrics, rng: np.random.Generator, samples: int) -> Floats:
    """Draw samples of system scores, shape (samples, n, 1 + metrics), the human scores first."""
    q = quality(setting.quality, setting.quality_shape, rng, (samples, setting.n))
    arguments = (setting.quality, setting.quality_shape, setting.error_shape)
    scale = growth_scale(*arguments) if setting.error == "growing" else 1.0

    def errors() -> Floats:
        return error(setting.error, setting.error_shape, rng, q, scale)

    common, families = errors(), [errors() for _ in range(setting.families)]
    rest = np.sqrt(max(1 - setting.shared - setting.of_family, 0.0))
    scores = [_human(q, setting.noise, rng)]
    for k, r in enumerate(setting.r):
        e = (
            np.sqrt(setting.shared) * common
            + np.sqrt(setting.of_family) * families[k % setting.families]
        )
        scores.append(_metric(q, r, setting.noise, e + rest * errors()))
    return np.stack(scores, axis=2)


def _human(q: Floats, noise: float, rng: np.random.Generator) -> Floats:
    return np.asarray(np.sqrt(1 - noise) * q + np.sqrt(noise) * rng.standard_normal(q.shape))


def _metric(q: Floats, r: float, noise: float, e: Floats) -> Floats:
    p = r / np.sqrt(1 - noise)
    return np.asarray(p * q + np.sqrt(1 - p * p) * e)
