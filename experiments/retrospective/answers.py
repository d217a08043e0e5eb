"""What `supersample rank` says of WMT23: which metrics could be the best."""

import warnings
from pathlib import Path

import numpy as np
import xarray as xr

import supersample as ss
from experiments.common import Part
from experiments.retrospective.correlations import ALPHA
from experiments.wmt import WMT23_PAIRS, read_wmt23
from supersample.presentation.table import Column, Table, Value
from supersample.results.outputs import Results

METRICS = ("reference", "all")
NEW = ("systems", "documents")


def could_be_best(
    data: Path,
    *,
    hybrids: int,
    resamples: int,
    kinds: tuple[str, ...] = METRICS,
    most: int | None = None,
) -> Part:
    """Count by r and by SPA, for each set and kind of metrics, and name the metrics by r."""
    rows: list[tuple[Value, ...]] = []
    named: list[tuple[Value, ...]] = []
    for kind in kinds:
        parts = {
            pair: read_wmt23(data, pair, metrics=kind).isel(metric=slice(most))
            for pair in WMT23_PAIRS
        }
        for name, scores in {**parts, "both": parts}.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ranked = ss.rank(scores, n=hybrids)
                soft = {new: ss.rank(scores, "SPA", random=new, resamples=resamples) for new in NEW}
            left = [_left(ranked.sel(basis=[new])) for new in NEW]
            left += [_left(each) for each in soft.values()]
            rows.append((name, kind, ranked.sizes["metric"], *left))
            named += [(name, kind, *row) for row in by_name(ranked)]
    columns = (
        Column("set", "WMT23"),
        Column("which", "metrics"),
        Column("metrics", "how many"),
        Column("r_systems", "r, systems"),
        Column("r_documents", "r, documents"),
        Column("spa_systems", "SPA, systems"),
        Column("spa_documents", "SPA, documents"),
    )
    table = Table(
        columns,
        tuple(rows),
        caption="Metrics that could be the best, on new systems and on new documents",
    )
    names = Table(
        (
            *columns[:2],
            Column("metric", "metric"),
            Column("r", "r", ".3f"),
            Column("lower", "lower", ".3f"),
            Column("upper", "upper", ".3f"),
            Column("p_systems", "p, systems", ".3f"),
            Column("p_documents", "p, documents", ".3f"),
        ),
        tuple(named),
        caption="Of the best by r: p-values, the metric with the highest r first",
    )
    tables = {"answers": table, "could-be-best": names}
    return Part([], Results(numbers=tables, pages={"answers": table}))


def _left(ranking: xr.Dataset) -> int:
    """Count metrics that are not ruled out as the best; of several sets on average."""
    return int((_average(ranking)["p_best"] > ALPHA).sum())


def by_name(ranking: xr.Dataset) -> list[tuple[Value, ...]]:
    """Name each metric: r, its interval over systems, p-values of the best on both bases."""
    of = _average(ranking).sortby("metric")
    p = of["p_best"].sel(basis=list(NEW)).transpose("metric", "basis").to_numpy()
    r = np.array([of[name].sel(basis="systems") for name in ("value", "lower", "upper")])
    by_r = np.argsort(-r[0], kind="stable")
    return [(str(of["metric"].values[i]), *map(float, (*r[:, i], *p[i]))) for i in by_r]


def _average(ranking: xr.Dataset) -> xr.Dataset:
    """Take the average of several sets, or the only set."""
    return ranking.isel(measure=0, group=0)
