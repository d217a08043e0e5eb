"""Scores of several language pairs, or the domains or documents of one, as groups by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from supersample.errors import InputError
from supersample.scores.schema import HUMAN

AVERAGE = "average"
LABELS = ("domain", "document")


def common_metrics(scores: Mapping[str, xr.Dataset]) -> tuple[list[str], list[str]]:
    """Metrics that all have, in the order of the first, and those that are not in all.

    Parameters
    ----------
    scores : mapping of str to xarray.Dataset
        By name, anything with ``higher_is_better`` along ``metric``.

    Raises
    ------
    InputError
        If there are none, or one is declared higher-is-better in some and not in others.
    """
    parts = list(scores.values())
    own = [[str(name) for name in part["metric"].to_numpy()] for part in parts]
    common = [name for name in own[0] if all(name in names for names in own[1:])]
    if not common:
        raise InputError(f"no metric is common to {', '.join(scores)}")
    higher = [part["higher_is_better"].sel(metric=common).to_numpy() for part in parts]
    for other in higher[1:]:
        if (other != higher[0]).any():
            name = common[int(np.argmax(other != higher[0]))]
            raise InputError(f"'{name}' is declared higher-is-better in some Scores, not in others")
    return common, sorted({name for names in own for name in names} - set(common))


def split_by(scores: xr.Dataset, label: str) -> tuple[dict[str, xr.Dataset], list[str]]:
    """Divide Scores by domain or document; name parts that are too small, which are left out.

    A part needs two segments, and of every system human scores on two.

    Raises
    ------
    InputError
        If the label is no such one, the Scores lack it, or no part is left.
    """
    if label not in LABELS:
        raise InputError(f"no label to group by '{label}'; there are {', '.join(LABELS)}")
    if label not in scores.coords:
        raise InputError(f"these Scores name no {label}s to group by")
    values = scores[label].to_numpy().astype(str)
    names = np.unique(values)
    rated = scores[HUMAN.name].transpose(*HUMAN.dims).notnull().to_numpy()
    enough = {
        str(name): scores.isel(segment=values == name)
        for name in names
        if rated[:, values == name].sum(axis=1).min() >= 2
    }
    short = [str(name) for name in names if str(name) not in enough]
    if not enough:
        raise InputError(f"no {label} has two segments with human scores of every system")
    return enough, short


def shared_facts(parts: Sequence[xr.Dataset]) -> dict[str, Any]:
    """Gather what several Scores say of themselves: once where they agree, else each."""
    facts: dict[str, Any] = {}
    for name in _SHARED:
        said = [str(part.attrs[name]) for part in parts if part.attrs.get(name)]
        if said:
            facts[name] = said[0] if len(set(said)) == 1 else "; ".join(said)
    for name in ("added_metrics", "added_notes"):  # a line each
        lines = [line for part in parts for line in str(part.attrs.get(name) or "").split("\n")]
        if any(lines):
            facts[name] = "\n".join(filter(None, dict.fromkeys(lines)))
    return facts


_SHARED = (
    "source",
    "human",
    "reference",
    "mask",
    "human_mean",
    "systems_left_out",
    "assessors_dropped",
    "assessors_without_z",
    "ratings_used",
    "ratings_left_out",
)
