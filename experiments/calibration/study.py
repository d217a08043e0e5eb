"""Measure every interval in every setting, choose by the rule, and judge what was chosen."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from experiments.calibration.coverage import Setting, coverage
from experiments.calibration.settings import (
    CHOOSING,
    CHOOSING_SEED,
    CONFIRMING,
    CONFIRMING_SEED,
    PROCEDURES,
    REPLICATES,
    RESAMPLES,
)
from experiments.calibration.shown import HONEST, NO_DIFFERENCE, coverage_results
from experiments.common import OUT
from supersample.presentation.table import Column, Table, to_markdown
from supersample.results.outputs import Results, check_folder, write_results

ZOU = "zou:systems:observed"
CANDIDATES = tuple(
    name for name in PROCEDURES if ":systems" in name and not name.startswith("williams")
)
"""Intervals whose unit is systems, or systems and segments."""


def measure(
    settings: Mapping[str, Setting], seed: int, *, replicates: int = REPLICATES
) -> xr.Dataset:
    """Coverage, width and rejections of all procedures."""
    return coverage(
        settings, PROCEDURES, replicates=replicates, resamples=RESAMPLES, seed=seed, progress=True
    )


def is_honest(found: xr.Dataset) -> xr.DataArray:
    """Whether coverage of the difference lies within 93 to 97 %, (setting, procedure)."""
    covered = found["coverage"].sel(quantity="difference")
    return (covered >= HONEST[0]) & (covered <= HONEST[1])


def relative_width(found: xr.Dataset) -> xr.DataArray:
    """Width by Zou's, averaged over the settings where Zou's is honest, by procedure."""
    width = found["width"].sel(quantity="difference")
    covering = is_honest(found).sel(procedure=ZOU)
    return (width / width.sel(procedure=ZOU)).where(covering).mean("setting")


def choose(choosing: xr.Dataset) -> str:
    """Apply the rule of `settings` to the results in `CHOOSING`."""
    counts = is_honest(choosing).sum("setting")
    widths = relative_width(choosing)
    return min(
        CANDIDATES,
        key=lambda name: (-int(counts.sel(procedure=name)), float(widths.sel(procedure=name))),
    )


def verdicts(choosing: xr.Dataset, confirming: xr.Dataset) -> Table:
    """One row an interval: in how many settings it is honest, its extremes, and its width."""
    columns = (
        Column("interval", "interval"),
        Column("choosing", f"honest in {choosing.sizes['setting']}", ".0f"),
        Column("confirming", f"honest in {confirming.sizes['setting']} others", ".0f"),
        Column("least", "least coverage", ".3f"),
        Column("most", "most coverage", ".3f"),
        Column("width", "width / Zou's", ".3f"),
        Column("meets", "meets the aim"),
    )
    rows = []
    for name in PROCEDURES:
        parts = [part.sel(quantity="difference", procedure=name) for part in (choosing, confirming)]
        covered = np.concatenate([part["coverage"].to_numpy() for part in parts])
        if np.isnan(covered).all():
            continue
        honest = [int(is_honest(part).sel(procedure=name).sum()) for part in (choosing, confirming)]
        both = xr.concat([choosing, confirming], "setting", combine_attrs="drop")
        width = float(relative_width(both).sel(procedure=name))
        meets = sum(honest) == covered.size and width <= 1
        rows.append(
            (name, *map(float, honest), float(covered.min()), float(covered.max()), width, meets)
        )
    note = (
        f"Honest: coverage of 95 % intervals for a difference within {HONEST[0]:.0%} to "
        f"{HONEST[1]:.0%}. Width: by Zou's in the same samples, averaged over all settings where "
        "Zou's is honest. The aim: honest in every setting and no wider."
    )
    return Table(columns, tuple(rows), "Intervals for differences of r", (note,))


def rejections(found: xr.Dataset) -> Table:
    """One row a setting: how often each test and interval rejects equality."""
    rejected = found["rejected"].sel(quantity="difference")
    truth = found["estimand"].sel(quantity="difference", procedure=ZOU).to_numpy()
    columns = (
        Column("setting", "setting"),
        Column("is", "share"),
        *(Column(f"rejected_{i}", name, ".3f") for i, name in enumerate(PROCEDURES)),
    )
    rows = [
        (
            str(setting),
            "type I" if abs(value) < NO_DIFFERENCE else "power",
            *(float(rejected.sel(setting=setting, procedure=name)) for name in PROCEDURES),
        )
        for setting, value in zip(found["setting"].to_numpy(), truth, strict=True)
    ]
    return Table(columns, tuple(rows), "Share of samples in which equality is rejected")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.calibration", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="20 samples a setting")
    parser.add_argument("--out", type=Path, default=OUT / "calibration")
    options = parser.parse_args(arguments)
    folder = check_folder(options.out, overwrite=True)
    replicates = 20 if options.smoke else REPLICATES
    choosing = measure(CHOOSING, CHOOSING_SEED, replicates=replicates)
    confirming = measure(CONFIRMING, CONFIRMING_SEED, replicates=replicates)
    write_results(folder / "choosing", coverage_results(choosing))
    write_results(folder / "confirming", coverage_results(confirming))
    table = verdicts(choosing, confirming)
    pages = {
        "verdicts": table,
        "rejections-choosing": rejections(choosing),
        "rejections-confirming": rejections(confirming),
    }
    write_results(folder, Results(numbers=pages, pages=pages, facts={"": choosing.attrs}))
    print(to_markdown(table))
    print(f"chosen by the rule: {choose(choosing)}")
    return 0
