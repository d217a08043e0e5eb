"""Run what `plan` fixed, and write ``results``."""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.difference.study import Row, write
from experiments.honest_inference.shapes import Floats
from experiments.teams.plan import ALPHA, FULL, SMOKE, Plan
from experiments.teams.settings import Clustered, alone, settings
from supersample.inference.comparisons_with_best import (
    PairTests,
    compare_pairs,
    compare_score_pairs,
)
from supersample.inference.two_correlations.fisher_jackknife import (
    ScorePairs,
    fisher_jackknife,
    fisher_jackknife_interval,
    score_pairs,
)

RESULTS = Path(__file__).parent / "results"


class Jackknife(ScorePairs):
    """Pairs whose variance is the jackknife's."""

    @cached_property
    def variance(self) -> Floats:  # type: ignore[override]
        """Variance by the jackknife over teams."""
        return self.jackknife_variance

    @property
    def freedom(self) -> float:
        """Teams less one."""
        return self.units - 1.0


class Larger(Jackknife):
    """Pairs whose variance is the larger one of the normal and the jackknife's."""

    @cached_property
    def variance(self) -> Floats:  # type: ignore[override]
        """The larger variance; the normal one is that of the systems."""
        normal = self.normal_variance * (self.units - 3) / (self.n - 3)
        return np.maximum(normal, self.jackknife_variance)


def measure(name: str, setting: Clustered, seed: tuple[int, ...], samples: int) -> list[Row]:
    """Rates of every candidate, of today's test that takes systems as independent, and without.

    "no teams" is the same population without near-copies, each system declared a team.
    """
    rng = np.random.default_rng(seed)
    ways: dict[str, list[dict[str, float]]] = {}
    for scores, single in zip(
        setting.draw(rng, samples), alone(setting).draw(rng, samples), strict=True
    ):
        pairs = _pairs(scores, setting.team)
        parts = [getattr(pairs, field.name) for field in fields(pairs)]
        found = {"jackknife": Jackknife(*parts), "larger": Larger(*parts), "as systems": pairs}
        found["unknown teams"] = _pairs(scores, None)
        found["no teams"] = _pairs(single, tuple(range(len(single))))
        for way, own in found.items():
            ways.setdefault(way, []).append(_wrong(own, np.array(setting.r)))
    return [
        {"setting": name, "candidate": way}
        | {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
        for way, rows in ways.items()
    ]


def _pairs(scores: Floats, team: Sequence[int] | None) -> ScorePairs:
    return score_pairs(scores, *np.triu_indices(scores.shape[1] - 1, 1), teams=team)


def _wrong(pairs: ScorePairs, r: Floats) -> dict[str, float]:
    """Say what is wrong in one sample: the best, pairs, equal pairs, limits behind the best."""
    first, second = np.triu_indices(r.size, 1)
    seen = np.zeros(r.size)
    seen[first], seen[second] = pairs.r_a, pairs.r_b
    seen[0] = pairs.r_a[0]
    limits = fisher_jackknife_interval(pairs)
    compared = compare_score_pairs(seen, pairs, limits, confidence_level=1 - ALPHA)
    if isinstance(pairs, Jackknife):  # the quantile of each pair's own test, by Holm
        tests = PairTests(
            pairs.quantile, pairs.r_a - pairs.r_b, *limits, pairs.quantile, pairs.same
        )
        compared = compare_pairs(seen, tests, confidence_level=1 - ALPHA)
    best, adjusted = compared
    truth = np.sign(np.round(r[first] - r[second], 9))
    claimed = adjusted[first, second] <= ALPHA
    behind = r.max() - r
    covers = (best.behind_lower <= behind + 1e-12) & (behind <= best.behind_upper + 1e-12)
    equal: NDArray[np.bool_] = truth == 0
    p = fisher_jackknife(pairs).p_value
    return {
        "best_out": float((best.p_best <= ALPHA)[r >= r.max() - 1e-9].mean()),
        "false_pair": float((claimed & (np.sign(pairs.r_a - pairs.r_b) != truth)).any()),
        "level": float((p[equal] <= ALPHA).mean()) if equal.any() else float("nan"),
        "behind": float(covers.mean()),
        "left": float((best.p_best > ALPHA).mean()),
        "pairs": float((claimed & (np.sign(pairs.r_a - pairs.r_b) == truth)).mean()),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """Means, worst cases and shares of settings, by candidate."""
    found: list[Row] = []
    for candidate in dict.fromkeys(str(row["candidate"]) for row in rows):
        own = [row for row in rows if row["candidate"] == candidate]
        one: Row = {"candidate": candidate, "settings": len(own)}
        for key in list(own[0])[2:]:
            values = np.array([row[key] for row in own], np.float64)
            one[key] = float(np.nanmean(values))
            if key in ("best_out", "false_pair", "level"):
                one[f"{key}_worst"] = float(np.nanmax(values))
                known = values[~np.isnan(values)]
                one[f"{key}_within_7"] = float((known <= 0.07).mean())
            if key == "behind":
                one["behind_worst"] = float(values.min())
        found.append(one)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(prog="python -m experiments.teams")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--part", choices=("choosing", "confirming"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    plan: Plan = SMOKE if chosen.smoke else FULL
    for part, seed in (("choosing", plan.choosing), ("confirming", plan.confirming)):
        if chosen.part in (None, part):
            rows = [
                row
                for i, (name, setting) in enumerate(settings(seed, plan.settings).items())
                for row in measure(name, setting, (seed, i), plan.samples)
            ]
            write(chosen.out / f"{part}-settings.csv", rows)
            write(chosen.out / f"{part}.csv", summary(rows))
    return 0
