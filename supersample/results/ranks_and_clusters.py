"""Rankings: order, clusters and letters, and comparisons with a baseline."""

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.errors import InputError, OrientationWarning, check_names, listed, warn
from supersample.inference.one_correlation import fisher_interval
from supersample.inference.p_values import holm
from supersample.inference.systems_needed import units_needed
from supersample.inference.two_correlations.fisher_jackknife import SYSTEM_METHOD
from supersample.presentation import labels
from supersample.presentation.answer import scopes_of, settling
from supersample.presentation.labels import LEAD, POWER, alpha_of
from supersample.results.pairs import denied, is_significant, no_less_than
from supersample.results.variables import PAIR, result_variables
from supersample.scores.schema import REFERENCE_FREE
from supersample.scores.system_level import HYBRIDS, SYSTEMS


def rank(comparisons: xr.Dataset) -> xr.Dataset:
    """Rank metrics by their agreement with people: a correlation, an accuracy or an error.

    Parameters
    ----------
    comparisons : xarray.Dataset
        Result of `compare`, `compare_correlations` or another comparison of metrics.
        Below, "..." means the dimensions before ``metric``: (measure, basis, group).

    Returns
    -------
    xarray.Dataset
        The comparisons, with hybrids as the last basis, and with metrics ordered by the first
        "...", best value first (highest; lowest if ``larger_is_better`` is false), metrics
        without a value last. Added variables:

        ``rank`` (..., metric)
            1 for the best value; equal for equal values; NaN without a value.
        ``wins_over`` (..., metric, other_metric)
            Whether the metric's value is significantly better than the other's.
        ``wins`` (..., metric)
            Number of metrics than which it is significantly better; it does not affect the order.
        ``cluster`` (..., metric)
            Greedy significance clusters, as in WMT: from the top down, a metric that is
            significantly worse than any metric of the current cluster starts the next one. These
            clusters have a flaw: two metrics of one cluster may differ significantly from different
            metrics, and a metric in a lower cluster need not be significantly worse than all
            metrics above.
        ``may_be_best`` (..., metric)
            If there is ``p_best``: whether it exceeds the level of the tests. If no interval of
            that level shows another metric to be better, ``p_best`` is raised to just above the
            level, because test and interval must not contradict each other.
        ``differs_adjusted`` (..., metric, other_metric)
            If there are adjusted p-values: whether the two differ, in either direction, after
            correction for all pairs: by ``p_simultaneous``, or else by ``p_holm``; not if an
            interval of that level contains zero.
        ``distinct_values``, ``significant_pairs``, ``clusters`` (...)
            Numbers of different values (to 10 decimals), significant pairs and clusters.
        ``distinct_metrics``
            Number of metrics, where metrics with identical scores count once: the maximum of
            ``distinct_values`` and ``clusters``.

    Raises
    ------
    InputError
        If `comparisons` has no variable of significant differences.

    Examples
    --------
    >>> from supersample import hybrid_supersample, load_example
    >>> from supersample.comparisons.correlations import compare_correlations
    >>> ranking = rank(compare_correlations(hybrid_supersample(load_example(), n=1000)))
    >>> [str(metric) for metric in ranking["metric"].values[:2]]
    ['strong-95', 'strong-98']
    """
    if "significant" not in comparisons or "value" not in comparisons:
        raise InputError("expected a result of compare or compare_correlations")
    lead = tuple(labels.lead_of(comparisons))
    if "basis" in lead:
        hybrids_last = np.argsort(comparisons["basis"].to_numpy() == HYBRIDS, kind="stable")
        comparisons = comparisons.isel(basis=hybrids_last)
    ordered = labels.best_first(comparisons, labels.at_first(comparisons, *lead))
    sign = 2.0 * ordered.get("larger_is_better", xr.DataArray(True)) - 1.0
    values = (ordered["value"] * sign).transpose(*lead, "metric").to_numpy().round(labels.DIGITS)
    significant = ordered["significant"].transpose(*lead, *PAIR).to_numpy()
    better = (ordered["difference"] * sign).transpose(*lead, *PAIR).to_numpy() > 0
    # a one-sided test may show it for the pair in the other order
    wins_over = (significant | significant.swapaxes(-1, -2)) & better
    clusters, distinct = np.empty(values.shape), np.empty(values.shape[:-1], np.int64)
    for at in np.ndindex(values.shape[:-1]):
        clusters[at] = greedy_clusters(values[at], wins_over[at])
        distinct[at] = np.unique(values[at][~np.isnan(values[at])]).size
    found = {
        "rank": ranks(values),
        "wins_over": wins_over,
        "wins": wins_over.sum(axis=-1),
        "cluster": clusters,
        "distinct_values": distinct,
        "significant_pairs": wins_over.sum(axis=(-1, -2)),
        "clusters": np.nan_to_num(clusters).max(axis=-1, initial=0).astype(np.int64),
        **_adjusted(ordered, lead, labels.alpha_of(comparisons), better),
    }
    same = tuple(str(dim) for dim in ordered["identical"].dims if dim not in PAIR)
    identical = ordered["identical"].transpose(*same, *PAIR).to_numpy()
    # metrics without an identical earlier one
    count = {"distinct_metrics": (~np.tril(identical, -1).any(axis=-1)).sum(axis=-1)}
    of_ranks = result_variables(found, lead) | result_variables(count, same)
    first = str(comparisons["metric"].to_numpy()[0])  # of two, tested in one direction
    first = str(comparisons.attrs.get("first_metric", first))
    return ordered.assign(of_ranks).assign_attrs(kind="ranking", first_metric=first)


def starred(compared: xr.Dataset, scores: xr.Dataset) -> xr.Dataset:
    """Mark reference-free metrics, if the Scores have references."""
    if "reference" not in scores.coords:
        return compared
    free = scores["reference"].reindex(metric=compared["metric"]) == REFERENCE_FREE
    return compared.assign(reference_free=free.drop_vars("reference", errors="ignore"))


def ranked(comparisons: xr.Dataset) -> xr.Dataset:
    """Rank a comparison of metrics, unless it is ranked already."""
    if "metric" not in comparisons.dims:
        raise InputError("expected a result of rank or a comparison of metrics")
    return comparisons if "rank" in comparisons else rank(comparisons)


def _adjusted(
    comparisons: xr.Dataset, lead: tuple[str, ...], level: float, better: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """Which metrics may be the best, and which pairs differ, corrected for all pairs."""
    found: dict[str, NDArray[Any]] = {}
    untold = denied(comparisons, level).transpose(*lead, *PAIR).to_numpy()
    if "p_best" in comparisons:
        p = comparisons["p_best"].transpose(*lead, "metric").to_numpy()
        behind = (better & ~untold).any(axis=-2)
        found["may_be_best"] = ~(is_significant(p, level) & behind) & ~np.isnan(p)
        found["p_best"] = no_less_than(p, level, found["may_be_best"])
        if "behind_lower" in comparisons:  # becomes 0 for a metric that may be the best
            lower = comparisons["behind_lower"].transpose(*lead, "metric").to_numpy()
            found["behind_lower"] = np.where(found["may_be_best"], 0.0, lower)
            found["behind_upper"] = _reaching(comparisons, lead, found["may_be_best"], untold)
    if "p_simultaneous" in comparisons:
        p = comparisons["p_simultaneous"].transpose(*lead, *PAIR).to_numpy()
        found["p_simultaneous"] = no_less_than(p, level, untold)
    differs, any_p = np.zeros(better.shape, bool), False
    of_p = ("value", "p_simultaneous", "p_holm")
    few = comparisons[[name for name in of_p if name in comparisons]]
    for at in np.ndindex(better.shape[:-2]):
        adjusted = labels.adjusted_p(few.isel(dict(zip(lead, at, strict=True))))
        if adjusted is not None:
            # a one-sided test may show it for the pair in the other order
            p_value = np.fmin(adjusted[0], adjusted[0].T)
            differs[at] = is_significant(p_value, level) & ~untold[at]
            any_p = True
    return found | ({"differs_adjusted": differs} if any_p else {})


def _reaching(
    comparisons: xr.Dataset,
    lead: tuple[str, ...],
    may_be_best: NDArray[np.bool_],
    untold: NDArray[np.bool_],
) -> Floats:
    """Largest distance behind the best, which is above 0 if an interval kept another possible."""
    upper = comparisons["behind_upper"].transpose(*lead, "metric").to_numpy()
    if not untold.any():
        return np.asarray(upper)
    low, high = (comparisons[f"difference_{side}"] for side in ("lower", "upper"))
    larger = comparisons.get("larger_is_better", xr.DataArray(True))
    ahead = high.where(larger, -low).transpose(*lead, *PAIR).to_numpy()
    others = untold & may_be_best[..., np.newaxis]
    kept = np.where(others, ahead, 0.0).max(axis=-2, initial=0.0)
    return np.where(upper == 0, kept, upper)


def ranks(values: Floats) -> Floats:
    """Rank values along the last axis: 1 for the highest, equal for equal values, NaN for NaN."""
    rows = pd.DataFrame(values.reshape(-1, values.shape[-1]))  # scipy.stats is slow to import
    ranked = rows.rank(axis="columns", method="min", ascending=False)
    return np.asarray(ranked).reshape(values.shape)


def greedy_clusters(values: Floats, wins_over: NDArray[np.bool_]) -> Floats:
    """Compute greedy significance clusters of metrics by value, highest first.

    Parameters
    ----------
    values : ndarray, shape (metrics,)
        Values by which metrics are ordered; NaN gets no cluster.
    wins_over : ndarray of bool, shape (metrics, metrics)
        Whether the row's metric is significantly better than the column's.

    Returns
    -------
    ndarray, shape (metrics,)
        Cluster numbers from 1; NaN if the value is NaN.

    Examples
    --------
    >>> wins = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> greedy_clusters(np.array([0.9, 0.8, 0.7]), wins)
    array([1., 1., 2.])
    """
    clusters = np.full(values.shape, np.nan)
    members: list[int] = []
    number = 1
    for metric in np.argsort(-values, kind="stable"):
        if np.isnan(values[metric]):
            continue
        if wins_over[members, metric].any():
            number += 1
            members = []
        members.append(int(metric))
        clusters[metric] = number
    return clusters


def letters_of(differ: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.str_]:
    """Letters of each system: two that share one do not differ; none if they are too many."""
    groups = tie_groups(differ[np.ix_(order, order)], most=len(ascii_letters))
    letters = [""] * len(order)
    for name, group in zip(ascii_letters, groups, strict=False):
        for k in group:
            letters[order[k]] += name
    return np.array(letters)


def tie_groups(differ: ArrayLike, most: int = 52) -> list[list[int]]:
    """Largest sets of items no two of which differ, in the order of their first items.

    Parameters
    ----------
    differ : array_like of bool, shape (K, K)
        Symmetric.
    most : int, default 52
        Most groups that are of use; the list is empty where there are more, whose number can grow
        exponentially.

    References
    ----------
    Piepho (2004), "An algorithm for a letter-based representation of all-pairwise comparisons",
    Journal of Computational and Graphical Statistics 13 (insert and absorb).

    Examples
    --------
    >>> tie_groups([[False, False, True], [False, False, False], [True, False, False]])
    [[0, 1], [1, 2]]
    """
    apart = np.asarray(differ, np.bool_)
    groups = [set(range(len(apart)))]
    for first, second in zip(*np.nonzero(np.triu(apart)), strict=True):
        split = [group for group in groups if {first, second} <= group]
        parts = [group - {one} for group in split for one in (first, second)]
        groups = [group for group in groups if group not in split]
        for part in parts:
            if not any(part <= group for group in groups):
                groups = [*(group for group in groups if not group <= part), part]
        if len(groups) > 4 * most:
            return []
    if len(groups) > most:
        return []
    return sorted(sorted(map(int, group)) for group in groups)


def warn_if_reversed(
    metrics: NDArray[np.str_],
    higher_is_better: NDArray[np.bool_],
    r: Floats,
    n: int | Sequence[int],
    sets: Sequence[str] = ("",),
) -> None:
    """Warn of metrics whose 95 % interval over n systems is below 0: perhaps turned the wrong way.

    Parameters
    ----------
    metrics : ndarray of str, shape (metrics,)
    higher_is_better : ndarray of bool, shape (metrics,)
        Declared orientation.
    r : ndarray, shape (metrics,) or (sets, metrics)
        Correlations with declared orientation.
    n : int or sequence of int
        Number of systems, of each set; fewer than five give no warning.
    sets : sequence of str
        Names of several sets. One of them is enough for a warning: an average may hide it.
    """
    rows, counts = np.atleast_2d(r), np.atleast_1d(n)[:, np.newaxis]
    lower, upper = fisher_interval(rows, np.maximum(counts, 5))
    below, above = (upper < 0) & (counts >= 5), (lower > 0) & (counts >= 5)
    least = np.where(below, rows, 1.0).argmin(axis=0)
    found = np.flatnonzero(below.any(axis=0))
    if found.size:
        where = [f" in {name}" * bool(name) for name in sets]
        told = (f"{metrics[i]} (r = {rows[least[i], i]:.3f}{where[least[i]]})" for i in found)
        over = "systems" if len(counts) > 1 else f"the {counts[0, 0]} systems"
        advice = labels.turned(metrics[found], higher_is_better[found])
        if above[:, found].any():
            advice = "r is clearly positive in another set, so look at the scores"
        text = f"clearly negative r over {over}: {listed(told, 10)}; {advice}"
        warn(text, OrientationWarning, stacklevel=3)


_OF_PAIRS = ("difference", "difference_lower", "difference_upper", "p_value")
_MARKS = ("reference_free", "higher_is_better")


def compare_to_baseline(
    comparisons: xr.Dataset,
    baseline: str,
    *,
    metrics: Sequence[str] | None = None,
    margin: float | None = None,
) -> xr.Dataset:
    """Compare metrics with a baseline: difference, interval, p-values, systems needed.

    Parameters
    ----------
    comparisons : xarray.Dataset
        A result of `rank`, `compare` or `compare_correlations`.
    baseline : str
        A metric, which must be chosen before seeing the scores. For the best metric, chosen from
        the scores, use ``p_best``.
    metrics : sequence of str, optional
        Metrics to compare with it; p-values are adjusted for these alone. By default those that
        `add_metrics` added, or every metric if none was added.
    margin : float, optional
        Largest difference that does not matter, chosen before seeing the scores, in units of the
        measure.

    Returns
    -------
    xarray.Dataset
        Dims (measure, basis, group, metric), without the baseline:
        ``value``; ``difference``, the value of the metric minus that of the baseline, and its
        limits if there are any; ``p_value``; ``p_baseline``, adjusted by Holm for these
        comparisons, and raised to just above the level if the interval of that level contains 0;
        ``differs``, whether p_baseline is at most the level. If fisher-jackknife compares systems
        without groups, also ``systems_needed``: if the difference is not shown, the approximate
        number of independent systems for a power of 0.8, corrected for as many comparisons, if the
        difference and its error are as here; NaN otherwise, and if that number is not larger than
        the present one; and ``texts_needed``, that of documents or segments for these
        systems. With a margin also ``not_worse``, whether the interval of the difference leaves out
        that the metric is worse by the margin or more (non-inferiority), and ``equivalent``,
        whether it lies within the margin on both sides: one-sided tests at half of the interval's
        level of error, each metric taken alone. Attributes: ``baseline``, its name;
        ``comparisons``, the number of metrics compared with it; ``margin``.

    Raises
    ------
    InputError
        If the metric does not exist, is the only one, the comparisons have no p-values, or a margin
        is not above 0 or finds no intervals of differences.

    Notes
    -----
    Both numbers are of `supersample.inference.systems_needed.units_needed`, at the level of the
    first comparison in Holm's method. `plan` simulates systems of populations with given r.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> found = compare_to_baseline(rank(system_level_scores(load_example())), "good-90")
    >>> found["systems_needed"].sel(basis="systems", metric="strong-98").item()
    137.0
    """
    if not {"value", "basis"} <= set(comparisons.variables):
        raise InputError("a baseline needs a result of rank, compare or compare_correlations")
    names = labels.names_of(comparisons, "metric")
    left_out = comparisons.attrs.get("metrics_left_out")
    there = f"the ranking (left out: {left_out})" if left_out else ""
    check_names("metric", [baseline, *(metrics or ())], names, there)
    asked = {*(metrics or labels.added_metrics(comparisons))} - {baseline} or {*names}
    names = [name for name in names if name in {*asked, baseline}]
    comparisons = comparisons.sel(metric=names, other_metric=names)
    if len(names) < 2:
        raise InputError(f"{baseline} is the only metric; nothing can be compared with it")
    if "p_value" not in comparisons:
        raise InputError(
            f"{comparisons.attrs['method']} gives no p-values, which a comparison of two metrics "
            "needs; take another method, or other random units"
        )
    others = [name for name in names if name != baseline]
    every = beside_each_other(comparisons)
    own = every.sel(metric=others, other_metric=baseline, drop=True)
    found = own[
        [name for name in ("n", "value", "larger_is_better", *_OF_PAIRS, *_MARKS) if name in own]
    ]
    found = found.transpose(..., "metric")
    found["baseline_value"] = every["value"].sel(metric=baseline, drop=True)
    values: dict[str, NDArray[Any]] = {
        "p_baseline": own["p_beside"].transpose(*LEAD, "metric").to_numpy(),
        "differs": own["differs_beside"].transpose(*LEAD, "metric").to_numpy(),
    }
    if margin is not None:
        values |= _within(found, margin)
    if "metric_r" in comparisons and SYSTEM_METHOD in comparisons["tested_by"]:
        found = found.assign(differs=((*LEAD, "metric"), values["differs"]))
        values |= _needed(comparisons, baseline, found)
    count = int(_compared(comparisons, baseline).max())
    told: dict[str, Any] = {"kind": "baseline", "baseline": baseline, "comparisons": count}
    told |= {} if margin is None else {"margin": margin}
    return found.assign(result_variables(values, LEAD)).assign_attrs(told)


def _within(found: xr.Dataset, margin: float) -> dict[str, NDArray[np.bool_]]:
    """Whether metrics are worse than the baseline, or differ from it, by less than a margin."""
    if not 0 < margin < np.inf:
        raise InputError(f"a margin is a number above 0, such as 0.02, not {margin}")
    names = "difference_lower", "difference_upper"
    if not {*names} <= {*found} or found[names[0]].isnull().all():
        raise InputError(
            "a margin needs an interval of the difference, and this comparison has none: draw "
            "documents or segments (random)"
        )
    sign = 2.0 * found.get("larger_is_better", xr.DataArray(True)) - 1.0
    ends = [(sign * found[name]).transpose(*LEAD, "metric").to_numpy() for name in names]
    not_worse, not_better = np.minimum(*ends) > -margin, np.maximum(*ends) < margin
    return {"not_worse": not_worse, "equivalent": not_worse & not_better}


def pair_of(ranking: xr.Dataset, margin: float | None = None) -> xr.Dataset | None:
    """Compare the better of two metrics with the other; None for more metrics, or without tests.

    One-sided, the first of the two that were named is compared with the other.
    """
    names = labels.names_of(ranking, "metric")
    if len(names) != 2 or "p_value" not in ranking:
        if margin is not None and len(names) != 2:
            raise InputError("a margin compares two metrics: keep two, or name a baseline")
        return None if margin is None else compare_to_baseline(ranking, names[1], margin=margin)
    one_sided = ranking.attrs.get("alternative", "two-sided") != "two-sided"
    turned = one_sided and ranking.attrs.get("first_metric") == names[1]
    return compare_to_baseline(ranking, names[0 if turned else 1], margin=margin)


def settles(ranking: xr.Dataset) -> str:
    """Say what would tell the first two metrics apart that may be the best, by r in one set."""
    whole = "metric_r" in ranking and labels.lead_of(ranking) == [*LEAD]
    for scope in scopes_of(ranking) if whole else ():
        if scope.words == "new systems" and scope.kept.sum() > 1:
            first, second = scope.part["metric"].to_numpy()[scope.kept][:2].tolist()
            return settling(compare_to_baseline(ranking, second, metrics=[first]))
    return ""


def beside_each_other(comparisons: xr.Dataset) -> xr.Dataset:
    """Compare every metric (metric) with each baseline (other_metric): p-value, and if it differs.

    ``p_beside`` is adjusted by Holm for the comparisons with that baseline only, in which metrics
    with identical scores count once. If an interval of the tests' level contains zero,
    ``p_beside`` exceeds that level.
    """
    if "p_value" not in comparisons:
        return comparisons
    p = comparisons["p_value"].transpose(..., *PAIR)
    same = _identical(comparisons, p)
    first = same.argmax(axis=-1)  # of identical metrics, the first one is compared
    once = (first == np.arange(p.sizes["metric"]))[..., np.newaxis] & ~same
    of_first = np.apply_along_axis(holm, -2, np.where(once, p.to_numpy(), np.nan))
    others = np.take_along_axis(of_first, first[..., np.newaxis], axis=-2)
    itself = np.eye(p.sizes["metric"], dtype=bool)
    others = np.where(same, np.where(itself, np.nan, p.to_numpy()), others)
    alpha = alpha_of(comparisons)
    untold = denied(comparisons, alpha).transpose(*p.dims).to_numpy()
    adjusted = no_less_than(others, alpha, untold)
    differs = is_significant(adjusted, alpha)
    return comparisons.assign(p_beside=(p.dims, adjusted), differs_beside=(p.dims, differs))


def _identical(comparisons: xr.Dataset, p: xr.DataArray) -> NDArray[np.bool_]:
    """Whether two metrics have identical scores, for each pair of `p`; a metric and itself do."""
    flags: Any = comparisons.variables["identical"]
    found = flags.set_dims(p.sizes).transpose(*p.dims).to_numpy().astype(bool)
    return np.asarray(found | np.eye(p.sizes["metric"], dtype=bool))


def _compared(comparisons: xr.Dataset, baseline: str) -> NDArray[np.int64]:
    """Count the comparisons with a baseline for which Holm's method adjusts, in each part."""
    p = comparisons["p_value"].transpose(..., *PAIR)
    same, number = _identical(comparisons, p), p.get_index("metric").get_loc(baseline)
    first = same.argmax(axis=-1) == np.arange(p.sizes["metric"])
    counted = first & ~same[..., number] & ~np.isnan(p.to_numpy()[..., number])
    return np.asarray(np.maximum(counted.sum(axis=-1), 1))


def _needed(comparisons: xr.Dataset, baseline: str, found: xr.Dataset) -> dict[str, Floats]:
    """Systems and texts needed for differences that are not shown, (..., metric); else NaN."""
    n, basis = found["n"].to_numpy()[..., np.newaxis], found["basis"].to_numpy().astype(str)
    at = {"metric": found["metric"], "other_metric": baseline}
    independent = comparisons["independent"].sel(at).transpose(*LEAD, "metric").to_numpy()
    p = found["p_value"].transpose(*LEAD, "metric").to_numpy()
    how: dict[str, Any] = {"power": POWER, "confidence_level": 1 - alpha_of(comparisons)}
    how["comparisons"] = _compared(comparisons, baseline)[..., np.newaxis]
    how["alternative"] = comparisons.attrs["alternative"]
    systems = units_needed(independent, p, freedom="n - 2", **how)
    texts = units_needed(n, p, freedom="n - 1", **how)
    same = comparisons["identical"].sel(at, drop=True)  # no number would tell these apart
    untold = ~(found["differs"] | same).transpose(*LEAD, "metric").to_numpy()
    on = [np.char.startswith(basis, SYSTEMS), np.isin(basis, ("documents", "segments"))]
    told = zip(
        ("systems_needed", "texts_needed"), on, (systems, texts), (independent, n), strict=True
    )
    return {
        name: np.where(here[:, np.newaxis, np.newaxis] & untold & (x > now), x, np.nan)
        for name, here, x, now in told
    }
