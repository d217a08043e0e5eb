"""Segment-level values of WMT23 (ACL 2024, mt-metrics-eval)."""

import csv
import warnings
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import supersample as ss
from experiments.common import Check, Part, reported
from experiments.wmt import WMT23_PAIRS
from supersample.presentation.figures import style
from supersample.presentation.table import Column, Table
from supersample.results.outputs import Results

NEEDS = ("mt-metrics-eval-v2", "segment-level")

NAMES = {
    "kendall": "tau_b",
    "kendall_b": "tau_b",
    "variant_c": "tau_c",
    "variant_23": "tau_23",
    "variant_acc23": "acc_23",
    "calibrated_23": "tau_eq",
    "calibrated_acc23": "acc_eq",
}
GROUPINGS = {"sys": "system", "all": "item"}
OF_SYSTEMS = "pearson of systems"
DIGITS = 5.0001e-8
"""Half a unit of the seventh digit, the last one printed."""


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """Each language pair's published values; small, those of the first one."""
    return [part for pair in WMT23_PAIRS[: 1 if smoke else None] for part in of_pair(data, pair)]


def of_pair(data: Path, pair: str) -> list[Part]:
    """Values of a language pair: of Perrella et al. (2024), and of mt-metrics-eval."""
    folder = data / "segment-level"
    scores = ss.read_mtme(data / "mt-metrics-eval-v2", "wmt23", pair, metrics="all")
    for path in sorted((folder / "sentinels" / pair).glob("*.seg.score")):
        name = path.name.removesuffix(".seg.score").rpartition("-")[0]
        scores = ss.add_metric(scores, name, path, orientation="higher-is-better")
    mtme = rows_of(folder / f"mtme_{pair}.tsv")
    mtme = [row for row in mtme if not row["statistic"].startswith("threshold")]
    with warnings.catch_warnings():  # sentinels give all translations of a source one score
        warnings.simplefilter("ignore", ss.DegenerateScoreWarning)
        found = ss.agreement(scores, sorted({label(row["statistic"], row) for row in mtme}))
    guardians = rows_of(folder / f"guardians_{pair}.tsv")
    found = xr.concat(
        [found["value"].isel(basis=0, group=0, drop=True), of_systems(data, pair, scores)],
        "measure",
    )
    drawn = Results(figures={f"figure-1-{pair}": figure_1(mtme, found, pair)})
    return [
        Part([], drawn),
        beside(f"Perrella et al., {pair}", guardians, "coefficient", found, DIGITS, pair),
        beside(f"mt-metrics-eval, {pair}", mtme, "statistic", found, 1e-9, pair),
    ]


def of_systems(data: Path, pair: str, scores: xr.Dataset) -> xr.DataArray:
    """Pearson's r over systems, by published system-level scores; of sentinels by their means."""
    sets = data / "mt-metrics-eval-v2"
    systems = ss.read_mtme(sets, "wmt23", pair, metrics="all", level="system")
    means = scores["score"].mean("segment").sel(system=systems["system"])
    published = systems["system_score"].reindex(metric=scores["metric"])
    values = published.fillna(means).to_numpy()
    human = systems["system_human"].to_numpy()
    with np.errstate(invalid="ignore"):
        r = [np.corrcoef(human, x)[0, 1] if np.ptp(x) else np.nan for x in values.T]
    coords = {"measure": [OF_SYSTEMS], "metric": scores["metric"].to_numpy()}
    return xr.DataArray([r], dims=("measure", "metric"), coords=coords)


def rows_of(path: Path) -> list[dict[str, str]]:
    """Rows of a published table."""
    with path.open() as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def label(statistic: str, row: dict[str, str]) -> str:
    """Name of a published statistic here."""
    grouping = row["grouping"]
    if row.get("level") == "sys":
        return OF_SYSTEMS
    return f"{NAMES.get(statistic, statistic)}/{GROUPINGS.get(grouping, grouping)}"


@style.styled()
def figure_1(rows: list[dict[str, str]], found: xr.DataArray, pair: str) -> Figure:
    """Draw three statistics of all metrics, best first by acc_eq: rings published, dots ours."""
    shown = ("acc_eq/item", "pdp/item", "pearson/none")
    published: dict[str, dict[str, float]] = {at: {} for at in shown}
    for row in rows:
        if (at := label(row["statistic"], row)) in shown:
            published[at][name_of(row)] = float(row["value"])
    names = sorted(published[shown[0]], key=published[shown[0]].__getitem__, reverse=True)
    axes = style.axes_of(None, "acl2", 1.0 + 0.13 * len(names))
    for at, colour in zip(shown, ("C0", "C1", "C2"), strict=True):
        ours = found.sel(measure=at, metric=names).to_numpy()
        theirs = [published[at][name] for name in names]
        places = range(len(names))
        axes.plot(theirs, places, "o", mfc="none", ms=5, color=colour, label=f"{at}, published")
        axes.plot(ours, places, ".", ms=3, color=colour)
    style.label_rows(axes, names)
    style.entitle(axes, "auto", f"wmt23 {pair}: agreement on segments, dots are ours", names)
    style.legend_below(axes, 3)
    return style.figure_of(axes)


def name_of(row: dict[str, str]) -> str:
    """Name of a row's metric, without the marks of contrastive and reference-free ones."""
    return (row.get("MEmetric") or row["metric"]).strip("*").removesuffix("[noref]")


def beside(
    where: str,
    rows: list[dict[str, str]],
    column: str,
    found: xr.DataArray,
    bound: float,
    pair: str,
) -> Part:
    """Count, for each statistic, the metrics whose published value is met."""
    lines: dict[str, list[tuple[str, float, float]]] = {}
    for row in rows:
        name = name_of(row)
        at = label(row[column], row)
        value = found.sel(measure=at, metric=name).item()
        # printed as 0 there: the metric has one score for all translations compared
        ours = 0.0 if np.isnan(value) and name.startswith("SENTINEL") else value
        lines.setdefault(at, []).append((name, float(row["value"]), ours))
    checks = []
    for at, values in lines.items():
        differences = [abs(ours - published) for _, published, ours in values]
        met = sum(difference <= bound for difference in differences)
        checks.append(Check(where, f"{at}: metrics met to {bound:.0e}", len(values), met))
    largest = max(abs(o - p) for values in lines.values() for _, p, o in values)
    checks.append(reported(where, "largest difference", 0.0, largest, 9))
    table = Table(
        tuple(Column(name) for name in ("statistic", "metric", "published", "ours")),
        tuple((at, *values) for at, several in lines.items() for values in several),
        where,
    )
    source = where.partition(",")[0].split()[0]
    results = Results(numbers={f"values-{source}-{pair}": table})
    return Part(checks, results)
