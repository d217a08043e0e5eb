"""How often near-copies are suspected: in drawn sets with and without them, and in real sets."""

from dataclasses import replace

import numpy as np

from experiments.best.settings import real_scores
from experiments.common import DATA
from experiments.difference.study import Row
from experiments.teams.settings import alone, settings
from supersample.scores.inspection import close_groups

ALIKE = 0.9
"""Share of the variances that near-copies have in common."""


def suspected(seed: int, count: int) -> list[Row]:
    """Shares of drawn sets in which a team is named, and of sets without near-copies.

    Systems have names of their teams in both, and in real sets their own names.
    """
    rng = np.random.default_rng((seed, 46))
    named, alarms = [], []
    for setting in settings(seed, count).values():
        names = [f"team{team}-{i}" for i, team in enumerate(setting.team)]
        copies = replace(setting, alike_quality=ALIKE, alike_errors=ALIKE)
        named.append(bool(close_groups(names, copies.draw(rng, 1)[0])))
        alarms.append(bool(close_groups(names, alone(setting).draw(rng, 1)[0])))
    drawn: Row = {"set": f"{count} drawn", "found": float(np.mean(named))}
    rows: list[Row] = [{**drawn, "false_alarms": float(np.mean(alarms)), "named": ""}]
    for name, real in real_scores(DATA).items() if DATA.is_dir() else ():
        found = close_groups(list(real.systems), real.scores)
        teams = " ".join(f"{team} {len(systems)}" for team, systems in found.items())
        rows.append({"set": name, "named": teams})
    return rows
