"""Intervals that declare what is random in them and what they are an interval for."""

import warnings
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations.correlate import (
    check_confidence_level,
    result_attrs,
    with_differences,
)
from supersample.correlations.interval_methods import (
    Evidence,
    IntervalMethod,
    interval_of_difference,
    interval_of_r,
)
from supersample.correlations.moment_resampling import ESTIMANDS
from supersample.engine.contributions import TANGENTS, score_contributions
from supersample.engine.designs import Design, PairHybrids
from supersample.errors import DegenerateScoreWarning, InputError
from supersample.execution.workers.blocks import Scheduler, check_scheduler
from supersample.hybrids.samples import HumanMean, unit_statistics
from supersample.inference.resampling.intervals import undefined_replicates
from supersample.results.signature import describe
from supersample.scores.corpus.statistics import all_metrics
from supersample.scores.schema import validate_scores
from supersample.scores.selection import Mask, select_segments
from supersample.scores.system_level import orientation_signs


def infer(
    scores: xr.Dataset,
    interval: str | IntervalMethod = "zou:systems:observed",
    *,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    resamples: int = 9_999,
    hybrids: int = 10_000,
    seed: int = 0,
    confidence_level: float = 0.95,
    scheduler: Scheduler = "threads",
) -> xr.Dataset:
    """Intervals for every r and every difference of two, with a named random unit and estimand.

    Computed on exact moments: no hybrids are drawn (see `supersample.engine.moment_products`).

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    interval : str or IntervalMethod, default "zou:systems:observed"
        ``METHOD:UNIT:ESTIMAND``. METHOD: "zou" (Fisher's for r), "jackknife",
        "shrunken-jackknife", "percentile" or "bca". UNIT, what is random: "systems", "segments",
        "documents", "systems+segments", "systems+documents" or "hybrids". ESTIMAND, the correlation
        of what: "observed" scores on this test set, "true" scores on infinitely many segments, or
        infinitely many "hybrid" systems. See `IntervalMethod` for what goes together.
    design : PairHybrids or MixHybrids, optional
        Of the hybrids; pairs and a fair coin by default. Its unit is a document where the
        interval's is.
    mask, human_mean
        As for `hybrid_supersample`.
    resamples : int, default 9_999
        Bootstrap replicates.
    hybrids : int, default 10_000
        n where hybrids are counted.
    seed : int, default 0
        Replicate i is a function of (seed, i) alone.
    confidence_level : float, default 0.95
    scheduler : {"threads", "processes", "synchronous"}, default "threads"

    Returns
    -------
    xarray.Dataset
        As `compare_correlations` gives, on one ``basis``, what is random: ``n``, ``r``, ``lower``,
        ``upper``, ``metric_r``, ``identical``, ``difference``, ``difference_lower``,
        ``difference_upper``, and ``significant`` where the interval leaves out 0; with a bootstrap
        also ``undefined``, how many replicates have no r. The attributes ``unit`` and ``estimand``
        declare the interval. Scores with gaps and corpus metrics enter by what their segments
        contribute to first order (`score_contributions`). Hybrids of systems with unequal gaps
        weigh them by their counts, which this does not: where a tenth of the ratings was missing, r
        of hybrids differed by up to 0.006 from that of `exact_hybrid_correlations`.

        r of "true" scores is corrected for attenuation and undefined (NaN) where the noise that is
        taken off leaves no variance, or |r| above 1.

    Raises
    ------
    InputError
        If the interval is unknown, an option is out of range, or `scores` are no Scores.

    Warns
    -----
    DegenerateScoreWarning
        Where r is NaN; the warning names the metrics.

    Examples
    --------
    >>> from supersample import load_example
    >>> honest = infer(load_example(), "bca:systems:observed", resamples=999)
    >>> honest.attrs["estimand"]
    'observed'
    """
    chosen = IntervalMethod.parse(interval) if isinstance(interval, str) else interval
    _check(scores, resamples, hybrids)
    check_confidence_level(confidence_level)
    check_scheduler(scheduler)
    unit = "document" if "documents" in chosen.unit else "segment"
    design = PairHybrids(unit=unit) if design is None else design  # type: ignore[arg-type]
    if chosen.unit != "systems" and chosen.unit != "hybrids" and design.unit != unit:
        raise InputError(f"the interval draws {unit}s, so hybrids are made of {unit}s as well")
    selected = select_segments(scores, mask)
    statistics = unit_statistics(selected, design.unit, human_mean)
    metrics = all_metrics(selected)
    signs = orientation_signs(metrics.assign(human=selected["human"]))
    tangents = [score_contributions(statistics, at) * signs for at in TANGENTS]
    evidence = Evidence(
        tangents[0],
        tangents[1],
        design,
        resamples=resamples,
        seed=seed,
        hybrids=hybrids,
        scheduler=scheduler,
    )
    identical = _identical(tangents[0])
    correlations = _correlations(chosen, evidence, metrics, identical, confidence_level)
    correlations.attrs = result_attrs(
        {
            **selected.attrs,
            "coefficient": "pearson",
            "orientation": "declared",
            "confidence_level": confidence_level,
            "design": describe(design),
            "human_mean": human_mean,
            "systems": evidence.systems,
            "unit": chosen.unit,
            "estimand": chosen.estimand,
            "estimand_is": f"the correlation {ESTIMANDS[chosen.estimand]}",
            "interval": str(chosen),
            **({"resamples": resamples, "seed": seed} if _is_drawn(chosen) else {}),
        },
        n=correlations["n"].to_numpy(),
        counted=[chosen.unit],
        statistic="pearson",
        method=str(chosen),
    )
    return _with_differences(correlations, chosen, evidence, confidence_level)


def _correlations(
    chosen: IntervalMethod,
    evidence: Evidence,
    metrics: xr.Dataset,
    identical: NDArray[np.bool_],
    confidence_level: float,
) -> xr.Dataset:
    matrix = evidence.correlations(chosen.estimand)
    names = metrics["metric"].to_numpy()
    undefined = np.isnan(matrix[0, 1:])
    if undefined.any():
        text = f"no {chosen.estimand} correlation: {', '.join(names[undefined])}"
        warnings.warn(text, DegenerateScoreWarning, stacklevel=4)
    lower, upper = interval_of_r(chosen, evidence, confidence_level)
    along = ("basis", "metric")
    variables: dict[str, Any] = {
        "n": ("basis", [_counted(chosen, evidence)]),
        "r": (along, matrix[:1, 1:]),
        "lower": (along, lower[np.newaxis]),
        "upper": (along, upper[np.newaxis]),
        "metric_r": ((*along, "other_metric"), matrix[np.newaxis, 1:, 1:]),
        "identical": (("metric", "other_metric"), identical),
        "higher_is_better": metrics["higher_is_better"],
    }
    if _is_drawn(chosen):
        drawn = evidence.drawn(chosen.estimand, chosen.unit)
        variables["undefined"] = (along, undefined_replicates(drawn)[np.newaxis])
    coords = {"basis": [chosen.unit], "metric": names, "other_metric": names}
    return xr.Dataset(variables, coords=coords)


def _with_differences(
    correlations: xr.Dataset, chosen: IntervalMethod, evidence: Evidence, confidence_level: float
) -> xr.Dataset:
    count = correlations.sizes["metric"]
    first, second = (own.astype(np.int64) for own in np.triu_indices(count, 1))
    limits = interval_of_difference(chosen, evidence, first, second, confidence_level)
    r = correlations["r"].to_numpy()
    same = correlations["identical"].to_numpy()[first, second]
    difference = r[:, :, np.newaxis] - r[:, np.newaxis, :]
    lower = np.where(np.isnan(difference), np.nan, 0.0)
    upper = lower.copy()
    below, above = (np.where(same, 0.0, limit) for limit in limits)
    lower[0, first, second], upper[0, first, second] = below, above
    lower[0, second, first], upper[0, second, first] = -above, -below
    return with_differences(
        correlations,
        {"difference": difference, "difference_lower": lower, "difference_upper": upper},
        (lower > 0) | (upper < 0),
        method=str(chosen),
        alternative="two-sided",
        confidence_level=confidence_level,
    )


def _identical(contributions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether two metrics have bitwise the same contributions."""
    metrics = contributions.shape[2] - 1
    same = np.eye(metrics, dtype=bool)
    for i, j in zip(*np.triu_indices(metrics, 1), strict=True):
        same[i, j] = same[j, i] = np.array_equal(
            contributions[..., 1 + i], contributions[..., 1 + j]
        )
    return same


def _is_drawn(chosen: IntervalMethod) -> bool:
    return chosen.method in ("percentile", "bca")


def _counted(chosen: IntervalMethod, evidence: Evidence) -> int:
    if chosen.unit == "hybrids":
        return evidence.hybrids
    return evidence.systems if chosen.unit.startswith("systems") else int(evidence.own.shape[1])


def _check(scores: xr.Dataset, resamples: int, hybrids: int) -> None:
    if "segment" not in scores.dims:
        raise InputError(
            "infer needs segment-level Scores; of system-level ones there are compare_correlations "
            "and compare_by_bootstrap"
        )
    validate_scores(scores)
    if resamples < 1:
        raise InputError(f"at least one resample is needed, not {resamples}")
    if hybrids < 4:
        raise InputError(f"hybrids are at least 4, not {hybrids}")
