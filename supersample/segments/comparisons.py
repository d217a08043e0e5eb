"""Whether two metrics agree with people equally well on segments: permutation tests."""

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, check_choice, check_resamples
from supersample.execution.workers.workers import AnyWorkers, checked_workers, connect
from supersample.inference.arguments import VALUE_TIE as TIE
from supersample.inference.arguments import Alternative, Estimator
from supersample.inference.resampling.p_values import may_be_best, permutation_p_value
from supersample.results.comparisons import (
    ALTERNATIVES,
    adjusted_p_values,
    difference_matrix,
    identical_items,
    is_significant,
    joint_p_values,
)
from supersample.results.variables import result_variables
from supersample.scores.selection import Mask
from supersample.segments.agreement import DEFAULT, Found, agreement_dataset, compute
from supersample.segments.inputs import Groups, groups_of
from supersample.segments.statistics import SegmentStatistic, Statistics, as_statistics
from supersample.segments.swapping import (
    SegmentScheme,
    joint_scheme,
    null_differences,
    scheme_of,
)
from supersample.segments.transfer import CalibrateOn, transferred


def compare_segments(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    statistics: Statistics = DEFAULT,
    *,
    calibrate_on: CalibrateOn | None = None,
    scheme: SegmentScheme | None = None,
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
    estimator: Estimator = "(k+1)/(B+1)",
    significance_level: float = 0.05,
    mask: Mask = "all",
    by: str | None = None,
    workers: AnyWorkers = "threads",
) -> xr.Dataset:
    """Test for every two metrics whether one agrees better with people on segments.

    Parameters
    ----------
    scores, statistics, mask, by
        As for `segment_agreement`. The first statistic orders metrics in `rank`. The average of
        several groups is tested by joint permutation, each group with separate coins.
    calibrate_on : xarray.Dataset or "half", optional
        Scores whose ties "acc_eq" and "tau_eq" are calibrated on (another language pair or set, the
        same metrics), or half of the segments, drawn by the seed, so that the other half is tested.
        By default the tested scores themselves, as in the shared task.
    scheme : {"scores", "pairs", "segments"}, optional
        "scores" (PERM-BOTH of Deutsch et al.): two metrics swap their scores of each translation
        with probability one half, standardised over all translations. "pairs": they swap who is
        right about each pair of translations, ties calibrated beforehand; pairs that share a
        translation are right together, so that this rejects too often (`experiments/segment_tests`:
        15 % of equal metrics at 5 %). "segments": they swap whole segments (PERM-INPUTS), which
        does not. By default, as in the
        shared task, "pairs" for statistics that are means over pairs ("acc", "tau_23", "tau_eq",
        "kendall_like"), "scores" for the others.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" is that `metric` agrees better than `other_metric`.
    resamples : int, default 1_000
    seed : int, default 0
        Resample i is a function of (seed, i), the scheme and a group's name alone; all pairs of
        metrics share its coins.
    estimator : {"(k+1)/(B+1)", "k/B"}, default "(k+1)/(B+1)"
        The second is the shared task's, and may be 0.
    significance_level : float, default 0.05
        A pair is significant where p <= this.
    workers : Workers, Client or str, default "threads"
        Threads of this process; results do not depend on their number.

    Returns
    -------
    xarray.Dataset
        What `segment_agreement` gives; with `calibrate_on` also ``optimism``, how much higher the
        values would be if ties were calibrated on the tested scores; and along (metric,
        other_metric) ``difference``, ``p_value``, ``p_holm`` and ``p_bh`` (adjusted for all pairs),
        ``significant`` and ``identical``; ``p_simultaneous``, adjusted by the joint swaps, and
        ``p_best`` (metric) are those of `compare_accuracies`. Within items these swap whole
        segments where the scheme is "pairs", which would claim too much. Differences within 1e-10
        are equal. `rank` takes it.

    Raises
    ------
    InputError
        As `segment_agreement`; or if an option is unknown or out of range, or a scheme does not go
        with a statistic.

    References
    ----------
    Deutsch, Dror and Roth (2021), TACL 9, for swapping scores. Swapping pairs: the metrics task
    since 2023 (Freitag et al. 2023, WMT).

    Examples
    --------
    >>> from supersample import load_example
    >>> d = compare_segments(load_example(), "acc_eq", resamples=199)
    >>> bool((d["p_value"].sel(metric="strong-95", other_metric="useless-00") < 0.05).item())
    True
    """
    chosen = as_statistics(statistics)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("estimator", estimator, get_args(Estimator))
    check_resamples(resamples)
    if scheme is not None:
        check_choice("scheme", scheme, get_args(SegmentScheme))
    if not 0 < significance_level < 1:
        raise InputError(f"the significance level lies between 0 and 1, not {significance_level}")
    schemes = [scheme_of(each, scheme) for each in chosen]
    workers = checked_workers(workers)
    groups = groups_of(scores, mask=mask, by=by, seed=seed)
    optimism: dict[str, Any] = {}
    if calibrate_on is None:
        found = [[compute(part, each) for part in groups.of.values()] for each in chosen]
    else:
        groups, found, gains = transferred(groups, chosen, calibrate_on, mask)
        optimism = {"optimism": np.stack(gains)}
    p, together = [], []
    with connect(workers) as client:
        if not client.shares_memory:
            raise InputError("metrics are compared on segments by threads; workers='threads'")
        for statistic, way, row in zip(chosen, schemes, found, strict=True):
            joint_way = joint_scheme(statistic, way)
            null = {
                each: _null(groups, row, statistic, each, resamples, client.count)
                for each in dict.fromkeys((way, joint_way))
            }
            values = groups.over([each.values for each in row])
            p.append(_p_values(values, null[way], alternative, estimator))
            together.append(joint_p_values(values, null[joint_way]))
    agreement = agreement_dataset(
        groups,
        chosen,
        found,
        method=",".join(f"perm-{way}" for way in dict.fromkeys(schemes)),
        alternative=alternative,
        resamples=resamples,
        estimator=estimator,
        seed=seed,
        significance_level=significance_level,
    )
    agreement = agreement.assign(result_variables(optimism, ("meta_metric", *groups.lead)))
    return with_comparisons(agreement, groups, np.stack(p), np.stack(together))


def _null(
    groups: Groups,
    found: list[Found],
    statistic: SegmentStatistic,
    scheme: SegmentScheme,
    resamples: int,
    threads: int,
) -> NDArray[np.float64]:
    """Null differences of every group, and of the average of several."""
    parts = zip(groups.of.values(), found, strict=True)
    return groups.over(
        [
            null_differences(part, statistic, each, scheme, resamples, threads)
            for part, each in parts
        ]
    )


def _p_values(
    values: NDArray[np.float64],
    null: NDArray[np.float64],
    alternative: Alternative,
    estimator: Estimator,
) -> NDArray[np.float64]:
    """p-values (..., metric, other_metric) from null differences (..., resamples, pairs)."""
    first, second = np.triu_indices(values.shape[-1], 1)
    observed = values[..., first] - values[..., second]
    p = np.where(np.isnan(values), np.nan, 1.0)[..., np.newaxis] * np.eye(values.shape[-1])
    replicates = np.moveaxis(null, -2, 0)
    for i, j, sign in ((first, second, 1.0), (second, first, -1.0)):
        p[..., i, j] = permutation_p_value(
            sign * observed,
            sign * replicates,
            alternative=alternative,
            estimator=estimator,
            tie=TIE,
        )
    return p


def with_comparisons(
    agreement: xr.Dataset, groups: Groups, p: NDArray[np.float64], together: NDArray[np.float64]
) -> xr.Dataset:
    """Add differences of every two metrics and their p-values, also those of all pairs at once."""
    lead = ("meta_metric", *groups.lead)
    values = agreement["agreement"].to_numpy()
    level = agreement.attrs["significance_level"]
    off_diagonal = ~np.eye(p.shape[-1], dtype=bool)
    new: dict[str, Any] = {
        "difference": difference_matrix(values),
        "p_value": p,
        **adjusted_p_values(p, agreement.attrs["alternative"]),
        "significant": is_significant(p, level) & off_diagonal,
        "p_simultaneous": together,
        "p_best": may_be_best(values, together),
    }
    return agreement.assign(
        {
            **result_variables(new, lead),
            **result_variables({"identical": identical(groups)}, groups.lead),
        }
    ).assign_coords(other_metric=agreement["metric"].to_numpy())


def identical(groups: Groups) -> NDArray[np.bool_]:
    """Whether two metrics have the same scores but for offset and scale; for all groups first."""
    same = [
        identical_items([(scores[part.keep],) for scores in part.metrics])
        for part in groups.of.values()
    ]
    return np.stack([np.all(same, axis=0), *same]) if groups.grouped else same[0]
