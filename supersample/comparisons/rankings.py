"""Whole computations, as the command line runs them: rankings on hybrids or systems, intervals."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import xarray as xr

from supersample.comparisons.correlations.correlate import correlate
from supersample.comparisons.correlations.differences import (
    compare_correlations,
    with_differences,
)
from supersample.comparisons.correlations.human_only import human_only_intervals
from supersample.comparisons.correlations.simultaneous import (
    compare_over_systems,
    with_systems_compared,
)
from supersample.comparisons.correlations.streaming import stream_correlations
from supersample.engine.designs import Design
from supersample.errors import DegenerateScoreWarning, InputError, OrientationWarning
from supersample.execution.memory import check_memory
from supersample.execution.workers.workers import AnyWorkers, checked_workers
from supersample.hybrids.assignments import add_hybrid_scores
from supersample.hybrids.population import exact_correlations
from supersample.hybrids.samples import computed_sample, lazy_sample, prepare_hybrids
from supersample.measures.formulas import SYSTEM_METHOD
from supersample.measures.systems import Correlation
from supersample.resampling.replicates import BOUNDED
from supersample.results.ranking import rank as rank_comparisons
from supersample.results.signature import result_attrs
from supersample.scores.prepared import HumanMean, PreparedScores, prepare_scores
from supersample.scores.selection import Mask, complete_cases
from supersample.scores.system_level import (
    HYBRIDS,
    SYSTEMS,
    WITHOUT_OUTLIERS,
    outlier_systems,
    system_level_scores,
)

if TYPE_CHECKING:
    from supersample.hybrids.run_progress import RunStatus

RESAMPLES = 9_999
"""Of a bootstrap of r."""
BYTES_A_PAIR = 8 * 2**10
"""Of a pair of metrics: measured with 80 to 300 of them, 6.6 KiB with --out and 0.8 KiB without."""

Imported = Mapping[str, Mapping[str, Any]]
"""Scores computed elsewhere: the options of `add_hybrid_scores` by metric."""


class RankedHybrids(NamedTuple):
    """A ranking, the exact correlations of its hybrids, and the hybrids, if they are kept."""

    ranking: xr.Dataset
    exact: xr.Dataset | None = None
    sample: xr.Dataset | None = None
    systems: xr.Dataset | None = None
    """System-level scores of the original systems that are ranked."""


def system_bases(data: xr.Dataset) -> list[str]:
    """Bases of the original systems: all, and those without outliers if there are outliers."""
    has_outliers = bool(outlier_systems(data)["outlier"].any())
    return [SYSTEMS, WITHOUT_OUTLIERS] if has_outliers else [SYSTEMS]


def rank(data: xr.Dataset, **options: Any) -> xr.Dataset:
    """Rank metrics by their agreement with people, as the command of this name does.

    Parameters
    ----------
    data : xarray.Dataset
        Scores; or comparisons of metrics, which are ranked as they are: what
        `compare`, `compare_over_systems`, `compare_correlations` or another verb gave.
    **options
        With Scores, as for `rank_hybrids`: n, seed, design, mask, human_mean, method,
        confidence_level, workers, progress. System-level scores have no hybrids, and the options of
        `rank_systems`.

    Returns
    -------
    xarray.Dataset
        As `supersample.results.ranking.rank` gives: the comparisons with metrics in order, and
        ``rank``, ``wins_over``, ``wins``, ``cluster`` and counts. Of Scores on the bases "hybrids"
        and "systems", and without outliers where there are any; `to_frame` makes a table of it.

    Raises
    ------
    InputError
        As these verbs, or if options are named beside comparisons.

    Examples
    --------
    >>> from supersample import load_example
    >>> rank(load_example(), n=1_000)["metric"].values[:2].tolist()
    ['strong-95', 'strong-98']
    """
    if "segment" in data.dims and "higher_is_better" in data and "human" in data:
        return rank_hybrids(data, **options).ranking
    if "system_human" in data and "hybrid" not in data.dims:
        return rank_systems(data, **options)
    if options:
        raise InputError(f"comparisons are ranked as they are; leave out {', '.join(options)}")
    return rank_comparisons(data)


def rank_hybrids(
    scores: xr.Dataset,
    method: str = "zou2007",
    imported: Imported | None = None,
    *,
    confidence_level: float = 0.95,
    n: int = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> RankedHybrids:
    """Rank metrics on hybrids and on the original systems.

    Differences over the systems are those of `compare_over_systems`, whatever the method.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    method : str, default "zou2007"
        Of differences over hybrids, as for `compare_correlations`.
    imported : mapping of str to mapping, optional
        Metrics that scored the hybrids elsewhere, as `add_hybrid_scores` takes them.
    confidence_level : float, default 0.95
    n, seed, design, mask, human_mean, workers, progress
        As for `hybrid_supersample`.

    Returns
    -------
    RankedHybrids

    Raises
    ------
    InputError
        As `hybrid_supersample`, `add_hybrid_scores` and `compare_correlations`.

    Examples
    --------
    >>> from supersample import load_example
    >>> rank_hybrids(load_example(), n=1000).ranking["metric"].values[0].item()
    'strong-95'
    """
    _check_size(scores)
    workers = checked_workers(workers)
    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    hybrids = prepare_hybrids(scores, n=n, seed=seed, design=design, **means)
    exact = exact_correlations(hybrids.prepared, hybrids.source.design, n)
    sample = computed_sample(hybrids, n, workers=workers, progress=progress)
    sample = _with_imported(sample, imported)
    bases = [HYBRIDS, *system_bases(sample)]
    ranking = _ranking(sample, sample, method, bases, confidence_level)
    return RankedHybrids(ranking, exact, sample, _systems(sample, hybrids.prepared))


def rank_streamed(
    scores: xr.Dataset,
    method: str = "zou2007",
    *,
    confidence_level: float = 0.95,
    n: int = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> RankedHybrids:
    """Rank metrics as `rank_hybrids`, in constant memory: no hybrids are kept."""
    _check_size(scores)
    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    hybrids = prepare_hybrids(scores, n=n, seed=seed, design=design, **means)
    exact = exact_correlations(hybrids.prepared, hybrids.source.design, n)
    lazy = lazy_sample(hybrids, n, n)
    bases = [HYBRIDS, *system_bases(lazy)]
    correlations = stream_correlations(
        hybrids, n=n, bases=bases, workers=workers, progress=progress
    )
    ranking = _ranking(correlations, lazy, method, bases, confidence_level)
    return RankedHybrids(ranking, exact, systems=_systems(lazy, hybrids.prepared))


def run_warned(
    scores: xr.Dataset,
    path: str,
    *,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    **options: Any,
) -> "RunStatus":
    """Compute hybrids as `run_hybrids`; constant and reversed metrics are warned of before."""
    from supersample.hybrids.runs import run_hybrids  # and with it zarr

    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    if "segment" in scores.dims:
        correlate(system_level_scores(scores, **means))
    return run_hybrids(scores, path, **means, **options)


def _check_size(scores: xr.Dataset) -> None:
    """Refuse metrics whose comparisons, a row for each pair and basis, do not fit into memory."""
    metrics = scores.sizes.get("metric", 0)
    needed = metrics**2 * BYTES_A_PAIR
    check_memory(needed, f"comparisons of {metrics:,} metrics", "keep fewer by --metrics")


def rank_run(
    scores: xr.Dataset,
    run: str,
    method: str = "zou2007",
    imported: Imported | None = None,
    *,
    confidence_level: float = 0.95,
    progress: bool = False,
) -> RankedHybrids:
    """Rank metrics as `rank_hybrids`, on the stored hybrids of a run of these Scores.

    Orientations are those of the Scores, which may declare what the run did not. The sample is
    given where scores were imported, which the run does not have.
    """
    from supersample.hybrids.run_progress import open_run  # and with it zarr
    from supersample.hybrids.runs import run_options

    sample = open_run(run)
    higher = scores["higher_is_better"].reindex_like(sample["higher_is_better"])
    sample["higher_is_better"] = higher.fillna(sample["higher_is_better"]).astype(bool)
    sample = _with_imported(sample, imported)
    bases = [HYBRIDS, *system_bases(sample)]
    data = sample if imported else stream_correlations(sample, bases=bases, progress=progress)
    ranking = _ranking(data, sample, method, bases, confidence_level)
    options = run_options(run)
    n, design = options.pop("n"), options.pop("design")
    prepared = prepare_scores(scores, unit=design.unit, **options)
    exact = exact_correlations(prepared, design, n)
    kept = sample if imported else None
    return RankedHybrids(ranking, exact, kept, _systems(sample, prepared))


def _with_imported(sample: xr.Dataset, imported: Imported | None) -> xr.Dataset:
    for name, options in (imported or {}).items():
        sample = add_hybrid_scores(sample, name, **options)
    return sample


def rank_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset], *, n: int | None = 10_000, **options: Any
) -> RankedHybrids:
    """Rank metrics in each of several groups, and on average.

    Parameters
    ----------
    scores, n, **options
        As for `compare_over_groups`. There are no hybrids of system-level scores.

    Raises
    ------
    InputError
        As `compare_over_groups`.
    """
    from supersample.comparisons.correlations.averages import compare_over_groups  # 10 ms

    parts = [scores] if isinstance(scores, xr.Dataset) else list(scores.values())
    hybrids = n if any("segment" in part.dims for part in parts) else None
    return RankedHybrids(rank_comparisons(compare_over_groups(scores, n=hybrids, **options)))


def rank_by_interval(
    scores: xr.Dataset,
    interval: tuple[str, str, str],
    *,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    **options: Any,
) -> RankedHybrids:
    """Rank metrics with intervals that declare what is random.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores.
    interval : (str, str, str)
        Method, random unit and estimand of an `IntervalMethod`.
    mask, human_mean, **options
        As for `infer`.

    Raises
    ------
    InputError
        As `infer`.
    """
    from supersample.comparisons.correlations.infer import infer  # 10 ms
    from supersample.comparisons.correlations.interval_methods import IntervalMethod

    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    method, unit, estimand = interval
    chosen = IntervalMethod(method, unit, estimand)  # type: ignore[arg-type]
    ranking = rank_comparisons(infer(scores, chosen, **means, **options))
    return RankedHybrids(ranking, systems=system_level_scores(scores, **means))


def _systems(sample: xr.Dataset, prepared: PreparedScores) -> xr.Dataset:
    """System-level scores of a sample's original systems, as `system_level_scores` gives them."""
    systems = sample.drop_dims("hybrid").load()
    systems.attrs = prepared.attrs
    return systems


def _ranking(
    data: xr.Dataset, sample: xr.Dataset, method: str, bases: list[str], level: float
) -> xr.Dataset:
    """Rank by the method over hybrids, and by `compare_over_systems` over the systems."""
    options: dict[str, Any] = {"method": method, "bases": bases, "confidence_level": level}
    return rank_comparisons(with_systems_compared(compare_correlations(data, **options), sample))


def rank_systems(scores: xr.Dataset, method: str = SYSTEM_METHOD, **options: Any) -> xr.Dataset:
    """Rank metrics on the original systems, by any test or interval.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores.
    method : str, default "williams-jackknife"
        The default is `compare_over_systems`; or as for `compare_correlations`; or
        bootstrap-percentile, bootstrap-basic, bootstrap-bca, bootstrap-student, or perm-systems,
        perm-inputs, perm-both, as for `compare`.
    **options
        Of these verbs; of resampling also coefficient and, of a bootstrap, ``random``; and mask and
        human_mean, as for `system_level_scores`.

    Returns
    -------
    xarray.Dataset
        As `rank` gives.

    Raises
    ------
    InputError
        As the verb.
    """
    names = ("mask", "human_mean")
    means: dict[str, Any] = {name: options.pop(name) for name in names if name in options}
    family, _, kind = method.partition("-")
    if family in ("bootstrap", "perm"):
        return rank_comparisons(_resampled(scores, family, kind, means, options))
    systems = system_level_scores(scores, **means)
    bases = system_bases(systems)
    if method == SYSTEM_METHOD:
        return rank_comparisons(compare_over_systems(systems, bases=bases, **options))
    return rank_comparisons(compare_correlations(systems, method=method, bases=bases, **options))


def _resampled(
    scores: xr.Dataset, family: str, kind: str, means: dict[str, Any], options: dict[str, Any]
) -> xr.Dataset:
    """Compare r by a bootstrap or by swaps, in the form of comparisons by formula.

    Swaps are on segments that every metric scored for every system.
    """
    from supersample.comparisons.compare import compare  # with all measures slow to import

    if family == "bootstrap":
        options = {"random": SYSTEMS, "resamples": RESAMPLES, **options}
    measure = Correlation(means.get("human_mean", "ratings"), options.pop("coefficient", "pearson"))
    mask = means.get("mask", "common")
    compared = compare(scores, measure, method=kind, mask=mask, **options)
    if family == "perm" and "segment" in scores.dims:
        scores = complete_cases(scores, mask)
    correlations = _over_systems(compared, system_level_scores(scores, **means))
    names = ("difference", "difference_lower", "difference_upper", "p_value")
    return with_differences(
        correlations,
        {name: compared[name].to_numpy() for name in names if name in compared},
        method=_method(compared),
        alternative=compared.attrs["alternative"],
        confidence_level=compared.attrs["confidence_level"],
    )


def _over_systems(compared: xr.Dataset, systems: xr.Dataset) -> xr.Dataset:
    """Put a comparison by r in the form of `correlate`, with its own values and limits of r.

    Swaps give no limits of r; those of `correlate` stay.
    """
    facts, part = compared.attrs, compared.isel(measure=0, drop=True)
    with warnings.catch_warnings():
        for told in (DegenerateScoreWarning, OrientationWarning):  # by the comparison
            warnings.simplefilter("ignore", told)
        correlations = correlate(
            systems,
            coefficient=str(compared["measure"].item()),
            confidence_level=facts["confidence_level"],
        )
    names = ("resamples", "seed", "estimator", "ties")
    how = {name: facts[name] for name in names if name in facts}
    if "random" in facts:
        method = _method(compared)
        how |= {"method": method, "interval": method, "resampled": facts["random"]}
    own = {
        name: part[name].expand_dims(basis=[SYSTEMS])
        for name in ("value", "lower", "upper", "undefined")
        if name in part
    }
    n = correlations["n"].to_numpy()
    attrs = result_attrs({**correlations.attrs, **how}, n=n, counted=[SYSTEMS])
    return correlations.assign(own).assign_attrs(attrs)


def _method(compared: xr.Dataset) -> str:
    """Name of the bootstrap or swap, without the systems that the basis names."""
    return str(compared.attrs["method"]).removesuffix(f" over {SYSTEMS}")


def every_interval(
    scores: xr.Dataset,
    *,
    coefficient: str = "pearson",
    resamples: int = RESAMPLES,
    human_unit: str | None = None,
    ratings: xr.Dataset | None = None,
    random: str = SYSTEMS,
    seed: int = 0,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    confidence_level: float = 0.95,
) -> list[xr.Dataset]:
    """Put every interval on each metric's correlation over the original systems.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores.
    coefficient : str, default "pearson"
    resamples, random, seed, mask, human_mean, confidence_level
        As for `compare`.
    human_unit, ratings
        Unit and ratings of `human_only_intervals`; the unit is "ratings" by default where there are
        ratings, else "segments".

    Returns
    -------
    list of xarray.Dataset
        What `correlate` gives; the bootstrap intervals of `compare` by each method; and, for
        Pearson's r of segment-level scores, `human_only_intervals`.

    Raises
    ------
    InputError
        As these verbs.
    """
    from supersample.comparisons.compare import compare  # with all measures slow to import

    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    systems = system_level_scores(scores, **means)
    options: dict[str, Any] = {"seed": seed, "confidence_level": confidence_level}
    measure = Correlation(human_mean, coefficient)
    drawn = {"random": random, "resamples": resamples, "mask": mask, **options}
    found = [
        correlate(systems, coefficient=coefficient, confidence_level=confidence_level),
        *(
            _over_systems(compare(scores, measure, method=each, **drawn), systems)
            for each in BOUNDED
        ),
    ]
    if coefficient == "pearson" and "segment" in scores.dims:
        human: Any = human_unit or ("segments" if ratings is None else "ratings")
        found.append(human_only_intervals(scores, unit=human, ratings=ratings, **options, **means))
    return found
