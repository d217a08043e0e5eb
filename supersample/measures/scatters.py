"""Scores of translations for figures, as measures of translations compare them."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from supersample.measures.groups import groups_of
from supersample.measures.translations import CalibrateOn, TranslationMeasure, Translations
from supersample.scores.prepared import orientation_signs
from supersample.scores.selection import Mask


def translation_scores(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    mask: Mask = "all",
    by: str | None = None,
    calibrate_on: CalibrateOn | None = None,
    seed: int = 0,
) -> dict[str, xr.Dataset]:
    """Get the human and metric scores of the translations that such a measure compares.

    Parameters
    ----------
    scores, mask, by, seed
        As in `compare`.
    calibrate_on : xarray.Dataset or "half", optional
        As in `TranslationMeasure`: with "half", only the other half is compared.

    Returns
    -------
    dict of str to xarray.Dataset
        By group (the key is "" without groups): ``human`` (translation) and ``score``
        (translation, metric), ordered by system, not oriented; their means ``system_human``
        (system) and ``system_score`` (system, metric); ``higher_is_better`` (metric).
        `write_report` accepts these as a sample.

    Raises
    ------
    InputError
        As `agreement`.

    Examples
    --------
    >>> from supersample import load_example
    >>> translation_scores(load_example())[""].sizes["translation"]
    5797
    """
    half = calibrate_on if isinstance(calibrate_on, str) else None
    measure = TranslationMeasure("acc_eq", calibrate_on=half)
    groups = groups_of(scores, measure, mask, by, seed)
    return {name: _scores_of(part) for name, part in groups.prepared(measure).items()}


def _scores_of(part: Translations) -> xr.Dataset:
    """Scores of one group's translations, and their means over the segments of each system."""
    used = part.keep.any(axis=1)
    signs = orientation_signs(part.scores["human"], part.scores)
    scorers = np.concatenate([part.human[np.newaxis], part.metrics])
    given = scorers[:, used] * signs[:, np.newaxis, np.newaxis]
    keep = part.keep[used]
    means = given.sum(axis=-1, where=keep) / keep.sum(axis=1)
    human, score = given[0][keep], given[1:, keep].T
    return xr.Dataset(
        {
            "human": ("translation", human),
            "score": (("translation", "metric"), score),
            "system_human": ("system", means[0]),
            "system_score": (("system", "metric"), means[1:].T),
            "higher_is_better": part.scores["higher_is_better"],
        },
        coords={"system": part.scores["system"][used], "metric": part.scores["metric"]},
        attrs=part.scores.attrs,
    )
