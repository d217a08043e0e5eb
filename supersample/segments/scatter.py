"""Scores of translations, as statistics of segments compare them, for pictures."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from supersample.scores.prepared import orientation_signs
from supersample.scores.selection import Mask
from supersample.segments.inputs import Translations, groups_of
from supersample.segments.transfer import CalibrateOn, other_half


def translation_scores(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    mask: Mask = "all",
    by: str | None = None,
    calibrate_on: CalibrateOn | None = None,
    seed: int = 0,
) -> dict[str, xr.Dataset]:
    """Human and metric scores of the translations that `compare_segments` compares.

    Parameters
    ----------
    scores, mask, by, calibrate_on, seed
        As for `compare_segments`: of "half" the segments, the other half is compared.

    Returns
    -------
    dict of str to xarray.Dataset
        By group, under "" where there are no groups: ``human`` (translation) and ``score``
        (translation, metric), system by system, not oriented; their means ``system_human``
        (system) and ``system_score`` (system, metric); and ``higher_is_better`` (metric).
        `write_report` takes them as a sample.

    Raises
    ------
    InputError
        As `segment_agreement`.

    Examples
    --------
    >>> from supersample import load_example
    >>> translation_scores(load_example())[""].sizes["translation"]
    5797
    """
    parts = groups_of(scores, mask=mask, by=by, seed=seed).of
    if isinstance(calibrate_on, str):
        parts = {name: other_half(part) for name, part in parts.items()}
    return {name: _scores_of(part) for name, part in parts.items()}


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
