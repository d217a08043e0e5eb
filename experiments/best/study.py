"""Run what `plan` fixed; results are kept by setting, so that a study can be resumed."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.best.documents import OfDocuments, document_settings, measure_documents
from experiments.best.joint import joint_table, measure_joint, worst_limits_table
from experiments.best.joint import settings_table as joint_settings_table
from experiments.best.measure import COMPARED, TODAY, measure, measure_chosen
from experiments.best.plan import FULL, SMOKE, Plan
from experiments.best.settings import Setting, dozen_settings, drawn_settings, real_settings
from experiments.best.wmt23 import wmt23_table
from experiments.common import DATA, OUT
from experiments.data import require
from supersample.execution.checksums import keyed
from supersample.execution.stores import Store, open_store
from supersample.presentation.table import Column, Table, to_markdown
from supersample.results.outputs import Results, write_results

KIND = "study of the best metrics"
OF_DOCUMENTS = ("documents", "documents-again", "documents-other")
PARTS = ("choosing", "confirming", "again", "joint", *OF_DOCUMENTS, "wmt23")
OF_DATA = (*OF_DOCUMENTS, "wmt23")
VERSION = 4
DOCUMENTS_VERSION = 1
JOINT_VERSION = 1
SLOW = ("SPA", "PA")
Found = dict[str, dict[str, dict[str, float]]]
"""By setting and candidate."""


def settings_of(seed: int, each: int, data: Path | None) -> dict[str, Setting]:
    """Drawn settings and, where there are data, real shapes."""
    real = {} if data is None else real_settings(data)
    return {**drawn_settings(seed, each), **real}


def seed_of(plan: Plan, part: str) -> int:
    """Seed of a part over systems."""
    return {"choosing": plan.choosing, "confirming": plan.confirming, "again": plan.again}[part]


def run(store: Store, plan: Plan, part: str, settings: Mapping[str, Setting]) -> Found:
    """Compute what is missing, and give all results."""
    seed = seed_of(plan, part)
    of_setting = measure if part == "choosing" else measure_chosen
    found: Found = {}
    for i, (name, setting) in enumerate(settings.items()):
        arguments = (setting, (seed, i), plan.samples, plan.slow_samples)
        key = keyed(version=VERSION, arguments=repr(arguments))
        content = store.read(key)
        if content is None:
            content = json.dumps(of_setting(*arguments)).encode()
            store.write(key, content)
        found[name] = json.loads(content)
    return found


def documents_of(plan: Plan, part: str) -> list[OfDocuments]:
    """List the settings of a part over documents."""
    if part == "documents-other":
        return document_settings(plan.documents_other, "da-sqm")
    return document_settings(plan.documents if part == "documents" else plan.documents_again)


def run_documents(
    store: Store, plan: Plan, settings: Sequence[OfDocuments]
) -> dict[str, dict[str, dict[str, float]]]:
    """Measure what is claimed of new documents, setting by setting."""
    found = {}
    for setting in settings:
        slow = setting.measure in SLOW
        samples = plan.slow_document_samples if slow else plan.document_samples
        fitted = plan.fitted // 4 if slow else plan.fitted
        arguments = (setting, samples, plan.replicates, fitted)
        key = keyed(version=DOCUMENTS_VERSION, arguments=repr(arguments))
        content = store.read(key)
        if content is None:
            content = json.dumps(measure_documents(*arguments)).encode()
            store.write(key, content)
        found[setting.name] = json.loads(content)
    return found


def run_joint(store: Store, plan: Plan, data: Path | None) -> dict[str, Table]:
    """Measure how often any statement is wrong, of the confirming settings and the third seed."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    settings: dict[str, dict[str, Setting]] = {}
    for part in ("confirming", "again"):
        seed = seed_of(plan, part)
        settings[part] = settings_of(seed, plan.confirming_each, data)
        found[part] = {}
        for i, (name, setting) in enumerate(settings[part].items()):
            arguments = (setting, (seed, i), plan.samples)
            key = keyed(version=JOINT_VERSION, arguments=repr(arguments))
            content = store.read(key)
            if content is None:
                content = json.dumps(measure_joint(*arguments)).encode()
                store.write(key, content)
            found[part][name] = json.loads(content)
    tables = {
        "joint": joint_table(found, settings, plan.samples),
        "joint-settings": joint_settings_table(found, settings),
    }
    if data is not None:
        tables["worst-limits"] = worst_limits_table(data, found["again"], settings["again"])
    return tables


def documents_table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Table:
    """One row a setting and a variant."""
    keys = ("wrong", "most_wrong", "pairs_wrong", "pairs_found", "cover", "width", "left")
    columns = (
        Column("setting", "setting"),
        Column("variant", "variance"),
        *(Column(key, key, ".4f") for key in keys),
        Column("gap", "gap", ".4f"),
        Column("deviation", "deviation", ".4f"),
    )
    rows = [
        (name, variant, *(of[variant][key] for key in keys), facts["gap"], facts["deviation"])
        for name, of in found.items()
        for facts in (of["population"],)
        for variant in of
        if variant != "population"
    ]
    return Table(columns, tuple(rows), "New documents")


def summaries(found: Found, settings: Mapping[str, Setting]) -> dict[str, dict[str, float]]:
    """Sum up each candidate over the settings.

    ``bad``: average of ``wrong`` or of 1 - cover; ``bad_95``: what 95 % of the settings keep;
    ``worst``; ``gain``: metrics left by all metrics, pairs found by all pairs, in graded settings,
    or the mean width; ``gain_real``: the same in the real settings as they are.
    """
    rows: dict[str, dict[str, float]] = {}
    for name in next(iter(found.values())):
        bad = np.array([_bad(of[name]) for of in found.values()])
        graded = [k for k in found if k.startswith("graded")]
        real = [k for k in found if k.endswith("as it is")]
        rows[name] = {
            "bad": float(bad.mean()),
            "bad_95": float(np.quantile(bad, 0.95)),
            "worst": float(bad.max()),
            "gain": _mean_gain(name, found, settings, graded),
            "gain_real": _mean_gain(name, found, settings, real),
        }
    return rows


def _bad(of: Mapping[str, float]) -> float:
    return of["wrong"] if "wrong" in of else 1.0 - of["cover"]


def _mean_gain(
    name: str, found: Found, settings: Mapping[str, Setting], chosen: Sequence[str]
) -> float:
    values = []
    for setting in chosen:
        of, count = found[setting][name], len(settings[setting].r)
        if "left" in of:
            values.append(of["left"] / count)
        else:
            values.append(of["found"] / (count * (count - 1) / 2) if "found" in of else of["width"])
    return float(np.mean(values)) if values else float("nan")


def keeps(row: Mapping[str, float]) -> bool:
    """Whether a candidate keeps the bounds of `plan`: 5 % on average, 7 % in 95 % of settings."""
    return row["bad"] <= 0.05 and row["bad_95"] <= 0.07


def choices(rows: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Choose by the rule: a candidate for the best, and one for pairs."""
    chosen = {}
    for kind, better in (("best", min), ("pairs", max)):
        of_kind = {
            k: v
            for k, v in rows.items()
            if k.startswith(kind) and TODAY not in k and COMPARED not in k
        }
        smallest: dict[str, tuple[float, str]] = {}
        for name, row in of_kind.items():
            parts = name.split(" | ")
            if keeps(row):
                family, divisor = " | ".join(parts[:3]), float(parts[3])
                smallest[family] = min(smallest.get(family, (divisor, name)), (divisor, name))
        names = [name for _, name in smallest.values()]
        if names:
            chosen[kind] = better(names, key=lambda name: of_kind[name]["gain"])
    return chosen


COLUMNS = (
    Column("candidate", "candidate"),
    Column("bad", "wrong on average", ".4f"),
    Column("bad_95", "in 95 % of settings at most", ".4f"),
    Column("worst", "worst setting", ".4f"),
    Column("gain", "left, found or width, graded", ".4f"),
    Column("gain_real", "the same, real shapes", ".4f"),
    Column("keeps", "keeps the bounds"),
)


def summary_table(rows: Mapping[str, Mapping[str, float]], caption: str) -> Table:
    """One row a candidate."""
    keys = ("bad", "bad_95", "worst", "gain", "gain_real")
    cells = [(name, *(row[key] for key in keys), keeps(row)) for name, row in rows.items()]
    return Table(COLUMNS, tuple(cells), caption)


def settings_table(found: Found, settings: Mapping[str, Setting], names: Sequence[str]) -> Table:
    """One row a setting and a candidate, of the candidates named."""
    columns = (
        Column("setting", "setting"),
        Column("n", "systems", ".0f"),
        Column("shape", "quality, errors"),
        Column("candidate", "candidate"),
        *(Column(key, key, ".4f") for key in ("wrong", "found", "left", "cover", "least_cover")),
    )
    rows = []
    for setting, of in found.items():
        population: Any = settings[setting]
        drawn = hasattr(population, "quality")
        shape = f"{population.quality}, {population.error}" if drawn else "smoothed"
        for name in names:
            keys = ("wrong", "found", "left", "cover", "least_cover")
            values = [of[name].get(key, float("nan")) for key in keys]
            rows.append((setting, float(population.n), shape, name, *values))
    return Table(columns, tuple(rows), "Each setting")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.best", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--out", type=Path, default=OUT / "best")
    options = parser.parse_args(arguments)
    require(DATA, "wmt15", "wmt20", "mt-metrics-eval-v2")
    plan = SMOKE if options.smoke else FULL
    data = DATA if DATA.is_dir() else None
    for part in options.part or PARTS:
        if part in OF_DATA and data is None:
            continue
        store = open_store(options.out / f"kept-{part}", KIND)
        if part == "joint":
            pages = run_joint(store, plan, data)
        elif part in OF_DOCUMENTS:
            found = run_documents(store, plan, documents_of(plan, part))
            pages = {part: documents_table(found)}
        elif part == "wmt23" and data is not None:
            pages = {part: wmt23_table(data, plan.replicates)}
        else:
            pages = _systems(store, plan, part, data)
        write_results(options.out, Results(numbers=pages, pages=pages))
    return 0


def _systems(store: Store, plan: Plan, part: str, data: Path | None) -> dict[str, Table]:
    each = plan.each if part == "choosing" else plan.confirming_each
    settings = settings_of(seed_of(plan, part), each, data)
    dozen = dozen_settings(plan.again) if part == "again" else {}
    every = run(store, plan, part, {**settings, **dozen})
    found = {name: every[name] for name in settings}
    rows = summaries(found, settings)
    chosen = choices(rows)
    few = [name for name in rows if TODAY in name or COMPARED in name]
    shown = {name: rows[name] for name in [*few, *chosen.values()]}
    print(to_markdown(summary_table(shown, f"{part}: what is chosen, and today's")))
    for kind, name in chosen.items():
        print(f"{part}: chosen by the rule for {kind}: {name}")
    return {
        part: summary_table(rows, f"{part}: every candidate"),
        f"{part}-settings": settings_table(every, {**settings, **dozen}, few),
    }
