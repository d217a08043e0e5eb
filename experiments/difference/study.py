"""Run what `plan` fixed, and write ``results``."""

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from experiments.best.plan import KINDS
from experiments.best.settings import drawn_settings, real_settings
from experiments.common import DATA
from experiments.difference.candidates import TODAY, intervals, p_values
from experiments.difference.one_r import measure_one_r
from experiments.difference.plan import ALPHA, FULL, GAPS, SMOKE, TAIL, Plan
from experiments.difference.settings import Two, settings
from experiments.honest_inference.earlier import williams_jackknife
from supersample.inference.comparisons_with_best import _dunnett_quantile
from supersample.inference.two_correlations.fisher_jackknife import sampled_pairs, score_pairs

RESULTS = Path(__file__).parent / "results"
Row = dict[str, float | str]


def measure(name: str, two: Two, seed: tuple[int, ...], samples: int) -> list[Row]:
    """Level, tail, power, coverage and sides of every candidate in one setting."""
    rng = np.random.default_rng(seed)
    r, _, between = two.correlations()
    null = sampled_pairs(two.draw(rng, samples))
    lower = max(r - float(rng.uniform(0.3, 1.8)) * (1 - r), 0.5)
    other = sampled_pairs(two.with_r(r, min(lower, r - 0.01)).draw(rng, samples))
    of_null, of_other = p_values(null), p_values(other)
    rows: dict[str, Row] = {}
    for candidate, p in of_null.items():
        cut = float(np.nanquantile(p, ALPHA))
        rows[candidate] = {
            "setting": name,
            "candidate": candidate,
            "level": _share(p <= ALPHA),
            "tail": _share(p <= TAIL),
            "power": _share(of_other[candidate] <= ALPHA),
            "at_level": _share(of_other[candidate] <= cut),
        }
    for gap in (0.0, *GAPS):
        apart = gap * np.sqrt(2 * (1 - _normal_c(r, r, between)) / (two.n - 3))
        smaller = float(np.tanh(np.arctanh(r) - apart))
        drawn = null if gap == 0 else sampled_pairs(two.with_r(r, smaller).draw(rng, samples))
        for candidate, (low, high) in intervals(drawn).items():
            truth = r - smaller
            row = rows[candidate]
            row[f"cover_{gap:g}"] = _share((low <= truth) & (truth <= high))
            row[f"towards_{gap:g}"] = _share(low > truth)
            row[f"away_{gap:g}"] = _share(high < truth)
            row[f"width_{gap:g}"] = float(np.nanmean(high - low))
    return list(rows.values())


def measure_list(name: str, setting: object, seed: tuple[int, ...], samples: int) -> list[Row]:
    """Share in which a given best metric is left out, and share of metrics left."""
    drawn = setting.draw(np.random.default_rng(seed), samples)  # type: ignore[attr-defined]
    r = np.asarray(setting.r)  # type: ignore[attr-defined]
    count = r.size
    first, second = np.triu_indices(count, 1)
    step = max(1, 2_000_000 // (drawn.shape[1] * first.size))
    out: dict[str, list[np.ndarray]] = {}
    for start in range(0, samples, step):
        pairs = score_pairs(drawn[start : start + step], first, second)
        for test, q in (
            (TODAY, williams_jackknife(pairs).statistic),
            ("raised(6)", pairs.quantile),
        ):
            largest = np.zeros((len(q), count))
            for k in range(count):
                ahead = np.where(second == k, q, np.where(first == k, -q, -np.inf))
                largest[:, k] = ahead.max(axis=1)
            others = count - 1
            bonferroni, dunnett = -float(ndtri(ALPHA / others)), _dunnett_quantile(ALPHA, others)
            for law, quantile in (("Bonferroni", bonferroni), ("Dunnett", dunnett)):
                c = max(quantile, 1.959964)
                out.setdefault(f"{test} by {law}", []).append(largest > c)
    best = r >= r.max() - 1e-9
    roles = [np.array([of == role for of in setting.roles]) for role in set(setting.roles)]  # type: ignore[attr-defined]
    given = [role & best for role in roles if (role & best).any()]
    rows: list[Row] = []
    for candidate, parts in out.items():
        left_out = np.concatenate(parts)
        wrong = max(float(left_out[:, role].mean()) for role in given)
        left = float((~left_out).mean())
        rows.append({"setting": name, "candidate": candidate, "wrong": wrong, "left": left})
    return rows


def summary(rows: Sequence[Row]) -> list[Row]:
    """Means, shares of settings and worst cases by group and candidate."""
    found: list[Row] = []
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        group = str(row["setting"]).split(" | ")[0]
        for of in (group, *(["real"] if group in ("single", "pooled") else [])):
            groups.setdefault((of, str(row["candidate"])), []).append(row)
    for (group, candidate), own in sorted(groups.items()):
        one: Row = {"group": group, "candidate": candidate, "settings": len(own)}
        for key in own[0]:
            if key in ("setting", "candidate"):
                continue
            values = np.array([row.get(key, np.nan) for row in own], np.float64)
            one[key] = float(values.mean())
            if key in ("level", "wrong"):
                one[f"{key}_worst"] = float(values.max())
                one[f"{key}_within_7"] = float((values <= 0.07).mean())
            if key.startswith("cover"):
                one[f"{key}_within_93"] = float((values >= 0.93).mean())
            if key == "cover":
                one["cover_worst"] = float(values.min())
        found.append(one)
    return found


def write(path: Path, rows: Iterable[Row], digits: int = 4) -> None:
    """Write rows as CSV, numbers to so many digits."""
    rows = list(rows)
    names = list(dict.fromkeys(key for row in rows for key in row))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, names)
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: f"{v:.{digits}f}" if isinstance(v, float) else v for k, v in row.items()}
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(prog="python -m experiments.difference")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--part", choices=("choosing", "confirming", "list", "one"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    plan: Plan = SMOKE if chosen.smoke else FULL
    for part, seed in (("choosing", plan.choosing), ("confirming", plan.confirming)):
        if chosen.part in (None, part):
            rows = [
                row
                for i, (name, two) in enumerate(settings(seed, plan.settings, DATA).items())
                for row in measure(name, two, (seed, i), plan.samples)
            ]
            write(chosen.out / f"{part}-settings.csv", rows)
            write(chosen.out / f"{part}.csv", summary(rows))
    if chosen.part in (None, "one"):
        seeds = (plan.one_choosing, plan.one_confirming, plan.one_again)
        for name, seed in zip(("choosing", "confirming", "again"), seeds, strict=True):
            rows = [
                row
                for i, (of, two) in enumerate(settings(seed, plan.settings, DATA).items())
                for row in measure_one_r(of, two, (seed, i), plan.samples)
            ]
            write(chosen.out / f"one-{name}-settings.csv", rows)
            write(chosen.out / f"one-{name}.csv", summary(rows), 6)
    if chosen.part in (None, "list"):
        every = {
            f"drawn | {name}": setting
            for name, setting in drawn_settings(plan.confirming, plan.list_each).items()
        }
        every |= {f"real | {name}": setting for name, setting in real_settings(DATA).items()}
        if chosen.smoke:
            every = dict(list(every.items())[: len(KINDS)])
        rows = [
            row
            for i, (name, setting) in enumerate(every.items())
            for row in measure_list(name, setting, (plan.confirming, i), plan.list_samples)
        ]
        write(chosen.out / "list-settings.csv", rows)
        write(chosen.out / "list.csv", summary(rows))
    return 0


def _share(mask: np.ndarray) -> float:
    return float(np.mean(mask))


def _normal_c(a: float, b: float, ab: float) -> float:
    between = (ab - a * b / 2) * (1 - a * a - b * b - ab * ab) + ab**3
    return between / ((1 - a * a) * (1 - b * b))
