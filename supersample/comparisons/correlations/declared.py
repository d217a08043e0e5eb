"""Intervals that declare their random unit and their estimand."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.correlations.coefficients import BASIS
from supersample.comparisons.correlations.differences import with_differences
from supersample.comparisons.correlations.evidence import ESTIMANDS, Evidence
from supersample.comparisons.correlations.interval_methods import (
    IntervalMethod,
    default_interval,
    interval_of_difference,
    interval_of_r,
)
from supersample.comparisons.pairwise import bounded
from supersample.engine import Floats
from supersample.engine.designs import Design, PairHybrids
from supersample.engine.moments import TANGENTS, score_contributions
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    check_confidence_level,
    check_resamples,
    warn,
)
from supersample.execution.memory import check_memory
from supersample.execution.workers.workers import AnyWorkers, checked_workers
from supersample.inference.arguments import Estimand
from supersample.inference.resampling.intervals import undefined_replicates
from supersample.inference.two_correlations.many_metrics import compare_metrics
from supersample.presentation.labels import NO_SYSTEMS, NO_TEXTS
from supersample.resampling.replicates import Replicates
from supersample.results.comparisons import difference_matrix, identical_items, limit_matrices
from supersample.results.ranking import warn_if_reversed
from supersample.results.signature import describe
from supersample.results.variables import result_variables
from supersample.scores.prepared import HumanMean, prepare_scores
from supersample.scores.selection import Mask
from supersample.scores.system_level import SYSTEMS, bases_of, system_level_scores

RESAMPLES, HYBRIDS = 9_999, 10_000
"""Default numbers of bootstrap replicates and of hybrids."""
BYTES_A_SCORE = 80
"""Memory per score of contributions and derived arrays: measured, 6 to 10 times the scores."""


def declared_intervals(
    scores: xr.Dataset,
    method: str | None = None,
    random: str = "systems",
    estimand: Estimand = "observed",
    *,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    resamples: int | None = None,
    n: int | None = None,
    seed: int = 0,
    confidence_level: float = 0.95,
    workers: AnyWorkers = "threads",
) -> xr.Dataset:
    """Compute intervals of every r and every difference, for a named random unit and estimand.

    They use exact moments; no hybrids are drawn (see `supersample.engine.moment_products`).

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; or system-level scores, for intervals over systems of observed scores.
    method, random, estimand : str
        Names of an `IntervalMethod`; the default method is that of `default_interval`.
    design : Design, optional
        Design of the hybrids; default: pairs of systems with a fair coin. Its unit is a document if
        the interval's unit is.
    mask, human_mean
        As in `hybrid_supersample`.
    resamples : int, optional
        Number of bootstrap replicates, by default 9,999.
    n : int, optional
        Number of hybrids, for intervals over hybrids; by default 10,000.
    seed : int, default 0
        Seed of the bootstrap; replicate i depends only on (seed, i).
    confidence_level : float, default 0.95
    workers : Workers, Client or str, default "threads"

    Returns
    -------
    xarray.Dataset
        As from `compare_correlations`, on one ``basis`` (the random unit), without p-values of
        pairs; ``significant`` means that the interval excludes 0. With a bootstrap also
        ``undefined``, how many replicates have no r. ``p_simultaneous`` and ``p_best`` follow the
        method: with a bootstrap from its joint replicates (NaN if a replicate is NaN), and with
        "projection" from williams-jackknife, whose interval it is. Other intervals bound each pair
        alone, and have neither. The attributes ``unit`` and ``estimand`` declare the interval.

    Raises
    ------
    InputError
        If an option is unknown, out of range, or does not fit the others or `scores`.

    Warns
    -----
    DegenerateScoreWarning
        If an r is NaN; the warning names the metrics.

    Notes
    -----
    Scores with gaps and corpus metrics are represented by first-order contributions of their
    segments (`score_contributions`). Real hybrids of systems with unequal gaps weight systems by
    their numbers of scores; this approximation does not: with a tenth of the ratings missing, r of
    hybrids differed by up to 0.006 from `exact_hybrid_correlations`. r of "true" scores is
    corrected for attenuation; it is undefined (NaN) if no variance is left after subtracting the
    noise, or if ``|r|`` exceeds 1.
    """
    method = method or default_interval(random, estimand)
    chosen = IntervalMethod(method, random, estimand)  # type: ignore[arg-type]
    _check_idle(chosen, resamples, n)
    resamples = RESAMPLES if resamples is None else resamples
    n = HYBRIDS if n is None else n
    _check(scores, chosen, resamples, n)
    check_confidence_level(confidence_level)
    workers = checked_workers(workers)
    unit = "document" if "documents" in chosen.unit else "segment"
    design = PairHybrids(unit=unit) if design is None else design  # type: ignore[arg-type]
    if chosen.unit != "systems" and chosen.unit != "hybrids" and design.unit != unit:
        raise InputError(f"the interval draws {unit}s, so hybrids must be made of {unit}s, too")
    tangents, metrics, facts = _contributions(scores, design, mask, human_mean)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed}
    evidence = Evidence(tangents[0], tangents[1], design, **drawn, hybrids=n, workers=workers)
    observed = evidence.correlations("observed")[0, 1:]
    warn_if_reversed(metrics["metric"].to_numpy(), observed, evidence.systems)
    correlations = _correlations(chosen, evidence, metrics, confidence_level)
    correlations.attrs = {
        **facts,
        "coefficient": "pearson",
        "orientation": "declared",
        "systems": evidence.systems,
        "unit": chosen.unit,
        "estimand": chosen.estimand,
        "estimand_is": f"the correlation {ESTIMANDS[chosen.estimand]}",
        "interval": str(chosen),
        **(drawn if _is_drawn(chosen) else {}),
        **_alone(chosen),
    }
    same = correlations["identical"].to_numpy()
    return with_differences(
        correlations,
        _differences(chosen, evidence, same, confidence_level),
        method=str(chosen),
        alternative="two-sided",
        confidence_level=confidence_level,
    )


def by_measure(found: xr.Dataset) -> xr.Dataset:
    """Convert a result of `declared_intervals` to the form of `compare`."""
    facts = dict(found.attrs)
    facts |= {
        "random": facts["unit"],
        "significance_level": round(1 - facts["confidence_level"], 12),
    }
    counts = {"systems": [facts["systems"]], "larger_is_better": [True]}
    result = found.drop_vars("n").rename(basis="measure").assign_coords(measure=["pearson"])
    return result.assign(result_variables(counts, ("measure",))).assign_attrs(facts)


def _contributions(
    scores: xr.Dataset, design: Design, mask: Mask, human_mean: HumanMean
) -> tuple[list[Floats], xr.Dataset, dict[Any, Any]]:
    """Contributions by tangent, metrics, and attributes; system-level scores are one unit."""
    if "segment" not in scores.dims:
        systems = system_level_scores(scores, mask=mask, human_mean=human_mean)
        [basis] = bases_of(systems, [SYSTEMS])
        return [basis.scores[:, np.newaxis]] * len(TANGENTS), systems, dict(systems.attrs)
    prepared = prepare_scores(scores, unit=design.unit, mask=mask, human_mean=human_mean)
    tangents = [score_contributions(prepared.statistics, at) * prepared.signs for at in TANGENTS]
    facts = {**prepared.attrs, "design": describe(design)}
    return tangents, prepared.metrics, facts


def _correlations(
    chosen: IntervalMethod, evidence: Evidence, metrics: xr.Dataset, confidence_level: float
) -> xr.Dataset:
    """Correlations of the estimand, with their limits."""
    matrix = evidence.correlations(chosen.estimand)
    names = metrics["metric"].to_numpy()
    undefined = np.isnan(matrix[0, 1:])
    if undefined.any():
        text = f"no {chosen.estimand} correlation: {', '.join(names[undefined])}"
        warn(text, DegenerateScoreWarning, stacklevel=4)
    lower, upper = interval_of_r(chosen, evidence, confidence_level)
    values = {
        "n": np.array([_counted(chosen, evidence)]),
        "value": matrix[:1, 1:],
        "lower": lower[np.newaxis],
        "upper": upper[np.newaxis],
        "metric_r": matrix[np.newaxis, 1:, 1:],
    }
    if _is_drawn(chosen):
        drawn = evidence.drawn(chosen.estimand, chosen.unit)
        values["undefined"] = undefined_replicates(drawn)[np.newaxis]
    columns = [(column,) for column in np.moveaxis(evidence.at_system, 2, 0)[1:]]
    identical = identical_items(columns, tolerance=1e-9)  # their derivatives are numerical
    return xr.Dataset(
        {
            **result_variables(values, BASIS),
            **result_variables({"identical": identical}),
            "higher_is_better": metrics["higher_is_better"],  # keeps the coordinate of references
        },
        coords={"basis": [chosen.unit], "metric": names, "other_metric": names},
    )


def _differences(
    chosen: IntervalMethod, evidence: Evidence, same: NDArray[np.bool_], confidence_level: float
) -> dict[str, NDArray[Any]]:
    """Differences, their limits, and p-values for all metrics at once, if they exist."""
    r = evidence.correlations(chosen.estimand)[0, 1:]
    first, second = (index.astype(np.int64) for index in np.triu_indices(r.size, 1))
    limits = interval_of_difference(chosen, evidence, first, second, confidence_level)
    lower, upper = limit_matrices(r, *(np.where(same[first, second], 0.0, x) for x in limits))
    found = {
        "difference": difference_matrix(r),
        "difference_lower": lower,
        "difference_upper": upper,
    }
    if chosen.method == "projection":
        scores = evidence.system_scores()
        together = compare_metrics(scores, confidence_level=confidence_level)
        found |= {"p_simultaneous": together.adjusted, **together.with_best._asdict()}
    elif _is_drawn(chosen):
        drawn = evidence.drawn(chosen.estimand, chosen.unit)
        left_out = evidence.left_out(chosen.estimand, chosen.unit)
        replicates = Replicates(drawn, r, left_out, _counted(chosen, evidence), -1.0, 1.0)
        best = replicates.with_best(1.0, confidence_level)
        null = replicates.null_differences()
        found |= bounded(r, lower, upper, np.array(True), null, best)
    return {name: values[np.newaxis] for name, values in found.items() if name != "significant"}


def _alone(chosen: IntervalMethod) -> dict[str, str]:
    """Attribute: why a method that bounds each pair alone concludes nothing on all metrics."""
    if chosen.method == "projection" or _is_drawn(chosen) or chosen.unit == "hybrids":
        return {}
    why = f"{chosen.method} compares two metrics at a time; percentile and bca compare all"
    return {NO_SYSTEMS if chosen.unit == "systems" else NO_TEXTS: why}


def _is_over_systems(chosen: IntervalMethod) -> bool:
    return (chosen.unit, chosen.estimand) == ("systems", "observed")


def _is_drawn(chosen: IntervalMethod) -> bool:
    return chosen.procedure.resampled


def _counted(chosen: IntervalMethod, evidence: Evidence) -> int:
    if chosen.unit == "hybrids":
        return evidence.hybrids
    return (
        evidence.systems if chosen.unit.startswith("systems") else int(evidence.at_system.shape[1])
    )


def _check_idle(chosen: IntervalMethod, resamples: int | None, hybrids: int | None) -> None:
    """Refuse numbers of what the interval does not draw."""
    if resamples is not None and not _is_drawn(chosen):
        raise InputError(f"the interval {chosen} draws no resamples; leave resamples out")
    if hybrids is not None and chosen.unit != "hybrids":
        raise InputError(f"the interval {chosen} counts no hybrids; leave n out")


def _check(scores: xr.Dataset, chosen: IntervalMethod, resamples: int, hybrids: int) -> None:
    if "segment" not in scores.dims and not _is_over_systems(chosen):
        raise InputError(
            "system-level scores have no segments: they have only intervals over systems for "
            f"observed scores, such as projection:systems:observed, not {chosen}"
        )
    check_resamples(resamples)
    sizes = scores.sizes
    numbers = (1 + sizes.get("metric", 0)) * sizes.get("system", 0) * sizes.get("segment", 1)
    check_memory(numbers * BYTES_A_SCORE, f"intervals from {numbers:,} scores", "take a sample")
    if hybrids < 4:
        raise InputError(f"at least 4 hybrids are needed, not {hybrids}")
