"""Tables of predictions judged by gold standards: what rescaling does to them."""

import xarray as xr

from supersample.presentation.labels import names_of, part_of
from supersample.presentation.table import Column, Table, number_table, spread

RESCALING_NOTE = (
    "To gold: to the mean of the gold labels and {share:g} of their standard deviation. To own: to "
    "the predictions' own mean and {share:g} of their own standard deviation. Standard deviations "
    "with n - 1."
)


def leading_systems(evaluation: xr.Dataset, gold: str, most: int) -> list[str]:
    """Names of the systems with the highest r, at most so many."""
    return names_of(part_of(evaluation[["value"]], {"gold": gold}), "system")[:most]


def source_line(data: xr.Dataset, evaluation: xr.Dataset) -> str:
    """Describe the input: source, sizes, and the segments with gold labels."""
    return (
        f"{data.attrs.get('source', 'predictions')}: {data.sizes['system']} systems, "
        f"{data.sizes['segment']} segments; judged by {evaluation.attrs['mask']}"
    )


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
    flat, _ = spread(study.assign(change_of_r=change), ["rescaling"], ["r", "mae", "rmse"])
    parts = [
        flat.sel(gold=gold, system=leading_systems(evaluation, gold, evaluation.sizes["system"]))
        for gold in names_of(evaluation, "gold")
    ]
    note = RESCALING_NOTE.format(share=study.attrs["share"])
    caption = "Errors of predictions as they are and rescaled; r stays"
    names = ["gold", "system", *columns]
    return number_table(parts, ["system"], names, columns, caption, [note])
