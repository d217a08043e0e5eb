"""Tables of predictions judged by gold standards, and of what rescaling does to them."""

from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.presentation.rankings import with_limits
from supersample.presentation.table import Column, Table, Value

MOST_PRINTED = 100  # rows on a terminal
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
    r = evaluation["r"].sel(gold=gold).to_numpy()
    return np.argsort(np.where(np.isnan(r), np.inf, -r), kind="stable")


def evaluation_table(evaluation: xr.Dataset) -> Table:
    """One row a gold standard and system, best first, every number of it for CSV and JSON."""
    texts = [name for name in ("trained_on", "predicts") if name in evaluation.coords]
    numbers = ("rank", "r", "lower", "upper", "mae", "rmse", "wins", "cluster")
    columns = [Column("gold", "gold"), Column("n", "n"), Column("system", "system")]
    columns += [Column(name, name.replace("_", " ")) for name in (*texts, *numbers)]
    rows: list[tuple[Value, ...]] = []
    for gold in map(str, evaluation["gold"].to_numpy()):
        own = evaluation.sel(gold=gold).isel(system=order_of(evaluation, gold))
        n = int(own["n"])
        values = [own[name].to_numpy().tolist() for name in ("system", *texts, *numbers)]
        rows += [(gold, n, *row) for row in zip(*values, strict=True)]
    caption = f"Predictions judged by Pearson's r{_level(evaluation)}"
    return Table(tuple(columns), tuple(rows), caption, notes(evaluation))


def printed_evaluation(evaluation: xr.Dataset, gold: str) -> Table:
    """Lay what one gold standard says out for a page or a terminal."""
    own = evaluation.sel(gold=gold).isel(system=order_of(evaluation, gold))
    trained = "trained_on" in evaluation.coords
    columns = [Column("rank", "#"), Column("system", "system")]
    columns += [Column("trained_on", "trained on")] if trained else []
    columns += [
        Column("r", "r"),
        Column("mae", "MAE", ".3f"),
        Column("rmse", "RMSE", ".3f"),
        Column("wins", "wins"),
        Column("cluster", "cluster"),
    ]
    limits = zip(*(own[name].to_numpy().tolist() for name in ("r", "lower", "upper")), strict=True)
    shown = {
        "r": [with_limits(*each) for each in limits],
        **{
            column.field: own[column.field].to_numpy().tolist()
            for column in columns
            if column.field != "r"
        },
    }
    rows = zip(*(shown[column.field] for column in columns), strict=True)
    caption = (
        f"Predictions judged by {gold} over {int(own['n']):,} segments, Pearson's r"
        f"{_level(evaluation)}"
    )
    return Table(tuple(columns), tuple(rows), caption, notes(evaluation))


def leading_rows(table: Table, most: int = MOST_PRINTED) -> Table:
    """Keep the first rows of a long table, and say so in its caption."""
    if len(table.rows) <= most:
        return table
    caption = f"{table.caption}; the first {most} of {len(table.rows):,} rows, --out writes all"
    return replace(table, rows=table.rows[:most], caption=caption)


def notes(evaluation: xr.Dataset) -> tuple[str, ...]:
    """Say what a reader of the evaluation must know."""
    lines = [CLUSTER_NOTE, ERROR_NOTE]
    r, mae = evaluation["r"].to_numpy(), evaluation["mae"].to_numpy()
    if np.isnan(mae).any():
        lines.append(UNITS_NOTE)
    for g, gold in enumerate(evaluation["gold"].to_numpy()):
        lines += [
            f"{system} has r = {int(r[g, s])} with {gold}: it predicts exactly that but for "
            f"location and {'scale' if r[g, s] > 0 else 'a negative scale'}"
            + (f", MAE {mae[g, s]:.3f}." if not np.isnan(mae[g, s]) else ".")
            for s, system in enumerate(evaluation["system"].to_numpy())
            if abs(r[g, s]) == 1
        ]
    lines += [
        f"No interval or test with {gold}: at least 4 segments are needed, there are {int(n)}."
        for gold, n in zip(evaluation["gold"].to_numpy(), evaluation["n"].to_numpy(), strict=True)
        if n < 4
    ]
    return tuple(lines)


def significance_line(evaluation: xr.Dataset, gold: str) -> str:
    """How many pairs of systems differ significantly, in one line."""
    wins = int(evaluation["wins_over"].sel(gold=gold).sum())
    systems = evaluation.sizes["system"]
    alpha = 1 - evaluation.attrs["confidence_level"]
    return (
        f"{gold}: {wins} of {systems * (systems - 1) // 2} pairs differ significantly "
        f"({evaluation.attrs['method']}, one-sided, p < {alpha:.3g})"
    )


def source_lines(data: xr.Dataset, evaluation: xr.Dataset) -> list[str]:
    """Say what was read and how much of it counts."""
    return [
        f"{data.attrs.get('source', 'predictions')}: {data.sizes['system']} systems, "
        f"{data.sizes['segment']} segments; judged by {evaluation.attrs['mask']}"
    ]


def differences_table(evaluation: xr.Dataset) -> Table:
    """One row a gold standard and pair of systems, the higher r first."""
    formats = {
        "prediction_r": Column("prediction_r", "r between", ".4f"),
        "difference": Column("difference", "difference", ".4f"),
        "difference_lower": Column("lower", "from", ".4f"),
        "difference_upper": Column("upper", "to", ".4f"),
        "statistic": Column("statistic", "statistic", ".4f"),
        "p_value": Column("p_value", "p", ".4g"),
        "p_holm": Column("p_holm", "p (Holm)", ".4g"),
        "p_bh": Column("p_bh", "p (Benjamini-Hochberg)", ".4g"),
        "wins_over": Column("significant", "significant"),
    }
    columns = (
        Column("gold", "gold"),
        Column("system", "system"),
        Column("other_system", "other system"),
        *formats.values(),
    )
    rows: list[tuple[Value, ...]] = []
    first, second = np.triu_indices(evaluation.sizes["system"], 1)
    for gold in map(str, evaluation["gold"].to_numpy()):
        order = order_of(evaluation, gold)
        i, j = order[first], order[second]
        names = evaluation["system"].to_numpy()
        values = [evaluation[name].sel(gold=gold).to_numpy()[i, j].tolist() for name in formats]
        pairs = zip(names[i].tolist(), names[j].tolist(), *values, strict=True)
        rows += [(gold, *pair) for pair in pairs]
    caption = "Differences of r: Williams' test, one-sided, and Zou's interval"
    return Table(columns, tuple(rows), caption)


def rescaling_table(study: xr.Dataset, evaluation: xr.Dataset) -> Table:
    """One row a gold standard and system: errors as predicted and rescaled, and what r does.

    ``change_of_r`` is the largest change of r, in absolute value; rounding may leave a few 1e-16.
    """
    rescalings = [str(name) for name in study["rescaling"].to_numpy()]
    columns = [Column("gold", "gold"), Column("system", "system"), Column("r", "r", ".3f")]
    for measure in ("mae", "rmse"):
        for name in rescalings:
            heading = measure.upper() if name == "original" else name
            field = measure if name == "original" else f"{measure}_{name.replace(' ', '_')}"
            columns.append(Column(field, heading, ".3f"))
    columns.append(Column("change_of_r", "change of r", ".0e"))
    rows: list[tuple[Value, ...]] = []
    for g, gold in enumerate(map(str, evaluation["gold"].to_numpy())):
        order = order_of(evaluation, gold)
        r = study["r"].to_numpy()[:, g, order]
        errors = [study[m].to_numpy()[k, g, order] for m in ("mae", "rmse") for k in range(len(r))]
        change = np.abs(r[1:] - r[0]).max(axis=0)
        values = [
            own.tolist() for own in (study["system"].to_numpy()[order], r[0], *errors, change)
        ]
        rows += [(gold, *row) for row in zip(*values, strict=True)]
    note = RESCALING_NOTE.format(share=study.attrs["share"])
    caption = "Errors of predictions as they are and rescaled; r stays"
    return Table(tuple(columns), tuple(rows), caption, (note,))


def _level(evaluation: xr.Dataset) -> str:
    return f" with {100 * evaluation.attrs['confidence_level']:g} % intervals (Fisher)"
