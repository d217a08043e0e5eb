"""How often any statement of a table is wrong, and which limits miss, where each is taken alone.

Nothing is chosen here, and what is judged is the library as it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.best.measure import Truth, concluded
from experiments.best.plan import ALPHA
from experiments.best.settings import Setting, Smoothed, real_scores
from experiments.honest_inference.shapes import Floats
from supersample.presentation.table import Column, Table, Value

STATEMENTS = {
    "best_out": "a given best metric is left out",
    "any_best_out": "any of the best metrics is left out",
    "false_pair": "any false pair",
    "missed": "limits of a metric miss, mean over metrics",
    "worst_missed": "limits of the worst metric miss",
    "any_missed": "limits of any metric miss",
    "any_lower_missed": "lower limit of any metric misses",
    "any_upper_missed": "upper limit of any metric misses",
}
GROUPS: dict[str, Callable[[Setting], bool]] = {
    "all": lambda setting: True,
    "drawn": lambda setting: not isinstance(setting, Smoothed),
    "real": lambda setting: isinstance(setting, Smoothed),
    "several best": lambda setting: _best(setting) > 1,
    "one best": lambda setting: _best(setting) == 1,
}
"""Kinds of settings, each summed up by itself."""
OF_SETTING = ("setting", "kind", "systems", "metrics", "best")


def measure_joint(setting: Setting, seed: tuple[int, ...], samples: int) -> dict[str, list[float]]:
    """Share of samples in which each of `STATEMENTS` is wrong, and misses of each metric's limits.

    A given best metric, and the worst metric, are means over the metrics of one role, of the role
    that fares worst. ``left`` counts metrics that could be the best, ``found`` is the share of the
    true pairs; ``lower`` and ``upper`` have a number for each metric.
    """
    drawn = setting.draw(np.random.default_rng(seed), samples)
    truth = Truth.of(setting)
    columns: list[tuple[Floats, ...]] = []
    for sample in concluded(drawn):
        best, adjusted = sample.library
        claimed = adjusted[truth.first, truth.second] <= ALPHA
        right = np.sign(sample.quantile) == truth.sign
        below, above = best.behind_lower > truth.behind, best.behind_upper < truth.behind
        columns.append((best.p_best <= ALPHA, claimed & ~right, claimed & right, below, above))
    out, false, right, below, above = (np.stack(each) for each in zip(*columns, strict=True))
    missed = (below | above).mean(axis=0)
    roles = [role & truth.best for role in truth.roles if (role & truth.best).any()]
    found = {
        "best_out": max(out[:, role].mean() for role in roles),
        "any_best_out": out[:, truth.best].any(axis=1).mean(),
        "false_pair": false.any(axis=1).mean(),
        "missed": missed.mean(),
        "worst_missed": max(missed[role].mean() for role in truth.roles),
        "any_missed": (below | above).any(axis=1).mean(),
        "any_lower_missed": below.any(axis=1).mean(),
        "any_upper_missed": above.any(axis=1).mean(),
        "left": (~out).sum(axis=1).mean(),
        "found": right.sum() / len(right) / max((truth.sign != 0).sum(), 1),
    }
    of_metrics = {"lower": below.mean(axis=0).tolist(), "upper": above.mean(axis=0).tolist()}
    return {**{name: [float(value)] for name, value in found.items()}, **of_metrics}


Found = Mapping[str, Mapping[str, Sequence[float]]]
"""By setting and statement."""


def settings_table(found: Found, settings: Mapping[str, Setting]) -> Table:
    """One row a setting."""
    others = {"left": "metrics that could be the best", "found": "share of the true pairs"}
    columns = (
        *(Column(name, name) for name in OF_SETTING),
        *(Column(name, text, ".4f") for name, text in (STATEMENTS | others).items()),
    )
    rows = []
    for name, each in found.items():
        of = settings[name]
        place = (name, _kind(of), of.n, len(of.r), _best(of))
        rows.append((*place, *(each[x][0] for x in STATEMENTS | others)))
    return Table(columns, tuple(rows), "Wrong statements in each setting, share of samples")


def joint_table(found: Found, settings: Mapping[str, Setting]) -> Table:
    """One row a statement and a kind of settings."""
    names = ("statement", "kind", "settings")
    columns = (
        *(Column(name, name) for name in names),
        Column("mean", "wrong on average", ".4f"),
        Column("high", "in 95 % of settings at most", ".4f"),
        Column("worst", "worst setting", ".4f"),
        Column("where", "which"),
    )
    rows: list[tuple[Value, ...]] = []
    for kind, belongs in GROUPS.items():
        chosen = [k for k in found if belongs(settings[k])]
        for name, text in STATEMENTS.items() if chosen else ():
            wrong = np.array([found[k][name][0] for k in chosen])
            told = (float(wrong.mean()), float(np.quantile(wrong, 0.95)), float(wrong.max()))
            rows.append((text, kind, len(chosen), *told, chosen[int(wrong.argmax())]))
    return Table(columns, tuple(rows), "Wrong statements, share of samples")


def _kind(setting: Setting) -> str:
    return "real" if isinstance(setting, Smoothed) else "drawn"


def _best(setting: Setting) -> int:
    """Count the metrics that share the largest r."""
    return int(Truth.of(setting).best.sum())


def worst_limits_table(
    data: Path, found: Mapping[str, Mapping[str, Sequence[float]]], settings: Mapping[str, Setting]
) -> Table:
    """Of each real test set as it is, the metric whose limits miss most, and what it rests on."""
    names = ("set", "metric", "best")
    numbers = {
        "behind": "behind the best",
        "lower": "lower limit misses",
        "upper": "upper limit misses",
        "behind_without": "behind without that system",
        "lacks": "samples without that system",
    }
    columns = (
        *(Column(name, name) for name in names),
        *(Column(name, numbers[name], ".4f") for name in ("behind", "lower", "upper")),
        Column("system", "system that changes this most"),
        *(Column(name, numbers[name], ".4f") for name in ("behind_without", "lacks")),
    )
    rows = tuple(_worst_limits(data, found, settings))
    return Table(columns, rows, "The metric whose limits miss most")


def _worst_limits(
    data: Path, found: Mapping[str, Mapping[str, Sequence[float]]], settings: Mapping[str, Setting]
) -> Iterator[tuple[Value, ...]]:
    for name, (scores, systems, metrics) in real_scores(data).items():
        setting, of = settings[f"{name} as it is"], found[f"{name} as it is"]
        missed = np.array([of["lower"], of["upper"]])
        worst = int(missed.sum(axis=0).argmax())
        best = int(np.argmax(setting.r))
        whole = _ahead(scores, best, worst)
        without = [_ahead(np.delete(scores, i, axis=0), best, worst) for i in range(len(systems))]
        one = int(np.abs(np.array(without) - whole).argmax())
        lacks = (1 - 1 / len(systems)) ** setting.n
        limits = missed[:, worst].tolist()
        place = (name, metrics[worst], metrics[best], whole, *limits)
        yield *place, systems[one], without[one], lacks


def _ahead(scores: Floats, best: int, worst: int) -> float:
    r = np.corrcoef(scores.T)[0, 1:]
    return float(r[best] - r[worst])
