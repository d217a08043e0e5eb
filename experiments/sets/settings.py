"""Populations of several test sets, which share systems, and in which metrics vary between sets.

A system has a quality, and each metric an error on it, that are the same wherever it takes part;
each set adds a quality and errors of its own. So the errors of one metric on one system correlate
by ``error_correlation`` between two sets. Shapes of quality and errors, their common parts and
families are those of ``experiments/best``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.honest_inference.populations import NOISE_RANGE
from experiments.honest_inference.shapes import (
    ERRORS,
    QUALITIES,
    Floats,
    error,
    growth_scale,
    quality,
)
from experiments.sets.plan import (
    COUNTS,
    ERROR_CORRELATION,
    KINDS,
    METRICS,
    OVERLAPS,
    POWER_COMMON,
    POWER_CORRELATION,
    POWER_SYSTEMS,
    SCALES,
    SIZES,
    TAU,
)

QUALITY_KEPT = 0.8
"""Of the variance of quality, what a system takes along to every set."""
LARGEST_R = 0.995
"""Of a metric with people, by the largest that the noise of human scores allows."""


@dataclass(frozen=True)
class Sets:
    """Populations of all sets, and which systems take part.

    Parameters
    ----------
    members : tuple of tuples of int
        Numbers of each set's systems, among all.
    z : tuple of tuples of float
        Fisher's z of the true correlations, (sets, metrics).
    scale : {"r", "z"}
        What is averaged over the sets.
    error_correlation : float
    shared, of_family : tuple of float
        Shares of each metric's error variance that are common to all metrics, and to its family.
    family : tuple of int
    noise, quality, quality_shape, error, error_shape
        As for `experiments.honest_inference.populations.Setting`.
    tau : float
        Standard deviation of the metrics' z from set to set, where sets are drawn too.
    """

    members: tuple[tuple[int, ...], ...]
    z: tuple[tuple[float, ...], ...]
    scale: str
    error_correlation: float
    shared: tuple[float, ...]
    of_family: tuple[float, ...]
    family: tuple[int, ...]
    noise: float
    quality: str
    quality_shape: float
    error: str
    error_shape: float
    tau: float = 0.0

    @property
    def systems(self) -> int:
        """Distinct systems."""
        return 1 + max(max(of) for of in self.members)

    def draw(self, rng: np.random.Generator, samples: int) -> list[Floats]:
        """Draw scores (samples, systems, 1 + metrics) of each set, the human ones first."""
        kept, rho = QUALITY_KEPT, self.error_correlation
        everywhere = self._quality(rng, (samples, self.systems))
        errors = self._errors(rng, everywhere)
        z = np.asarray(self.z)
        if self.tau:
            z = z + self.tau * rng.standard_normal((samples, *z.shape))
        else:
            z = np.broadcast_to(z, (samples, *z.shape))
        top = np.arctanh(LARGEST_R * np.sqrt(1 - self.noise))
        found = []
        for g, of in enumerate(self.members):
            own = self._quality(rng, (samples, len(of)))
            q = np.sqrt(kept) * everywhere[:, of] + np.sqrt(1 - kept) * own
            e = np.sqrt(rho) * errors[:, of] + np.sqrt(1 - rho) * self._errors(rng, q)
            noise = rng.standard_normal(q.shape)
            human = np.sqrt(1 - self.noise) * q + np.sqrt(self.noise) * noise
            p = np.tanh(np.minimum(z[:, g], top))[:, np.newaxis] / np.sqrt(1 - self.noise)
            scores = p * q[..., np.newaxis] + np.sqrt(1 - p * p) * e
            found.append(np.concatenate([human[..., np.newaxis], scores], axis=2))
        return found

    def _quality(self, rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
        return quality(self.quality, self.quality_shape, rng, size)

    def _errors(self, rng: np.random.Generator, q: Floats) -> Floats:
        """Draw errors of all metrics, (samples, systems, metrics)."""
        shapes = (self.quality, self.quality_shape, self.error_shape)
        scale = growth_scale(*shapes) if self.error == "growing" else 1.0

        def draw() -> Floats:
            return error(self.error, self.error_shape, rng, q, scale)

        common, families = draw(), {of: draw() for of in sorted(set(self.family))}
        parts = zip(self.shared, self.of_family, self.family, strict=True)
        return np.stack(
            [
                np.sqrt(shared) * common
                + np.sqrt(of_family) * families[family]
                + np.sqrt(max(1 - shared - of_family, 0.0)) * draw()
                for shared, of_family, family in parts
            ],
            axis=2,
        )

    @property
    def values(self) -> Floats:
        """True value of each metric in each set, on the scale that is averaged."""
        z = np.asarray(self.z)
        return z if self.scale == "z" else np.tanh(z)


def members(
    rng: np.random.Generator, count: int, overlap: str, sizes: tuple[int, int] = SIZES
) -> tuple[tuple[int, ...], ...]:
    """Draw the systems of each set: all the same, none, a core, or some of all by chance."""
    n = [int(rng.integers(sizes[0], sizes[1] + 1)) for _ in range(count)]
    if overlap == "all":
        return (tuple(range(n[0])),) * count
    if overlap == "by chance":
        total = int(max(n) * rng.uniform(1.1, 2.5))
        drawn = [np.sort(rng.choice(total, size, replace=False)) for size in n]
        names = np.unique(np.concatenate(drawn))
        return tuple(tuple(map(int, np.searchsorted(names, of))) for of in drawn)
    core = 0 if overlap == "none" else int(min(n) * rng.uniform(0.2, 0.9))
    found, used = [], core
    for size in n:
        found.append((*range(core), *range(used, used + size - core)))
        used += size - core
    return tuple(found)


def drawn_sets(
    seed: int, each: int, counts: tuple[int, ...] = COUNTS, *, random_sets: bool = False
) -> dict[str, Sets]:
    """Draw some settings of each kind, number of sets and overlap.

    With `random_sets` the metrics' z vary with every sample, and half of the settings have the
    largest tau.
    """
    rng = np.random.default_rng(seed)
    return {
        f"{kind}, {count} sets, systems shared: {overlap}, {i + 1}": _drawn(
            rng, kind, count, overlap, random_sets
        )
        for kind in (KINDS[:1] if random_sets else KINDS)
        for count in counts
        for overlap in (OVERLAPS if count > 1 else ("all",))
        for i in range(each * (2 if random_sets else 1))
    }


def _drawn(
    rng: np.random.Generator, kind: str, count: int, overlap: str, random_sets: bool
) -> Sets:
    metrics = int(rng.choice(METRICS))
    noise = float(np.exp(rng.uniform(*np.log(NOISE_RANGE))))
    highest = float(np.arctanh(LARGEST_R * np.sqrt(1 - noise)))
    top_z = min(float(rng.uniform(*np.arctanh((0.75, 0.975)))), highest - 0.1)
    common = float(rng.uniform(0, 0.8))
    of_family = float(rng.uniform(0, 1 - common)) * 0.9
    z = np.full(metrics, top_z)
    if kind == "graded":
        z = np.linspace(top_z, min(top_z, np.arctanh(rng.uniform(0.5, 0.8))), metrics)
    elif kind == "near-equal":
        z = top_z - np.linspace(0, rng.uniform(0.02, 0.3), metrics)
    scale = str(rng.choice(SCALES))
    tau = TAU[1] if random_sets and rng.random() < 0.5 else float(rng.uniform(*TAU))
    apart = np.zeros((count, metrics)) if random_sets else _apart(rng, (count, metrics), tau / 2)
    r = np.tanh(z)
    each = z + apart if scale == "z" else np.arctanh(r + (1 - r * r) * apart)
    while each.max() > highest:
        apart = apart / 2
        each = z + apart if scale == "z" else np.arctanh(r + (1 - r * r) * apart)
    return Sets(
        members=members(rng, count, overlap),
        z=tuple(tuple(map(float, row)) for row in each),
        scale=scale,
        error_correlation=float(rng.uniform(*ERROR_CORRELATION)),
        shared=(common,) * metrics,
        of_family=(of_family,) * metrics,
        family=tuple(k % 5 for k in range(metrics)),
        noise=noise,
        quality=str(rng.choice(QUALITIES)),
        quality_shape=float(rng.random()),
        error=str(rng.choice(ERRORS)),
        error_shape=float(rng.random()),
        tau=tau if random_sets else 0.0,
    )


def _apart(rng: np.random.Generator, shape: tuple[int, int], tau: float) -> NDArray[np.float64]:
    """Draw differences between sets that are 0 on average over them."""
    drawn = np.clip(tau * rng.standard_normal(shape), -0.3, 0.3)
    return np.asarray(drawn - drawn.mean(axis=0))


def power_sets(
    name: str,
    r: tuple[float, float],
    metrics: int,
    count: int,
    error_correlation: float = POWER_CORRELATION,
) -> Sets:
    """Build the population of a row of `POWER`: normal scores, the same systems in all sets."""
    graded = np.linspace(*r, metrics)
    values = graded if name == "graded" else np.where(graded == r[0], *r)
    return Sets(
        members=(tuple(range(POWER_SYSTEMS)),) * count,
        z=(tuple(map(float, np.arctanh(values))),) * count,
        scale="z",
        error_correlation=error_correlation,
        shared=(POWER_COMMON,) * metrics,
        of_family=(0.0,) * metrics,
        family=(0,) * metrics,
        noise=0.0,
        quality="normal",
        quality_shape=0.5,
        error="normal",
        error_shape=0.5,
    )
