"""What a reader is told of hybrids: notes, the exact correlations, and the conclusion."""

import numpy as np
import xarray as xr

from supersample.presentation.labels import level_of, metric_labels, names_of
from supersample.presentation.survivors import conclusion_on_systems, is_simultaneous
from supersample.presentation.table import Column, Table, number_table

SMALLEST_N = 4  # systems or hybrids that have an interval

EXACT_COLUMNS = (Column("r", "all", ".3f"), Column("within_part", "within", ".3f"))
EXACT_NOTE = (
    "all: r of infinitely many hybrids, in closed form; within: how much of it comes of which "
    "segments are taken (the correlation of the rest, alone, is the systems' own r)."
)
PRECISION_NOTE = (
    "Intervals with n = hybrids measure only how well n independent draws would pin down a number "
    "that these systems and segments already fix (pairs in rotation do so better: see the standard "
    "error); those with n = systems take these systems for a sample of a population of systems."
)
TWO_R_NOTE = (
    "r over hybrids is another number than r over the systems: it also counts how well a metric "
    "ranks translations within segments, and is mostly the lower one."
)
AVERAGE_PRECISION_NOTE = (
    "Intervals over hybrids measure only how well so many draws pin down numbers that these "
    "systems and segments already fix."
)
PARTS_NOTE = (
    "r of infinitely many hybrids is the sum of its parts: between (pairs' midpoints; alone it "
    "would give the systems' own r), share (unequal shares) and within (which units are taken)."
)
MIX_NOTE = (
    "r of hybrids is also r of systems and PDP (r of differences within a unit), each times its "
    "weight; equal at: the units of a hybrid for which both weigh the same."
)


def exact_table(exact: xr.Dataset) -> Table:
    """One row for each metric, highest r first: r of systems and hybrids, its parts, precision."""
    columns = {
        "metric": Column("metric"),
        "systems_r": Column("systems_r", "r, systems", ".4f"),
        "r": Column("r", "r, all hybrids", ".4f"),
        "moved": Column("moved", "difference", "+.4f"),
        "between_part": Column("between_part", "between", ".4f"),
        "share_part": Column("share_part", "share", ".4f"),
        "within_part": Column("within_part", "within", ".4f"),
        "pdp": Column("pdp", "PDP", ".4f"),
        "systems_weight": Column("systems_weight", "weight of r, systems", ".4f"),
        "pdp_weight": Column("pdp_weight", "weight of PDP", ".4f"),
        "balance": Column("balance", "equal at", ".1f"),
        "standard_error": Column("standard_error", f"error of {exact.attrs['n']:,}", ".5f"),
    }
    order = np.argsort(-exact["r"].to_numpy(), kind="stable")  # NaN last
    ordered = exact.assign(moved=exact["r"] - exact["systems_r"]).isel(metric=order)
    caption = "Correlations of infinitely many hybrids"
    return number_table(
        [ordered], ["metric"], list(columns), columns, caption, [PARTS_NOTE, MIX_NOTE]
    )


def exact_line(exact: xr.Dataset) -> str:
    """Sum up: how far hybrids move r, and how precise n of them are."""
    moved = (exact["r"] - exact["systems_r"]).to_numpy()
    if np.isnan(moved).all():
        return "no metric has an r over infinitely many hybrids"
    error = float(np.nanmax(exact["standard_error"].to_numpy()))
    return (
        f"infinitely many hybrids would move r from the systems' own by {np.nanmin(moved):+.4f} to "
        f"{np.nanmax(moved):+.4f}; {exact.attrs['n']:,} leave a standard error of at most "
        f"{error:.4f}"
    )


def mixture_line(exact: xr.Dataset) -> str:
    """Sum up: with which weights hybrids mix agreement on systems and within segments."""
    if exact["pdp"].isnull().all() or exact["balance"].isnull().all():
        return ""
    ranges = [
        f"{float(exact[name].min()):{form}} to {float(exact[name].max()):{form}}"
        for name, form in (("systems_weight", ".3f"), ("pdp_weight", ".3f"), ("balance", ".1f"))
    ]
    return (
        "hybrids mix agreement on systems, weight {}, and within units (PDP), weight {}; both "
        "weigh the same in hybrids of {} units"
    ).format(*ranges)


def conclusion_line(ranking: xr.Dataset) -> str:
    """Conclude in one sentence on these systems, and on new ones.

    The first conclusion rests on r over hybrids, a number that these systems and segments fix; the
    second on the test with n = systems. Empty where the ranking lacks a basis or its best r.
    """
    others = ranking.sizes["metric"] - 1
    if not {"hybrids", "systems"} <= set(names_of(ranking, "basis")) or others < 1:
        return ""
    of_hybrids = ranking["value"].sel(basis="hybrids").to_numpy()
    order = np.argsort(-of_hybrids, kind="stable")  # NaN last
    ranking, r = ranking.isel(metric=order, other_metric=order), float(of_hybrids[order[0]])
    if np.isnan(r):
        return ""
    best = metric_labels(ranking)[0]
    return (
        f"Of these systems on these segments, {best} agrees best with people (r = {r:.3f} over "
        f"hybrids of them); of new systems, {_of_new_systems(ranking)} ({level_of(ranking)})."
    )


def _of_new_systems(ranking: xr.Dataset) -> str:
    """Conclude on new systems after adjustment, or say that wins are unadjusted."""
    part = ranking.sel(basis="systems")
    if is_simultaneous(ranking):
        return conclusion_on_systems(part)
    systems, wins, others = int(part["n"]), int(part["wins"][0]), part.sizes["metric"] - 1
    if systems < SMALLEST_N:
        return f"{systems} are too few to say anything"
    beaten = f"{'all' if wins == others else wins or 'none'} of the {others} other metrics"
    if others == 1:
        beaten = "the other metric"
    evidence = "no evidence" if others == 1 and wins == 0 else "evidence"
    method = f"{ranking.attrs['method']}, unadjusted"
    return f"{systems} are {evidence} that it agrees better than {beaten} by {method}"
