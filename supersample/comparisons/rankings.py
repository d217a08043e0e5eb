"""Whole rankings, as the command line computes them: on hybrids, on systems, by measures."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import xarray as xr

from supersample.comparisons.correlations.by_formula import (
    compare_correlations,
    compare_on_bases,
    correlate,
)
from supersample.comparisons.correlations.streaming import stream_correlations
from supersample.comparisons.question import Question
from supersample.comparisons.scopes import (
    METHOD,
    compare_over_groups,
    first_of,
    rank_by_measures,
    with_new_texts,
)
from supersample.engine.hybrid_designs import Design
from supersample.errors import InputError
from supersample.execution.limits import check_memory
from supersample.execution.workers import AnyWorkers, checked_workers
from supersample.hybrids.exact import exact_correlations
from supersample.hybrids.samples import computed_sample, original_systems, prepare_hybrids
from supersample.inference.two_correlations.fisher_jackknife import SYSTEM_METHOD
from supersample.measures.registry import Measures
from supersample.measures.segments import TranslationMeasure, translation_scores
from supersample.measures.systems import Correlation, SystemMeasure
from supersample.presentation.labels import is_grouped, names_of, shown_groups
from supersample.results.ranks_and_clusters import rank as rank_comparisons
from supersample.results.ranks_and_clusters import starred
from supersample.scores.outliers import WITHOUT_OUTLIERS, outlier_systems
from supersample.scores.schema import with_metrics
from supersample.scores.selection import Mask
from supersample.scores.system_level import (
    HYBRIDS,
    SYSTEMS,
    HumanMean,
    PreparedScores,
    prepare_scores,
    system_level_scores,
)

if TYPE_CHECKING:
    from supersample.hybrids.resuming import RunStatus

BYTES_A_PAIR = 8 * 2**10
"""Memory per pair of metrics, measured with 80 to 300 metrics: 6.6 KiB with --out, 0.8 without."""


class RankedHybrids(NamedTuple):
    """A ranking, the exact correlations of its hybrids, and the hybrids if they are kept."""

    ranking: xr.Dataset
    exact: xr.Dataset | None = None
    sample: xr.Dataset | None = None
    systems: xr.Dataset | None = None
    """System-level scores of the original systems."""


def system_bases(data: xr.Dataset) -> list[str]:
    """Bases of the original systems: all systems and, if there are outliers, those without them."""
    has_outliers = bool(outlier_systems(data)["outlier"].any())
    return [SYSTEMS, WITHOUT_OUTLIERS] if has_outliers else [SYSTEMS]


def rank(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    measure: Measures | None = None,
    *,
    random: str | None = None,
    method: str | None = None,
    resamples: int | None = None,
    n: int | None = None,
    design: Design | None = None,
    by: str | None = None,
    weights: Mapping[str, float] | None = None,
    in_at_least: int | None = None,
    mask: Mask | None = None,
    human_mean: HumanMean | None = None,
    confidence_level: float | None = None,
    seed: int | None = None,
    workers: AnyWorkers | None = None,
    progress: bool = False,
) -> xr.Dataset:
    """Rank metrics by their agreement with people, as the command ``rank`` does.

    An option that is given, even with its usual value, is used or refused, never ignored.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, or system-level scores; or those of several language pairs by name. Or a sample of
        `hybrid_supersample` or `open_run`. Or a comparison that `compare` or
        `compare_correlations` made, which is ranked without computing it again.
    measure : str, Measure or sequence of them, optional
        Measures, as in `compare`; the first one orders metrics. By default Pearson's r over the
        systems and over hybrids of them; with `random`, Pearson's r.
    random : str, optional
        What is drawn: "systems", "segments", "documents", "systems+segments" or
        "systems+documents". The result then has intervals for it, and no hybrids are built.
    method : str, optional
        With `measure` or `random`, as in `compare`. Otherwise a test or interval by formula, as in
        `compare_correlations`: over hybrids (default "zou2007"; systems are then always tested by
        "fisher-jackknife"), or over system-level scores.
    resamples : int, optional
        With `measure` or `random`: replicates of a bootstrap (999), or swaps (1,000).
    n : int, optional
        Number of hybrids, in each group; by default 10,000; 0 for r over the systems alone.
    design : Design, optional
        Design of the hybrids; default: pairs of systems with a fair coin.
    by : {"domain", "document"}, optional
        Rank in each group of segments with this label, and on average.
    weights : mapping of str to float, optional
        Weight of each group in the average, by default 1.
    in_at_least : int, optional
        Compare the metrics of at least this many groups; by default only metrics of all groups.
    mask : {"common", "complete", "all"}, optional
        Segments to use (see `select_segments`); by default "common", or with `measure` that of the
        measure.
    human_mean : {"ratings", "segments"}, optional
        Whether a system's human score is the mean of its ratings (the default) or of its segments.
        With `measure`, set it as an option of the measure.
    confidence_level : float, optional
        By default 0.95; a comparison has its own.
    seed : int, optional
        Seed of hybrids and resamples, by default 0.
    workers : Workers, Client or str, optional
        Workers that compute, by default "threads"; results do not depend on them.
    progress : bool, default False
        Whether to show a progress bar for hybrids.

    Returns
    -------
    xarray.Dataset
        The comparison of each pair of metrics, with metrics ordered from best to worst, and
        ``rank``, ``wins_over``, ``wins``, ``cluster`` and counts, with dims (measure, basis, group,
        metric). ``basis`` says what n counts, or what is new: "hybrids", "systems", "systems
        without outliers" if there are outliers, the unit swapped or drawn, and "sets" with at least
        five groups. ``group`` is "all", or "average" and each group. `show` and `to_frame` make a
        table of the result.

    Raises
    ------
    InputError
        If an option is unknown, out of range or without effect; and as `hybrid_supersample`,
        `compare` and `compare_correlations`.

    Examples
    --------
    >>> from supersample import load_example
    >>> rank(load_example(), n=1_000)["metric"].values[:2].tolist()
    ['strong-95', 'strong-98']
    >>> rank(load_example(), "SPA", random="segments", resamples=99)["cluster"].max().item()
    4.0
    """
    return ranked(
        scores, measure, random=random, method=method, resamples=resamples, n=n, design=design,
        by=by, weights=weights, in_at_least=in_at_least, mask=mask, human_mean=human_mean,
        seed=seed, workers=workers, confidence_level=confidence_level, progress=progress or None,
    ).ranking  # fmt: skip


def ranked(
    scores: xr.Dataset | Mapping[str, xr.Dataset], measure: Measures | None = None, **options: Any
) -> RankedHybrids:
    """Rank metrics, and keep what the files and the page of the ranking show.

    Parameters
    ----------
    scores, measure
        As in `rank`.
    **options
        Those of `rank` and `compare`; and ``run``, the path of a run of these Scores, and
        ``keep``, as in `compare_hybrids`. None stands for what is not given.

    Raises
    ------
    InputError
        As `rank`.
    """
    asked = {name: value for name, value in options.items() if value is not None}
    if measure is None and "random" in asked:
        measure = Correlation(asked.pop("human_mean", "ratings"))
    kind = "by measures" if measure is not None else _kind(scores, asked)
    verb, taken = _KINDS[kind]
    if idle := [name for name in asked if name not in taken.split()]:
        raise InputError(f"a ranking {kind} does not use {', '.join(idle)}; leave it out")
    if measure is not None:
        return RankedHybrids(rank_by_measures(scores, measure, **asked))
    found = verb(scores, **asked)
    compared = found.ranking
    if kind in _ON_TEXTS:
        given = {**asked, **_run_options(asked)}
        texts = {name: given[name] for name in _OF_TEXTS if name in given}
        texts["seed"] = int(given.get("seed", compared.attrs.get("seed", 0)))
        compared = with_new_texts(compared, scores, **texts)
    return found._replace(ranking=rank_comparisons(starred(compared, first_of(scores))))


def _kind(scores: Any, asked: Mapping[str, Any]) -> str:
    """Name the kind of a ranking by r."""
    if "run" in asked:
        return "of a run"
    if "by" in asked or not isinstance(scores, xr.Dataset):
        return "in groups"
    if "hybrid" in scores.dims:
        return "of a sample" if scores["score"].chunks is None else "of a lazy sample"
    if "system_human" in scores or asked.get("n") == 0:
        return "over systems"
    of_segments = {"human", "higher_is_better"} <= set(scores.data_vars)
    return "over hybrids" if of_segments and "segment" in scores.dims else "of a comparison"


def compare_hybrids(
    scores: xr.Dataset,
    method: str = METHOD,
    *,
    confidence_level: float = 0.95,
    n: int = 10_000,
    keep: Literal["hybrids", "correlations"] = "hybrids",
    workers: AnyWorkers = "threads",
    progress: bool = False,
    **build: Any,
) -> RankedHybrids:
    """Compare metrics on hybrids by a method, and on the original systems by fisher-jackknife.

    With "correlations" to keep, memory does not depend on `n`; other options are those of
    `hybrid_supersample`.
    """
    _check_size(scores)
    hybrids = prepare_hybrids(scores, n=n, **build)
    exact = exact_correlations(hybrids.prepared, hybrids.source.design, n)
    how: dict[str, Any] = {"workers": checked_workers(workers), "progress": progress}
    level: dict[str, Any] = {"confidence_level": confidence_level}
    kept = None
    if keep == "hybrids":
        sample = kept = computed_sample(hybrids, n, **how)
        r = correlate(sample, bases=_bases(sample), **level)
    else:
        sample = original_systems(hybrids)
        r = stream_correlations(hybrids, n=n, bases=_bases(sample), **level, **how)
    compared = compare_on_bases(r, sample, method)
    return RankedHybrids(compared, exact, kept, _systems(sample, hybrids.prepared))


def run_warned(scores: xr.Dataset, path: str, **options: Any) -> "RunStatus":
    """Compute hybrids as `run_hybrids`, after warnings about constant and reversed metrics."""
    from supersample.hybrids.resuming import run_hybrids  # and with it zarr

    if "segment" in scores.dims:
        correlate(system_level_scores(scores, **_means(options)))
    return run_hybrids(scores, path, **options)


def _means(options: Mapping[str, Any]) -> dict[str, Any]:
    """List the options that say what systems' scores average."""
    return {name: options[name] for name in ("mask", "human_mean") if name in options}


def _check_size(scores: xr.Dataset) -> None:
    """Refuse more metrics than comparisons (one row per pair and basis) fit into memory."""
    metrics = scores.sizes.get("metric", 0)
    needed = metrics**2 * BYTES_A_PAIR
    check_memory(needed, f"comparisons of {metrics:,} metrics", "keep fewer by --metrics")


def _run_options(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Options that a run was made with; none if none is asked for."""
    if "run" not in asked:
        return {}
    from supersample.hybrids.resuming import run_options  # and with it zarr

    return run_options(asked["run"])


def compare_run(scores: xr.Dataset, run: str, method: str = METHOD, **how: Any) -> RankedHybrids:
    """Compare metrics as `compare_hybrids` does, on the stored hybrids of a run of these Scores.

    Metrics and orientations are those of the Scores: other metrics of the run are ignored. Workers
    read the chunks.
    """
    from supersample.hybrids.resuming import scored_run

    options = _run_options({"run": run})
    n, design = options["n"], options["design"]
    prepared = prepare_scores(scores, unit=design.unit, **_means(options))
    sample = scored_run(run, prepared)
    compared = compare_sample(sample, method, **how)
    exact = exact_correlations(prepared, design, n)
    return compared._replace(exact=exact, systems=_systems(sample, prepared))


def compare_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset], *, n: int = 10_000, **options: Any
) -> RankedHybrids:
    """Compare metrics in groups, as `compare_over_groups`; system-level scores have no hybrids."""
    parts = [scores] if isinstance(scores, xr.Dataset) else list(scores.values())
    hybrids = n if all("segment" in getattr(part, "dims", ()) for part in parts) else 0
    return RankedHybrids(compare_over_groups(scores, n=hybrids or None, **options))


def _systems(sample: xr.Dataset, prepared: PreparedScores) -> xr.Dataset:
    """System-level scores of a sample's original systems, as from `system_level_scores`."""
    systems = sample.drop_dims("hybrid", errors="ignore").load()
    systems.attrs = prepared.attrs
    return systems


def compare_sample(
    sample: xr.Dataset, method: str = METHOD, *, confidence_level: float = 0.95, **how: Any
) -> RankedHybrids:
    """Compare metrics on a sample; workers read hybrids that are not in memory by chunks."""
    how |= {"bases": _bases(sample), "confidence_level": confidence_level}
    verb = correlate if sample["score"].chunks is None else stream_correlations
    return RankedHybrids(compare_on_bases(verb(sample, **how), sample, method))


def _bases(sample: xr.Dataset) -> list[str]:
    return [HYBRIDS, *system_bases(sample)]


def compare_systems(
    scores: xr.Dataset, method: str = SYSTEM_METHOD, *, n: int = 0, seed: int = 0, **options: Any
) -> RankedHybrids:
    """Compare metrics on the original systems by any test or interval.

    `n` must be 0; `seed` is of new texts only. Options are those of `compare_correlations`; mask
    and human_mean, as in `system_level_scores`.
    """
    if n:
        raise InputError("a ranking over systems does not use n; leave it out")
    means = _means(options)
    options = {name: value for name, value in options.items() if name not in means}
    systems = system_level_scores(scores, **means)
    bases = system_bases(systems)
    compared = compare_correlations(systems, method=method, bases=bases, **options)
    return RankedHybrids(compared, systems=systems)


_ALWAYS = "confidence_level seed workers progress"
_OF_TESTS = "method alternative"
_OF_HYBRIDS = f"n design mask human_mean {_ALWAYS}"
_OF_MEASURES = f"random resamples estimator ties by weights mask {_OF_TESTS} {_ALWAYS}"
_OF_SYSTEMS = f"n mask human_mean confidence_level seed {_OF_TESTS}"
_KINDS: dict[str, tuple[Callable[..., RankedHybrids], str]] = {
    "by measures": (RankedHybrids, _OF_MEASURES),
    "in groups": (compare_groups, f"by weights in_at_least {_OF_HYBRIDS}"),
    "of a run": (compare_run, "run method confidence_level workers progress"),
    "of a lazy sample": (compare_sample, "method confidence_level workers progress"),
    "of a sample": (compare_sample, "method confidence_level"),
    "over hybrids": (compare_hybrids, f"method keep {_OF_HYBRIDS}"),
    "over systems": (compare_systems, _OF_SYSTEMS),
    "of a comparison": (RankedHybrids, ""),
}
"""What compares metrics for each kind of ranking, and the options that it uses."""
_ON_TEXTS = ("in groups", "of a run", "over hybrids", "over systems")
_OF_TEXTS = ("by", "weights", "mask", "human_mean")
"""Kinds of ranking that conclude for new texts, too, and the options of these beside the seed."""


def page_parts(
    ranked: RankedHybrids, scores: xr.Dataset | Mapping[str, xr.Dataset], question: Question
) -> dict[str, Any]:
    """Compute the further parts of the page of a ranking, for `write_report`.

    Those of the first measure: scores of systems, hybrids or translations in each group that is
    shown.
    """
    first, by, shown = question.measures[0], question.by, shown_groups(ranked.ranking)
    if isinstance(first, TranslationMeasure):
        drawn = translation_scores(scores, mask=question.mask or first.mask, by=by)
        return {"sample": {name: x for name, x in drawn.items() if name in ("", *shown)}}
    if ranked.systems is not None:
        sample = {"": ranked.systems} if ranked.sample is None else ranked.sample
        return {"exact": ranked.exact, "sample": sample}
    means: dict[str, Any] = {"mask": "complete", "human_mean": "segments"}
    if isinstance(first, SystemMeasure):
        means = {"mask": question.mask or first.mask, "human_mean": first.human_mean}
    metrics, found = names_of(ranked.ranking, "metric"), {}
    for name in shown[1:] if is_grouped(ranked.ranking) else [""]:
        part: Any = scores[name] if name and not by else scores
        part = part.isel(segment=part[by].astype(str) == name) if name and by else part
        found[name] = system_level_scores(with_metrics(part, metrics), **means)
    return {"sample": found}
