"""Campaigns: how many systems, segments and raters are needed to tell two metrics apart."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError, check_confidence_level, check_counted, check_names
from supersample.execution.datasets import load_zarr
from supersample.execution.stores import place_of
from supersample.inference.two_correlations.power import systems_needed
from supersample.raters.agreement import ceiling, error_variance
from supersample.results.signature import result_attrs

_LARGEST = 0.9999


def plan_campaign(
    measured: xr.Dataset,
    first: str,
    second: str,
    *,
    raters: Sequence[int] = (1, 2, 3, 5),
    segments: Sequence[int] = (100, 200, 500, 1_000),
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Find how many systems a campaign needs to tell two metrics apart, by raters and segments.

    Parameters
    ----------
    measured : xarray.Dataset
        A result of `reliability`.
    first, second : str
        Two metrics of this result.
    raters, segments : sequence of int
        Numbers of raters and of segments to try. Every rater judges every segment.
    power : float, default 0.8
        Chance that the difference is found.
    confidence_level : float, default 0.95
        1 minus the significance level of the two-sided test.

    Returns
    -------
    xarray.Dataset
        Dims (raters, segments). ``ceiling``: the expected r of a metric that knows each system's
        true quality. ``first_r``, ``second_r``: the expected r of the two metrics, below 1.
        ``systems_needed``: the number of systems. ``rater_worth``: how many further segments
        reduce the error as much as one further rater; infinite where no number does.

    Raises
    ------
    InputError
        If a metric does not exist, both agree equally with people, or a number is out of range.

    Notes
    -----
    The expected r is the r in `measured` times the ratio of the ceilings. The noise that segments
    cause in the metrics' scores is kept as measured. `systems_needed` is the number with which
    `compare` has this power for normally distributed scores; see
    `supersample.inference.two_correlations.power`.

    Examples
    --------
    >>> from supersample import load_example
    >>> from supersample.raters import reliability
    >>> measured = reliability(load_example(), ["strong-98", "strong-95"])
    >>> plan = plan_campaign(measured, "good-90", "weak-40", raters=[1, 3], segments=[100])
    >>> plan["systems_needed"].values.ravel().tolist()
    [28.0, 23.0]
    """
    if not 0 < power < 1:
        raise InputError(f"the power is a number between 0 and 1, such as 0.8, not {power}")
    check_confidence_level(confidence_level)
    for what, numbers in (("raters", raters), ("segments", segments)):
        check_counted(what, *numbers)
    names = [str(name) for name in measured["metric"].to_numpy()]
    check_names("metric", [first, second], names)
    components = measured["component"].to_numpy()
    here = ceiling(components, measured.sizes["person"], int(measured["segments"]))
    both = measured["r"].sel(metric=[first, second]).to_numpy()
    between = float(measured["metric_r"].sel(metric=first, other_metric=second))
    if np.isnan(here) or np.ptp(both) < 1e-12:
        raise InputError(f"{first} and {second} agree equally with people; choose two that differ")
    k, length = np.meshgrid(raters, segments, indexing="ij")
    best = ceiling(components, k, length)
    a, b = np.clip(both[:, np.newaxis, np.newaxis] * best / here, -_LARGEST, _LARGEST)
    far = _LARGEST * np.sqrt((1 - a**2) * (1 - b**2))  # largest possible r between the metrics
    possible = np.clip(between, a * b - far, a * b + far)
    needed = systems_needed(a, b, possible, power=power, confidence_level=confidence_level)
    dims = ("raters", "segments")
    return xr.Dataset(
        {
            "ceiling": (dims, best),
            "first_r": (dims, a),
            "second_r": (dims, b),
            "systems_needed": (dims, needed),
            "rater_worth": (dims, _worth(components, k, length)),
        },
        coords={"raters": list(raters), "segments": list(segments)}
        | {"first": first, "second": second},
        attrs=result_attrs(
            measured.attrs,
            n=[int(measured["systems"])],
            counted=["systems"],
            kind="campaign",
            statistic="campaign",
            power=power,
            confidence_level=confidence_level,
        ),
    )


def _worth(components: Floats, raters: NDArray[np.int64], segments: NDArray[np.int64]) -> Floats:
    """Count the segments that reduce the variance of a system's mean as one more rater does."""
    _, _, _, both, of_rater, _, rest = np.maximum(components, 0.0)
    left = error_variance(components, raters + 1, segments) - of_rater / raters
    with np.errstate(divide="ignore"):
        return np.where(left > 0, (both + rest / raters) / left - segments, np.inf)


def read_reliability(path: str | Path) -> xr.Dataset:
    """Read the result of `reliability` that ``raters --out`` wrote; refuse any other folder."""
    wanted = f"{path} is not the reliability.zarr that raters --out wrote"
    try:
        found: xr.Dataset = load_zarr(place_of(path))
    except InputError:
        raise
    except (OSError, ValueError, KeyError) as error:
        raise InputError(wanted) from error
    if found.attrs.get("kind") != "reliability":
        raise InputError(wanted)
    return found
