"""Compare the formulas for the number of systems needed with simulation.

    python -m experiments.honest_inference.needed          # a minute; writes into results
    python -m experiments.honest_inference.needed --smoke  # two populations; into experiments/out

Normal populations are drawn: r of two metrics with people and with each other, the number of
comparisons, and the power. The simulated number is the smallest size at which the test that `rank`
and `compare` print shows the difference in that share of samples.

From samples: what `compare` prints (`units_needed`, of the test's own error) where a sample of 14
systems does not show the difference, and what normal theory would say of the same sample's r. In
half of the populations a tenth of the systems are three times as far from the mean.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.common import OUT
from experiments.honest_inference.shapes import Floats
from supersample.inference.systems_needed import systems_needed, units_needed
from supersample.inference.two_correlations.fisher_jackknife import (
    fisher_jackknife,
    sampled_pairs,
)
from supersample.presentation.table import Column, Table, to_csv

SEED, POPULATIONS, SAMPLES = 77, 60, 1_500
LEAST, MOST = 8, 250  # systems
COLUMNS = (
    *(Column(name, number=".3f") for name in ("r", "other_r", "metric_r")),
    *(Column("comparisons"), Column("power", number=".2f")),
    *(Column("by_formula", number=".0f"), Column("simulated", number=".0f")),
    Column("ratio", "simulated / formula", ".3f"),
)
FROM_SAMPLES, HERE, UNDECIDED, FAR = 20, 14, 600, 3.0
PAIRS = (0, 1), (0, 2), (1, 2)
OF_SAMPLES = (
    *(Column(name, number=".3f") for name in ("r", "other_r", "metric_r")),
    *(Column(name, number=".0f") for name in ("outliers", "simulated", "undecided")),
    *(Column(f"{way}_{q}", number=".2f") for way in ("test", "normal") for q in (25, 50, 75)),
)


def simulated(drawn: Floats, comparisons: int, power: float, near: float) -> int:
    """Find the smallest size that shows the difference, to a hundredth of the number `near`."""
    low, high = 5, drawn.shape[1]
    while high - low > max(1, int(0.01 * near)):
        middle = (low + high) // 2
        p = fisher_jackknife(sampled_pairs(drawn[:, :middle])).p_value
        shown = (p <= 0.05 / comparisons).mean()
        low, high = (low, middle) if shown >= power else (middle, high)
    return high


def study(populations: int = POPULATIONS, samples: int = SAMPLES) -> Table:
    """One row for each population, whose number by the formula is from 8 to 250."""
    random, rows = np.random.default_rng(SEED), list[tuple[float, ...]]()
    while len(rows) < populations:
        r, metric_r = random.uniform(0.2, 0.99, 2)
        other_r = random.uniform(0.1, r)
        comparisons, power = int(random.integers(1, 43)), random.uniform(0.5, 0.9)
        matrix = np.array([[1, r, other_r], [r, 1, metric_r], [other_r, metric_r, 1]])
        if np.linalg.eigvalsh(matrix)[0] < 0.005:
            continue
        told = {"comparisons": comparisons, "power": power}
        needed = systems_needed(r, other_r, metric_r, **told).item()
        if not LEAST <= needed <= MOST:
            continue
        size = samples, int(1.6 * needed) + 4, 3
        drawn = random.standard_normal(size) @ np.linalg.cholesky(matrix).T
        found = simulated(drawn, comparisons, power, needed)
        rows.append((r, other_r, metric_r, comparisons, power, needed, found, found / needed))
    return Table(COLUMNS, tuple(rows), "Systems needed, by the formula and by simulation")


def from_samples(populations: int = FROM_SAMPLES, samples: int = SAMPLES) -> Table:
    """Quartiles of the numbers that samples give, as multiples of the simulated number."""
    random, rows = np.random.default_rng(SEED + 1), list[tuple[float, ...]]()
    told = {"comparisons": 1, "power": 0.8, "confidence_level": 0.95, "alternative": "two-sided"}
    while len(rows) < populations:
        r, metric_r = random.uniform(0.6, 0.99, 2)
        other_r = random.uniform(0.4, r)
        matrix = np.array([[1, r, other_r], [r, 1, metric_r], [other_r, metric_r, 1]])
        if np.linalg.eigvalsh(matrix)[0] < 0.005:
            continue
        needed = systems_needed(r, other_r, metric_r).item()
        if not 20 <= needed <= 100:
            continue
        outliers = len(rows) % 2
        size = max(samples, UNDECIDED), int(5 * needed), 3
        drawn = random.standard_normal(size) @ np.linalg.cholesky(matrix).T
        drawn *= np.where(random.random((*size[:2], 1)) < 0.1 * outliers, FAR, 1.0)
        truth = simulated(drawn[:samples], 1, 0.8, needed)
        pairs = sampled_pairs(drawn[:UNDECIDED, :HERE])
        p = fisher_jackknife(pairs).p_value
        open_ = p > 0.05
        by_test = units_needed(HERE, p, freedom="n - 2", **told)[open_]
        r_of = np.array([np.corrcoef(x.T) for x in drawn[:UNDECIDED, :HERE]])
        by_normal = systems_needed(*(r_of[:, i, j] for i, j in PAIRS))[open_]
        parts = [np.quantile(x / truth, (0.25, 0.5, 0.75)) for x in (by_test, by_normal)]
        rows.append((r, other_r, metric_r, outliers, truth, open_.sum(), *np.concatenate(parts)))
    return Table(OF_SAMPLES, tuple(rows), "Systems needed, as samples tell, by what is needed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw populations, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.honest_inference.needed")
    parser.add_argument("--smoke", action="store_true", help="two populations")
    options = parser.parse_args(arguments)
    folder = OUT / "honest_inference" if options.smoke else Path(__file__).parent / "results"
    table = study(2, 200) if options.smoke else study()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "needed.csv").write_text(to_csv(table), "utf-8")
    told = from_samples(2, 100) if options.smoke else from_samples()
    (folder / "needed-from-samples.csv").write_text(to_csv(told), "utf-8")
    ratios = np.sort([row[-1] for row in table.rows])
    print(
        f"simulated / formula: {ratios[0]:.3f} to {ratios[-1]:.3f}, median {np.median(ratios):.3f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
