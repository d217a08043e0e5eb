"""How often near-copies are suspected: in drawn sets with and without them, and in real sets."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from experiments.best.settings import real_scores
from experiments.common import DATA
from experiments.difference.study import Row
from experiments.honest_inference.shapes import Floats
from experiments.teams.plan import DESIGNS
from experiments.teams.settings import alone, settings
from experiments.wmt import WMT23_PAIRS, read_wmt20, read_wmt23
from supersample.scores.near_copies import (
    CLOSE_ERRORS,
    CLOSE_SCORES,
    close_groups,
    distance_of_errors,
    distance_of_scores,
)

LIMITS = {"scores": CLOSE_SCORES, "segments": CLOSE_ERRORS}
ALIKE = 0.9
"""Share of the variances that near-copies have in common."""
FACTORS = 3
"""Factors of segments that unrelated systems share, each to another extent."""


def suspected(seed: int, count: int) -> list[Row]:
    """Shares of drawn sets in which a team is named, and of sets without near-copies.

    Systems have names of their teams in both, and in real sets their own names.
    """
    rng = np.random.default_rng((seed, 46))
    found: dict[str, list[tuple[bool, bool]]] = {"scores": [], "segments": []}
    for setting in settings(seed, count, DESIGNS[:3]).values():
        names = [f"team{team}-{i}" for i, team in enumerate(setting.team)]
        copies = replace(setting, alike_quality=ALIKE, alike_errors=ALIKE)
        drawn = [distance_of_scores(x.draw(rng, 1)[0]) for x in (copies, alone(setting))]
        found["scores"].append(_named(names, drawn, "scores"))
        size, metrics = int(np.exp(rng.uniform(*np.log((100, 1_000))))), len(setting.r)
        alike, team = float(rng.uniform(0.3, 0.9)), np.array(setting.team, np.int64)
        drawn = [
            _distance(_segments(rng, of, size, 1 + metrics, alike))
            for of in (team, np.arange(team.size))
        ]
        found["segments"].append(_named(names, drawn, "segments"))
    rows: list[Row] = []
    for of, both in found.items():
        share, alarms = np.mean(both, axis=0).tolist()
        rows.append({"set": f"{count} drawn", "of": of, "found": share, "false_alarms": alarms})
        rows[-1]["named"] = ""
    return rows + [_real(*real) for real in _real_distances()]


def _named(names: list[str], distances: list[Floats], of: str) -> tuple[bool, bool]:
    """Say whether a team is named with near-copies, and without."""
    copies, single = (bool(close_groups(names, x, LIMITS[of])) for x in distances)
    return copies, single


def _segments(
    rng: np.random.Generator, team: NDArray[np.int64], size: int, scorers: int, alike: float
) -> Floats:
    """Draw errors of segments, (scorers, systems, segments); scorers have half in common."""
    loadings = rng.normal(0, 0.35, (team.size, FACTORS))
    shared = loadings @ rng.standard_normal((FACTORS, size))

    def own() -> Floats:
        of_teams = rng.standard_normal((int(team.max()) + 1, size))[team]
        alone = rng.standard_normal((team.size, size))
        return np.asarray(np.sqrt(alike) * of_teams + np.sqrt(1 - alike) * alone)

    common = own()
    parts = [(common + own()) / np.sqrt(2) for _ in range(scorers)]
    return np.asarray(shared + np.stack(parts))


def _distance(scores: Floats) -> Floats:
    distance = distance_of_errors(scores)
    assert distance is not None
    return distance


def _real_distances() -> Iterator[tuple[str, str, list[str], Floats]]:
    """Distances of systems of real sets, by scores of systems and of segments."""
    if not DATA.is_dir():
        return
    for name, real in real_scores(DATA).items():
        yield name, "scores", list(real.systems), distance_of_scores(real.scores)
    of_segments: dict[str, xr.Dataset] = {"WMT20 en-de": read_wmt20(DATA)}
    of_segments |= {f"WMT23 {pair}": read_wmt23(DATA, pair) for pair in WMT23_PAIRS}
    for name, scores in of_segments.items():
        values = np.concatenate([scores["human"].to_numpy()[np.newaxis], scores["score"]])
        yield name, "segments", list(map(str, scores["system"].values)), _distance(values)


def _real(name: str, of: str, systems: list[str], distance: Floats) -> Row:
    """Teams that are named in a real set, and share of other pairs named if they were called so."""
    found = close_groups(systems, distance, LIMITS[of])
    alarms = []
    for pair in combinations(range(len(systems)), 2):
        called = [f"same-{i}" if i in pair else f"other{i}" for i in range(len(systems))]
        if not any({systems[i] for i in pair} <= set(team) for team in found.values()):
            alarms.append(bool(close_groups(called, distance, LIMITS[of])))
    named = " ".join(f"{team} {len(members)}" for team, members in found.items())
    row: Row = {"set": name, "of": of, "false_alarms": float(np.mean(alarms)), "named": named}
    return row
