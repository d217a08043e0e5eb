"""Scores as rows of a long table, to be written or handed on."""

from typing import Any

import numpy as np
import pyarrow as pa
import xarray as xr

from supersample.errors import InputError
from supersample.scores.schema import HUMAN, SCORE


def long_table(scores: xr.Dataset) -> Any:
    """Arrow table of Scores: system, segment, scorer, score, and document and domain if there are.

    Missing scores have a row too, so that every segment stands there, in its place.

    Raises
    ------
    InputError
        If a metric has the name of the human scores.
    """
    human = str(scores.attrs.get("human") or "human")
    scorers = [human, *(str(name) for name in scores["metric"].to_numpy())]
    if human in scorers[1:]:
        raise InputError(f"'{human}' names the human scores and a metric")
    cube = np.concatenate(
        [
            scores[HUMAN.name].transpose(*HUMAN.dims).to_numpy()[np.newaxis],
            scores[SCORE.name].transpose(*SCORE.dims).to_numpy(),
        ]
    )
    scorer, system, segment = (axis.ravel() for axis in np.indices(cube.shape))
    scores_of_rows = cube.ravel()

    def labels(codes: Any, names: Any) -> Any:
        return pa.DictionaryArray.from_arrays(
            codes.astype(np.int32), pa.array([str(name) for name in names])
        )

    columns = {
        "system": labels(system, scores["system"].to_numpy()),
        "segment": labels(segment, scores["segment"].to_numpy()),
        "scorer": labels(scorer, scorers),
        "score": pa.array(scores_of_rows, mask=np.isnan(scores_of_rows)),
    }
    for name in ("document", "domain"):
        if name in scores.coords:
            found, codes = np.unique(scores[name].to_numpy(), return_inverse=True)
            columns[name] = labels(codes[segment], found)
    return pa.table(columns)
