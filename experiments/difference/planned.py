"""Compare the power that `plan` promises with simulation, in one set and on average over several.

    python -m experiments.difference.planned     # writes results/planned.csv

Normal populations are drawn: r of two metrics with people and with each other, and how errors
correlate between sets. At the planned numbers of systems, samples are drawn by another generator,
and compared as `rank` does.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from supersample.inference.two_correlations.averages import average_difference, set_differences
from supersample.inference.two_correlations.fisher_jackknife import sampled_pairs
from supersample.simulation.planning import plan
from supersample.simulation.populations import Population

SEED, POPULATIONS, SAMPLES, SETS = 4405, 10, 1_500, (1, 2, 4, 8)
RESULTS = Path(__file__).parent / "results"


def power(matrix: np.ndarray, correlation: float, sets: int, n: int, seed: int) -> float:
    """Share of samples in which the difference is shown on average over sets."""
    rng = np.random.default_rng((SEED, seed, sets))
    slopes = matrix[0, 1:]
    left = np.linalg.cholesky(matrix[1:, 1:] - np.outer(slopes, slopes)).T
    people, common = rng.normal(size=(SAMPLES, n, 1)), rng.normal(size=(SAMPLES, n, 2))
    pairs = []
    for _ in range(sets):
        own = rng.normal(size=(SAMPLES, n, 2))
        errors = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
        pairs.append(
            sampled_pairs(np.concatenate([people, people * slopes + errors @ left], axis=2))
        )
    found = average_difference(set_differences(pairs, [np.arange(n)] * sets))
    return float((found.p_value <= 0.05).mean())


def main() -> int:
    """Draw populations and write what was planned and simulated."""
    random, rows = np.random.default_rng(SEED), list[dict[str, float]]()
    while len(rows) < POPULATIONS * len(SETS):
        r, metric_r, shared = random.uniform(0.6, 0.95), random.uniform(0.5, 0.95), 0.16
        other_r = random.uniform(0.4, r)
        matrix = np.array([[1, r, other_r], [r, 1, metric_r], [other_r, metric_r, 1]])
        if np.linalg.eigvalsh(matrix)[0] < 0.01:
            continue
        planned = plan(
            Population(matrix, segment_deviation=1e-6),
            segments=[1_000],
            sets=SETS,
            error_correlation=shared,
            seed=1,
        )
        needed = planned["systems_of_sets"].isel(segments=0)
        if needed.isnull().any() or not 12 <= planned["systems_needed"].item() <= 120:
            continue
        for sets in SETS:
            n = int(needed.sel(sets=sets))
            found = power(matrix, shared, sets, n, len(rows))
            rows.append(
                {"r": r, "other_r": other_r, "metric_r": metric_r, "sets": sets, "n": n}
                | {"power": found}
            )
    with (RESULTS / "planned.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(
            {k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()} for row in rows
        )
    for sets in SETS:
        found = [row["power"] for row in rows if row["sets"] == sets and row["n"] > 5]
        print(sets, f"{min(found):.3f} {np.mean(found):.3f} {max(found):.3f}" if found else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
