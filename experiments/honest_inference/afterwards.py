"""Questions that were asked after the results; they choose nothing.

    python -m experiments.honest_inference.afterwards

How often do the limits that the software prints cover (`agreeing`), and the intervals where the
noise is that of real test sets? What power have the tests at equal size? How often do they reject
with independent exponential errors and no noise? Populations, seeds and samples are those of
`plan`.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.common import DATA, OUT
from experiments.data import require
from experiments.honest_inference.candidates import TESTS, WILLIAMS, ZOU, zou
from experiments.honest_inference.earlier import agreeing, projection_interval, williams_jackknife
from experiments.honest_inference.plan import (
    ALPHA,
    COVERS,
    FULL,
    REJECTS,
    SMOKE,
    Plan,
)
from experiments.honest_inference.populations import Setting, draw, random_settings
from experiments.honest_inference.real_systems import (
    chosen_pairs,
    draw_real,
    made_equal,
    read_pooled,
    true_correlations,
    true_moments,
)
from experiments.honest_inference.shapes import Floats
from experiments.honest_inference.study import null_and_other
from supersample.inference.arguments import Interval
from supersample.inference.two_correlations.fisher_jackknife import sampled_pairs
from supersample.presentation.table import Column, Table, Value, to_markdown
from supersample.results.outputs import Results, write_results

PROJECTION, PRINTED, CHOSEN = "projection", "printed", "williams-jackknife"
REAL_NOISE = (0.006, 0.019)
"""Least and largest share of noise in the real sets of ``shapes.csv``."""
SKEWED_N = (8, 12, 16, 20)
SKEWED_R = (0.8, 0.9, 0.95)
SKEWED_SEED = 75005
Found = dict[str, dict[str, float]]


class Drawn(NamedTuple):
    """A setting and what was measured in it."""

    setting: Setting
    found: Found


def limits(samples: Floats) -> dict[str, Interval]:
    """95 % intervals of r_a - r_b: Zou's, the projection, and the limits that are printed."""
    pairs = sampled_pairs(samples)
    interval = projection_interval(pairs)
    printed = agreeing(interval, williams_jackknife(pairs).statistic, 0.95)
    return {ZOU: zou(pairs), PROJECTION: interval, PRINTED: printed}


def covered(samples: Floats, truth: float) -> Found:
    """Coverage and mean width; limits that the test made end at 0 leave 0 out."""
    pairs = sampled_pairs(samples)
    rejects = williams_jackknife(pairs).p_value <= ALPHA
    found = {}
    for name, (lower, upper) in limits(samples).items():
        holds = (lower <= truth) & (truth <= upper)
        if name == PRINTED and truth == 0:
            holds &= ~rejects
        defined = np.isfinite(lower) & np.isfinite(upper)
        width = float((upper - lower)[defined].mean())
        found[name] = {"coverage": float(holds[defined].mean()), "width": width}
    return found


def measure_limits(setting: Setting, seed: tuple[int, int], samples: int) -> Found:
    """Coverage in a setting, of the samples that the study judged intervals by."""
    drawn = draw(setting, np.random.default_rng(seed), samples)
    return covered(drawn, setting.r_a - setting.r_b)


def measure_power(setting: Setting, seed: tuple[int, int], plan: Plan) -> Found:
    """Level and power at 5 %, and power where the test would reject equality in just 5 %."""
    null, other, _ = null_and_other(setting, seed, plan.samples, plan.power_seed)
    of_null, of_other = (p_values(drawn) for drawn in (null, other))
    found = {
        name: {
            "level": float((p <= ALPHA).mean()),
            "power": float((of_other[name] <= ALPHA).mean()),
            "matched": float((of_other[name] <= np.quantile(p, ALPHA)).mean()),
        }
        for name, p in of_null.items()
    }
    return found | {PRINTED: covered(null, 0.0)[PRINTED]}


def measure_skewed(setting: Setting, seed: tuple[int, int], samples: int) -> Found:
    """Share of rejections of equality."""
    p = p_values(draw(setting, np.random.default_rng(seed), samples))
    return {name: {"level": float((of <= ALPHA).mean())} for name, of in p.items()}


def p_values(samples: Floats) -> dict[str, Floats]:
    """p-values of equality by Williams' test and the chosen one."""
    pairs = sampled_pairs(samples)
    return {WILLIAMS: TESTS[WILLIAMS](pairs), CHOSEN: williams_jackknife(pairs).p_value}


def skewed_settings() -> list[Setting]:
    """Build populations with independent exponential errors and no noise; quality is normal."""
    first = random_settings(SKEWED_SEED, 1, null=True)[0]
    base = replace(
        first, noise=0.0, shared=0.0, joint=False, quality="normal",
        error_a="skewed", error_b="skewed", error_shape=0.5,
    )  # fmt: skip
    return [replace(base, n=n, r_a=r, r_b=r) for n in SKEWED_N for r in SKEWED_R]


def measure_real(data: Path, plan: Plan) -> dict[str, list[Found]]:
    """Coverage for pairs of metrics of real systems, as they are and made equal."""
    pooled = read_pooled(data)
    moments = true_moments(pooled, plan.real_seed)
    truth = true_correlations(moments)
    drawn = draw_real(pooled, plan.real_seed, plan.real_samples, plan.real_n)
    pairs = chosen_pairs(len(pooled.metrics), plan.real_pairs, plan.real_seed)
    return {
        "real": [
            covered(drawn[:, :, [0, 1 + a, 1 + b]], float(truth[a] - truth[b])) for a, b in pairs
        ],
        "real, made equal": [covered(made_equal(drawn, moments, a, b), 0.0) for a, b in pairs],
    }


def coverage_table(parts: Mapping[str, Sequence[Found]]) -> Table:
    """One row a kind of limits in a kind of populations."""
    columns = (
        Column("where", "populations"),
        Column("limits", "95 % limits"),
        Column("settings", "how many", ".0f"),
        Column("mean", "mean coverage", ".3f"),
        Column("low", "in 95 % at least", ".3f"),
        Column("median", "median", ".3f"),
        Column("least", "least", ".3f"),
        Column("enough", "settings with at least .93", ".3f"),
        Column("error", "its standard error", ".3f"),
        Column("width", "width / Zou's", ".3f"),
    )
    rows: list[tuple[Value, ...]] = []
    for where, found in parts.items():
        for name in found[0]:
            c = np.array([of[name]["coverage"] for of in found])
            ratio = np.mean([of[name]["width"] / of.get(ZOU, of[name])["width"] for of in found])
            enough = float((c >= COVERS).mean())
            error = float(np.sqrt(enough * (1 - enough) / c.size))
            told = (c.mean(), np.quantile(c, 0.05), np.median(c), c.min())
            rows.append((where, name, c.size, *map(float, told), enough, error, float(ratio)))
    return Table(columns, tuple(rows), "Coverage of 95 % limits, asked afterwards")


def tests_table(parts: Mapping[str, Sequence[Found]]) -> Table:
    """One row a test in a kind of populations."""
    columns = (
        Column("where", "populations"),
        Column("test", "test at 5 %"),
        Column("settings", "how many", ".0f"),
        Column("mean", "mean level", ".3f"),
        Column("least", "least level", ".3f"),
        Column("most", "largest level", ".3f"),
        Column("in_range", "settings with .03 to .07", ".3f"),
        Column("power", "power", ".3f"),
        Column("matched", "power at a level of .05", ".3f"),
    )
    rows: list[tuple[Value, ...]] = []
    for where, found in parts.items():
        for name in (WILLIAMS, CHOSEN):
            level = np.array([of[name]["level"] for of in found])
            powers = [
                float(np.mean([of[name][key] for of in found])) if key in found[0][name] else None
                for key in ("power", "matched")
            ]
            kept = float(((level >= REJECTS[0]) & (level <= REJECTS[1])).mean())
            told = (float(level.mean()), float(level.min()), float(level.max()), kept)
            rows.append((where, name, level.size, *told, *powers))
    return Table(columns, tuple(rows), "Levels, and power at equal size")


def with_real_noise(cells: Iterable[Drawn]) -> list[Found]:
    """Choose the settings whose noise is that of real test sets."""
    low, high = REAL_NOISE
    return [found for setting, found in cells if low <= setting.noise <= high]


def tables(plan: Plan, processes: int, data: Path | None) -> dict[str, Table]:
    """Measure everything."""
    count = plan.confirming_settings

    def cells(
        measure: Callable[..., Found], settings: list[Setting], seed: int, last: object
    ) -> list[Drawn]:
        seeds = [(seed, i) for i in range(len(settings))]
        found = pool.map(measure, settings, seeds, [last] * len(settings))
        return [Drawn(*of) for of in zip(settings, found, strict=True)]

    with ProcessPoolExecutor(processes) as pool:
        drawn = cells(
            measure_limits, random_settings(plan.confirming, count), plan.confirming, plan.samples
        )
        null = cells(
            measure_power,
            random_settings(plan.confirming_tests, count, null=True),
            plan.confirming_tests,
            plan,
        )
        skewed = cells(measure_skewed, skewed_settings(), SKEWED_SEED, plan.samples)
    of_null = [{PRINTED: of.found[PRINTED]} for of in null]
    parts = {"drawn": [of.found for of in drawn], "drawn, real noise": with_real_noise(drawn)}
    parts["drawn, equal metrics"] = of_null
    if data is not None:
        parts |= measure_real(data, plan)
    tested = {
        "drawn": [of.found for of in null],
        "drawn, real noise": with_real_noise(null),
        "exponential errors, no noise": [of.found for of in skewed],
    }
    return {
        "afterwards-limits": coverage_table({k: v for k, v in parts.items() if v}),
        "afterwards-tests": tests_table({k: v for k, v in tested.items() if v}),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.honest_inference.afterwards")
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--out", type=Path, default=OUT / "honest_inference")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    require(DATA, "mt-metrics-eval-v2")
    data = DATA if DATA.is_dir() else None
    pages = tables(SMOKE if options.smoke else FULL, options.processes, data)
    write_results(options.out, Results(numbers=pages, pages=pages))
    for page in pages.values():
        print(to_markdown(page), "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
