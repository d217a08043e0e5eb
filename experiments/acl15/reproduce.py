"""Improving evaluation of machine translation quality estimation (ACL 2015)."""

from pathlib import Path

import numpy as np
import xarray as xr
from scipy.stats import t as student

import supersample as ss
from experiments.acl15.discrete import figure_1
from experiments.acl15.published import FIGURE_2, MAE, RMSE, R
from experiments.common import Check, Part, pairs, reported
from supersample.presentation import studies as tables
from supersample.presentation.figures import studies as figures
from supersample.presentation.rankings import (
    comparisons_table,
    evaluation_table,
    plain_ranking_table,
)
from supersample.quality_estimation.evaluation import rescaled_predictions
from supersample.results.outputs import Results

NEEDS = ("wmt14-qe",)

HTER = "HTER"
LEVELS = (0.05, 0.01, 0.001)


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """Everything that the predictions of WMT14's Task 1.2 allow, and Figure 1 by simulation."""
    predictions = ss.read_predictions(data / "wmt14-qe" / "task-1.2.csv", gold=[HTER])
    evaluation = ss.quality_estimation.evaluate_predictions(predictions)
    study = ss.quality_estimation.rescaling_study(predictions)
    return [
        figure_1(test_sets=20 if smoke else 1_000),
        tables_2_and_3(evaluation, study),
        table_5(evaluation),
        figure_2(predictions),
        figure_3_form(predictions),
        figure_4(evaluation),
        figure_6(evaluation),
    ]


def tables_2_and_3(evaluation: xr.Dataset, study: xr.Dataset) -> Part:
    """MAE and RMSE, as predicted and at the gold mean with half the gold standard deviation."""
    checks = []
    for table, measure, published in (("Table 2", "mae", MAE), ("Table 3", "rmse", RMSE)):
        for system, (original, to_gold) in published.items():
            ours = study[measure].sel(gold=HTER, system=system)
            for rescaling, value in (("original", original), ("to gold", to_gold)):
                what = f"{measure.upper()}, {rescaling}, {system}"
                checks.append(Check(table, what, value, float(ours.sel(rescaling=rescaling)), 3))
    r = study["r"].to_numpy()
    change = float(np.abs(r - r[0]).max())
    lower = int(
        (study["mae"].sel(rescaling="to own") < study["mae"].sel(rescaling="original")).sum()
    )
    checks += [
        Check("section 3", "largest change of r by rescaling", 0.0, change, 12),
        reported("section 2.2", "systems whose MAE falls at half their own sd", None, lower),
    ]
    rescaled = tables.rescaling_table(study)
    results = Results(
        numbers={"tables-2-and-3": rescaled},
        pages={"tables-2-and-3": rescaled},
        facts={"": study.attrs},
    )
    return Part(checks, results)


def table_5(evaluation: xr.Dataset) -> Part:
    """Rows of the HTER-trained systems: r and MAE."""
    checks = []
    for system, (r, mae) in R.items():
        row = evaluation.sel(gold=HTER, system=system)
        checks.append(Check("Table 5", f"r, {system}", r, float(row["value"]), 3))
        checks.append(Check("Table 5", f"MAE, {system}", mae, float(row["mae"]), 3))
    order = tables.leading_systems(evaluation, HTER, len(R))
    out = sum(a != b for a, b in zip(order, R, strict=True))
    checks.append(Check("Table 5", "systems out of order", 0, out))
    results = Results(
        numbers={"table-5": plain_ranking_table(evaluation)},
        pages={"table-5": evaluation_table(evaluation, HTER)},
        facts={"": evaluation.attrs},
    )
    return Part(checks, results)


def figure_2(predictions: xr.Dataset) -> Part:
    """Multilizer's predictions, lower in MAE with half their standard deviation."""
    rescaled = rescaled_predictions(predictions, HTER, systems=["Multilizer"])
    mae = rescaled["mae"].isel(system=0)
    checks = [
        Check("Figure 2", f"MAE of Multilizer, {name}", value, float(mae.sel(rescaling=name)), 4)
        for name, value in zip(("original", "to own"), FIGURE_2, strict=True)
    ]
    shown = rescaled.sel(rescaling=["original", "to own"])
    return Part(checks, Results(figures={"figure-2": figures.densities(shown)}))


def figure_3_form(predictions: xr.Dataset) -> Part:
    """Figure 3's case on WMT14: a lower MAE for the baseline, though its r is lower."""
    pair = ["baseline", "DFKI-svr-xdata"]
    rescaled = rescaled_predictions(predictions, HTER, systems=pair)
    mae = rescaled["mae"].sel(rescaling="original")
    case = bool(mae[0] < mae[1]) and bool(rescaled["r"][0] < rescaled["r"][1])
    checks = [reported("Figure 3", "baseline: lower MAE, lower r than DFKI-svr-xdata", None, case)]
    return Part(
        checks,
        Results(
            figures={
                "figure-3-wmt14-densities": figures.densities(rescaled.sel(rescaling=["original"])),
                "figure-3-wmt14-scatter": figures.standard_scatters(rescaled),
            }
        ),
    )


def figure_4(evaluation: xr.Dataset) -> Part:
    """Correlations between predictions; print has colours alone, no numbers."""
    values = evaluation["prediction_r"].sel(gold=HTER).to_numpy()
    between = values[np.triu_indices(len(R), 1)]
    checks = [
        reported("Figure 4", f"{name} r between predictions", None, float(value), 3)
        for name, value in (("lowest", between.min()), ("highest", between.max()))
    ]
    matrix = figures.plot_predictions(evaluation, HTER)
    return Part(checks, Results(figures={"figure-4": matrix}))


def figure_6(evaluation: xr.Dataset) -> Part:
    """Williams' tests among the HTER-trained systems; print has shades alone, no numbers.

    The paper's t has n - 3 degrees of freedom. Software of the time took n - 2 (see emnlp14), which
    with 208 segments moves no pair across a level.
    """
    on_hter = evaluation.sel(gold=HTER)
    p = on_hter["p_value"].to_numpy()
    older = student.sf(on_hter["statistic"], int(on_hter["n"]) - 2)
    off = ~np.eye(len(R), dtype=bool)
    checks = []
    for level in LEVELS:
        what = f"pairs of {pairs(len(R))} with p < {level}"
        checks.append(reported("Figure 6", what, None, int((p < level).sum())))
    moved = sum(int(((p < level) != (older < level))[off].sum()) for level in LEVELS)
    checks.append(reported("Figure 6", "shades that df n-2 would change", None, moved))
    shades = figures.plot_shades(evaluation, HTER)
    results = Results(
        figures={"figure-6-hter-trained": shades},
        numbers={"figure-6-hter-trained": comparisons_table(evaluation)},
        facts={"": evaluation.attrs},
    )
    return Part(checks, results)
