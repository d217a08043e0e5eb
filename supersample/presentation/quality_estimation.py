"""Tables of predictions judged by gold standards, and of what rescaling does to them."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.presentation.labels import level_of, names_of, pairs_that_differ
from supersample.presentation.rankings import limits_of
from supersample.presentation.table import (
    Column,
    Filled,
    Table,
    number_table,
    pair_table,
    spread,
    table_of,
)

ERROR_NOTE = (
    "MAE and RMSE can be lowered without knowing more of any segment, by predicting the gold "
    "standard's mean and less variation (to gold); r depends on neither location nor scale."
)
UNITS_NOTE = "No MAE or RMSE where a system predicts in other units than the gold standard's."
CLUSTER_NOTE = (
    "Wins (systems whose r is significantly lower) inform, r alone orders: the power of the test "
    "depends on how predictions correlate. Clusters are greedy: a system that loses to any of the "
    "current one opens the next."
)
RESCALING_NOTE = (
    "To gold: to the mean of the gold labels and {share:g} of their standard deviation. To own: to "
    "the predictions' own mean and {share:g} of their own standard deviation. Standard deviations "
    "with n - 1."
)


def order_of(evaluation: xr.Dataset, gold: str) -> NDArray[np.int64]:
    """Numbers of the systems, highest r first and those without an r last."""
    return np.argsort(-evaluation["value"].sel(gold=gold).to_numpy(), kind="stable")


def leading_systems(evaluation: xr.Dataset, gold: str, most: int) -> list[str]:
    """Names of the systems with the highest r, at most so many."""
    return names_of(evaluation.isel(system=order_of(evaluation, gold)[:most]), "system")


def evaluation_table(evaluation: xr.Dataset) -> Table:
    """One row for each gold standard and system, best first, with every number."""
    texts = [name for name in ("trained_on", "predicts") if name in evaluation.coords]
    numbers = ("rank", "value", "lower", "upper", "mae", "rmse", "wins", "cluster")
    return number_table(_parts(evaluation), ["system"], ["gold", "n", "system", *texts, *numbers])


def part(evaluation: xr.Dataset, gold: str) -> xr.Dataset:
    """Select a gold standard, systems with the highest r first and those without an r last."""
    selected = evaluation.sel(gold=gold)
    order = order_of(evaluation, gold)
    return selected.isel(system=order, other_system=order)


def _parts(evaluation: xr.Dataset) -> list[xr.Dataset]:
    return [part(evaluation, gold) for gold in names_of(evaluation, "gold")]


def printed_evaluation(evaluation: xr.Dataset, gold: str) -> Table:
    """Lay the evaluation by a gold standard out for a page or a terminal."""
    selected = part(evaluation, gold)
    texts = [name for name in ("system", "trained_on") if name in evaluation.coords]
    columns: list[Filled] = [
        (Column("rank", "#"), selected["rank"]),
        *((Column(name), selected[name]) for name in texts),
        (Column("r"), limits_of(selected)),
        (Column("mae", "MAE", ".3f"), selected["mae"]),
        (Column("rmse", "RMSE", ".3f"), selected["rmse"]),
        (Column("wins"), selected["wins"]),
        (Column("cluster"), selected["cluster"]),
    ]
    caption = (
        f"Predictions judged by {gold} over {int(selected['n']):,} segments, Pearson's r with "
        f"{level_of(evaluation)} intervals (Fisher)"
    )
    return table_of(columns, caption, notes(evaluation))


def notes(evaluation: xr.Dataset) -> list[str]:
    """Explain what a reader of the evaluation must know."""
    lines = [CLUSTER_NOTE, ERROR_NOTE]
    r, mae = evaluation["value"].to_numpy(), evaluation["mae"].to_numpy()
    if np.isnan(mae).any():
        lines.append(UNITS_NOTE)
    golds = names_of(evaluation, "gold")
    for g, gold in enumerate(golds):
        lines += [
            f"{system} has r = {int(r[g, s])} with {gold}: it predicts exactly that but for "
            f"location and {'scale' if r[g, s] > 0 else 'a negative scale'}"
            + (f", MAE {mae[g, s]:.3f}." if not np.isnan(mae[g, s]) else ".")
            for s, system in enumerate(evaluation["system"].to_numpy())
            if abs(r[g, s]) == 1
        ]
    lines += [
        f"No interval or test with {gold}: at least 4 segments are needed, there are {int(n)}."
        for gold, n in zip(golds, evaluation["n"].to_numpy(), strict=True)
        if n < 4
    ]
    return lines


def significance_line(evaluation: xr.Dataset, gold: str) -> str:
    """How many pairs of systems differ significantly, in one line."""
    wins = int(evaluation["wins_over"].sel(gold=gold).sum())
    alpha = 1 - evaluation.attrs["confidence_level"]
    return (
        f"{gold}: {pairs_that_differ(wins, evaluation.sizes['system'])} "
        f"({evaluation.attrs['method']}, one-sided, p <= {alpha:.3g})"
    )


def source_line(data: xr.Dataset, evaluation: xr.Dataset) -> str:
    """Describe the input: source, sizes, and the segments with gold labels."""
    return (
        f"{data.attrs.get('source', 'predictions')}: {data.sizes['system']} systems, "
        f"{data.sizes['segment']} segments; judged by {evaluation.attrs['mask']}"
    )


def differences_table(evaluation: xr.Dataset) -> Table:
    """One row for each gold standard and pair of systems, the higher r first."""
    names = ["gold", "system", "other_system", "prediction_r"]
    names += ["difference", "difference_lower", "difference_upper", "statistic"]
    names += ["p_value", "p_holm", "p_bh", "wins_over"]
    caption = "Differences of r: Williams' test, one-sided, and Zou's interval"
    return pair_table(_parts(evaluation), names, dim="system", caption=caption)


def rescaling_table(study: xr.Dataset, evaluation: xr.Dataset) -> Table:
    """One row for each gold standard and system: errors as predicted and rescaled, and r.

    ``change_of_r`` is the largest change of r, in absolute value; rounding may leave a few 1e-16.
    """
    r = study["r"].isel(rescaling=0, drop=True)
    columns = {"r_original": Column("r", number=".3f")}
    for measure in ("mae", "rmse"):
        columns[f"{measure}_original"] = Column(measure, measure.upper(), ".3f")
        for name in names_of(study, "rescaling")[1:]:
            field = f"{measure}_{name.replace(' ', '_')}"
            columns[field] = Column(field, name, ".3f")
    columns["change_of_r"] = Column("change_of_r", number=".0e")
    change = abs(study["r"].isel(rescaling=slice(1, None)) - r).max("rescaling", skipna=False)
    flat, _ = spread(study.assign(change_of_r=change), "rescaling", ["r", "mae", "rmse"])
    golds = names_of(evaluation, "gold")
    parts = [flat.sel(gold=gold).isel(system=order_of(evaluation, gold)) for gold in golds]
    note = RESCALING_NOTE.format(share=study.attrs["share"])
    caption = "Errors of predictions as they are and rescaled; r stays"
    names = ["gold", "system", *columns]
    return number_table(parts, ["system"], names, columns, caption, [note])
