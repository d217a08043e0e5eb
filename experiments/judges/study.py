"""Coverage of the 95 % intervals of `ss.raters.judge_agreement`, and their planned widths.

python -m experiments.judges            # four minutes
python -m experiments.judges --smoke    # seconds, for the tests

Rule, fixed before the results: in 30 settings drawn by `random_setting`, the intervals of each
statistic, of what is compared and of bias cover the truth in at least 93 % of samples in 90 % of
the settings. The truth is the value in 200,000 items of the same population.

`ss.raters.plan_judge` promises a width, of drawn answers without gaps. Rule, fixed before the
results: in samples of the planned size from the fitted population (the answers' items, drawn with
replacement), the mean width is within 10 % of what was promised in 95 % of all plans.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from experiments.common import OUT
from supersample.presentation.table import Column, Table, Value, to_markdown
from supersample.raters import judges, plan_judge
from supersample.results.outputs import Results, write_results

SEED, SETTINGS, SAMPLES, MANY = 701, 30, 600, 200_000
SCALES = ("interval", "ordinal", "nominal")
LEVELS = [-1.5, -0.5, 0.5, 1.5]
COVERED, OF_SETTINGS = 0.93, 0.9
WIDTHS, PLANNED_SAMPLES, WITHIN, OF_PLANS = (0.1, 0.15, 0.2, 0.3), 100, 0.1, 0.95
MOST_ANSWERS = 20_000  # of a planned sample
Floats = np.ndarray


class Setting(NamedTuple):
    """A population of answers: quality, and noise and bias of the judge and of each person."""

    scale: str
    systems: int
    segments: int
    people: int
    noise: tuple[float, ...]
    """Standard deviations, the judge's first; quality has 1."""
    bias: tuple[float, ...]
    cuts: tuple[float, ...]
    """Where answers change, on ordinal and nominal scales."""
    of_segment: float
    """Share of quality's variance that all systems' answers to a segment share."""
    missing: float


def random_setting(rng: np.random.Generator, number: int) -> Setting:
    """Draw a setting; scales take turns."""
    people, scale = int(rng.integers(1, 6)), SCALES[number % 3]
    cuts = {"interval": [], "ordinal": LEVELS, "nominal": [ndtri(rng.uniform(0.3, 0.9))]}[scale]
    return Setting(
        scale,
        int(rng.choice([1, 1, 3, 6])),
        int(rng.integers(30, 300)),
        people,
        tuple(rng.uniform(0.3, 1.5, people + 1)),
        (float(rng.uniform(-0.5, 0.5)), *rng.uniform(-0.3, 0.3, people)),
        tuple(map(float, cuts)),
        float(rng.uniform(0, 0.8)),
        float(rng.choice([0.0, 0.0, 0.2])),
    )


def draw(setting: Setting, segments: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw the answers of everybody, the judge first, to the items of some segments."""
    size = (setting.systems, segments)
    shared, own = rng.standard_normal((1, segments)), rng.standard_normal(size)
    share = setting.of_segment
    quality = (np.sqrt(share) * shared + np.sqrt(1 - share) * own).ravel()
    noise = np.array(setting.noise)[:, np.newaxis]
    values = quality + np.array(setting.bias)[:, np.newaxis]
    values = values + noise * rng.standard_normal(values.shape)
    if setting.cuts:
        values = np.digitize(values, setting.cuts).astype(float)
    gone = rng.random(values.shape) < setting.missing
    return np.where(gone, np.nan, values), np.tile(np.arange(segments), setting.systems)


def measured(setting: Setting, segments: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Value and limits by what they are of."""
    values, units = draw(setting, segments, rng)
    coded, words = values[:, np.newaxis], []
    if setting.scale == "nominal":
        coded, words = 1.0 * (coded == np.arange(2)[:, np.newaxis]), ["no", "yes"]
    found = judges.agreement_limits(values, coded, units, 0.95)
    rows = {
        f"{name}, {of}": found[:, i, judges.COLUMN[name]]
        for name in judges.SHOWN[setting.scale]
        for i, of in enumerate(judges.COMPARED)
    }
    bias = judges.biases(values, words, None, units, 0.95).isel(place=-1)
    rows["bias"] = np.array([float(bias[x]) for x in ("bias", "bias_lower", "bias_upper")])
    return rows


def coverage(number: int, samples: int) -> list[tuple[Value, ...]]:
    """Rows of one setting: the share of samples whose interval covers the truth."""
    rng = np.random.default_rng([SEED, number])
    setting = random_setting(rng, number)
    many = [measured(setting, MANY // setting.systems // 10, rng) for _ in range(10)]
    truth = {name: np.mean([each[name] for each in many], axis=0) for name in many[0]}
    inside: dict[str, list[bool]] = {name: [] for name in truth}
    for _ in range(samples):
        for name, (_, lower, upper) in measured(setting, setting.segments, rng).items():
            if np.isfinite(lower):
                inside[name].append(lower <= truth[name][0] <= upper)
    facts = (number, setting.scale, setting.systems, setting.segments, setting.people)
    return [
        (*facts, name, float(truth[name][0]), len(of), float(np.mean(of)))
        for name, of in inside.items()
        if of
    ]


def asked(setting: Setting, values: Floats) -> dict[str, dict[object, object]]:
    """Answers by annotator and item, as a plan takes them."""
    items = list(range(values.shape[1]))
    if setting.systems > 1:
        items = [divmod(item, setting.segments) for item in items]
    words = {0.0: "no", 1.0: "yes"} if setting.scale == "nominal" else {}
    names = ["judge", *(f"person {k}" for k in range(setting.people))]
    return {
        name: {item: words.get(x, x) for item, x in zip(items, of, strict=True)}
        for name, of in zip(names, values, strict=True)
    }


def planned(number: int, samples: int) -> list[tuple[Value, ...]]:
    """Rows of one setting: mean widths over the promised one, in two populations.

    That of the answers which the plan had, and the true one that these answers were drawn from.
    """
    rng = np.random.default_rng([SEED + 1, number])
    setting = random_setting(rng, number)._replace(missing=0.0)
    values, _ = draw(setting, setting.segments, rng)
    width = float(rng.choice(WIDTHS))
    plan = plan_judge(
        asked(setting, values), "judge", width=width, raters=[setting.people], scale=setting.scale
    )
    rows = []
    for name in judges.SHOWN[setting.scale]:
        needed = plan["units_needed"].sel(statistic=name).item()
        if not needed * setting.systems <= MOST_ANSWERS:
            continue
        n, of_fitted, of_true = int(needed), [], []
        for _ in range(samples):
            drawn = rng.integers(0, setting.segments, n)
            at = drawn + setting.segments * np.arange(setting.systems)[:, np.newaxis]
            of_fitted.append(own_width(setting, values[:, at.ravel()], n, name))
            of_true.append(own_width(setting, draw(setting, n, rng)[0], n, name))
        facts = (number, setting.scale, setting.systems, setting.segments, setting.people)
        ratios = (float(np.mean(x)) / width for x in (of_fitted, of_true))
        rows.append((*facts, name, width, n, *ratios))
    return rows


def own_width(setting: Setting, values: Floats, segments: int, name: str) -> float:
    """Width of the interval of the judge's agreement with people."""
    units, coded = np.tile(np.arange(segments), setting.systems), values[:, np.newaxis]
    if setting.scale == "nominal":
        coded = 1.0 * (coded == np.arange(2)[:, np.newaxis])
    found = judges.agreement_limits(values, coded, units, 0.95)[:, 0, judges.COLUMN[name]]
    return float(found[2] - found[1])


RATIOS = "fitted", "true"
PLANNED = (
    *(Column("width"), Column("segments_needed")),
    *(Column(x, f"mean width / promised, {x} population", ".3f") for x in RATIOS),
)


def summary_of_plans(rows: Sequence[tuple[Value, ...]]) -> Table:
    """For each population: how far mean widths are from promised ones."""
    found = []
    for k, name in ((-2, RATIOS[0]), (-1, RATIOS[1])):
        ratios = np.array([row[k] for row in rows], dtype=float)
        kept = float((np.abs(ratios - 1) <= WITHIN).mean())
        found.append((name, len(rows), *np.quantile(ratios, [0, 0.5, 1]).tolist(), kept))
    columns = (Column("population"), Column("plans"))
    columns += tuple(Column(x, number=".3f") for x in ("least", "median", "most", "within 10 %"))
    return Table(columns, tuple(found), "Mean width / promised width")


COLUMNS = ("setting", "scale", "systems", "segments", "people", "what")
NUMBERS = Column("truth", number=".3f"), Column("samples"), Column("covered", number=".3f")


def summary(rows: Sequence[tuple[Value, ...]]) -> Table:
    """For each statistic: mean and least coverage, and the share of settings that keep the rule."""
    columns = tuple(map(Column, ("what", "settings")))
    columns += tuple(Column(x, number=".3f") for x in ("mean", "least", "settings of 93 %"))
    found = []
    for what in dict.fromkeys(row[5] for row in rows):
        covered = np.array([row[-1] for row in rows if row[5] == what], dtype=float)
        kept = float((covered >= COVERED).mean())
        found.append((what, len(covered), float(covered.mean()), float(covered.min()), kept))
    return Table(columns, tuple(found), "Coverage of 95 % intervals")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.judges")
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--out", type=Path, default=OUT / "judges")
    options = parser.parse_args(arguments)
    settings, samples = (3, 5) if options.smoke else (SETTINGS, SAMPLES)
    rows = [row for number in range(settings) for row in coverage(number, samples)]
    each = Table((*map(Column, COLUMNS), *NUMBERS), tuple(rows), "Coverage in each setting")
    tables = {"coverage": each, "summary": summary(rows)}
    plans = [
        row
        for number in range(settings)
        for row in planned(number, 5 if options.smoke else PLANNED_SAMPLES)
    ]
    columns = (*map(Column, COLUMNS), *PLANNED)
    tables |= {"widths": Table(columns, tuple(plans)), "plans": summary_of_plans(plans)}
    for name in ("summary", "plans"):
        print(to_markdown(tables[name]))
    write_results(options.out, Results(numbers=tables, pages=tables))
    return 0
