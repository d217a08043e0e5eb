"""Tables of sampling distributions of r, of coverage studies, and of plans."""

import math

import numpy as np
import xarray as xr

from supersample.presentation.labels import level_of
from supersample.presentation.table import Column, Table, number_table, spread

ROWS = {
    "exact": ("r of samples", "exact"),
    "simulated": ("r of samples", "simulated"),
    "exact for rho": ("population's r", "exact"),
    "fisher": ("population's r", "Fisher"),
    "symmetric": ("population's r", "symmetric"),
}

COVERAGE_NOTE = (
    "Each interval is scored against the estimand that it names: METHOD:UNIT:ESTIMAND. Rejections "
    "are type I errors where the estimand is 0 and power elsewhere. ± one Monte-Carlo standard "
    "error."
)


def sampling_table(result: xr.Dataset) -> Table:
    """One row for each interval: what it is of, its limits, and how far they lie from r."""
    columns = {
        "of": Column("of", "interval of"),
        "method": Column("interval", "method"),
        "lower": Column("lower", "from", ".4f"),
        "upper": Column("upper", "to", ".4f"),
        "below": Column("below", "below r", ".4f"),
        "above": Column("above", "above r", ".4f"),
    }
    r, level = float(result.attrs["r"]), level_of(result)
    of, methods = zip(*ROWS.values(), strict=True)
    shown = result.sel(interval=list(ROWS)).assign(
        of=("interval", list(of)), method=("interval", list(methods))
    )
    shown = shown.assign(below=r - shown["lower"], above=shown["upper"] - r)
    caption = f"r = {r:g} over n = {result.attrs['n']} systems, {level} intervals"
    notes = [
        f"r of samples: where {level} of samples' r fall if the population's is {r:g}; simulated: "
        f"{result.attrs['draws']:,} samples of {result.attrs['population']}.",
        f"population's r: where it may lie if a sample's is {r:g}.",
    ]
    if float(result["upper"].sel(interval="symmetric")) > 1:
        notes.append("symmetric: takes r as normal, and so reaches beyond 1, where no r can be.")
    return number_table([shown], ["interval"], list(columns), columns, caption, notes)


def moments_line(result: xr.Dataset) -> str:
    """Skew, mean and standard deviation of r, exact and simulated, in a line."""
    names = {"skew": "skewness", "mean": "mean", "sd": "standard_deviation"}
    return "; ".join(exact_and_simulated(word, result[name], 4) for word, name in names.items())


def exact_and_simulated(heading: str, values: xr.DataArray, digits: int) -> str:
    """Write an exact and a simulated value: 'skew -3.84 exact, -3.79 simulated'."""
    exact, simulated = (float(value) for value in values)
    if math.isnan(exact):
        return f"no {heading}"
    return f"{heading} {exact:.{digits}f} exact, {simulated:.{digits}f} simulated"


def coverage_table(result: xr.Dataset, quantity: str = "difference") -> Table:
    """One row for each setting and procedure: coverage of the estimand, width, rejections."""
    numbers = ["estimand", "coverage", "coverage_error", "below", "above", "width"]
    numbers += ["rejected", "rejected_error"]
    headings = {"coverage_error": "±", "below": "misses below", "rejected_error": "±"}
    columns = {name: Column(name, headings.get(name), ".3f") for name in numbers}
    rows = result.sel(quantity=quantity).stack(row=("setting", "procedure"), create_index=False)
    measured = rows["coverage"].notnull() | rows["rejected"].notnull()
    names = ["setting", "systems", "segments", "procedure", *columns, "undefined"]
    quantities = {"r": "r of the first metric", "difference": "the difference of both metrics' r"}
    caption = (
        f"{level_of(result)} intervals for {quantities[quantity]}, "
        f"{result.attrs['replicates']:,} samples a setting"
    )
    shown = rows.isel(row=measured.to_numpy())
    return number_table([shown], ["row"], names, columns, caption, [COVERAGE_NOTE])


def plan_table(result: xr.Dataset) -> Table:
    """One row for each number of segments: difference, systems needed, power by systems."""
    facts = result.attrs
    flat, powers = spread(result, ["systems"], ["power"])
    columns = {
        "segments": Column("segments"),
        "difference": Column("difference", "difference of r", "+.4f"),
        "systems_needed": Column("systems_needed", number=".0f"),
        **{name: Column(name, name.removeprefix("power_"), ".2f") for name in powers},
    }
    caption = (
        f"Systems needed to detect the difference with power {facts['power']:g} by "
        f"{facts['method']}; power by number of systems"
    )
    worst = float(result["power_error"].max())
    notes = [
        f"{facts['replicates']:,} samples of each size from {facts['population']}; a power is "
        f"known to ± {worst:.3f}."
    ]
    if np.isnan(result["systems_needed"].to_numpy()).any():
        most = int(result["systems"][-1])
        notes.append(f"Where nothing is said, more than {most} systems are needed.")
    return number_table([flat], ["segments"], list(columns), columns, caption, notes)
