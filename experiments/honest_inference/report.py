"""Tables and the picture of what the study found."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.honest_inference.candidates import WILLIAMS, ZOU
from experiments.honest_inference.plan import (
    COVERS,
    COVERS_AT_LEAST,
    COVERS_AT_MOST,
    REJECTS,
    REJECTS_AT_MOST,
    SHARE_OF_SETTINGS,
)
from experiments.honest_inference.real_shapes import STATISTICS
from supersample.presentation.figures.style import BLUE, GREY, LABEL_SIZE, ORANGE, styled
from supersample.presentation.table import Column, Table, Value, to_markdown
from supersample.results.outputs import Results, write_results

Floats = NDArray[np.float64]
Cells = Sequence[dict[str, Any]]


def write(folder: Path, results: dict[str, Any], *, seconds: float) -> None:
    """Write tables and figure to a folder, and print the tables."""
    chosen_interval = choose_interval(results["choosing intervals"])
    chosen_test = choose_test(results["choosing tests"])
    tables = {
        "intervals-choosing": interval_table(results["choosing intervals"], "by which is chosen"),
        "intervals-confirming": interval_table(results["confirming intervals"], "that confirm"),
        "tests-choosing": test_table(results["choosing tests"], "by which is chosen"),
        "tests-confirming": test_table(results["confirming tests"], "that confirm"),
        "shown": shown_table(results["confirming shown"]),
        "worst-coverage": worst_coverage(results["confirming intervals"], chosen_interval),
        "worst-level": worst_level(results["confirming tests"], chosen_test),
        "outside": outside_table(results),
        "many-metrics": metrics_table(results),
        "accuracies": accuracies_table(results),
    }
    if "real" in results:
        tables["real-systems"] = real_table(results["real"])
        tables["real-systems-tests"] = real_tests_table(results["real tests"])
        tables["shapes"] = shapes_table(results["shapes"])
    raw = {
        "coverage-of-settings": settings_table(results, "intervals"),
        "rejections-of-settings": settings_table(results, "tests"),
        "shown-of-settings": shown_settings_table(results["confirming shown"]),
    }
    if "real" in results:
        raw["real-systems-tests-of-pairs"] = real_pairs_table(results["real tests"])
    figures = {"frontier": frontier(results)}
    facts = {"chosen_interval": chosen_interval, "chosen_test": chosen_test}
    write_results(
        folder, Results(numbers={**tables, **raw}, pages=tables, figures=figures, facts={"": facts})
    )
    for table in tables.values():
        print(to_markdown(table), "\n")
    print(f"chosen by the rule: {chosen_interval}; {chosen_test}. {seconds:.0f} s")


def names_of(cells: Cells) -> list[str]:
    """Candidates of a part."""
    return list(cells[0]["found"])


def values(cells: Cells, name: str, field: str) -> Floats:
    """One number of every setting, of a candidate."""
    return np.array([cell["found"][name][field] for cell in cells], dtype=np.float64)


def relative_width(cells: Cells, name: str) -> float:
    """Mean width by Zou's, over the settings where Zou's covers 93 to 97 %."""
    covered = values(cells, ZOU, "coverage")
    use = (covered >= COVERS) & (covered <= COVERS_AT_MOST)
    ratio = values(cells, name, "width") / values(cells, ZOU, "width")
    return float(ratio[use].mean()) if use.any() else float("nan")


def meets_coverage(covered: Floats) -> bool:
    """Whether coverage keeps both bounds."""
    enough = np.mean(covered >= COVERS) >= SHARE_OF_SETTINGS
    return bool(enough and covered.min() >= COVERS_AT_LEAST)


def meets_level(level: Floats) -> bool:
    """Whether type I errors keep both bounds."""
    return bool(_in_range(level).mean() >= SHARE_OF_SETTINGS and level.max() <= REJECTS_AT_MOST)


def choose_interval(cells: Cells) -> str:
    """Apply the rule of `plan` to the intervals."""
    return _chosen(
        names_of(cells),
        lambda name: meets_coverage(values(cells, name, "coverage")),
        lambda name: relative_width(cells, name),
        lambda name: float((values(cells, name, "coverage") < COVERS).mean()),
    )


def choose_test(cells: Cells) -> str:
    """Apply the rule of `plan` to the tests."""
    return _chosen(
        names_of(cells),
        lambda name: meets_level(values(cells, name, "level")),
        lambda name: -_power(cells, name),
        lambda name: float((~_in_range(values(cells, name, "level"))).mean()),
    )


def interval_table(cells: Cells, which: str) -> Table:
    """One row an interval."""
    columns = (
        Column("interval", "95 % interval"),
        Column("least", "least coverage", ".3f"),
        Column("low", "5 % quantile", ".3f"),
        Column("median", "median", ".3f"),
        Column("enough", "settings with at least .93", ".3f"),
        Column("above_90", "with at least .90", ".3f"),
        Column("width", "width / Zou's where Zou covers", ".3f"),
        Column("width_all", "width / Zou's", ".3f"),
        Column("meets", "keeps both bounds"),
    )
    rows = []
    for name in names_of(cells):
        c = values(cells, name, "coverage")
        ratio = values(cells, name, "width") / values(cells, ZOU, "width")
        rows.append(
            (
                name,
                float(c.min()),
                float(np.quantile(c, 0.05)),
                float(np.median(c)),
                float((c >= COVERS).mean()),
                float((c >= COVERS_AT_LEAST).mean()),
                relative_width(cells, name),
                float(ratio.mean()),
                meets_coverage(c),
            )
        )
    return Table(columns, tuple(rows), f"Intervals in the {len(cells)} settings {which}")


def test_table(cells: Cells, which: str) -> Table:
    """One row a test."""
    columns = (
        Column("test", "test at 5 %"),
        Column("least", "least level", ".3f"),
        Column("median", "median", ".3f"),
        Column("high", "95 % quantile", ".3f"),
        Column("most", "largest", ".3f"),
        Column("in_range", "settings with .03 to .07", ".3f"),
        Column("level", "level where Williams keeps its", ".3f"),
        Column("power", "power there", ".3f"),
        Column("least_power", "least power less Williams' there", ".3f"),
        Column("meets", "keeps both bounds"),
    )
    use = _in_range(values(cells, WILLIAMS, "level"))
    rows = []
    for name in names_of(cells):
        level = values(cells, name, "level")
        power = values(cells, name, "power") - values(cells, WILLIAMS, "power")
        rows.append(
            (
                name,
                float(level.min()),
                float(np.median(level)),
                float(np.quantile(level, 0.95)),
                float(level.max()),
                float(_in_range(level).mean()),
                float(level[use].mean()) if use.any() else None,
                _power(cells, name),
                float(power[use].min()) if use.any() else None,
                meets_level(level),
            )
        )
    kept = f"Williams' test keeps its level in {int(use.sum())}"
    caption = f"Tests in the {len(cells)} null settings {which}; {kept}"
    return Table(columns, tuple(rows), caption)


def shown_table(cells: Cells) -> Table:
    """One row a decision: by one procedure alone, and by test and interval together."""
    columns = (
        Column("decision", "a difference is shown by"),
        Column("mean", "level", ".3f"),
        Column("high", "in 95 % of settings at most", ".3f"),
        Column("most", "largest", ".3f"),
        Column("in_range", "settings with .03 to .07", ".3f"),
        Column("at_most", "settings with .07 at most", ".3f"),
        Column("power", "power", ".3f"),
        Column("level_there", "level where Williams keeps its", ".3f"),
        Column("power_there", "power there", ".3f"),
    )
    use = _in_range(values(cells, WILLIAMS, "level"))
    rows: list[tuple[Value, ...]] = []
    for name in names_of(cells):
        level, power = values(cells, name, "level"), values(cells, name, "power")
        told = (level.mean(), np.quantile(level, 0.95), level.max(), _in_range(level).mean())
        there = [float(of[use].mean()) if use.any() else None for of in (level, power)]
        at_most = float((level <= REJECTS[1]).mean())
        rows.append((name, *(float(x) for x in told), at_most, float(power.mean()), *there))
    kept = f"Williams' test keeps its level in {int(use.sum())}"
    caption = f"Differences shown in the {len(cells)} null settings that confirm; {kept}"
    return Table(columns, tuple(rows), caption)


def shown_settings_table(cells: Cells) -> Table:
    """Every setting and decision."""
    fields = ("level", "power", "r_b")
    names = (Column("setting", "setting"), Column("decision", "decision"))
    rows = [
        (_described(cell), name, *(float(found[field]) for field in fields))
        for cell in cells
        for name, found in cell["found"].items()
    ]
    columns = (*names, *(Column(field, field, ".4f") for field in fields))
    return Table(columns, tuple(rows), "All settings, differences shown")


def worst_coverage(cells: Cells, name: str, count: int = 8) -> Table:
    """Return the settings where the chosen interval covers least."""
    covered = values(cells, name, "coverage")
    columns = (
        Column("setting", "setting"),
        Column("coverage", "coverage", ".3f"),
        Column("zou", "Zou's", ".3f"),
    )
    rows = [
        (_described(cells[i]), float(covered[i]), float(values(cells, ZOU, "coverage")[i]))
        for i in np.argsort(covered, kind="stable")[:count]
    ]
    return Table(columns, tuple(rows), f"Where the {name} covers least")


def worst_level(cells: Cells, name: str, count: int = 8) -> Table:
    """Return the settings where the chosen test rejects equality most often."""
    level = values(cells, name, "level")
    columns = (
        Column("setting", "setting"),
        Column("level", "rejects", ".3f"),
        Column("williams", "Williams", ".3f"),
    )
    rows = [
        (_described(cells[i]), float(level[i]), float(values(cells, WILLIAMS, "level")[i]))
        for i in np.argsort(-level, kind="stable")[:count]
    ]
    return Table(columns, tuple(rows), f"Where '{name}' rejects equality most often")


def outside_table(results: dict[str, Any]) -> Table:
    """Coverage at other levels and other n, a row each."""
    columns = (
        Column("where", "where"),
        Column("interval", "interval"),
        Column("least", "least coverage", ".3f"),
        Column("low", "5 % quantile", ".3f"),
        Column("median", "median", ".3f"),
        Column("width", "width / Zou's", ".3f"),
    )
    rows: list[tuple[Value, ...]] = []
    for part, cells in results.items():
        if not part.startswith("outside"):
            continue
        for name in names_of(cells):
            c = values(cells, name, "coverage")
            ratio = values(cells, name, "width") / values(cells, ZOU, "width")
            quantiles = float(c.min()), float(np.quantile(c, 0.05)), float(np.median(c))
            rows.append((part.removeprefix("outside, "), name, *quantiles, float(ratio.mean())))
    return Table(columns, tuple(rows), "Outside the calibrated range")


def metrics_table(results: dict[str, Any]) -> Table:
    """One row a setting with 25 metrics."""
    parts = [part for part in results if part.startswith("metrics, ")]
    fields = list(results[parts[0]][0]["found"])
    columns = (
        Column("setting", "setting"),
        Column("n", "n"),
        Column("top", "largest r", ".3f"),
        *(Column(field, field.replace("_", " "), ".3f") for field in fields),
    )
    rows = []
    for part in parts:
        (cell,) = results[part]
        setting = cell["setting"]
        found = [float(cell["found"][field]) for field in fields]
        rows.append((part.removeprefix("metrics, "), setting["n"], max(setting["r"]), *found))
    return Table(columns, tuple(rows), "Twenty-five metrics: shares of samples, and means")


def accuracies_table(results: dict[str, Any]) -> Table:
    """One row a setting of ten metrics compared by soft pairwise accuracy."""
    parts = [part for part in results if part.startswith("accuracies, ")]
    of_setting = ("systems", "segments", "tails")
    fields = list(results[parts[0]][0]["found"])
    columns = (
        Column("setting", "setting"),
        *(Column(name, name) for name in of_setting),
        *(Column(field, field.replace("_", " "), ".3f") for field in fields),
    )
    rows = []
    for part in parts:
        (cell,) = results[part]
        drawn = (cell["setting"][name] for name in of_setting)
        found = (float(cell["found"][field]) for field in fields)
        rows.append((part.removeprefix("accuracies, "), *drawn, *found))
    return Table(columns, tuple(rows), "Ten metrics by soft pairwise accuracy: shares of samples")


def real_table(real: dict[str, Any]) -> Table:
    """One row an interval: coverage over the pairs of metrics of real systems."""
    columns = (
        Column("interval", "95 % interval"),
        Column("least", "least coverage", ".3f"),
        Column("low", "10 % quantile", ".3f"),
        Column("median", "median", ".3f"),
        Column("enough", "pairs with at least .93", ".3f"),
        Column("width", "width / Zou's", ".3f"),
    )
    cells = [{"found": row["covering"]} for row in real.values()]
    rows = []
    for name in names_of(cells):
        c = values(cells, name, "coverage")
        ratio = values(cells, name, "width") / values(cells, ZOU, "width")
        quantiles = float(c.min()), float(np.quantile(c, 0.1)), float(np.median(c))
        rows.append((name, *quantiles, float((c >= COVERS).mean()), float(ratio.mean())))
    caption = f"{len(real)} pairs of metrics of pooled real systems (WMT23 en-de and zh-en)"
    return Table(columns, tuple(rows), caption)


def real_tests_table(real: dict[str, Any]) -> Table:
    """One row a decision: how often metrics of real systems, made equal, are told apart."""
    columns = (
        Column("decision", "a difference is shown by"),
        Column("pairs", "pairs of metrics"),
        Column("mean", "level", ".3f"),
        Column("median", "median", ".3f"),
        Column("high", "in 95 % of pairs at most", ".3f"),
        Column("most", "worst pair", ".3f"),
        Column("in_range", "pairs with .03 to .07", ".3f"),
        Column("at_most", "pairs with .07 at most", ".3f"),
        Column("worst_pair", "which"),
    )
    rows = []
    for name in next(iter(real.values()))["shown"]:
        level = np.array([row["shown"][name] for row in real.values()])
        told = (level.mean(), np.median(level), np.quantile(level, 0.95), level.max())
        shares = (_in_range(level).mean(), (level <= REJECTS[1]).mean())
        worst = list(real)[int(level.argmax())]
        rows.append((name, len(real), *(float(x) for x in (*told, *shares)), worst))
    caption = f"{len(real)} pairs of metrics of pooled real systems, made equally good"
    return Table(columns, tuple(rows), caption)


def real_pairs_table(real: dict[str, Any]) -> Table:
    """One row a pair of metrics of real systems, with its r before both are made equal."""
    decisions = list(next(iter(real.values()))["shown"])
    names = ("pair", "r_a", "r_b")
    columns = (
        Column("pair", "pair"),
        *(Column(name, name, ".4f") for name in (*names[1:], *decisions)),
    )
    rows = [
        (pair, *row["r"], *(row["shown"][name] for name in decisions)) for pair, row in real.items()
    ]
    return Table(columns, tuple(rows), "Pairs of metrics, made equally good")


def shapes_table(rows: Sequence[Sequence[Value]]) -> Table:
    """Real test sets beside drawn settings."""
    columns = (Column("scores", "scores"), *(Column(name, name, ".2f") for name in STATISTICS))
    return Table(columns, tuple(tuple(row) for row in rows), "Shapes of system scores")


def settings_table(results: dict[str, Any], kind: str) -> Table:
    """Every setting and candidate."""
    fields = list(results[f"choosing {kind}"][0]["found"][ZOU])
    columns = (
        Column("part", "part"),
        Column("setting", "setting"),
        Column("candidate", "candidate"),
        *(Column(field, field, ".4f") for field in fields),
    )
    rows = [
        (part, _described(cell), name, *(float(found[field]) for field in fields))
        for part in (f"choosing {kind}", f"confirming {kind}")
        for cell in results[part]
        for name, found in cell["found"].items()
    ]
    return Table(columns, tuple(rows), f"All settings, {kind}")


def frontier(results: dict[str, Any]) -> Figure:
    """Coverage against width of every candidate: 5 % quantile and median over settings."""
    with styled():
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, part in zip(panels, ("choosing", "confirming"), strict=True):
            cells = results[f"{part} intervals"]
            for i, name in enumerate(names_of(cells)):
                c = values(cells, name, "coverage")
                low, middle = np.quantile(c, (0.05, 0.5))
                width = relative_width(cells, name)
                colour = BLUE if meets_coverage(c) else ORANGE
                axes.plot([width, width], [low, middle], color=colour, lw=1)
                axes.plot([width], [low], "o", color=colour, ms=5)
                axes.plot([width], [middle], "_", color=colour, ms=8)
                offset = (4, -3 if i % 2 else 4)
                axes.annotate(
                    name, (width, low), offset, textcoords="offset points", fontsize=LABEL_SIZE - 1
                )
            axes.axhline(COVERS, color=GREY, lw=0.8)
            axes.axvline(1.0, color=GREY, lw=0.8)
            axes.set_title(f"{len(cells)} settings, {part}")
            axes.set_xlabel("mean width by Zou's, where Zou's covers 93 to 97 %")
        panels[0].set_ylabel("coverage: 5 % quantile (dot) and median (bar) of settings")
    return figure


def _chosen(
    names: Sequence[str],
    meets: Callable[[str], bool],
    cost: Callable[[str], float],
    misses: Callable[[str], float],
) -> str:
    """Return the cheapest of those that meet the bounds, or what misses least."""
    good = [name for name in names if meets(name)]
    return min(good, key=cost) if good else min(names, key=misses)


def _power(cells: Cells, name: str) -> float:
    use = _in_range(values(cells, WILLIAMS, "level"))
    return float(values(cells, name, "power")[use].mean()) if use.any() else float("nan")


def _in_range(level: Floats) -> NDArray[np.bool_]:
    return np.asarray((level >= REJECTS[0]) & (level <= REJECTS[1]))


def _described(cell: dict[str, Any]) -> str:
    parts = cell["setting"].items()
    return ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in parts)
