"""A metric of one's own beside those of a public set."""

import warnings
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, OrientationWarning
from supersample.inference.one_correlation.coefficients import pearson
from supersample.readers.added_files import read_added
from supersample.scores.schema import make_scores, validate_start
from supersample.scores.selection import select_segments
from supersample.scores.system_level import make_system_scores, system_level_scores

Orientation = Literal["infer", "higher-is-better", "lower-is-better"]


def add_metric(
    scores: xr.Dataset, name: str, file: str | Path, *, orientation: Orientation = "infer"
) -> xr.Dataset:
    """Add a metric to Scores, or to system-level scores, from a file of its scores.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or what `make_system_scores` gives.
    name : str
        What to call the metric; where a file has several, the one to read.
    file : str or Path
        A long table with the columns system, segment and score (and perhaps scorer), a
        ``.seg.score`` file of the metrics task, lines of a system and a score (a system's lines in
        the order of the segments), or a folder with a file for each system, a score a line. For
        system-level scores: a line a system, of the system and its score, or of the score alone.
    orientation : {"infer", "higher-is-better", "lower-is-better"}, default "infer"
        "infer" takes the sign of the metric's correlation with the human scores over the systems,
        and warns: a metric that is merely bad is then turned round.

    Returns
    -------
    xarray.Dataset
        The scores with the metric as the last one. The attribute ``added_metrics`` names it, a line
        each, and ``added_notes`` says how it was read.

    Raises
    ------
    InputError
        With file and line, if the file is malformed; or if there is a metric of this name, none of
        the systems is in the file, or no sign can be inferred.

    Warns
    -----
    OrientationWarning
        If the orientation was inferred.

    Examples
    --------
    >>> from supersample import load_example
    >>> add_metric(load_example(), "mine", "nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    if orientation not in ("infer", "higher-is-better", "lower-is-better"):
        raise InputError(f"no orientation '{orientation}'; it is inferred, or declared")
    of_systems = "system_score" in scores
    if not of_systems:
        validate_start(scores)
    metrics = [str(metric) for metric in scores["metric"].to_numpy()]
    if not name or name in metrics:
        raise InputError(f"there is a metric '{name}' already; give yours another name")
    systems = [str(system) for system in scores["system"].to_numpy()]
    segments = None if of_systems else [str(label) for label in scores["segment"].to_numpy()]
    read = read_added(name, file, systems, segments)
    build = _with_system_scores if of_systems else _with_segment_scores
    inferred = ""
    higher = orientation != "lower-is-better"
    if orientation == "infer":
        r = _r_with_human(build(scores, name, read.values, True), name)
        if np.isnan(r) or r == 0:
            raise InputError(
                f"the orientation of '{name}' cannot be inferred (r = {r:g} with the human "
                "scores); declare it"
            )
        higher = bool(r > 0)
        kind = "higher" if higher else "lower"
        inferred = f", {kind}-is-better inferred from r = {r:.3f}"
        warnings.warn(
            f"'{name}' was taken to be {kind}-is-better, since r with the human scores over "
            f"{len(systems)} systems is {r:.3f}; declare it to be sure",
            OrientationWarning,
            stacklevel=2,
        )
    result = build(scores, name, read.values, higher)
    note = f"{name}: {file}{inferred}" + (f"; not used: {read.unused}" if read.unused else "")
    missing = int(np.isnan(read.values).sum())
    note += f"; {missing} of {read.values.size} scores missing" if missing else ""
    return result.assign_attrs(
        added_metrics="\n".join(filter(None, [scores.attrs.get("added_metrics"), name])),
        added_notes="\n".join(filter(None, [scores.attrs.get("added_notes"), note])),
    )


def _with_segment_scores(
    scores: xr.Dataset, name: str, values: NDArray[np.float64], higher: bool
) -> xr.Dataset:
    own = scores.transpose("metric", "system", "segment", ...)

    def label(what: str) -> list[str] | None:
        return [str(x) for x in own[what].to_numpy()] if what in own.coords else None

    reference = label("reference")
    made = make_scores(
        own["human"].to_numpy(),
        np.concatenate([own["score"].to_numpy(), values[np.newaxis]]),
        systems=label("system") or [],
        metrics=[*(label("metric") or []), name],
        segments=label("segment"),
        higher_is_better=[*own["higher_is_better"].to_numpy().tolist(), higher],
        human_higher_is_better=bool(own["human"].attrs.get("higher_is_better", 1)),
        human_count=own["human_count"].to_numpy() if "human_count" in own else None,
        document=label("document"),
        domain=label("domain"),
        reference=None if reference is None else [*reference, "unknown"],
        attrs=own.attrs,
    )
    others = [variable for variable in own.data_vars if variable not in made]
    return made.assign({variable: own[variable] for variable in others})


def _with_system_scores(
    scores: xr.Dataset, name: str, values: NDArray[np.float64], higher: bool
) -> xr.Dataset:
    return make_system_scores(
        scores["system_human"].to_numpy(),
        np.vstack([scores["system_score"].transpose("metric", "system").to_numpy(), values]),
        systems=[str(x) for x in scores["system"].to_numpy()],
        metrics=[*(str(x) for x in scores["metric"].to_numpy()), name],
        higher_is_better=[*scores["higher_is_better"].to_numpy().tolist(), higher],
        human_higher_is_better=bool(scores["system_human"].attrs.get("higher_is_better", 1)),
        attrs=dict(scores.attrs),
    )


def _r_with_human(scores: xr.Dataset, name: str) -> float:
    """Pearson's r over the systems, human scores turned so that higher is better."""
    own = scores.sel(metric=[name])
    systems = system_level_scores(own if "system_score" in own else select_segments(own))
    human = systems["system_human"]
    sign = 1.0 if human.attrs.get("higher_is_better", 1) else -1.0
    both = np.column_stack([sign * human.to_numpy(), systems["system_score"].to_numpy()[:, 0]])
    both = both[~np.isnan(both).any(axis=1)]
    return float(pearson(both)[0, 1]) if both.shape[0] > 2 else float("nan")
