"""Populations of teams of systems, with near-copies within teams."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.honest_inference.shapes import (
    ERRORS,
    QUALITIES,
    Floats,
    error,
    growth_scale,
    quality,
)
from experiments.teams.plan import DESIGNS, KINDS, LARGEST_N, METRICS


@dataclass(frozen=True)
class Clustered:
    """Teams of systems whose quality and errors are those of the team, in part.

    Parameters
    ----------
    team : tuple of int
        Team of each system.
    r : tuple of float
        True correlations of the metrics with people.
    alike_quality, alike_errors : float
        Shares of the variances that systems of one team have in common.
    shared : float
        Share of errors' variance that metrics have in common.
    noise : float
        Share of noise in people's scores.
    quality, quality_shape, error, error_shape
        Shapes of both; see `experiments.honest_inference.shapes`.
    """

    team: tuple[int, ...]
    r: tuple[float, ...]
    alike_quality: float
    alike_errors: float
    shared: float
    noise: float
    quality: str
    quality_shape: float
    error: str
    error_shape: float

    def draw(self, rng: np.random.Generator, samples: int) -> Floats:
        """Draw scores (samples, systems, 1 + metrics), people's first."""
        team = np.array(self.team)
        of_teams, own = (samples, team.max() + 1), (samples, team.size)
        shapes = (self.quality, self.quality_shape, self.error_shape)
        scale = growth_scale(*shapes) if self.error == "growing" else 1.0
        q_team = quality(self.quality, self.quality_shape, rng, of_teams)

        def mixed(of: Floats, alike: float) -> Floats:
            alone = rng.standard_normal(own)
            return np.sqrt(alike) * of[:, team] + np.sqrt(1 - alike) * alone

        def errors() -> Floats:
            of = error(self.error, self.error_shape, rng, q_team, scale)
            return mixed(of, self.alike_errors)

        q, common = mixed(q_team, self.alike_quality), errors()
        human = np.sqrt(1 - self.noise) * q + np.sqrt(self.noise) * rng.standard_normal(own)
        scores = [human]
        for r in self.r:
            p = r / np.sqrt(1 - self.noise)
            e = np.sqrt(self.shared) * common + np.sqrt(1 - self.shared) * errors()
            scores.append(p * q + np.sqrt(1 - p * p) * e)
        return np.stack(scores, axis=2)


def settings(seed: int, count: int, designs: Sequence[str] = DESIGNS) -> dict[str, Clustered]:
    """Draw so many settings, designs and kinds in turn."""
    rng = np.random.default_rng((seed, 45))
    found = {}
    for i in range(count):
        design, kind = designs[i % len(designs)], KINDS[i // len(designs) % len(KINDS)]
        found[f"{design} | {kind} | {i}"] = _drawn(design, kind, rng)
    return found


def alone(setting: Clustered) -> Clustered:
    """Give each system its own team: the same population without near-copies."""
    return Clustered(tuple(range(len(setting.team))), *list(vars(setting).values())[1:])


def _drawn(design: str, kind: str, rng: np.random.Generator) -> Clustered:
    top_z = float(rng.uniform(*np.arctanh((0.75, 0.985))))
    z = np.full(METRICS, top_z)
    if kind == "graded":
        z = np.minimum(np.linspace(top_z, np.arctanh(rng.uniform(0.5, 0.8)), METRICS), top_z)
    elif kind == "near-equal":
        z = top_z - np.linspace(0, rng.uniform(0.02, 0.3), METRICS)
    return Clustered(
        team=tuple(np.repeat(np.arange(len(sizes := _sizes(design, rng))), sizes).tolist()),
        r=tuple(map(float, np.tanh(z))),
        alike_quality=float(rng.uniform(0.5, 1)),
        alike_errors=float(rng.uniform(0.5, 0.99)),
        shared=float(rng.uniform(0, 0.8)),
        noise=min(
            float(np.exp(rng.uniform(*np.log((0.001, 0.3))))), 1 - (np.tanh(top_z) / 0.99) ** 2
        ),
        quality=str(rng.choice(QUALITIES)),
        quality_shape=float(rng.random()),
        error=str(rng.choice(ERRORS)),
        error_shape=float(rng.random()),
    )


def _sizes(design: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Sizes of five teams or more, of 8 to 24 systems together, one with at least two."""
    while True:
        teams = int(rng.integers(5, 13))
        sizes = np.ones(teams, np.int64)
        if design == "equal":
            sizes = sizes * int(rng.integers(2, 5))
        elif design == "one large":
            sizes[0] = int(rng.integers(2, teams + 2))
        elif design == "few pairs":
            pairs = int(rng.integers(1, 4))
            sizes = np.repeat([2, 1], [pairs, int(rng.integers(6, 19))])
        else:
            sizes = rng.integers(1, 5, teams)
        if 8 <= sizes.sum() <= LARGEST_N and sizes.max() > 1:
            return sizes
