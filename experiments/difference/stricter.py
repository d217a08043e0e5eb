"""Williams' test at stricter levels beside fisher-jackknife, asked by a reader of the report.

    python -m experiments.difference.stricter     # a minute of one processor

Williams' test finds more at equal level, but its level differs from setting to setting. What if it
is used at one stricter level everywhere? Settings and samples are those to judge by of
`experiments.difference`. Fixed before the results: the levels are `LEVELS`; counted are the mean
and the worst share of samples in which equality is rejected, and the mean power, by group; and all
is reported. Williams' level is the one of `LEVELS` at which its mean over the shapes of single sets
is nearest to that of fisher-jackknife at 5 %.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.common import DATA
from experiments.difference.candidates import p_values
from experiments.difference.plan import ALPHA, FULL, SMOKE, Plan
from experiments.difference.settings import Two, settings
from experiments.difference.study import RESULTS, Row, write
from supersample.inference.two_correlations.fisher_jackknife import sampled_pairs

LEVELS = (0.1, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01, 0.005)
TESTS = ("Williams", "raised(6)")


def shares(two: Two, seed: tuple[int, ...], samples: int) -> dict[tuple[str, float], list[float]]:
    """Level and power of each test at each level, of the samples that `study.measure` draws."""
    rng = np.random.default_rng(seed)
    r = two.correlations()[0]
    null = p_values(sampled_pairs(two.draw(rng, samples)))
    lower = max(r - float(rng.uniform(0.3, 1.8)) * (1 - r), 0.5)
    other = p_values(sampled_pairs(two.with_r(r, min(lower, r - 0.01)).draw(rng, samples)))
    return {
        (test, level): [float(np.mean(p[test] <= level)) for p in (null, other)]
        for test in TESTS
        for level in LEVELS
    }


def of_groups(plan: Plan, data: Path) -> list[Row]:
    """Mean level, worst level and mean power by group, test and level."""
    found: dict[tuple[str, str, float], list[list[float]]] = {}
    for i, (name, two) in enumerate(settings(plan.confirming, plan.settings, data).items()):
        group = name.split(" | ")[0]
        for (test, level), of in shares(two, (plan.confirming, i), plan.samples).items():
            for each in (group, *(["real"] if group != "drawn" else [])):
                found.setdefault((each, test, level), []).append(of)
    rows: list[Row] = []
    for (group, test, level), each in sorted(found.items()):
        rejected, power = np.transpose(each)
        row: Row = {"group": group, "test": test, "at": f"{level:g}", "settings": len(each)}
        row |= {"level": float(rejected.mean()), "level_worst": float(rejected.max())}
        row["level_within_7"] = float((rejected <= 0.07).mean())
        rows.append({**row, "power": float(power.mean())})
    return rows


def nearest(rows: Sequence[Row], group: str = "single") -> str:
    """Level at which Williams' mean is nearest to that of fisher-jackknife at 5 %."""
    of = {(row["test"], row["at"]): float(row["level"]) for row in rows if row["group"] == group}
    own = of["raised(6)", f"{ALPHA:g}"]
    return min((f"{x:g}" for x in LEVELS), key=lambda at: abs(of["Williams", at] - own))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write ``stricter.csv``."""
    parser = argparse.ArgumentParser(prog="python -m experiments.difference.stricter")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    rows = of_groups(SMOKE if chosen.smoke else FULL, DATA)
    at = nearest(rows)
    for row in rows:
        row["chosen"] = (
            "yes" if row["at"] == (at if row["test"] == "Williams" else f"{ALPHA:g}") else ""
        )
    write(chosen.out / "stricter.csv", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
