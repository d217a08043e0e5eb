"""Populations of two metrics: real shapes of single sets and of pooled ones, and drawn ones."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from experiments.best.settings import real_scores
from experiments.difference.plan import LEAST_R, NOISE, SIZES
from experiments.honest_inference.populations import Setting, draw, random_settings
from experiments.honest_inference.shapes import Floats
from experiments.wmt import read_wmt12

TUNING = "tuning-task"
POOLED = (
    ("WMT15 cs-en", "WMT15 de-en"),
    ("WMT15 en-cs", "WMT15 en-de"),
    ("WMT23 en-de", "WMT23 zh-en"),
)


class Two(Protocol):
    """A population of people's scores and those of two metrics."""

    n: int

    def correlations(self) -> Floats:
        """Three true correlations: of both metrics with people, and with each other."""

    def with_r(self, r_a: float, r_b: float) -> "Two":
        """Give the metrics other correlations with people; their errors keep their form."""

    def draw(self, rng: np.random.Generator, samples: int) -> Floats:
        """Draw scores (samples, n, 3), people's first."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Real systems, drawn with these chances, plus normal noise with their own covariance."""

    n: int
    scores: Floats
    """Shape (systems, 3), of mean 0 and covariance 1 by the chances of systems."""
    chances: Floats
    noise: float

    def correlations(self) -> Floats:
        """See `Two`."""
        r = (self.scores * self.chances[:, np.newaxis]).T @ self.scores
        return np.array([r[0, 1], r[0, 2], r[1, 2]])

    def with_r(self, r_a: float, r_b: float) -> "Shape":
        """See `Two`."""
        people, own = self.scores[:, :1], self.correlations()[:2]
        errors = (self.scores[:, 1:] - own * people) / np.sqrt(1 - own**2)
        r = np.array([r_a, r_b])
        made = np.concatenate([people, r * people + np.sqrt(1 - r**2) * errors], axis=1)
        return replace(self, scores=made)

    def draw(self, rng: np.random.Generator, samples: int) -> Floats:
        """See `Two`."""
        at = rng.choice(len(self.scores), (samples, self.n), p=self.chances)
        root = self.scores * np.sqrt(self.chances)[:, np.newaxis]
        kernel = rng.standard_normal((samples, self.n, len(root))) @ root
        return np.asarray(self.scores[at] + self.noise * kernel)


@dataclass(frozen=True)
class Made:
    """A drawn population."""

    setting: Setting

    @property
    def n(self) -> int:
        """Systems of a sample."""
        return self.setting.n

    def correlations(self) -> Floats:
        """See `Two`; that of the metrics is measured."""
        s = self.setting
        drawn = draw(replace(s, n=1_000), np.random.default_rng(0), 100).reshape(-1, 3)
        return np.array([s.r_a, s.r_b, np.corrcoef(drawn.T)[1, 2]])

    def with_r(self, r_a: float, r_b: float) -> "Made":
        """See `Two`."""
        return Made(replace(self.setting, r_a=r_a, r_b=r_b))

    def draw(self, rng: np.random.Generator, samples: int) -> Floats:
        """See `Two`."""
        return draw(self.setting, rng, samples)


class Source(NamedTuple):
    """Standardised scores of a set, and the team of each system."""

    scores: Floats
    teams: tuple[str, ...]
    metrics: tuple[str, ...]


def settings(seed: int, count: int, data: Path) -> dict[str, Two]:
    """Draw so many settings of each group; names start with the group."""
    rng = np.random.default_rng((seed, 44))
    sources = dict(_sources(data))
    found: dict[str, Two] = {}
    for group, names in (
        ("single", [x for x in sources if "+" not in x]),
        ("pooled", [x for x in sources if "+" in x]),
    ):
        for i in range(count):
            name = names[i % len(names)]
            found[f"{group} | {name} | {i}"] = _shape(sources[name], rng)
    for i, setting in enumerate(random_settings(seed, count, null=True)):
        found[f"drawn | {i}"] = Made(setting)
    return found


def _shape(source: Source, rng: np.random.Generator) -> Shape:
    """Draw two metrics, a number of systems and the noise; make the metrics equally good."""
    _, own, sizes = np.unique(source.teams, return_inverse=True, return_counts=True)
    chances = 1.0 / sizes[own] / len(sizes)
    scores = source.scores - chances @ source.scores
    scores = scores / np.sqrt(chances @ scores**2)
    r = (scores * chances[:, np.newaxis]).T[0] @ scores
    good = np.flatnonzero(r[1:] > LEAST_R) + 1
    a, b = rng.choice(good, 2, replace=False)
    n = int(rng.integers(SIZES[0], SIZES[1] + 1))
    noise = float(rng.uniform(*NOISE))
    shape = Shape(n, scores[:, [0, a, b]], chances, noise)
    middle = float(np.tanh(np.arctanh(np.clip(r[[a, b]], 0, 0.995)).mean()))
    return shape.with_r(middle, middle)


def _sources(data: Path) -> Iterator[tuple[str, Source]]:
    """Read single and pooled sets; those of WMT15 with the tuning task as one team, and without."""
    sets: dict[str, Source] = {}
    for name, real in real_scores(data).items():
        z = (real.scores - real.scores.mean(axis=0)) / real.scores.std(axis=0)
        teams = tuple(TUNING if TUNING in system else system for system in real.systems)
        sets[name] = Source(z, teams, real.metrics)
    scores = read_wmt12(data, "es-en")
    sign = np.where(scores["higher_is_better"].to_numpy(), 1.0, -1.0)
    of_metrics = scores["system_score"].transpose("system", "metric").to_numpy() * sign
    z = np.column_stack([scores["system_human"].to_numpy(), of_metrics])
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    sets["WMT12 es-en"] = Source(z, tuple(map(str, scores["system"].values)), ())
    for name, source in sets.items():
        yield name, source
        others = np.array([team != TUNING for team in source.teams])
        if not others.all() and others.sum() >= SIZES[0] - 1:
            kept = tuple(np.array(source.teams)[others].tolist())
            yield f"{name} without {TUNING}", Source(source.scores[others], kept, source.metrics)
    for names in POOLED:
        both = [sets[name] for name in names]
        metrics = [m for m in both[0].metrics if m in both[1].metrics]
        columns = [[0, *(1 + of.metrics.index(m) for m in metrics)] for of in both]
        rows = [of.scores[:, at] for of, at in zip(both, columns, strict=True)]
        teams = tuple(f"{i} {team}" for i, of in enumerate(both) for team in of.teams)
        yield "+".join(names), Source(np.concatenate(rows), teams, tuple(metrics))
