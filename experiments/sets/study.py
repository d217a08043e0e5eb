"""Run what `plan` fixed; results are kept by setting, so that a study can be resumed."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.common import OUT
from experiments.honest_inference.shapes import Floats
from experiments.sets.measure import (
    LIBRARY,
    Found,
    measure_candidates,
    measure_library,
    measure_new_sets,
    measure_other_measures,
)
from experiments.sets.plan import (
    ALPHA,
    FULL,
    IN_MOST,
    KINDS,
    NEAR,
    NEW_COUNTS,
    POWER,
    POWER_AFTERWARDS,
    REJECTS,
    REJECTS_AT_MOST,
    SMOKE,
    WRONG,
    WRONG_IN_MOST,
    Plan,
)
from experiments.sets.settings import Sets, drawn_sets, power_sets
from supersample.execution.checksums import keyed
from supersample.execution.stores import Store, open_store
from supersample.presentation.table import Column, Table, Value, to_markdown
from supersample.results.outputs import Results, write_results

KIND = "study of averages over sets"
PARTS = ("choosing", "confirming", "candidates", "new", "power", "measures")
VERSION = 2
Measure = Callable[[Sets, tuple[int, ...], int], Found]


def run(
    store: Store, measure: Measure, settings: Mapping[str, Sets], seed: int, samples: int
) -> dict[str, Found]:
    """Compute what is missing, and give all results."""
    found: dict[str, Found] = {}
    for i, (name, setting) in enumerate(settings.items()):
        arguments = (setting, (seed, i), samples)
        key = keyed(version=VERSION, arguments=repr(arguments))
        content = store.read(key)
        if content is None:
            content = json.dumps(measure(*arguments)).encode()
            store.write(key, content)
        found[name] = json.loads(content)
    return found


def summary(found: Mapping[str, Found], caption: str) -> Table:
    """Sum up each candidate over the settings, one row each; see `keeps`."""
    rows = []
    for name in next(iter(found.values())):
        cells: list[float] = []
        for key in ("level", "best_out", "false_pair"):
            values = _values(found, name, key)
            share = _in_range(values) if key == "level" else _quantile(values)
            cells += [_mean(values), share, float(values.max(initial=0.0))]
        cells.append(1 - _quantile(1 - _values(found, name, "covered")))
        graded = {key: of for key, of in found.items() if key.startswith("graded")}
        rows.append((name, *cells, _mean(_values(graded, name, "share_left"))))
    return Table(SUMMARY, tuple(rows), caption)


def _values(found: Mapping[str, Found], name: str, key: str) -> Floats:
    return np.array([of[name][key] for of in found.values() if key in of[name]])


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else float("nan")


def _quantile(values: Floats) -> float:
    return float(np.quantile(values, IN_MOST)) if values.size else float("nan")


def _in_range(levels: Floats) -> float:
    return _mean((levels >= REJECTS[0]) & (levels <= REJECTS[1]))


SUMMARY = (
    Column("candidate", "candidate"),
    Column("level", "level", ".4f"),
    Column("in_range", "settings in .03 to .07", ".4f"),
    Column("level_most", "largest", ".4f"),
    Column("best_out", "best left out", ".4f"),
    Column("best_out_95", "in 95 % of settings", ".4f"),
    Column("best_out_most", "worst", ".4f"),
    Column("false_pair", "any false pair", ".4f"),
    Column("false_pair_95", "in 95 % of settings", ".4f"),
    Column("false_pair_most", "worst", ".4f"),
    Column("covered_95", "covers, in 95 % of settings", ".4f"),
    Column("left", "share left, graded", ".4f"),
)


def keeps(row: tuple[Value, ...]) -> bool:
    """Whether a candidate keeps the bounds of `plan` that were computed for it."""
    numbers = dict(zip((column.field for column in SUMMARY), row, strict=True))
    kept = float(numbers["in_range"]) >= IN_MOST and float(numbers["level_most"]) <= REJECTS_AT_MOST
    for key in ("best_out", "false_pair"):
        mean, most = float(numbers[key]), float(numbers[f"{key}_95"])
        kept &= np.isnan(mean) or (mean <= WRONG and most <= WRONG_IN_MOST)
    return bool(kept)


def chosen(table: Table) -> str:
    """Choose by the rule of `plan`; "" if no candidate keeps the bounds."""
    kept = [row for row in table.rows if keeps(row)]
    if not kept:
        return ""
    fewest = min(float(row[-1]) for row in kept)
    near = [row for row in kept if float(row[-1]) <= fewest + NEAR]
    return str(min(near, key=lambda row: abs(float(row[1]) - ALPHA))[0])


def settings_table(found: Mapping[str, Found], settings: Mapping[str, Sets]) -> Table:
    """One row a setting and what is claimed."""
    keys = ("level", "best_out", "some_best_out", "false_pair", "covered", "share_left")
    columns = (
        Column("setting", "setting"),
        Column("metrics", "metrics", ".0f"),
        Column("systems", "distinct systems", ".0f"),
        Column("scale", "average of"),
        Column("error_correlation", "error correlation", ".2f"),
        Column("tau", "tau", ".2f"),
        Column("shape", "quality, errors"),
        Column("claim", "claim"),
        *(Column(key, key.replace("_", " "), ".4f") for key in keys),
    )
    rows = []
    for name, of in found.items():
        each = settings[name]
        facts = (
            float(len(each.shared)),
            float(each.systems),
            each.scale,
            each.error_correlation,
            each.tau,
            f"{each.quality}, {each.error}",
        )
        for claim, numbers in of.items():
            rows.append((name, *facts, claim, *(numbers.get(key, float("nan")) for key in keys)))
    return Table(columns, tuple(rows), "Each setting")


def power_table(store: Store, plan: Plan) -> Table:
    """Metrics left in the populations of power, beside the aims."""
    columns = (
        Column("population", "population"),
        Column("sets", "sets", ".0f"),
        Column("left", "metrics left", ".2f"),
        Column("aim", "aim", ".1f"),
        Column("best_out", "best left out", ".4f"),
    )
    rows = []
    for name, r, metrics, aims in POWER:
        of = {str(count): power_sets(name, r, metrics, count) for count in aims}
        found = run(store, measure_library, of, plan.confirming, plan.power_samples)
        for (count, numbers), aim in zip(found.items(), aims.values(), strict=True):
            own = numbers[LIBRARY]
            rows.append((name, float(count), own["left"], aim, own["best_out"]))
    return Table(columns, tuple(rows), "Power: metrics left, with all systems shared")


def correlated_table(store: Store, plan: Plan) -> Table:
    """Metrics left, and samples in which the best alone is left, by the errors' correlation."""
    columns = (
        Column("sets", "sets", ".0f"),
        Column("error_correlation", "error correlation", ".2f"),
        Column("left", "metrics left", ".2f"),
        Column("alone", "the best alone is left", ".4f"),
        Column("best_out", "best left out", ".4f"),
    )
    name, r, metrics, aims = POWER[-1]
    rows = []
    for correlation in POWER_AFTERWARDS:
        of = {str(count): power_sets(name, r, metrics, count, correlation) for count in aims}
        for count, numbers in run(
            store, measure_library, of, plan.confirming, plan.power_samples
        ).items():
            own = numbers[LIBRARY]
            told = (own["left"], own["alone"], own["best_out"])
            rows.append((float(count), correlation, *told))
    return Table(columns, tuple(rows), "One metric ahead, asked after the results")


def pages_of(store: Store, plan: Plan, part: str) -> dict[str, Table]:
    """Compute one part's tables."""
    if part == "power":
        return {part: power_table(store, plan), "power-correlated": correlated_table(store, plan)}
    measure: Measure = measure_library
    if part == "choosing":
        settings, seed = drawn_sets(plan.choosing, plan.each), plan.choosing
        measure = measure_candidates
    elif part in ("confirming", "candidates"):
        settings, seed = drawn_sets(plan.confirming, plan.confirming_each), plan.confirming
        if part == "candidates":
            measure = measure_candidates
            settings = {name: of for name, of in settings.items() if name.startswith(KINDS[0])}
    elif part == "measures":
        settings, seed = drawn_sets(plan.measures, plan.measures_each), plan.measures
        settings = {name: of for name, of in settings.items() if name.startswith(KINDS[0])}
        measure = measure_other_measures
    else:
        settings = drawn_sets(plan.new, plan.new_each, NEW_COUNTS, random_sets=True)
        measure, seed = measure_new_sets, plan.new
    found = run(store, measure, settings, seed, plan.samples)
    pages = {part: summary(found, f"{part}: averages over sets")}
    if part != "choosing":
        pages[f"{part}-settings"] = settings_table(found, settings)
    return pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.sets", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--out", type=Path, default=OUT / "sets")
    options = parser.parse_args(arguments)
    plan = SMOKE if options.smoke else FULL
    for part in options.part or PARTS:
        store = open_store(options.out / f"kept-{part}", KIND)
        pages = pages_of(store, plan, part)
        print(to_markdown(pages[part]))
        if part == "choosing":
            print(f"chosen by the rule: {chosen(pages[part]) or 'none'}")
        write_results(options.out, Results(numbers=pages, pages=pages))
    return 0
