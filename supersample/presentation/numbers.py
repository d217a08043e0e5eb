"""Tables of every number, for CSV, JSON and data frames: of metrics, of pairs, and counts.

The same tables serve every comparison; a column exists if the comparison has its numbers.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import xarray as xr

from supersample.presentation import labels
from supersample.presentation.table import Column, Filled, Table, number_table, spread, table_of

DIFFERENCES = ("difference", "difference_lower", "difference_upper")
_ROWS = ("gold", "group")  # along rows; measures and bases are along columns
_OF_METRICS = ("in_sets", "baseline", "contrastive", "reference_free", "average_rank")
_FACTS = ("trained_on", "predicts", *_OF_METRICS)
_VALUES = ("rank", "value", "lower", "upper", "wins", "cluster", "p_best", "may_be_best")
_BESIDE = ("threshold", "optimism", "undefined_groups", "mae", "rmse", "n")
_PAIRS = ("statistic", "p_value", "p_holm", "p_bh", "p_simultaneous", "significant", "wins_over")
_AGAINST = ("value", *DIFFERENCES, "p_value", "p_baseline", "differs", "systems_needed")
_COUNTS = ("systems", "metrics", "distinct_values", "significant_pairs", "clusters")


def ranking_table(ranking: xr.Dataset) -> Table:
    """One row for each metric (or system) and group, best first, with every number.

    For each measure and basis: rank, value with its limits, wins, cluster, and so on; ``next``, the
    value minus that of the metric in the next row, and ``first``, minus that of the first row.
    """
    item, rows = labels.item_of(ranking), [dim for dim in _ROWS if dim in ranking.dims]
    evaluation = labels.is_evaluation(ranking)
    ranking = labels.in_order(ranking)
    # systems have another order for each gold standard
    parts = labels.parts_of(ranking) if evaluation else [ranking]
    parts = [part.assign(_neighbours(part, item)) for part in parts]
    names = [name for name in (*_VALUES, *_BESIDE) if name in ranking]
    names += [str(x) for x in parts[0].data_vars if str(x).startswith(("next_", "first_"))]
    columns = [dim for dim in ("measure", "basis") if dim in ranking.dims]
    flat, spread_names = zip(*(spread(part, columns, names) for part in parts), strict=True)
    facts = [name for name in (*_FACTS, "higher_is_better") if name in ranking.variables]
    dims = [*([] if evaluation else rows), item]
    return number_table(flat, dims, [*rows, item, *facts, *spread_names[0]])


def _neighbours(part: xr.Dataset, item: str) -> dict[str, xr.DataArray]:
    """Take each value minus that of the next metric, and minus that of the first one."""
    found: dict[str, xr.DataArray] = {}
    for name in (name for name in DIFFERENCES if name in part):
        pairs = part[name].transpose(..., item, f"other_{item}").to_numpy()
        following = np.full(pairs.shape[:-1], np.nan)
        following[..., :-1] = np.diagonal(pairs, 1, -2, -1)
        first = part[name].isel({f"other_{item}": 0}, drop=True).transpose(..., item)
        found |= {f"next_{name}": first.copy(data=following), f"first_{name}": first}
    return found


def comparisons_table(result: xr.Dataset) -> Table:
    """One row for each part and pair of metrics (or systems), as `pair_table` orders them.

    The better one of a pair stands first.
    """
    item, alternative = labels.item_of(result), str(result.attrs["alternative"])
    numbers = [name for name in (*DIFFERENCES, *_PAIRS, "identical") if name in result]
    if "significant" in numbers and "wins_over" in numbers:
        numbers.remove("wins_over")
    beside = [name for name in ("n", item, f"other_{item}", "prediction_r") if name in result]
    names = [*labels.lead_of(result), *beside, *numbers]
    caption = f"Differences of {labels.differing(result)}, {result.attrs['method']}"
    parts = labels.parts_of(result)
    return pair_table(parts, names, dim=item, alternative=alternative, caption=caption)


def pair_table(
    parts: Iterable[xr.Dataset],
    names: Sequence[str],
    *,
    dim: str = "metric",
    alternative: str = "two-sided",
    caption: str = "",
) -> Table:
    """Make a table with one row for each pair of metrics (or systems), part by part.

    Pairs have the order in which their test can find them significant: the order of `dim` if it is
    two-sided; the better metric first if the alternative is "greater", the worse one first if it is
    "less".
    """
    sign = {"two-sided": 0, "greater": -1, "less": 1}[alternative]
    pairs = []
    for part in parts:
        first, second = np.triu_indices(part.sizes[dim], 1)
        ahead = part["difference"].to_numpy()[first, second] if sign else np.zeros(first.size)
        turned = sign * ahead > 0
        at = {
            dim: xr.DataArray(np.where(turned, second, first), dims="pair"),
            f"other_{dim}": xr.DataArray(np.where(turned, first, second), dims="pair"),
        }
        pairs.append(part[list(names)].isel(at))
    return number_table(pairs, ["pair"], names, caption)


def correlations_table(result: xr.Dataset) -> Table:
    """One row for each part and pair of metrics: how the scores of the metrics correlate."""
    names = [*labels.lead_of(result), "metric", "other_metric", "metric_r"]
    caption = "Correlations of metrics with each other"
    return pair_table(labels.parts_of(result), names, caption=caption)


def baseline_table(found: xr.Dataset) -> Table:
    """One row for each part and metric: its difference from the baseline, with every number."""
    lead = [str(dim) for dim in found["p_value"].dims]
    names = [*lead, *(name for name in _AGAINST if name in found)]
    caption = f"Differences from {found.attrs['baseline']}"
    return number_table([found], lead, names, caption)


def summary_table(ranking: xr.Dataset) -> Table:
    """Count distinct values, significant pairs and clusters, with the most there could be.

    The form of Table 1 of Thompson et al. (2024). The most count metrics of identical scores once,
    but significant pairs are those among all metrics, as there.
    """
    parts = []
    for part in labels.parts_of(ranking):
        most = int(part["distinct_metrics"])
        pairs = most * (most - 1) // 2
        parts.append(part.assign(metrics=part.sizes["metric"], most_pairs=pairs))
    counts = *_COUNTS, "distinct_metrics", Column("most_pairs", "pairs of those")
    return number_table(
        parts, [], [*labels.lead_of(ranking), *counts], "Significant comparisons, unadjusted"
    )


def triangle_table(ranking: xr.Dataset, at: Mapping[str, str] | None = None) -> Table:
    """Mark the significant pairs in a triangle, as the papers of the WMT metrics task print them.

    One row for each metric, best first; in the column numbered as another metric's row, ``>`` where
    the row's metric is significantly better and ``=`` where it is not.
    """
    part = labels.part_of(ranking, at)
    wins = part["wins_over"].to_numpy()
    rows = range(len(wins))
    name = labels.value_name(part)
    columns: list[Filled] = [
        (Column("number", ""), range(1, len(wins) + 1)),
        (Column("metric"), labels.metric_labels(part)),
        (Column("cluster", "rank"), part["cluster"]),
        (Column("value", name, ".4f"), part["value"]),
    ]
    for j in rows[1:]:
        marks = [(">" if wins[i, j] else "=") if j > i else None for i in rows]
        columns.append((Column(f"against_{j + 1}", str(j + 1)), marks))
    note = (
        f"> the row's metric is significantly better than the numbered one "
        f"({part.attrs['method']}, {labels.rule_of(part)}, unadjusted), = it is not; rank: greedy "
        "cluster."
    )
    group = f", {part['group'].item()}" if "group" in part.coords else ""
    text = f"{name} and significant pairs{group}"
    return table_of(columns, text, [note, *labels.added_note(part)])
