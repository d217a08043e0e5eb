"""The WMT23 metrics task, and the tasks of WMT24 on its data (WMT 2023)."""

import json
from pathlib import Path

import numpy as np
import xarray as xr

import supersample as ss
from experiments.common import Check, Part, reported
from experiments.wmt import WMT23_PAIRS
from experiments.wmt23.exchangeable import rejections
from experiments.wmt23.swapping import p_values
from supersample.presentation.figures.rankings import plot_significance
from supersample.presentation.figures.style import figure_of
from supersample.presentation.rankings import plain_ranking_table, tasks_table
from supersample.results.outputs import Results

NEEDS = ("mt-metrics-eval-v2", "segment-level")

UNITS = Path(__file__).with_name("units.toml")
SETS = {
    "wmt23": ("wmt23-tasks_en-de_zh-en.json", {}),
    "wmt24-on-wmt23": ("wmt24-style-tasks_en-de_zh-en.json", {"SPA": 0.004, "average": 0.003}),
}
"""Published values of a task, and bounds other than 1e-9: SPA there is of random permutations."""


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """All values of both sets of tasks, clusters by two units of swaps, and p-values."""
    resamples = 20 if smoke else 1000
    few = 2 if smoke else resamples  # of p-values that no check compares with others
    found = {name: evaluated(name, data, few) for name in SETS}
    found[str(UNITS)] = evaluated(str(UNITS), data, resamples)
    return [
        *(values(name, found[name], data) for name in SETS),
        clusters(found["wmt23"], found[str(UNITS)]),
        tests(found[str(UNITS)], data, resamples),
        rejections(smoke=smoke),
    ]


def evaluated(name: str, data: Path, resamples: int) -> xr.Dataset:
    """Evaluate a shared task on the language pairs of the data."""
    sets = data / "mt-metrics-eval-v2"
    return ss.tasks.run_tasks(name, sets, language_pairs=WMT23_PAIRS, resamples=resamples)


def values(name: str, result: xr.Dataset, data: Path) -> Part:
    """Values of all metrics in each task and on average, as mt-metrics-eval computes them."""
    file, bounds = SETS[name]
    content = json.loads((data / "segment-level" / file).read_text())
    checks = []
    tables = [content["average"], *(task["corrs"] for task in content["tasks"])]
    for label, table in zip(result["measure"].to_numpy().astype(str), tables, strict=True):
        bound = next((bound for part, bound in bounds.items() if part in label.split()), 1e-9)
        of_task = result["value"].sel(measure=label)
        ours = [of_task.sel(metric=m.removesuffix("[noref]")).item() for m in table]
        difference = np.abs(np.subtract(ours, list(table.values())))
        what = f"metrics whose value is met to {bound:g}"
        checks.append(Check(f"{name}, {label}", what, len(table), int((difference <= bound).sum())))
        largest = float(difference.max())
        checks.append(reported(f"{name}, {label}", "largest difference", 0.0, largest, 6))
    order = [m.removesuffix("[noref]") for m in content["average"]]
    out_of_order = int((np.diff(result["value"].sel(measure="average", metric=order)) > 1e-9).sum())
    checks.append(
        reported(f"{name}, average", "metrics out of the published order", 0, out_of_order)
    )
    figures = {"figure-1": figure_of(plot_significance(result, measure="average"))}
    results = Results(
        numbers={f"table-{name}": plain_ranking_table(result)},
        pages={f"table-{name}": tasks_table(result)},
        figures=figures if name == "wmt23" else {},
        facts={"": result.attrs},
    )
    return Part(checks, results)


def clusters(segments: xr.Dataset, one_by_one: xr.Dataset) -> Part:
    """Clusters by swaps of whole segments, and by those of translations and pairs one by one."""
    checks = []
    for t, label in enumerate(segments["measure"].to_numpy().astype(str)):
        first, second = (
            each.isel(measure=t, basis=0, group=0).sel(metric=segments["metric"])
            for each in (one_by_one, segments)
        )
        for what in ("clusters", "significant_pairs"):
            both = int(first[what]), int(second[what])
            text = f"{what.replace('_', ' ')}, units one by one beside whole segments"
            checks.append(reported(f"clusters, {label}", text, *both))
        moved = int((first["cluster"] != second["cluster"]).sum())
        checks.append(reported(f"clusters, {label}", "metrics in another cluster", 0, moved))
    return Part(checks)


def tests(result: xr.Dataset, data: Path, resamples: int) -> Part:
    """p-values of a few pairs, beside those of a plain version of the task's own test."""
    checks = []
    for task, first, second, theirs in p_values(data, resamples):
        ours = result["p_value"].sel(measure=task, metric=first, other_metric=second).item()
        error = np.sqrt((theirs * (1 - theirs) + 1 / resamples) / resamples * 2)
        text = f"p within 4 standard errors of the plain test, {first} over {second}"
        agrees = "yes" if abs(ours - theirs) <= 4 * error else "no"
        checks.append(Check(task, text, "yes", agrees))
        checks.append(reported(task, f"p, {first} over {second}", theirs, ours, 3))

    return Part(checks)
