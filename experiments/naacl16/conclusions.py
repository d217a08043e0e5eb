"""Which metrics differ, by intervals of differences and by the overlap of single intervals."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import supersample as ss
from experiments.wins import draw_wins
from supersample.presentation.figures.style import styled


def by_zou(scores: xr.Dataset) -> xr.Dataset:
    """Rank by r over the systems, two metrics differing where Zou's interval excludes zero."""
    return ss.rank(ss.correlations.compare_correlations(scores, bases=["systems"]))


def apart(intervals: xr.Dataset, lower: str = "lower", upper: str = "upper") -> xr.DataArray:
    """Wins (metric, other_metric) where the whole interval lies above the other's."""
    of_systems = intervals.isel(measure=0, basis=0, group=0)
    return of_systems[lower] > of_systems[upper].rename(metric="other_metric")


def wins_of(ranking: xr.Dataset) -> xr.DataArray:
    """Wins (metric, other_metric) of a ranking."""
    return ranking["wins_over"].isel(measure=0, basis=0, group=0)


def panels(conclusions: Mapping[str, xr.DataArray], names: list[str], title: str) -> Figure:
    """Draw wins side by side, a panel a way to conclude, metrics in one order."""
    side = 2.1 + 0.17 * len(names)
    with styled():
        figure = Figure(figsize=(side * len(conclusions), side + 0.4), layout="constrained")
        drawn = figure.subplots(1, len(conclusions), squeeze=False).ravel()
        for axes, (name, wins) in zip(drawn, conclusions.items(), strict=True):
            ordered = wins.sel(metric=names, other_metric=names).to_numpy()
            draw_wins(axes, ordered, names)
            axes.set_title(f"{name}: {int(np.sum(ordered))}")
        figure.suptitle(title)
    return figure
