"""Run what `plan` fixed, and write ``results``."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

import supersample as ss
from experiments.best.settings import Setting, drawn_settings, real_settings
from experiments.common import DATA
from experiments.data import require
from experiments.retrospective.correlations import test_sets
from experiments.survival.asked import ceilings, if_true, in_new_sets, without_outliers
from experiments.survival.plan import FULL, RIVALS, SMOKE, Plan
from experiments.survival.rivals import all_rivals
from experiments.survival.sets import (
    scores_array,
    scores_of_documents,
    survived,
    system_scores,
    write,
)
from experiments.survival.survivors import at_levels, listed, survivors
from experiments.wmt import read_wmt23, wmt23_pairs
from supersample.errors import told_elsewhere

RESULTS = Path(__file__).parent / "results"
NEEDS = ("wmt12", "wmt15", "wmt20", "mt-metrics-eval-v2")
PARTS = ("sets", "asked", "settings")
Row = Mapping[str, object]


Sets = Mapping[str, xr.Dataset]


def of_sets(sets: Sets, documents: Sets) -> list[Row]:
    """Count claims and survivors of every set."""
    rows: list[Row] = []
    for name, systems in sets.items():
        metrics = systems.sizes["metric"]
        sizes = {"systems_n": systems.sizes["system"], "metrics": metrics}
        sizes["pairs"] = metrics * (metrics - 1) // 2
        rows.append({"set": name, **sizes, **survived(systems, documents.get(name))})
    return rows


def of_all_metrics(data: Path) -> list[Row]:
    """Count claims and survivors in WMT23 with the metrics that need no reference."""
    sets = {f"WMT23 {pair}": read_wmt23(data, pair, metrics="all") for pair in wmt23_pairs(data)}
    with told_elsewhere(ss.OrientationWarning):  # prismSrc has a negative r
        return of_sets({name: ss.system_level_scores(of) for name, of in sets.items()}, sets)


def all_metrics(data: Path) -> Sets:
    """System-level scores of WMT23 with the metrics that need no reference."""
    return {
        f"WMT23 {pair}": ss.system_level_scores(read_wmt23(data, pair, metrics="all"))
        for pair in wmt23_pairs(data)
    }


def rivals_of_sets(sets: Sets, plan: Plan) -> list[Row]:
    """Count by each method the metrics that could be the best on new systems."""
    rows: list[Row] = []
    for i, (name, systems) in enumerate(sets.items()):
        scores = scores_array(systems)
        if scores.shape[1] < 4:
            continue
        left = all_rivals(scores, np.random.default_rng((plan.seed, i)), plan, plan.of_sets)
        counts = {method: int(of.sum()) for method, of in left.items()}
        rows.append({"set": name, "metrics": scores.shape[1] - 1, **counts})
    return rows


def settings_of(plan: Plan, data: Path) -> dict[str, Setting]:
    """Drawn settings and real shapes with few enough metrics."""
    found = {**drawn_settings(plan.seed, plan.each), **real_settings(data)}
    return {name: of for name, of in found.items() if len(of.r) <= plan.most}


def measured(name: str, setting: Setting, plan: Plan) -> list[Row]:
    """Measure how often each method leaves out the best in one setting."""
    rng = np.random.default_rng((plan.seed, *name.encode()))
    r = np.asarray(setting.r)
    best = r >= r.max() - 1e-9
    roles = [np.array([of == role for of in setting.roles]) & best for role in set(setting.roles)]
    given = [role for role in roles if role.any()]
    out: dict[str, list[np.ndarray]] = {method: [] for method in RIVALS}
    for scores in setting.draw(rng, plan.samples):
        for method, left in all_rivals(scores, rng, plan, plan.resamples).items():
            out[method].append(~left)
    real = name.startswith("WMT")
    rows: list[Row] = []
    for method, samples in out.items():
        of = np.array(samples)
        rows.append(
            {
                "setting": name,
                "group": "real" if real else "drawn",
                "method": method,
                "best": int(best.sum()),
                "given_out": round(max(float(of[:, role].mean()) for role in given), 4),
                "any_out": round(float(of[:, best].any(axis=1).mean()), 4),
                "left": round(float((~of).mean()), 4),
            }
        )
    return rows


def main(arguments: Sequence[str] | None = None, results: Path = RESULTS) -> int:
    """Run the study; ``--smoke`` is a small version that writes nothing into the repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--to", type=Path, default=results)
    asked = parser.parse_args(arguments)
    plan = SMOKE if asked.smoke else FULL
    require(DATA, *NEEDS)
    parts = (asked.part,) if asked.part else PARTS
    if "sets" in parts:
        documents = scores_of_documents(DATA)
        sets = system_scores(DATA, documents)
        write(asked.to / "survival.csv", of_sets(sets, documents))
        write(asked.to / "all-metrics.csv", of_all_metrics(DATA))
        write(asked.to / "rivals.csv", rivals_of_sets(sets, plan))
    if "asked" in parts:
        documents, sets = scores_of_documents(DATA, ()), test_sets(DATA)
        write(asked.to / "outliers.csv", without_outliers(sets, documents))
        write(asked.to / "ceilings.csv", ceilings(sets, documents, plan))
        write(asked.to / "if-true.csv", if_true(sets, plan))
        write(asked.to / "new-sets.csv", in_new_sets(sets))
        every = all_metrics(DATA)
        named = survivors(sets, "reference") + survivors(every, "all")
        write(asked.to / "survivors.csv", named)
        write(asked.to / "williams-levels.csv", at_levels(sets, list(documents)))
        write(asked.to / "listed.csv", listed(DATA))
    if "settings" in parts:
        rows: list[Row] = []
        for name, setting in settings_of(plan, DATA).items():
            rows += measured(name, setting, plan)
        write(asked.to / "rivals-settings.csv", rows)
    return 0
