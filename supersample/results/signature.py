"""Signatures: one line that describes how a result was computed, in the style of sacreBLEU."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from typing import Any

import xarray as xr

_FIELDS = (
    *("statistic", "method", "systems_method", "confidence_level", "significance_level"),
    *("alternative", "orientation", "resamples", "estimator", "ties", "population", "draws"),
    *("n", "design", "seed", "mask", "by", "weights", "in_at_least", "concluded_over"),
    *("human", "human_mean", "reference", "corpus", "source", "scores", "system_scores"),
    *("human_threshold", "calibration", "settings"),
)
_UNSAID = {"alternative": "two-sided", "orientation": "declared", "ties": "exact", "by": ""}


def describe(design: Any) -> str:
    """Design as text: its name and its options in order, ``PairHybrids(balanced,0.5,segment)``.

    Options without effect are omitted.
    """
    unused = getattr(design, "unused", ())
    names = [field.name for field in fields(design) if field.name not in unused]
    options = ",".join(str(getattr(design, name)) for name in names)
    return f"{type(design).__name__}({options})"


def signature(**facts: Any) -> str:
    """Join facts of a result, in a fixed order, with the version of supersample.

    Parameters
    ----------
    Any of statistic, method, alternative, orientation, resamples, estimator, ties, population,
    draws, n (with what it counts), design, seed, mask, by (groups), weights, in_at_least,
    concluded_over, human, human_mean, reference, corpus, source, scores, system_scores,
    human_threshold, calibration and settings. Others are ignored, and so are the default
    alternative, orientation and ties.

    Examples
    --------
    >>> signature(statistic="pearson", n="12 systems", seed=0).rpartition("|")[0]
    'statistic:pearson|n:12 systems|seed:0'
    """
    parts = [
        f"{name}:{facts[name]}"
        for name in _FIELDS
        if facts.get(name, _UNSAID.get(name)) != _UNSAID.get(name)
    ]
    return "|".join([*parts, f"version:{_version()}"])


@cache
def _version() -> str:
    return version("supersample")  # reads files each time


def result_attrs(
    attrs: Mapping[Any, Any], *, n: Iterable[int], counted: Iterable[str], **facts: Any
) -> dict[Any, Any]:
    """Attributes of a result: those of its input, further facts, and the signature of both.

    Parameters
    ----------
    attrs : mapping
        Attributes of the input.
    n, counted : iterable
        Sample sizes, and what each counts.
    **facts
        Attributes that are added or replaced.
    """
    sizes = ", ".join(f"{size} {name}" for size, name in zip(n, counted, strict=True))
    merged = {**attrs, **facts}
    return {**merged, "signature": signature(**{**merged, "n": sizes})}


def signed(result: xr.Dataset, **facts: Any) -> xr.Dataset:
    """Add attributes to a result, and to its signature."""
    before, _, release = str(result.attrs["signature"]).rpartition("|")
    more = [f"{name}:{value}" for name, value in facts.items()]
    return result.assign_attrs(facts, signature="|".join([before, *more, release]))
