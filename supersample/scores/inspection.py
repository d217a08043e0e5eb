"""Inspection of Scores: sizes, missing scores, masks, and likely reversed metrics."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.inference.one_correlation.coefficients import pearson
from supersample.scores.corpus.statistics import all_metrics, corpus_metrics
from supersample.scores.prepared import corpus_part
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
        values = scores["system_score"].transpose("metric", "system").to_numpy()[:, :, np.newaxis]
        people = scores["system_human"].to_numpy()[:, np.newaxis]
        sign = scores["system_human"].attrs.get("higher_is_better", 1)
        mask = "no segments: no hybrids"
    else:
        validate_scores(scores)
        values, people = SCORE.of(scores), HUMAN.of(scores)
        sign = scores[HUMAN.name].attrs.get("higher_is_better", 1)
        try:
            mask = select_segments(scores).attrs["mask"]
        except InputError:
            rated = int((~np.isnan(people)).all(axis=0).sum())
            mask = f"common {rated}/{scores.sizes['segment']}, too few"
    higher = scores["higher_is_better"].to_numpy()
    common = ~np.isnan(people).any(axis=0)
    people_now = people[:, common] * (1 if sign else -1)
    r = [
        _r(people_now, metric_scores[:, common] * (1 if up else -1))
        for metric_scores, up in zip(values, higher, strict=True)
    ]
    lowest, highest = np.nanmin(values, axis=(1, 2)), np.nanmax(values, axis=(1, 2))
    missing = np.isnan(values).sum(axis=(1, 2))
    corpora = corpus_metrics(scores) if "segment" in scores.dims else []
    metrics = all_metrics(scores)
    for name, up in zip(corpora, metrics["higher_is_better"].to_numpy()[len(r) :], strict=True):
        statistics, finalizer = corpus_part(scores, name)
        whole = finalizer(statistics.sum(axis=1))
        of_rated = finalizer(statistics[:, common].sum(axis=1))
        lowest, highest = np.append(lowest, whole.min()), np.append(highest, whole.max())
        missing = np.append(missing, 0)
        r.append(_r(people_now, of_rated[:, np.newaxis] * (1 if up else -1)))
    names = metrics["metric"].to_numpy()
    return xr.Dataset(
        {
            "higher_is_better": ("metric", metrics["higher_is_better"].to_numpy()),
            "missing": ("metric", missing),
            "lowest": ("metric", lowest),
            "highest": ("metric", highest),
            "of_corpus": ("metric", np.isin(names, corpora)),
            "r": ("metric", np.array(r)),
            "seems_reversed": ("metric", np.array(r) < 0),
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
