"""Inspection of Scores: sizes, missing scores, masks, and likely reversed metrics."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.inference.one_correlation.coefficients import pearson
from supersample.scores.corpus.statistics import all_metrics, corpus_metrics
from supersample.scores.prepared import corpus_part, orientation_signs
from supersample.scores.schema import HUMAN, SCORE, validate_scores
from supersample.scores.selection import select_segments


def inspect_scores(scores: xr.Dataset) -> xr.Dataset:
    """Summarise Scores before anything is ranked.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores.

    Returns
    -------
    xarray.Dataset
        Along ``metric``: ``higher_is_better``, as declared; ``missing``, the number of missing
        scores; ``lowest`` and ``highest``; ``of_corpus``, whether it is a corpus metric, without
        scores of segments: lowest and highest are then of systems, on all segments; ``r`` with the
        human scores over the systems in the declared orientation, NaN if undefined; and
        ``seems_reversed``, whether that r is negative. Along ``system``: ``rated`` segments.
        Attributes: ``mask``, the segments that all systems were rated for, and those of the Scores.

    Raises
    ------
    InputError
        If these are no Scores.

    Examples
    --------
    >>> from supersample import load_example
    >>> inspect_scores(load_example()).attrs["mask"]
    'common 463/500'
    """
    if "system_score" in scores and "segment" not in scores.dims:
        human, corpora = scores["system_human"], []
        values = scores["system_score"].transpose("metric", "system").to_numpy()[:, :, np.newaxis]
        people = human.to_numpy()[:, np.newaxis]
        mask = "no segments: no hybrids"
    else:
        validate_scores(scores)
        human, corpora = scores[HUMAN.name], corpus_metrics(scores)
        values, people = SCORE.of(scores), HUMAN.of(scores)
        try:
            mask = select_segments(scores).attrs["mask"]
        except InputError:
            rated = int((~np.isnan(people)).all(axis=0).sum())
            mask = f"common {rated}/{scores.sizes['segment']}, too few"
    common = ~np.isnan(people).any(axis=0)
    parts = [(whole, whole[:, common]) for whole in values]
    for name in corpora:
        statistics, finalizer = corpus_part(scores, name)
        sums = statistics.sum(axis=1), statistics[:, common].sum(axis=1)
        whole, on_common = (finalizer(part)[:, np.newaxis] for part in sums)
        parts.append((whole, on_common))
    metrics = all_metrics(scores)
    sign, *signs = orientation_signs(human, metrics)
    oriented = people[:, common] * sign
    r = np.array([_r(oriented, part * up) for (_, part), up in zip(parts, signs, strict=True)])
    names = metrics["metric"].to_numpy()
    return xr.Dataset(
        {
            "higher_is_better": ("metric", metrics["higher_is_better"].to_numpy()),
            "missing": ("metric", [int(np.isnan(whole).sum()) for whole, _ in parts]),
            "lowest": ("metric", [np.nanmin(whole) for whole, _ in parts]),
            "highest": ("metric", [np.nanmax(whole) for whole, _ in parts]),
            "of_corpus": ("metric", np.isin(names, corpora)),
            "r": ("metric", r),
            "seems_reversed": ("metric", r < 0),
            "rated": ("system", (~np.isnan(people)).sum(axis=1)),
        },
        coords={"metric": names, "system": scores["system"].to_numpy()},
        attrs={**scores.attrs, "mask": mask, "scores": people.size},
    )


def _r(people: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """Pearson's r of system means on the segments rated for every system."""
    counts = (~np.isnan(scores)).sum(axis=1)
    if people.shape[0] < 3 or not people.shape[1] or not counts.all():
        return float("nan")
    means = np.column_stack([people.mean(axis=1), np.nanmean(scores, axis=1)])
    return float(pearson(means)[0, 1])
