"""People among WMT23's metrics, limits of r without noise, and parts of a gold standard.

python -m experiments.human_ceiling            # half an hour; --part NAME for one part
python -m experiments.human_ceiling --smoke    # seconds, for the tests

Rules, fixed before the results: limits of r without noise are to cover it in at least 93 % of
samples in 90 % of 40 settings; of the shares of Student's quantile tried in the limits of the
correction (0, 0.5, 1), the smallest that does so among 40 settings to choose by is taken, and
judged by 40 others. Of 200 golds with a part among the metrics, and of 200 with a metric that
agrees very well, at most 2 are to be told wrongly.

The limits of r were the jackknife's then. With those of `fisher-jackknife` the share that was taken
is measured again: in 40 settings of another seed, and where the former limits covered least.
"""

import argparse
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

import supersample as ss
from experiments.common import DATA, OUT
from experiments.data import require
from experiments.honest_inference.shapes import ERRORS, Floats, error
from experiments.wmt import without_teams
from supersample.presentation.table import Column, Table, Value, to_markdown
from supersample.raters import rank_raters, reliability
from supersample.raters.agreement import CORRECTION, true_correlations
from supersample.results.outputs import Results, write_results

PARTS = ("coverage", "again", "wmt23")
SHARES = (0.0, 0.5, 1.0)
"""Of Student's quantile in the limits of the correction."""
CHOOSING, CONFIRMING, CONTAMINATION, AGAIN = 320, 321, 322, 325
COVERAGE_SAMPLES = 1_000
AGAIN_SAMPLES = 300
MEASURES = ("pearson", "SPA", "acc_eq/item")
PAIRS = ("en-de", "zh-en")
COLLECTIONS = ("col1", "col2", "col3")


class Setting(NamedTuple):
    """A population: variances in those of systems' quality, and shapes of the metric's errors."""

    systems: int
    segments: int
    raters: int
    r: float
    """Of the metric's and people's true scores of systems."""
    of_segment: float
    """Variance of translations' quality within a system."""
    of_rater: float
    """Of a rater's taste in systems."""
    of_rating: float
    own: float
    """Variance of the metric's errors on translations."""
    shared: float
    """Share of it that is translations' quality."""
    error: str
    shape: float


def random_setting(rng: np.random.Generator) -> Setting:
    """Draw a setting."""

    def between(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    return Setting(
        int(rng.integers(8, 25)),
        int(rng.integers(40, 300)),
        int(rng.integers(2, 6)),
        float(np.tanh(rng.uniform(0.3, 2.3))),
        between(1, 30),
        between(0.003, 0.2),
        between(2, 40),
        between(1, 30),
        float(rng.uniform(0, 0.6)),
        str(rng.choice([name for name in ERRORS if name != "growing"])),
        float(rng.random()),
    )


def draw(setting: Setting, rng: np.random.Generator) -> Floats:
    """Draw scores (raters and the metric, systems, segments)."""
    n, length, raters = setting.systems, setting.segments, setting.raters
    quality = rng.standard_normal(n)
    metric = setting.r * quality
    metric += np.sqrt(1 - setting.r**2) * error(setting.error, setting.shape, rng, quality, 1.0)
    within = np.sqrt(setting.of_segment) * rng.standard_normal((n, length))
    taste = np.sqrt(setting.of_rater) * rng.standard_normal((raters, n, 1))
    noise = np.sqrt(setting.of_rating) * rng.standard_normal((raters, n, length))
    people = quality[:, None] + within + taste + noise
    known = np.sqrt(setting.shared / setting.of_segment) * within
    own = np.sqrt(1 - setting.shared) * rng.standard_normal((n, length))
    scored = metric[:, None] + np.sqrt(setting.own) * (known + own)
    return np.concatenate([people, scored[np.newaxis]])


HARD = [
    Setting(systems, segments, 5, 0.98, 1.0, 0.003, 2.0, 1.0, 0.3, "skewed", 0.4999)
    for systems in (12, 24)
    for segments in (150, 290)
]
"""Exponential errors, a high r and little noise."""


def random_settings(seed: int, count: int) -> list[Setting]:
    """Draw so many settings."""
    rng = np.random.default_rng(seed)
    return [random_setting(rng) for _ in range(count)]


def coverage_table(
    seed: int, settings: Sequence[Setting], samples: int, shares: Sequence[float] = SHARES
) -> Table:
    """Share of samples whose limits cover r without noise, by share of the quantile."""
    rows = []
    for k, setting in enumerate(settings):
        inside, width, defined = np.zeros(len(shares)), np.zeros(len(shares)), 0
        of = np.random.default_rng((seed, k))
        for _ in range(samples):
            values = draw(setting, of)
            for j, share in enumerate(shares):
                _, lower, upper = true_correlations(values, setting.raters, 0.95, share=share)
                known = bool(np.isfinite(lower[0]))
                inside[j] += not known or lower[0] <= setting.r <= upper[0]
                width[j] += (upper[0] - lower[0]) if known else 2.0
            defined += known
        rows.append((k, *setting, defined / samples, *inside / samples, *width / samples))
    columns = (
        Column("setting"),
        *(Column(name, number=".4g") for name in Setting._fields),
        Column("defined", number=".3f"),
        *(Column(f"cover_{share:g}", number=".4f") for share in shares),
        *(Column(f"width_{share:g}", number=".4f") for share in shares),
    )
    return Table(columns, tuple(rows), f"Coverage of r without noise, seed {seed}")


def coverage(smoke: bool) -> dict[str, Table]:
    """Coverage among the settings to choose by, and those to confirm by."""
    settings, samples = (2, 4) if smoke else (40, COVERAGE_SAMPLES)
    found = {}
    for name, seed in (("choosing", CHOOSING), ("confirming", CONFIRMING)):
        table = found[f"coverage-{name}"] = coverage_table(
            seed, random_settings(seed, settings), samples
        )
        names = [column.field for column in table.columns]
        for share in SHARES:
            cover = np.array([row[names.index(f"cover_{share:g}")] for row in table.rows], float)
            kept = (cover >= 0.93).mean()
            print(
                f"{name}, share {share:g}: mean {cover.mean():.3f}, least {cover.min():.3f}, "
                f"at least .93 in {kept:.0%} of settings"
            )
    return found


def again(smoke: bool) -> dict[str, Table]:
    """Coverage with the share that was chosen, in new settings and in hard ones."""
    settings, samples = (2, 4) if smoke else (40, AGAIN_SAMPLES)
    of = {"again": random_settings(AGAIN, settings), "hard": HARD[:settings]}
    return {
        f"coverage-{name}": coverage_table(AGAIN, each, samples, (CORRECTION,))
        for name, each in of.items()
    }


def collections(pair: str) -> xr.Dataset:
    """WMT23's metrics of a language pair, with three MQM collections and DA+SQM beside them."""
    scores = without_teams(ss.read_mtme(DATA / "mt-metrics-eval-v2", "wmt23", pair))
    for name in COLLECTIONS:
        file = DATA / "wmt23-raters" / f"{pair}.mqm-{name}.seg.score"
        scores = ss.raters.add_rater(scores, name, file)
    folder = DATA / "mt-metrics-eval-v2" / "wmt23" / "human-scores"
    return ss.raters.add_rater(scores, "DA+SQM", folder / f"{pair}.da-sqm.seg.score")


def wmt23(smoke: bool) -> dict[str, Table]:
    """Where people stand among WMT23's metrics, each collection being the gold in turn."""
    rows: list[tuple[Value, ...]] = []
    below: list[tuple[Value, ...]] = []
    ceilings: list[tuple[Value, ...]] = []
    true: list[tuple[Value, ...]] = []
    measures = MEASURES[:1] if smoke else MEASURES
    for pair in PAIRS[:1] if smoke else PAIRS:
        scores = collections(pair)
        with_mqm = []
        for gold in COLLECTIONS[:1] if smoke else (*COLLECTIONS, "others"):
            people = list(COLLECTIONS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = rank_raters(
                    scores, [*people, "DA+SQM"] if gold != "others" else people, measures,
                    gold=gold, resamples=99 if smoke else 999,
                )  # fmt: skip
            rows += _standings(pair, gold, found)
            if gold != "others":
                with_mqm.append(found)
        below += _shown_below(pair, with_mqm)
        ceilings.append(_ceilings(pair, scores))
        true += _without_noise(pair, scores)
    fields = ("pair", "gold", "measure", "scope", "person", "value", "above", "shown_above")
    more = ("shown_below", "of", "best", "best_value")
    numbers = {"value": ".4f", "best_value": ".4f"}
    columns = tuple(Column(name, number=numbers.get(name, "")) for name in (*fields, *more))
    of_below = ("pair", "measure", "scope", "metric", "below", "comparisons")
    of_ceilings = ("pair", "systems", "segments", "documents", "metrics", "one", "mean")
    names = ("r", "true_r", "lower", "upper", "lower_all")
    of_true = (Column("pair"), Column("metric"), *(Column(name, number=".4f") for name in names))
    return {
        "wmt23": Table(columns, tuple(rows), "Metrics above and below each person"),
        "shown-below": Table(
            tuple(map(Column, of_below)), tuple(below), "Metrics shown below MQM collections"
        ),
        "ceilings": Table(
            tuple(map(Column, of_ceilings)), tuple(ceilings), "Segments that all collections rated"
        ),
        "without-noise": Table(of_true, tuple(true), "r without noise, mean of three collections"),
    }


def _shown_below(pair: str, found: Sequence[xr.Dataset]) -> list[tuple[Value, ...]]:
    """In how many comparisons with another MQM collection each metric is shown to be below it."""
    rows: list[tuple[Value, ...]] = []
    first = found[0]
    for measure in first["measure"].values:
        for scope in first["scope"].values:
            for metric in first["scorer"].values[~first["is_person"].values]:
                shown = [
                    bool((of["p_holm"] <= 0.05) & (of["difference"] < 0))
                    for each in found
                    for person in each["person"].values
                    if person in COLLECTIONS
                    for of in (
                        each.sel(measure=measure, scope=scope, scorer=metric, person=person),
                    )
                ]
                if any(shown):
                    place = (pair, str(measure), str(scope), str(metric))
                    rows.append((*place, sum(shown), len(shown)))
    return rows


def _ceilings(pair: str, scores: xr.Dataset) -> tuple[Value, ...]:
    """Sizes of what all collections rated, and r of a metric that knows each system's quality."""
    measured = reliability(scores, list(COLLECTIONS))
    one, many = measured["ceiling"].sel(knows="system").values
    rated = np.isfinite(scores["score"].sel(metric=list(COLLECTIONS))).all(("metric", "system"))
    documents = np.unique(scores["document"].values[rated.values]).size
    sizes = (int(measured["systems"]), int(measured["segments"]), documents)
    return (pair, *sizes, measured.sizes["metric"], float(one), float(many))


def _without_noise(pair: str, scores: xr.Dataset) -> list[tuple[Value, ...]]:
    """Give r without noise, its 95 % limits, and a lower limit that holds for all metrics at once.

    The last is Bonferroni's, as the best metric is picked after looking: each metric's limits are
    those at 1 - .05 / metrics.
    """
    measured = reliability(scores, list(COLLECTIONS))
    level = 1 - 0.05 / measured.sizes["metric"]
    for_all = reliability(scores, list(COLLECTIONS), confidence_level=level)
    rows: list[tuple[Value, ...]] = []
    for name in measured["metric"].values:
        of = measured.sel(metric=name)
        limits = [float(of[x]) for x in ("r", "true_r", "lower", "upper")]
        rows.append((pair, str(name), *limits, float(for_all["lower"].sel(metric=name))))
    return rows


def _standings(pair: str, gold: str, found: xr.Dataset) -> list[tuple[Value, ...]]:
    """How many metrics are above each person, and are shown to be above or below."""
    rows: list[tuple[Value, ...]] = []
    metrics = found["scorer"].values[~found["is_person"].values]
    for measure in found["measure"].values:
        of = found.sel(measure=measure, scorer=metrics)
        best = str(of["value"].idxmax("scorer").item())
        for person in found["person"].values:
            difference = of["difference"].sel(person=person)
            value = float(found["person_value"].sel(measure=measure, person=person))
            for scope in found["scope"].values:
                shown = of["p_holm"].sel(person=person, scope=scope) <= 0.05
                counts = [
                    int((difference > 0).sum()),
                    int((shown & (difference > 0)).sum()),
                    int((shown & (difference < 0)).sum()),
                    metrics.size,
                ]
                place = (pair, gold, str(measure), str(scope), str(person), value)
                rows.append((*place, *counts, best, float(of["value"].max())))
    return rows


RUN: dict[str, Callable[[bool], dict[str, Table]]] = {
    "coverage": coverage,
    "again": again,
    "wmt23": wmt23,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.human_ceiling")
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--out", type=Path, default=OUT / "human_ceiling")
    options = parser.parse_args(arguments)
    if not set(options.part or PARTS) <= {"coverage", "again"}:
        require(DATA, "mt-metrics-eval-v2", "wmt23-raters")
    for part in options.part or PARTS:
        tables = RUN[part](options.smoke)
        if part == "wmt23":
            print(to_markdown(tables["wmt23"]))
        write_results(options.out, Results(numbers=tables, pages=tables))
    return 0
