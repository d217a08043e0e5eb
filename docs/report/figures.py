"""Figures of the report, drawn from the committed files."""

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.committed import Row, rows_of
from experiments.difference.plan import GAPS
from experiments.honest_inference.populations import NOISE_RANGE
from experiments.sets.plan import COUNTS, POWER, POWER_SYSTEMS
from supersample.presentation.figures.style import BLUE, GREEN, GREY, ORANGE, styled

WIDTH = 6.5  # inches
LEVEL = {"color": "black", "linewidth": 0.8, "linestyle": ":"}


def draw_all(folder: Path) -> None:
    """Draw every figure into a folder, as SVG of the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        with styled(), mpl.rc_context({"svg.hashsalt": name}):
            draw().savefig(folder / f"{name}.svg", metadata={"Date": None})


def coverage() -> Figure:
    """Draw coverage of 95 % intervals, a mark for each setting."""
    figure = Figure(figsize=(WIDTH, 4.0), layout="constrained")
    above, middle, below = figure.subplots(3, 1)
    files = [f"calibration/results/{part}-coverage-of-difference.csv" for part in PARTS]
    normal = [row for file in files for row in rows_of(file)]
    _strips(
        above,
        {
            name: [100 * float(row["coverage"]) for row in normal if row["procedure"] == procedure]
            for name, procedure in (
                ("Zou, n = 10,000 hybrids", "zou:hybrids:hybrid"),
                ("Zou, n = systems", "zou:systems:observed"),
            )
        },
    )
    above.set_xlim(0, 100)
    count = len({row["setting"] for row in normal})
    above.set_title(f"{count} populations with much noise of segments (S1)", loc="left")
    _strips(
        middle,
        {
            "BCa bootstrap of systems": _percent(HONEST, "BCa over systems"),
            "Zou, n = systems": _percent(HONEST, "Zou"),
        },
    )
    middle.set_xlim(80, 100)
    count = len(_percent(HONEST, "Zou"))
    low, high = (100 * share for share in NOISE_RANGE)
    middle.set_title(
        f"{count} populations with less noise, {low:.1f} to {high:.0f} % (S2)", loc="left"
    )
    groups = {"drawn": ("drawn",), "real shapes": ("single", "pooled")}
    rows = rows_of("difference/results/confirming-settings.csv", {"candidate": "raised(6)"})
    shown = {
        f"fisher-jackknife, {name}": [
            100 * float(row[f"cover_{GAPS[1]:g}"])
            for row in rows
            if row["setting"].startswith(starts)
        ]
        for name, starts in groups.items()
    }
    _strips(below, shown)
    below.set_xlim(55, 100)
    below.set_title(f"{len(rows)} other populations, to judge the test by (S2)", loc="left")
    below.set_xlabel("samples in which the 95 % interval holds the true difference, %")
    return figure


PARTS = ("choosing", "confirming")
HONEST = "honest_inference/results/coverage-of-settings.csv"


def _percent(file: str, candidate: str) -> list[float]:
    where = {"part": "confirming intervals", "candidate": candidate}
    return [100 * float(row["coverage"]) for row in rows_of(file, where)]


def _strips(axes: Axes, values: dict[str, list[float]]) -> None:
    """Draw a row of marks for each name, the first on top, spread so that all are seen."""
    for y, (name, found) in enumerate(values.items()):
        spread = np.random.default_rng(y).uniform(-0.28, 0.28, len(found))
        color = GREEN if "fisher" in name else BLUE
        axes.plot(found, y + spread, "o", ms=2.6, mew=0, alpha=0.6, color=color)
        axes.plot([min(found)], [y], "|", ms=14, mew=1.4, color=ORANGE)
    axes.axvline(95, **LEVEL)
    axes.set_yticks(range(len(values)), list(values))
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def ruled_out() -> Figure:
    """Draw how many metrics could be the best, by number of systems and by number of sets."""
    figure = Figure(figsize=(WIDTH, 2.7), layout="constrained")
    left, right = figure.subplots(1, 2)
    rows = rows_of("best/results/joint-settings.csv")
    graded = [row for row in rows if row["setting"].startswith(("graded", "a dozen systems"))]
    for name, low, high, mark, color in (
        ("3 to 10 metrics", 3, 10, "s", ORANGE),
        ("25 or 43 metrics", 25, 43, "o", BLUE),
    ):
        found = [row for row in graded if low <= _metrics(row["setting"]) <= high]
        shares = [100 * float(row["left"]) / _metrics(row["setting"]) for row in found]
        systems = [float(row["systems"]) for row in found]
        left.plot(systems, shares, mark, ms=4, mew=0, alpha=0.75, color=color, label=name)
    left.set(xlabel="systems of one test set", ylabel="metrics that could be the best, %")
    left.set_ylim(0, 103)
    left.set_title("One test set", loc="left")
    left.legend(loc="lower left")
    for (population, _, metrics, _), name, color in zip(
        POWER, ("{} graded metrics", "one of {} far ahead"), (ORANGE, BLUE), strict=True
    ):
        power = rows_of("sets/results/power.csv", {"population": population})
        shares = [100 * float(row["left"]) / metrics for row in power]
        sets = [float(row["sets"]) for row in power]
        right.plot(sets, shares, "o-", color=color, label=name.format(metrics))
    right.set_xscale("log", base=2)
    right.set_xticks(COUNTS, map(str, COUNTS))
    right.set(xlabel=f"test sets with the same {POWER_SYSTEMS} systems", ylim=(0, 103))
    right.set_title("Several test sets", loc="left")
    right.legend(loc="upper right")
    return figure


def _metrics(setting: str) -> int:
    """How many metrics a setting has: those of a dozen systems have 25."""
    return int(setting.split(", ")[1].split()[0]) if " metrics" in setting else 25


def swaps() -> Figure:
    """Draw how often tests find two metrics of equal SPA different, by the metrics' biases."""
    figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for column, (pair, systems) in zip(panels.T, (("en-de", "12"), ("zh-en", "15")), strict=True):
        for axes, shared in zip(column, ("0.1", "0.25"), strict=True):
            _swaps_of(axes, pair, {"systems": systems, "shared": shared})
        column[0].set_title(f"{systems} systems, as WMT23 {pair}", loc="left")
        column[1].set_xlabel("bias, as a share of the range of quality")
    for axes, shared in zip(panels[:, 0], ("10 %", "25 %"), strict=True):
        axes.set_ylabel(f"found different, %\n(documents' share: {shared})")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _swaps_of(axes: Axes, pair: str, where: dict[str, str]) -> None:
    """Draw a line for each test, and the range of pairs of real metrics."""
    quantity = "bias of a metric that another one has not"
    [real] = rows_of("retrospective/results/variances.csv", {"pair": pair, "quantity": quantity})
    rows = rows_of("retrospective/results/swaps.csv", where)
    bias = np.array([float(row["bias"]) for row in rows])
    axes.axvspan(
        float(real["q05"]), float(real["q95"]), color=GREY, alpha=0.25, lw=0, label="WMT23"
    )
    for column, name, mark, color in (
        ("swapped_segments", "swaps of segments", "o", ORANGE),
        ("swapped_documents", "swaps of documents", "s", BLUE),
        ("bootstrap", "bootstrap over documents", "D", GREEN),
    ):
        rates = np.array([float(row[column]) for row in rows])
        error = 196 * np.sqrt(rates * (1 - rates) / float(rows[0]["samples"]))
        axes.errorbar(
            bias, 100 * rates, yerr=error, fmt=f"{mark}-", ms=3.5, lw=1, elinewidth=0.8,
            color=color, label=name,
        )  # fmt: skip
    axes.axhline(5, **LEVEL)
    axes.set_xscale("symlog", linthresh=0.05, linscale=0.5)
    axes.set_xticks(bias, [f"{x:g}" for x in bias])
    axes.set_xticks([], minor=True)
    axes.set(xlim=(-0.006, 1.2), ylim=(0, 55))


def people() -> Figure:
    """Draw how many metrics are shown to agree better, or worse, with one person than another."""
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True)
    for axes, pair in zip(panels, ("en-de", "zh-en"), strict=True):
        _people_of(axes, pair)
        axes.set_title(f"WMT23 {pair}", loc="left")
    panels[1].set_yticklabels([])
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


MEASURES = {"pearson": "r", "SPA": "SPA", "acc_eq/item": "acc_eq"}


def _people_of(axes: Axes, pair: str) -> None:
    """Draw a bar for each gold standard and each other person, measure by measure."""
    y, ticks, names = 0.0, [], []
    parts: tuple[tuple[str, Sequence[str]], ...] = (("MQM", ("col*",)), ("DA+SQM", ("DA+SQM",)))
    for person, wanted in parts:
        for measure, name in MEASURES.items():
            rows = rows_of(
                "human_ceiling/results/wmt23.csv",
                {"pair": pair, "gold": "col*", "person": wanted[0], "measure": measure,
                 "scope": "documents"},
            )  # fmt: skip
            for k, row in enumerate(rows):
                _bar(axes, y + k, row)
            ticks.append(y + (len(rows) - 1) / 2)
            names.append(f"{name}: {person}")
            y += len(rows) + 1.2
    axes.set_yticks(ticks, names)
    metrics = int(rows[0]["of"])
    axes.set(ylim=(y - 1, -1.2), xlim=(0, metrics), xlabel=f"of {metrics} metrics")
    axes.tick_params(axis="y", length=0)


def _bar(axes: Axes, y: float, row: Row) -> None:
    below, above, of = (float(row[name]) for name in ("shown_below", "shown_above", "of"))
    first = y == 0
    for start, length, color, name in (
        (0.0, below, ORANGE, "shown to agree less than the collection"),
        (below, of - below - above, GREY, "nothing is shown"),
        (of - above, above, BLUE, "shown to agree more"),
    ):
        axes.barh(y, length, left=start, height=0.85, color=color, label=name if first else None)


def survival() -> Figure:
    """Draw for each set how many claims there are, and how many survive each test."""
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    rows = rows_of("survival/results/survival.csv")
    claims = np.array([float(row["claims"]) for row in rows])
    y = np.arange(len(rows))
    for axes, sample in zip(panels, ("systems", "documents"), strict=True):
        axes.barh(y, claims, 0.8, color=GREY, alpha=0.35, label="claims")
        for field, height, color, name in (
            (sample, 0.55, BLUE, "survive alone"),
            (f"{sample}_adjusted", 0.3, ORANGE, "survive the correction"),
        ):
            left = [float(row[field]) if row[field] else np.nan for row in rows]
            axes.barh(y, left, height, color=color, label=name)
        axes.set_title(f"If {sample} are drawn", loc="left")
        axes.set_xlabel("pairs of metrics")
    for at in (i for i, row in enumerate(rows) if not row["documents"]):
        panels[1].text(2, at, "documents are not known", va="center", fontsize=6)
    panels[0].set_yticks(y, [row["set"] for row in rows])
    panels[0].invert_yaxis()
    panels[0].tick_params(axis="y", length=0)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "survival": survival,
    "coverage": coverage,
    "ruled_out": ruled_out,
    "swaps": swaps,
    "people": people,
}
