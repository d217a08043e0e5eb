"""Whether two metrics' pairwise accuracies differ: permutation tests that swap their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.accuracies.inputs import (
    Groups,
    comparable_groups,
    hard_accuracy,
    soft_accuracy,
    warn_if_constant,
    warn_if_dominated,
)
from supersample.accuracies.p_values import PValues, as_p_values
from supersample.accuracies.pairwise import HARD, SOFT, result_facts, variables_of
from supersample.accuracies.swaps import swap_scores
from supersample.engine.swaps import Scheme
from supersample.errors import InputError, check_choice, check_resamples
from supersample.execution.workers.workers import AnyWorkers, checked_workers, connect
from supersample.inference.accuracies.swapped import SwappedAccuracies
from supersample.inference.arguments import VALUE_TIE as TIE
from supersample.inference.arguments import Alternative, Estimator
from supersample.inference.one_correlation.coefficients import pearson_with
from supersample.inference.resampling.p_values import may_be_best
from supersample.results.comparisons import (
    ALTERNATIVES,
    adjusted_p_values,
    difference_matrix,
    identical_items,
    is_significant,
    joint_p_values,
    swap_p_values,
)
from supersample.results.ranking import warn_if_reversed
from supersample.results.signature import describe
from supersample.results.variables import result_variables

Ties = Literal["exact", "floating_point"]


def compare_accuracies(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    meta_metrics: Sequence[str] = (SOFT, HARD),
    p_values: PValues | str = "normal",
    scheme: Scheme = "inputs",
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
    estimator: Estimator = "(k+1)/(B+1)",
    ties: Ties = "exact",
    significance_level: float = 0.05,
    by: str | None = None,
    workers: AnyWorkers = "threads",
) -> xr.Dataset:
    """Test for every two metrics whether one has the higher PA or SPA.

    Under the null hypothesis that two metrics agree with people equally well, their scores of the
    same translation may be exchanged (Deutsch et al. 2021). Scores are oriented as declared and
    brought to one scale before: z-scores over all systems and segments of each metric (mean 0 and
    population standard deviation 1 on the complete segments). A corpus metric has no scores of
    segments: the part of a system that it keeps and the part that it takes are scored anew, each as
    a separate corpus (`supersample.engine.corpus_swaps`). Each resample swaps the scores of two
    metrics by a mask that all pairs of metrics share, computes both accuracies anew, p-values of
    systems included, and takes their difference.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, or those of several language pairs by name: metrics common to all are compared on
        each and on the average. The average is tested by joint permutation, each language pair
        with separate masks.
    meta_metrics : sequence of {"SPA", "PA"}, default ("SPA", "PA")
        The first one orders metrics in `rank`.
    p_values : PValues or {"normal", "monte_carlo", "exact"}, default "normal"
        Of pairs of systems, in SPA; metrics share their permutations. With "exact" ones, accuracies
        and differences are exact, and the test's statistic is the difference by normal p-values,
        observed and resampled: exact ones would take too long for every resample.
    scheme : {"inputs", "systems", "both"}, default "inputs"
        PERM-INPUTS swaps all scores of a segment (or unit, see `PValues`), PERM-SYSTEMS all scores
        of a system, PERM-BOTH each score by itself.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" is that `metric` has the higher accuracy than `other_metric`.
    resamples : int, default 1_000
    seed : int, default 0
        Resample i is a function of (seed, i), the scheme and a group's name alone.
    estimator : {"(k+1)/(B+1)", "k/B"}, default "(k+1)/(B+1)"
        Of this test's p-values; the second is the papers', and may be 0.
    ties : {"exact", "floating_point"}, default "exact"
        Whether differences of accuracies within 1e-10 of the observed one count as equal to it, as
        they are but for rounding, or are compared in floating point as they fall. PA takes few
        values, so that its count of significant pairs depends on it.
    significance_level : float, default 0.05
        A pair is significant where p <= this.
    by : {"domain", "document"}, optional
        As for `pairwise_accuracy`; the groups are permuted like language pairs.
    workers : Workers, Client or str, default "threads"
        Threads of this process; results do not depend on their number.

    Returns
    -------
    xarray.Dataset
        Along ``meta_metric``, of several groups also ``group`` ("average" first): ``accuracy``
        (metric), and along (metric, other_metric) ``difference``, ``p_value``, ``p_holm`` and
        ``p_bh`` (adjusted for all pairs) and ``significant``. ``p_simultaneous`` (metric,
        other_metric), two-sided, is adjusted for all pairs by the step-down maximum of the joint
        replicates, and ``p_best`` (metric) is the p-value of being among the best that follows from
        it: see `supersample.inference.resampling.p_values`. Then ``identical`` (metric,
        other_metric): the two have the same scores; such are tied exactly and never significant.
        And ``systems``, ``segments`` and ``higher_is_better``. `rank` takes it.

    Raises
    ------
    InputError
        As `soft_pairwise_accuracy`; or if an option is unknown or out of range, or p-values are of
        independent masks.

    Warns
    -----
    ApproximationWarning, DegenerateScoreWarning
        As `soft_pairwise_accuracy`.

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics using
    resampling methods", TACL 9. Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving
    statistical significance in human evaluation of automatic metrics via soft pairwise accuracy",
    WMT, section 4.4.

    Examples
    --------
    >>> from supersample import load_example
    >>> d = compare_accuracies(load_example(), resamples=199)
    >>> pair = {"metric": "strong-95", "other_metric": "weak-40"}
    >>> d["p_value"].sel(pair).values.tolist()  # SPA, PA
    [0.005, 0.005]
    """
    options = as_p_values(p_values)
    kinds = _checked(meta_metrics, options, scheme, alternative, resamples, estimator, ties)
    if not 0 < significance_level < 1:
        raise InputError(f"the significance level lies between 0 and 1, not {significance_level}")
    workers = checked_workers(workers)
    groups = comparable_groups(scores, by=by, unit=options.unit, seed=seed)
    _warn_of_metrics(groups)
    if SOFT in kinds:
        warn_if_dominated(groups, options)
    # exact p-values of every resample would take too long; any statistic makes a valid test
    tested = replace(options, method="normal") if options.method == "exact" else options
    swapped = _swapped(groups, tested, scheme, resamples, workers)
    tie = TIE if ties == "exact" else 0.0
    accuracy, p, together = [], [], []
    for kind in kinds:
        found = [
            soft_accuracy(group, options) if kind == SOFT else hard_accuracy(group)
            for group in groups.of.values()
        ]
        accuracy.append(groups.over(found))
        if kind == SOFT and tested is not options:
            found = [soft_accuracy(group, tested) for group in groups.of.values()]
        nulls = [part.soft if kind == SOFT else part.hard for part in swapped]
        null = groups.over([first - second for first, second in nulls])
        seen = groups.over(found)
        how: dict[str, Any] = {"alternative": alternative, "estimator": estimator, "tie": tie}
        p.append(swap_p_values(seen, null, **how))
        together.append(joint_p_values(seen, null))
    return _comparisons(
        groups,
        kinds,
        np.stack(accuracy),
        np.stack(p),
        np.stack(together),
        statistic=f"difference of {','.join(kinds)}",
        method=f"perm-{scheme}",
        design=describe(options),
        alternative=alternative,
        resamples=resamples,
        estimator=estimator,
        ties=ties,
        seed=seed,
        significance_level=significance_level,
    )


def _swapped(
    groups: Groups, p_values: PValues, scheme: Scheme, resamples: int, workers: AnyWorkers
) -> list[SwappedAccuracies]:
    """Null accuracies of each group, by workers that share memory."""
    with connect(workers) as client:
        if not client.shares_memory:
            raise InputError("accuracies are compared by threads; workers='threads'")
        return [
            swap_scores(group, p_values, scheme, resamples, client.count)
            for group in groups.of.values()
        ]


def _warn_of_metrics(groups: Groups) -> None:
    """Name metrics that do not vary, or whose r over the systems, on average, is negative."""
    warn_if_constant(groups)
    found = [
        pearson_with(
            group.human.mean(axis=1),
            np.concatenate([group.metrics.mean(axis=2), *(m.scores[None] for m in group.corpus)]),
        )
        for group in groups.of.values()
    ]
    n = min(len(group.human) for group in groups.of.values())
    warn_if_reversed(groups.metrics, np.mean(found, axis=0), n)


def _checked(
    meta_metrics: Sequence[str],
    p_values: PValues,
    scheme: str,
    alternative: str,
    resamples: int,
    estimator: str,
    ties: str,
) -> list[str]:
    """Refuse options that are unknown or do not go together; list the meta-metrics."""
    kinds = [meta_metrics] if isinstance(meta_metrics, str) else list(meta_metrics)
    for kind in kinds:
        check_choice("meta-metric", kind, (SOFT, HARD))
    if not kinds or len(set(kinds)) < len(kinds):
        raise InputError("name the meta-metrics to compare by, each once: SPA, PA")
    check_choice("scheme", scheme, get_args(Scheme))
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("estimator", estimator, get_args(Estimator))
    check_choice("rule for ties", ties, get_args(Ties))
    check_resamples(resamples)
    if p_values.method == "monte_carlo" and p_values.masks == "independent":
        raise InputError("metrics that swap scores share their permutations; use shared masks")
    return kinds


def _comparisons(
    groups: Groups,
    kinds: list[str],
    accuracy: NDArray[np.float64],
    p: NDArray[np.float64],
    together: NDArray[np.float64],
    **facts: Any,
) -> xr.Dataset:
    over = ("group",) if groups.grouped else ()
    off_diagonal = ~np.eye(p.shape[-1], dtype=bool)
    values = {
        "accuracy": accuracy,
        "difference": difference_matrix(accuracy),
        "p_value": p,
        **adjusted_p_values(p, facts["alternative"]),
        "significant": is_significant(p, facts["significance_level"]) & off_diagonal,
        "p_simultaneous": together,
        "p_best": may_be_best(accuracy, together),
    }
    comparisons = xr.Dataset(
        {
            **result_variables(values, ("meta_metric", *over)),
            **result_variables({"identical": _identical(groups)}, over),
            **variables_of(groups),
        },
        coords={"meta_metric": kinds, "metric": groups.metrics, "other_metric": groups.metrics},
    )
    if groups.grouped:
        comparisons = comparisons.assign_coords(group=groups.labels())
    comparisons.attrs = result_facts(groups, **facts)
    return comparisons


def _identical(groups: Groups) -> NDArray[np.bool_]:
    """Whether two metrics have bitwise the same scores; of the average, in every group."""
    found = [
        identical_items(
            [(scores,) for scores in group.metrics]
            + [(metric.contributions,) for metric in group.corpus]
        )
        for group in groups.of.values()
    ]
    return np.stack([np.all(found, axis=0), *found]) if groups.grouped else found[0]
