"""Permutation tests of two metrics' correlations that swap their scores."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations.correlate import correlate
from supersample.correlations.differences import with_differences
from supersample.engine.corpus_swaps import scaled_corpus, swapped_parts
from supersample.engine.swaps import Scheme, standardise, swap_masks, swapped_totals
from supersample.errors import InputError, check_choice, check_resamples
from supersample.inference.arguments import VALUE_TIE as TIE
from supersample.inference.arguments import Alternative
from supersample.inference.one_correlation.registry import COEFFICIENTS
from supersample.inference.resampling.p_values import permutation_p_value
from supersample.results.comparisons import ALTERNATIVES, difference_matrix
from supersample.scores.corpus.statistics import all_metrics, corpus_metrics
from supersample.scores.prepared import HumanMean, corpus_part
from supersample.scores.schema import SCORE
from supersample.scores.selection import Mask, complete_cases
from supersample.scores.system_level import bases_of, system_level_scores

SCHEMES = get_args(Scheme)


def compare_by_swapping(
    scores: xr.Dataset,
    *,
    scheme: Scheme = "inputs",
    coefficient: str = "pearson",
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> xr.Dataset:
    """Permutation tests of two metrics' correlations that swap their scores.

    Under the null hypothesis that two metrics agree with people equally well, their scores of the
    same translation may be exchanged. Scores are oriented as declared and standardised (z over all
    systems and segments of each metric) before they are swapped. A corpus metric has no scores of
    segments: the part of a system that it keeps and the part that it takes are scored anew, each as
    a separate corpus, and weighted by their numbers of segments
    (`supersample.engine.corpus_swaps`).

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; segments that every system was rated for and every metric scored for every system.
    scheme : {"systems", "inputs", "both"}, default "inputs"
        PERM-SYSTEMS swaps all scores of a system, PERM-INPUTS all scores of a segment, PERM-BOTH
        each score by itself.
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
    resamples : int, default 1_000
    seed : int, default 0
        Replicate i is a function of (seed, i) alone; all pairs of metrics share the masks.
    confidence_level : float, default 0.95
    mask, human_mean
        As for `system_level_scores`. With "all", metrics are read on all segments that they scored
        everywhere, whether rated or not.

    Returns
    -------
    xarray.Dataset
        As `compare_correlations` on the basis "systems", p = (k + 1) / (B + 1). Differences equal
        but for rounding (to 1e-10) tie, and count as extreme.

    Raises
    ------
    InputError
        If an option is unknown, or `scores` are no Scores.

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics using
    resampling methods", TACL 9.

    Examples
    --------
    >>> from supersample import load_example
    >>> d = compare_by_swapping(load_example(), resamples=199)
    >>> float(d["p_value"].sel(metric="strong-95", other_metric="weak-40").item())
    0.005
    """
    check_choice("scheme", scheme, SCHEMES)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_resamples(resamples)
    if "segment" not in scores.dims:
        raise InputError("swapping needs segment-level Scores")
    complete = complete_cases(scores, mask)
    systems = system_level_scores(complete, mask=mask, human_mean=human_mean)
    correlations = correlate(systems, coefficient=coefficient, confidence_level=confidence_level)
    [basis] = bases_of(systems)
    masks = swap_masks(
        scheme,
        systems=complete.sizes["system"],
        segments=complete.sizes["segment"],
        seed=seed,
        replicates=np.arange(resamples, dtype=np.uint64),
    )
    kept, brought = _parts(complete, masks)
    r = correlations["r"].to_numpy()[0]
    p = np.full((r.size, r.size), np.nan)
    with_human = _correlation_with(basis.scores[:, 0], COEFFICIENTS[coefficient].matrix)
    for i in range(r.size):
        for j in range(r.size):
            if i == j:
                p[i, j] = 1.0 if not np.isnan(r[i]) else np.nan
            elif i < j or alternative != "two-sided":
                null = with_human(kept[i] + brought[j]) - with_human(kept[j] + brought[i])
                p[i, j] = permutation_p_value(r[i] - r[j], null, alternative=alternative, tie=TIE)
                if alternative == "two-sided":
                    p[j, i] = p[i, j]
    p[correlations["identical"].to_numpy()] = 1.0
    return with_differences(
        correlations,
        {"difference": difference_matrix(r)[np.newaxis], "p_value": p[np.newaxis]},
        method=f"perm-{scheme}",
        alternative=alternative,
        confidence_level=confidence_level,
        resamples=resamples,
        seed=seed,
    )


def _parts(
    complete: xr.Dataset, masks: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Totals of what each metric keeps and hands over, each (metrics, replicates, systems)."""
    signs = np.where(complete["higher_is_better"].to_numpy(), 1.0, -1.0)[:, None, None]
    scores = standardise(complete[SCORE.name].transpose(*SCORE.dims).to_numpy() * signs)
    brought = swapped_totals(scores, masks)
    kept = scores.sum(axis=2)[:, np.newaxis] - brought
    parts = [(kept, brought)]
    higher = all_metrics(complete)["higher_is_better"]
    for name in corpus_metrics(complete):
        corpus = scaled_corpus(
            *corpus_part(complete, name), higher_is_better=bool(higher.sel(metric=name))
        )
        of_kept, of_brought = swapped_parts(corpus, masks)
        parts.append((of_kept[np.newaxis], of_brought[np.newaxis]))
    all_kept, all_brought = zip(*parts, strict=True)
    return np.concatenate(all_kept), np.concatenate(all_brought)


def _correlation_with(
    human: NDArray[np.float64], coefficient: Any
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Make a function that correlates scores (replicates, systems) with the human ones."""

    def correlation(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        both = np.stack([np.broadcast_to(human, scores.shape), scores], axis=-1)
        return np.asarray(coefficient(both)[:, 0, 1])

    return correlation
