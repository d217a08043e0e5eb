"""What a figure shows of a result: one basis, measure or group, and what p-values say of it."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import check_choice
from supersample.presentation.labels import AVERAGE, leading_basis, names_of

LEVELS = (0.05, 0.01, 0.001)  # of one, two and three stars
STARS = "* p ≤ 0.05, ** 0.01, *** 0.001"


def part_of(ranking: xr.Dataset, at: Mapping[str, str]) -> xr.Dataset:
    """Select labels along the dimensions before metrics; best metric first.

    By default the basis that leads, and the first label of other dimensions. An InputError names a
    dimension or a label that the result does not have.
    """
    dims = [str(dim) for dim in ranking["value"].dims if dim != "metric"]
    for dim, label in at.items():
        check_choice("dimension", dim, dims)
        check_choice(dim, label, names_of(ranking, dim))
    chosen = {dim: ranking[dim].to_numpy()[0] for dim in dims}
    if "basis" in dims:
        chosen["basis"] = leading_basis(ranking)
    part = ranking.sel(chosen | dict(at))
    order = np.argsort(-part["value"].to_numpy(), kind="stable")  # NaN last
    return part.isel({dim: order for dim in ("metric", "other_metric") if dim in part.dims})


def place(part: xr.Dataset) -> str:
    """Name the data, and what n counts, of a selected part: 'wmt23 zh-en, 15 systems'.

    Of an average, systems are not counted: those of its groups are others, or the same ones again.
    """
    words = [str(part.attrs.get("source", ""))]
    if "measure" in part.coords:
        words.append(str(part["measure"].item()))
    group = str(part["group"].item()) if "group" in part.coords else ""
    average = group == AVERAGE
    n = int(part["n"]) if not average and "n" in part and np.isfinite(part["n"].item()) else 0
    basis = str(part["basis"].item()) if "basis" in part.coords else "systems"
    words += [group] if group else []
    if n:
        words.append(f"{n:,} {basis}")
    elif "basis" in part.coords:
        words.append(f"over {basis}")
    for name in (
        ("segments", "translations") if average else ("systems", "segments", "translations")
    ):
        if not n and name in part.data_vars and np.isfinite(part[name].item()):
            words.append(f"{int(part[name]):,} {name}")
    return ", ".join(filter(None, words))


def adjusted_p(part: xr.Dataset) -> tuple[NDArray[np.float64], str] | None:
    """p-values of a part's pairs adjusted for all pairs, and by what; None without any.

    Those of `compare_over_systems` are adjusted for the choice of the best metric too.
    """
    for name, means in (
        ("p_simultaneous", "adjusted for all metrics"),
        ("p_holm", "adjusted after Holm"),
    ):
        if name in part and np.isfinite(part[name].to_numpy()).any():
            return part[name].to_numpy(), means
    return None


def test_name(part: xr.Dataset) -> str:
    """Name the test or interval of a part's differences: 'williams1959, one-sided'."""
    facts = part.attrs
    words = [str(facts["method"])]
    if "basis" in part.coords and part["basis"].item() != "hybrids":
        words = [str(facts.get("systems_method", words[0]))]
    if facts.get("alternative", "two-sided") != "two-sided":
        words.append("one-sided")
    if facts.get("orientation") == "absolute":
        words.append("absolute r")
    return ", ".join(words)
