"""Inspection of Scores: sizes, missing scores, masks, and likely reversed metrics."""

import numpy as np
import xarray as xr

from supersample.errors import InputError
from supersample.inference.one_correlation.coefficients import pearson
from supersample.scores.corpus.statistics import all_metrics, corpus_metrics
from supersample.scores.prepared import corpus_part
from supersample.scores.schema import HUMAN, SCORE, validate_scores
from supersample.scores.system_level import (
    SYSTEM_HUMAN,
    SYSTEM_SCORE,
    bases_of,
    system_level_scores,
)


def inspect_scores(scores: xr.Dataset) -> xr.Dataset:
    """Summarise Scores before ranking: sizes, missing scores, orientation.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores.

    Returns
    -------
    xarray.Dataset
        Dim (metric): ``higher_is_better``, as declared; ``missing``, the number of missing scores;
        ``lowest`` and ``highest`` score; ``of_corpus``, whether it is a corpus metric, whose lowest
        and highest are those of systems on all segments; ``r`` with the human scores over the
        systems, after orientation, NaN if undefined; ``seems_reversed``, whether that r is
        negative. Dim (system): ``rated``, the number of rated segments. Attributes: ``mask``, the
        segments rated for all systems, and the attributes of the Scores.

    Raises
    ------
    InputError
        If `scores` is not a Scores Dataset.

    Examples
    --------
    >>> from supersample import load_example
    >>> inspect_scores(load_example()).attrs["mask"]
    'common 463/500'
    """
    if "system_score" in scores and "segment" not in scores.dims:
        people, values = SYSTEM_HUMAN.of(scores)[:, np.newaxis], [*SYSTEM_SCORE.of(scores).T]
        corpora, mask, systems = [], "no segments: no hybrids", scores
    else:
        validate_scores(scores)
        people, corpora = HUMAN.of(scores), corpus_metrics(scores)
        try:
            systems = system_level_scores(scores, human_mean="segments")
            mask = systems.attrs["mask"]
        except InputError:
            rated, systems = int((~np.isnan(people)).all(axis=0).sum()), None
            mask = f"common {rated}/{scores.sizes['segment']}, too few"
        parts = (corpus_part(scores, name) for name in corpora)
        values = [*SCORE.of(scores), *(finalize(sums.sum(axis=1)) for sums, finalize in parts)]
    metrics = all_metrics(scores)
    r = np.full(len(values), np.nan)
    if systems is not None and systems.sizes["system"] > 2:
        r = pearson(bases_of(systems)[0].scores)[0, 1:]
    names = metrics["metric"].to_numpy()
    return xr.Dataset(
        {
            "higher_is_better": ("metric", metrics["higher_is_better"].to_numpy()),
            "missing": ("metric", [int(np.isnan(whole).sum()) for whole in values]),
            "lowest": ("metric", [np.nanmin(whole) for whole in values]),
            "highest": ("metric", [np.nanmax(whole) for whole in values]),
            "of_corpus": ("metric", np.isin(names, corpora)),
            "r": ("metric", r),
            "seems_reversed": ("metric", r < 0),
            "rated": ("system", (~np.isnan(people)).sum(axis=1)),
        },
        coords={"metric": names, "system": scores["system"].to_numpy()},
        attrs={**scores.attrs, "kind": "inspection", "mask": mask, "scores": people.size},
    )
