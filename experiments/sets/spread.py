"""How far metrics' r of real language pairs lie apart, beyond what few systems explain.

    python -m experiments.sets.spread

In each language pair a metric has Fisher's z of its r, without the mean of all metrics. The
variance of this between the pairs of a campaign, less the mean variance by the jackknife over
systems, estimates tau^2 of `settings`: the variance between language pairs, the same for every
metric. Pairs that share systems have errors in common, which makes the estimate too small.

How much they have in common is the second question: a metric's error on a system is its score less
a line in people's scores; its correlation over the systems that two pairs share is estimated.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import xarray as xr

from experiments.common import DATA, OUT
from experiments.data import require
from experiments.honest_inference.shapes import Floats
from experiments.retrospective.correlations import test_sets
from supersample.inference.two_correlations.fisher_jackknife import (
    fisher_z,
    jackknife_variance,
    score_pairs,
)
from supersample.presentation.table import Column, Table, Value, to_markdown
from supersample.results.outputs import Results, write_results

CAMPAIGNS = ("WMT15", "WMT23")
SHARED = 8
"""Least number of shared systems for which the correlation of errors is estimated."""


def oriented(systems: xr.Dataset, metrics: Sequence[str]) -> tuple[Floats, Floats]:
    """Give people's scores, (system,), and the metrics', higher is better, (system, metric)."""
    chosen = systems.sel(metric=list(metrics))
    sign = np.where(chosen["higher_is_better"].to_numpy(), 1.0, -1.0)
    scores = chosen["system_score"].transpose("system", "metric").to_numpy() * sign
    return chosen["system_human"].to_numpy(), scores


def relative_z(systems: xr.Dataset, metrics: Sequence[str]) -> tuple[Floats, Floats]:
    """Give each metric's z without the mean of all, and its variance by the jackknife."""
    human, scores = oriented(systems, metrics)
    own = np.arange(len(metrics))
    pairs = score_pairs(np.column_stack([human, scores]), own, own)
    z, left = fisher_z(pairs.r_a), pairs.left_a
    relative = left - left.mean(axis=1, keepdims=True)
    return z - z.mean(), jackknife_variance(relative)


def spread_table(sets: Mapping[str, xr.Dataset]) -> Table:
    """One row a campaign with several language pairs."""
    columns = (
        Column("campaign", "campaign"),
        Column("sets", "language pairs", ".0f"),
        Column("metrics", "metrics in all", ".0f"),
        Column("between", "standard deviation between pairs", ".3f"),
        Column("sampling", "of that, by few systems", ".3f"),
        Column("tau", "what is left", ".3f"),
    )
    rows: list[tuple[Value, ...]] = []
    for campaign in CAMPAIGNS:
        of = [systems for name, systems in sets.items() if name.startswith(campaign)]
        metrics = sorted(set.intersection(*(set(map(str, x["metric"].values)) for x in of)))
        z, variance = (np.array(x) for x in zip(*(relative_z(x, metrics) for x in of), strict=True))
        between, sampling = float(z.var(axis=0, ddof=1).mean()), float(variance.mean())
        tau = max(between - sampling, 0.0)
        rows.append((campaign, len(of), len(metrics), *np.sqrt([between, sampling, tau]).tolist()))
    return Table(columns, tuple(rows), "Metrics' z between language pairs")


def errors(systems: xr.Dataset, metrics: Sequence[str]) -> xr.DataArray:
    """Give what a line in people's scores leaves of each metric's scores."""
    human, scores = oriented(systems, metrics)
    line = np.column_stack([np.ones_like(human), human])
    left = scores - line @ np.linalg.lstsq(line, scores, rcond=None)[0]
    coords = {"system": systems["system"].to_numpy(), "metric": list(metrics)}
    return xr.DataArray(left, coords, ("system", "metric"))


def errors_table(sets: Mapping[str, xr.Dataset]) -> Table:
    """One row for two language pairs of a campaign that share systems enough."""
    columns = (
        Column("sets", "language pairs"),
        Column("systems", "shared systems", ".0f"),
        Column("metrics", "metrics", ".0f"),
        Column("mean", "correlation of errors: mean over metrics", ".2f"),
        Column("low", "5 %", ".2f"),
        Column("high", "95 %", ".2f"),
    )
    rows: list[tuple[Value, ...]] = []
    for (name, first), (other, second) in combinations(sets.items(), 2):
        campaign, shared = name.split()[0], np.intersect1d(first["system"], second["system"])
        alike = campaign in CAMPAIGNS and other.startswith(campaign)
        if not alike or shared.size < SHARED:
            continue
        metrics = [str(metric) for metric in np.intersect1d(first["metric"], second["metric"])]
        one, two = (errors(of, metrics).sel(system=shared) for of in (first, second))
        r = xr.corr(one, two, dim="system").to_numpy()
        told = (r.mean(), *np.quantile(r, [0.05, 0.95]))
        rows.append((f"{name}, {other}", shared.size, len(metrics), *map(float, told)))
    return Table(columns, tuple(rows), "Do a metric's errors on a system agree between pairs?")


def main(arguments: Sequence[str] | None = None) -> int:
    """Estimate, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.sets.spread")
    parser.add_argument("--out", type=Path, default=OUT / "sets")
    options = parser.parse_args(arguments)
    require(DATA, "wmt15", "mt-metrics-eval-v2")
    sets = test_sets(DATA)
    pages = {"spread": spread_table(sets), "error-correlation": errors_table(sets)}
    write_results(options.out, Results(numbers=pages, pages=pages))
    print("\n\n".join(map(to_markdown, pages.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
