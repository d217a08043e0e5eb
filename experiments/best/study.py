"""Run what `plan` fixed; results are kept by setting, so that a study can be resumed."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.best.documents import OfDocuments, document_settings, measure_documents
from experiments.best.joint import joint_table, measure_joint, worst_limits_table
from experiments.best.joint import settings_table as joint_settings_table
from experiments.best.measure import CANDIDATES, measure_pairs
from experiments.best.plan import FULL, SMOKE, Plan
from experiments.best.settings import Setting, dozen_settings, drawn_settings, real_settings
from experiments.best.wmt23 import wmt23_table
from experiments.common import DATA, OUT
from experiments.data import require
from supersample.execution.checksums import keyed
from supersample.execution.stores import Store, open_store
from supersample.presentation.table import Column, Table
from supersample.results.outputs import Results, write_results

KIND = "study of the best metrics"
OF_DOCUMENTS = ("documents", "documents-again", "documents-other")
PARTS = ("pairs", "joint", *OF_DOCUMENTS, "wmt23")
OF_DATA = (*OF_DOCUMENTS, "wmt23")
VERSION = 5
DOCUMENTS_VERSION = 1
MANY = 20
"""Number of metrics from which settings have fewer samples."""
GAIN = 1.1
"""By how much another candidate has to find more pairs than Holm's."""
SLOW = ("SPA", "PA")
Found = dict[str, dict[str, dict[str, float]]]
"""By setting and candidate."""


def settings_of(seed: int, each: int, data: Path | None) -> dict[str, Setting]:
    """Drawn settings and, where there are data, real shapes."""
    real = {} if data is None else real_settings(data)
    return {**drawn_settings(seed, each), **real}


def kept(store: Store, version: int, measure: Callable[..., Any], *arguments: Any) -> Any:
    """Compute what is missing in the store, and give the result."""
    key = keyed(version=version, arguments=repr(arguments))
    content = store.read(key)
    if content is None:
        content = json.dumps(measure(*arguments)).encode()
        store.write(key, content)
    return json.loads(content)


def run_pairs(store: Store, plan: Plan, data: Path | None) -> dict[str, Table]:
    """Measure every candidate for pairs, and choose by the rule."""
    settings = settings_of(plan.choosing, plan.each, data)
    samples = (plan.choosing_samples, plan.slow_samples)
    found = {
        name: kept(store, VERSION, measure_pairs, setting, (plan.choosing, i), *samples)
        for i, (name, setting) in enumerate(settings.items())
    }
    rows = summaries(found)
    print(f"pairs: chosen by the rule: {choice(rows)}")
    return {"pairs": summary_table(rows), "pairs-settings": pairs_table(found, settings)}


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
        found[setting.name] = kept(store, DOCUMENTS_VERSION, measure_documents, *arguments)
    return found


def run_joint(store: Store, plan: Plan, data: Path | None) -> dict[str, Table]:
    """Measure how often any statement of the library is wrong."""
    settings = settings_of(plan.judging, plan.judging_each, data)
    dozen = dozen_settings(plan.judging)
    every = {**settings, **dozen}
    found = {}
    for i, (name, setting) in enumerate(every.items()):
        samples = plan.samples if len(setting.r) < MANY else plan.many_samples
        found[name] = kept(store, VERSION, measure_joint, setting, (plan.judging, i), samples)
    tables = {
        "joint": joint_table({name: found[name] for name in settings}, settings),
        "joint-settings": joint_settings_table(found, every),
    }
    if data is not None:
        tables["worst-limits"] = worst_limits_table(data, found, every)
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


def summaries(found: Found) -> dict[str, dict[str, float]]:
    """Sum up each candidate for pairs over the settings.

    ``wrong``: any false pair, on average; ``wrong_95``: what 95 % of the settings keep; ``worst``;
    ``graded`` and ``real``: share of the true pairs found in graded settings, and in the real ones
    as they are; ``below``: share of samples that contradict ``--baseline``.
    """
    graded = [k for k in found if k.startswith("graded")]
    real = [k for k in found if k.endswith("as it is")]
    rows: dict[str, dict[str, float]] = {}
    for name in CANDIDATES:
        wrong = np.array([of[name]["wrong"] for of in found.values()])
        shares = {
            kind: float(np.mean([found[k][name]["found"] for k in chosen])) if chosen else np.nan
            for kind, chosen in (("graded", graded), ("real", real))
        }
        rows[name] = {
            "wrong": float(wrong.mean()),
            "wrong_95": float(np.quantile(wrong, 0.95)),
            "worst": float(wrong.max()),
            **shares,
            "below": float(np.mean([of[name]["below"] for of in found.values()])),
        }
    return rows


def keeps(row: Mapping[str, float]) -> bool:
    """Whether a candidate keeps the bounds of `plan`, and never contradicts ``--baseline``."""
    return row["wrong"] <= 0.05 and row["wrong_95"] <= 0.07 and row["below"] == 0


def choice(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Choose by the rule: Holm's, unless another finds more than 1.1 times as many true pairs."""
    kept_bounds = {name: row for name, row in rows.items() if keeps(row)}
    gains = {
        name: min(
            np.nan_to_num(row[kind] / rows["Holm"][kind], nan=9) for kind in ("graded", "real")
        )
        for name, row in kept_bounds.items()
    }
    best = max(gains, key=lambda name: gains[name], default="Holm")
    return best if gains.get(best, 0) > GAIN else "Holm"


def summary_table(rows: Mapping[str, Mapping[str, float]]) -> Table:
    """One row a candidate for pairs."""
    texts = {
        "wrong": "any false pair, on average",
        "wrong_95": "in 95 % of settings at most",
        "worst": "worst setting",
        "graded": "true pairs found, graded settings",
        "real": "the same, real shapes",
        "below": "samples that contradict --baseline",
    }
    columns = (
        Column("candidate", "candidate"),
        *(Column(key, text, ".4f") for key, text in texts.items()),
        Column("keeps", "keeps the bounds"),
    )
    cells = [(name, *(row[key] for key in texts), keeps(row)) for name, row in rows.items()]
    return Table(columns, tuple(cells), "Candidates for pairs")


def pairs_table(found: Found, settings: Mapping[str, Setting]) -> Table:
    """One row a setting and a candidate for pairs."""
    columns = (
        Column("setting", "setting"),
        Column("n", "systems", ".0f"),
        Column("candidate", "candidate"),
        *(Column(key, key, ".4f") for key in ("wrong", "found", "below")),
    )
    rows = tuple(
        (setting, float(settings[setting].n), name, *values.values())
        for setting, of in found.items()
        for name, values in of.items()
    )
    return Table(columns, rows, "Each setting")


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
        if part == "pairs":
            pages = run_pairs(store, plan, data)
        elif part == "joint":
            pages = run_joint(store, plan, data)
        elif part in OF_DOCUMENTS:
            found = run_documents(store, plan, documents_of(plan, part))
            pages = {part: documents_table(found)}
        elif data is not None:
            pages = {part: wmt23_table(data, plan.replicates)}
        write_results(options.out, Results(numbers=pages, pages=pages))
    return 0
