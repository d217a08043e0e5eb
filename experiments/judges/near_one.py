"""Limits of agreement where a judge errs so seldom that one item decides.

python -m experiments.judges.near_one            # eight minutes
python -m experiments.judges.near_one --smoke    # seconds, for the tests

If the agreement of all items but one is 1, Fisher's z is infinite without that item, and the
jackknife's limits were nonsense: kappa 0.994 (-1 to 1).

Rule, written before the results. The true kappa (or r) is 0.95, 0.97 or 0.99; there are 30, 60, 100
or 200 items, one or three people, and two words (half and half, or 80 and 20 %) or five levels.
Samples without any error have no limits, and do not count; settings in which 100 samples count are
used. A way is good if it covers the truth in at least 93 % of samples in 90 % of the settings. Of
the good ways the one with the smallest median width is taken. If none is good, no limits are shown.

Not as the rule has it: 600 samples of a setting, not 1,000; samples in which a leave-out is not
defined are left out, not counted as misses; of ways within 5 % of the smallest width the simplest
is taken. Values below 0.8 were not studied, and keep the limits on Fisher's scale.

Ways: ``before``, z with leave-outs of at most 1 - 1e-12; ``plain``, the jackknife of kappa itself;
``wilson at one``, Wilson's limits for a share, of as many items as have kappa's jackknife variance,
if a leave-out is at 1, and otherwise z; ``wilson if few``, the same also if (1 - kappa)^2 is less
than five of its variances; ``wilson``, always; ``half`` and ``quarter``, z with leave-outs in which
so much of 1 - kappa is kept.
"""

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from supersample.engine import Floats
from supersample.inference.two_correlations.fisher_jackknife import fisher_z, jackknife_variance
from supersample.raters.judges import COLUMN, without_each

ANSWERS = {"half": [0.5, 0.5], "rare": [0.8, 0.2], "five": [0.1, 0.2, 0.3, 0.25, 0.15]}
STATISTICS, TRUTHS, ITEMS, PEOPLE = (
    ("weighted kappa", "r"),
    (0.95, 0.97, 0.99),
    (30, 60, 100, 200),
    (1, 3),
)
SAMPLES, FEWEST, MANY, LEVEL = 600, 100, 1_000_000, 0.93


def noisy(truth: Floats, errors: float, levels: int, rng: np.random.Generator) -> Floats:
    """Draw answers with errors: the other word, or a level one or (a tenth) two apart."""
    if levels == 2:
        return np.where(rng.random(truth.shape) < errors, 1 - truth, truth)
    step = np.where(rng.random(truth.shape) < 0.1, 2, 1) * rng.choice([-1, 1], truth.shape)
    other = np.clip(truth + step, 0, levels - 1)
    return np.where(rng.random(truth.shape) < errors, other, truth)


def draw(kind: str, errors: float, people: int, items: int, rng: np.random.Generator) -> Floats:
    """Draw answers of a judge, then of people; one person makes no errors."""
    shares = ANSWERS[kind]
    truth = rng.choice(len(shares), items, p=shares)
    if people == 1:
        return np.stack([noisy(truth, errors, len(shares), rng), truth]).astype(float)
    each = [noisy(truth, errors / 2, len(shares), rng) for _ in range(people + 1)]
    return np.stack(each).astype(float)


def value_of(kind: str, errors: float, people: int, statistic: str, many: int) -> float:
    """Agreement of the judge with a person in a large sample."""
    a, b, *_ = draw(kind, errors, people, many, np.random.default_rng(9))
    if statistic == "r":
        return float(np.corrcoef(a, b)[0, 1])
    return float(1 - np.mean((a - b) ** 2) / (a.var() + b.var() + (a.mean() - b.mean()) ** 2))


def ways(found: Floats) -> dict[str, tuple[float, float]]:
    """Limits by each way, from the value and the leave-outs."""
    value, left = found[0], found[1:]
    t = float(stdtrit(len(left) - 1, 0.975))
    variance = float(jackknife_variance(left[:, np.newaxis])[0])

    def by_z(each: Floats) -> tuple[float, float]:
        arm = t * np.sqrt(jackknife_variance(fisher_z(each)[:, np.newaxis])[0])
        lower, upper = (float(np.tanh(fisher_z(value) + x)) for x in (-arm, arm))
        return lower, upper

    before, arm, rest = by_z(left), t * float(np.sqrt(variance)), 1 - value
    wilson = before
    if value > 0:
        n = rest * value / variance
        middle, width = value + t * t / 2 / n, t * np.sqrt(rest * value / n + (t / 2 / n) ** 2)
        wilson = (middle - width) / (1 + t * t / n), (middle + width) / (1 + t * t / n)
    one = left.max() > 1 - 1e-9
    return {
        "before": before,
        "plain": (value - arm, min(1.0, value + arm)),
        "wilson at one": wilson if one else before,
        "wilson if few": wilson if one or rest**2 < 5 * variance else before,
        "wilson": wilson,
        "half": by_z(np.minimum(left, 1 - rest / 2)),
        "quarter": by_z(np.minimum(left, 1 - rest / 4)),
    }


def measured(statistic: str, samples: int, many: int) -> pd.DataFrame:
    """Coverage and mean width by setting and way."""
    rows = list[dict[str, object]]()
    number = 0
    for kind, people, target in product(ANSWERS, PEOPLE, TRUTHS):
        low, high = 0.0, 0.3
        for _ in range(14):
            middle = (low + high) / 2
            above = value_of(kind, middle, people, statistic, many) > target
            low, high = (middle, high) if above else (low, middle)
        errors = (low + high) / 2
        truth = value_of(kind, errors, people, statistic, many)
        for items in ITEMS:
            rng = np.random.default_rng([number, COLUMN[statistic]])
            number += 1
            limits, ones = list[dict[str, tuple[float, float]]](), 0
            for _ in range(samples):
                values = draw(kind, errors, people, items, rng)
                of_each = without_each(values, values[:, np.newaxis], np.arange(items))
                found = of_each[0][:, COLUMN[statistic]]
                if np.isfinite(found).all() and found[0] <= 1 - 1e-9:
                    limits.append(ways(found))
                    ones += int(found.max() > 1 - 1e-9)
            for way in limits[0] if limits else ():
                lower, upper = np.transpose([each[way] for each in limits])
                rows.append(
                    {"statistic": statistic, "answers": kind, "people": people, "truth": target}
                    | {"items": items, "counted": len(limits), "at one": ones, "way": way}
                    | {"covered": ((lower <= truth) & (truth <= upper)).mean()}
                    | {"width": (upper - lower).mean()}
                )
    return pd.DataFrame(rows)


def summary(rows: pd.DataFrame, fewest: int) -> pd.DataFrame:
    """Compute what the rule asks of each way."""
    used = rows[rows["counted"] >= fewest].assign(good=lambda x: x["covered"] >= LEVEL)
    by = used.groupby(["statistic", "way"], sort=False)
    return by.agg(
        settings=("good", "size"),
        good=("good", "mean"),
        least=("covered", "min"),
        mean=("covered", "mean"),
        width=("width", "median"),
    ).reset_index()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.judges.near_one")
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    samples, fewest, many = (3, 1, 1_000) if options.smoke else (SAMPLES, FEWEST, MANY)
    rows = pd.concat([measured(statistic, samples, many) for statistic in STATISTICS])
    told, how = summary(rows, fewest), {"index": False, "float_format": "%.4g"}
    rows.to_csv(options.out / "near-one.csv", **how)
    told.to_csv(options.out / "near-one-summary.csv", **how)
    print(told.to_string(index=False, float_format="%.3f"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
