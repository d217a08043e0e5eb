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
from experiments.teams.suspicion import suspected
from supersample.inference.arguments import Interval
from supersample.inference.comparisons_with_best import (
    PairTests,
    compare_pairs,
    compare_score_pairs,
)
from supersample.inference.two_correlations.fisher_jackknife import (
    HALF_WEIGHT,
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
        return len(self.left_a) - 1.0


class AsSystems(Jackknife):
    """Pairs whose variance is that of as many independent systems as there are teams."""

    @cached_property
    def variance(self) -> Floats:  # type: ignore[override]
        """Normal variance of as many systems, raised by the jackknife."""
        count = len(self.left_a)
        normal = self.normal_variance * (self.n - 3) / (count - 3)
        raised = np.maximum(1.0, self.jackknife_variance / normal) ** (
            count / (count + HALF_WEIGHT)
        )
        return np.asarray(normal * raised)

    @property
    def freedom(self) -> float:
        """Teams less two."""
        return len(self.left_a) - 2.0


def measure(
    name: str, setting: Clustered, seed: tuple[int, ...], samples: int, candidates: Sequence[str]
) -> list[Row]:
    """Rates of candidates in one setting.

    "unknown teams" takes systems as independent; "no teams" does so in the same population without
    near-copies.
    """
    rng = np.random.default_rng(seed)
    scores, single = setting.draw(rng, samples), alone(setting).draw(rng, samples)
    pairs = _pairs(scores, setting.team)
    parts = [getattr(pairs, field.name) for field in fields(pairs)]
    ways = {
        "jackknife": lambda: Jackknife(*parts),
        "larger": lambda: pairs,
        "as systems": lambda: AsSystems(*parts),
        "unknown teams": lambda: _pairs(scores, None),
        "no teams": lambda: _pairs(single, None),
    }
    r = np.array(setting.r)
    found: list[Row] = []
    for way in candidates:
        rates = _rates(ways[way](), r)
        found.append({"setting": name, "candidate": way, **rates})
    return found


def _pairs(scores: Floats, team: Sequence[int] | None) -> ScorePairs:
    return score_pairs(scores, *np.triu_indices(scores.shape[2] - 1, 1), teams=team)


def _rates(pairs: ScorePairs, r: Floats) -> dict[str, float]:
    """Say how often what is wrong: the best, pairs, equal pairs, limits behind the best."""
    limits = fisher_jackknife_interval(pairs)
    p = fisher_jackknife(pairs).p_value
    rows = []
    for i in range(len(p)):
        values = {field.name: getattr(pairs, field.name) for field in fields(pairs)}
        axes = dict.fromkeys(("human", "a", "b", "left_a", "left_b"), 1)
        own = {k: x if k == "teams" else x.take(i, axes.get(k, 0)) for k, x in values.items()}
        of_one = Interval(limits.lower[i], limits.upper[i])
        rows.append(_wrong(type(pairs)(**own), of_one, p[i], r))
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


def _wrong(pairs: ScorePairs, limits: Interval, p: Floats, r: Floats) -> dict[str, float]:
    """Say what is wrong in one sample."""
    first, second = np.triu_indices(r.size, 1)
    seen = np.zeros(r.size)
    seen[first], seen[second] = pairs.r_a, pairs.r_b
    if isinstance(pairs, Jackknife):  # the quantile of each pair's own test, by Holm
        q = pairs.quantile
        tests = PairTests(q, pairs.r_a - pairs.r_b, *limits, q, pairs.same)
        best, adjusted = compare_pairs(seen, tests, confidence_level=1 - ALPHA)
    else:
        best, adjusted = compare_score_pairs(seen, pairs, limits, confidence_level=1 - ALPHA)
    truth = np.sign(np.round(r[first] - r[second], 9))
    claimed = adjusted[first, second] <= ALPHA
    behind = r.max() - r
    covers = (best.behind_lower <= behind + 1e-12) & (behind <= best.behind_upper + 1e-12)
    equal: NDArray[np.bool_] = truth == 0
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


def _parts(plan: Plan) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Seeds and candidates of each part; the second round was added afterwards."""
    return {
        "choosing": (plan.choosing, ("jackknife", "larger", "unknown teams", "no teams")),
        "second-round": (plan.choosing, ("as systems",)),
        "confirming": (plan.confirming, ("larger", "unknown teams", "no teams")),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(prog="python -m experiments.teams")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--part", choices=("choosing", "second-round", "confirming", "suspicion"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    plan: Plan = SMOKE if chosen.smoke else FULL
    for part, (seed, candidates) in _parts(plan).items():
        if chosen.part in (None, part):
            rows = [
                row
                for i, (name, setting) in enumerate(settings(seed, plan.settings).items())
                for row in measure(name, setting, (seed, i), plan.samples, candidates)
            ]
            write(chosen.out / f"{part}-settings.csv", rows)
            write(chosen.out / f"{part}.csv", summary(rows))
    if chosen.part in (None, "suspicion"):
        write(chosen.out / "suspicion.csv", suspected(plan.suspecting, plan.suspected))
    return 0
