"""Run what `plan` fixed; results are kept by setting, so that a study can be resumed."""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common import DATA, OUT
from experiments.data import require
from experiments.honest_inference import report
from experiments.honest_inference.accuracies import accuracy_settings, measure_accuracies
from experiments.honest_inference.candidates import decisions, intervals, outside_range, p_values
from experiments.honest_inference.plan import ALPHA, FULL, OTHER_LEVELS, OTHER_N, SMOKE, Plan
from experiments.honest_inference.populations import Setting, draw, random_settings
from experiments.honest_inference.real_shapes import shape_rows
from experiments.honest_inference.real_systems import (
    PooledSystems,
    chosen_pairs,
    draw_real,
    made_equal,
    read_pooled,
    true_correlations,
    true_moments,
)
from experiments.honest_inference.shapes import Floats
from experiments.honest_inference.simultaneous import many_settings, measure_many
from supersample.execution.checksums import keyed
from supersample.execution.stores import Store, open_store

KIND = "study of honest inference"
VERSIONS = {"tests": 2, "metrics": 3}
"""Of the candidates of a kind of part, 1 if not named; another one computes anew."""


@dataclass(frozen=True)
class Task:
    """One result: a function of JSON-able arguments."""

    part: str
    measure: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]

    def key(self) -> str:
        """Key of all that determines the result."""
        version = max(of for kind, of in {"": 1, **VERSIONS}.items() if kind in self.part)
        return keyed(part=self.part, version=version, arguments=repr(self.arguments))


def measure_intervals(setting: Setting, seed: tuple[int, int], samples: int) -> dict[str, Any]:
    """Coverage, mean width, and shares that miss below and above, by candidate."""
    rng = np.random.default_rng(seed)
    found = intervals(draw(setting, rng, samples), rng)
    return {name: _covering(limits, setting.r_a - setting.r_b) for name, limits in found.items()}


def measure_tests(
    setting: Setting, seed: tuple[int, int], samples: int, power_seed: int
) -> dict[str, Any]:
    """Share of rejections at 5 % of equality, and of a difference, by candidate.

    The difference is .3 to 1.8 times 1 - r, so that power is neither 5 % nor 1.
    """
    null, other, lower = null_and_other(setting, seed, samples, power_seed)
    of_null, of_other = p_values(null), p_values(other)
    return {
        name: {"level": _share(of_null[name]), "power": _share(of_other[name]), "r_b": lower}
        for name in of_null
    }


def measure_shown(
    setting: Setting, seed: tuple[int, int], samples: int, power_seed: int
) -> dict[str, Any]:
    """Share of the same samples in which a difference is shown, by each of `decisions`."""
    null, other, lower = null_and_other(setting, seed, samples, power_seed)
    of_null, of_other = decisions(null), decisions(other)
    return {
        name: {
            "level": float(of_null[name].mean()),
            "power": float(of_other[name].mean()),
            "r_b": lower,
        }
        for name in of_null
    }


def null_and_other(
    setting: Setting, seed: tuple[int, int], samples: int, power_seed: int
) -> tuple[Floats, Floats, float]:
    """Draw samples of equality and of a difference; the smaller r of the difference."""
    rng = np.random.default_rng(seed)
    null = draw(setting, rng, samples)
    share = float(np.random.default_rng((power_seed, *seed)).uniform(0.3, 1.8))
    lower = max(setting.r_a - share * (1 - setting.r_a), 0.5)
    return null, draw(replace(setting, r_b=lower), rng, samples), lower


def measure_outside(
    setting: Setting, seed: tuple[int, ...], samples: int, confidence_level: float
) -> dict[str, Any]:
    """Coverage of Zou's and the calibrated interval at another level or another n."""
    found = outside_range(draw(setting, np.random.default_rng(seed), samples), confidence_level)
    return {name: _covering(limits, setting.r_a - setting.r_b) for name, limits in found.items()}


def measure_real(
    pooled: PooledSystems, pairs: Sequence[tuple[int, int]], plan: Plan
) -> dict[str, Any]:
    """Coverage of every candidate for each pair of metrics of the pooled real systems."""
    truth = true_correlations(true_moments(pooled, plan.real_seed))
    drawn = draw_real(pooled, plan.real_seed, plan.real_samples, plan.real_n)
    found: dict[str, Any] = {}
    for index, (a, b) in enumerate(pairs):
        rng = np.random.default_rng((plan.real_seed, 3, index))
        limits = intervals(drawn[:, :, [0, 1 + a, 1 + b]], rng)
        name = f"{pooled.metrics[a]} - {pooled.metrics[b]}"
        found[name] = {
            "r": [float(truth[a]), float(truth[b])],
            "covering": {k: _covering(v, float(truth[a] - truth[b])) for k, v in limits.items()},
        }
    return found


def measure_real_tests(
    pooled: PooledSystems, pairs: Sequence[tuple[int, int]], plan: Plan
) -> dict[str, Any]:
    """Share of the same samples in which each of `decisions` shows a difference of equal metrics.

    Both metrics of a pair are made equally good in the population.
    """
    moments = true_moments(pooled, plan.real_seed)
    truth = true_correlations(moments)
    drawn = draw_real(pooled, plan.real_seed, plan.real_samples, plan.real_n)
    found: dict[str, Any] = {}
    for a, b in pairs:
        shown = decisions(made_equal(drawn, moments, a, b))
        found[f"{pooled.metrics[a]} - {pooled.metrics[b]}"] = {
            "r": [float(truth[a]), float(truth[b])],
            "shown": {name: float(of.mean()) for name, of in shown.items()},
        }
    return found


def _covering(limits: Any, truth: float) -> dict[str, float]:
    lower, upper = limits
    defined = np.isfinite(lower) & np.isfinite(upper)
    return {
        "coverage": float(((lower <= truth) & (truth <= upper))[defined].mean()),
        "width": float((upper - lower)[defined].mean()),
        "below": float((truth < lower)[defined].mean()),
        "above": float((truth > upper)[defined].mean()),
        "undefined": float(1 - defined.mean()),
    }


def _share(p: np.ndarray[Any, Any]) -> float:
    return float((p <= ALPHA).mean())


def tasks(plan: Plan) -> Iterator[Task]:
    """All cells but those of real systems."""
    for part, seed, count in (
        ("choosing", plan.choosing, plan.settings),
        ("confirming", plan.confirming, plan.confirming_settings),
    ):
        for i, setting in enumerate(random_settings(seed, count)):
            yield Task(f"{part} intervals", measure_intervals, (setting, (seed, i), plan.samples))
        null_seed = seed + 1 if part == "choosing" else plan.confirming_tests
        for i, setting in enumerate(random_settings(null_seed, count, null=True)):
            arguments = (setting, (null_seed, i), plan.samples, plan.power_seed)
            yield Task(f"{part} tests", measure_tests, arguments)
            if part == "confirming":
                yield Task("confirming shown", measure_shown, arguments)
    outside = random_settings(plan.confirming + 2, plan.outside)
    others = [(n, 0.95) for n in OTHER_N] + [(None, level) for level in OTHER_LEVELS]
    for j, (n, level) in enumerate(others):
        part = f"outside, level {level:.0%}" if n is None else f"outside, n {n}"
        for i, setting in enumerate(outside):
            changed = setting if n is None else replace(setting, n=n)
            seed_of = (plan.confirming + 2, j, i)
            yield Task(part, measure_outside, (changed, seed_of, plan.outside_samples, level))
    for i, (name, many) in enumerate(many_settings(plan.metrics_seed).items()):
        key = (plan.metrics_seed, i)
        yield Task(f"metrics, {name}", measure_many, (many, key, plan.many_samples))
    for i, (name, accuracies) in enumerate(accuracy_settings(plan.accuracies_seed).items()):
        key = (plan.accuracies_seed, i)
        arguments = (accuracies, key, plan.accuracy_samples)
        yield Task(f"accuracies, {name}", measure_accuracies, arguments)


def run(store: Store, plan: Plan, *, processes: int, data: Path | None) -> dict[str, Any]:
    """Compute what is missing, and give all results by part."""
    pending = [task for task in tasks(plan) if store.read(task.key()) is None]
    with ProcessPoolExecutor(processes) as pool:
        futures = {task: pool.submit(task.measure, *task.arguments) for task in pending}
        for task, future in futures.items():
            store.write(task.key(), json.dumps(future.result()).encode())
    results: dict[str, Any] = {}
    for task in tasks(plan):
        content = json.loads(store.read(task.key()) or b"{}")
        row = {"setting": asdict(task.arguments[0]), "found": content}
        results.setdefault(task.part, []).append(row)
    if data is not None:
        results["real"] = _real(store, plan, data, "real", measure_real)
        results["real tests"] = _real(store, plan, data, "real tests", measure_real_tests)
        results["shapes"] = shape_rows(data, plan.choosing)
    return results


def _real(
    store: Store, plan: Plan, data: Path, part: str, measure: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    key = keyed(part=part, version=1, seed=plan.real_seed, sizes=_real_sizes(plan))
    content = store.read(key)
    if content is None:
        pooled = read_pooled(data)
        pairs = chosen_pairs(len(pooled.metrics), plan.real_pairs, plan.real_seed)
        content = json.dumps(measure(pooled, pairs, plan)).encode()
        store.write(key, content)
    return dict(json.loads(content))


def _real_sizes(plan: Plan) -> list[int]:
    return [plan.real_pairs, plan.real_samples, plan.real_n]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.honest_inference", description=__doc__
    )
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--out", type=Path, default=OUT / "honest_inference")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    require(DATA, "wmt15", "wmt20", "mt-metrics-eval-v2")
    plan = SMOKE if options.smoke else FULL
    start = time.perf_counter()
    store = open_store(options.out / "kept", KIND)
    data = DATA if DATA.is_dir() else None
    results = run(store, plan, processes=options.processes, data=data)
    report.write(options.out, results, seconds=time.perf_counter() - start)
    return 0
