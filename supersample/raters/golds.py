"""Gold standards: scorers, or their mean, take the place of the human scores."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, as_option, check_names, listed, quoted
from supersample.readers.added_metrics import Orientation, add_metric, with_metric
from supersample.scores.ratings import average_ratings, place_ratings, standardised
from supersample.scores.schema import HUMAN, SCORE, validate_start
from supersample.scores.selection import keep_metrics, keep_systems

OTHERS = "others"


def take_as_gold(scores: xr.Dataset, gold: str | Sequence[str]) -> xr.Dataset:
    """Use one or more scorers as the human scores.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores with the scorers among their metrics.
    gold : str or sequence of str
        One scorer, or several whose mean is taken. Each of several is standardised first, over the
        translations that all of them scored, so that a wider scale has no more weight.

    Returns
    -------
    xarray.Dataset
        Scores without these scorers among the metrics, and with ``human`` on the translations that
        all of them scored.

    Raises
    ------
    InputError
        If no scorer is named, one does not exist, or no translation was scored by all of them.

    Examples
    --------
    >>> from supersample import agreement, load_example
    >>> scores = take_as_gold(load_example(), "strong-95")
    >>> agreement(scores)["value"].sel(metric="good-90").round(3).item()
    0.761
    """
    validate_start(scores)
    names = [gold] if isinstance(gold, str) else list(gold)
    existing = [str(name) for name in scores["metric"].to_numpy()]
    check_names("scorer", names, existing)
    if not names:
        raise InputError("a gold standard needs one or more scorers")
    values = scorer_values(scores, names)
    shared = np.asarray(np.isfinite(values).all(axis=0))
    if shared.sum() < 2:
        raise InputError(f"no two translations were scored by all of {listed(names, 5)}")
    if len(names) > 1:
        values = np.stack(
            [standardised(each, shared, name) for each, name in zip(values, names, strict=True)]
        )
    human = np.where(shared, values.mean(axis=0), np.nan)
    named = names[0] if len(names) == 1 else f"mean of {', '.join(names)}"
    result = keep_metrics(scores, [x for x in existing if x not in names])
    result = result.drop_vars("human_count", errors="ignore").assign_attrs(human=named)
    return result.assign(human=(HUMAN.dims, human, {"higher_is_better": True}))


def add_rater(
    scores: xr.Dataset,
    name: str,
    path: str | Path | None = None,
    *,
    orientation: Orientation = "higher-is-better",
) -> xr.Dataset:
    """Add a person to the metrics.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    name : str
        Name of the rater. Without a file: a scorer that is there already, or the name of the
        human scores (or "human"), which are then added to the metrics.
    path : str or Path, optional
        A file that `add_metric` can read.
    orientation : {"higher-is-better", "lower-is-better", "infer"}, default "higher-is-better"
        Whether larger scores in the file mean better or worse translations; as in `add_metric`.

    Returns
    -------
    xarray.Dataset
        Scores with this rater among the metrics.

    Raises
    ------
    InputError
        As `add_metric`; or if no scorer has this name.

    Examples
    --------
    >>> from supersample import load_example
    >>> add_rater(load_example(), "human")["metric"].values[-1].item()
    'human'
    """
    if path is not None:
        added = add_metric(scores, name, path, orientation=orientation)
        return added.assign_attrs(added_metrics=scores.attrs.get("added_metrics", ""))
    existing = [str(label) for label in scores["metric"].to_numpy()]
    if name in existing:
        return scores
    own = {"human", str(scores.attrs.get("human", "human"))}
    check_names("rater", [name], [*dict.fromkeys([*existing, *sorted(own)])])
    up = bool(scores[HUMAN.name].attrs.get("higher_is_better", 1))
    return with_metric(scores, name, HUMAN.of(scores), up)


def add_assessors(scores: xr.Dataset, ratings: xr.Dataset) -> tuple[xr.Dataset, list[str]]:
    """Add each assessor of raw ratings to the metrics, and list the assessors.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    ratings : xarray.Dataset
        Ratings from `make_ratings`, aligned with the Scores as `place_ratings` does.

    Returns
    -------
    scores : xarray.Dataset
        Scores with one more metric for each assessor: their mean rating of each translation.
    assessors : list of str
        Names of the assessors.

    Raises
    ------
    InputError
        As `place_ratings`.

    Examples
    --------
    >>> from supersample import load_example, make_ratings
    >>> places = {"system": ["system-01"] * 2, "segment": ["segment-007"] * 2}
    >>> ratings = make_ratings([60, 80], assessor=["a", "b"], **places)
    >>> add_assessors(load_example(), ratings)[1]
    ['a', 'b']
    """
    placed = place_ratings(ratings, scores)
    assessor = placed["assessor"].to_numpy().astype(str)
    names = [str(name) for name in np.unique(assessor)]
    to = {dim: scores[dim] for dim in ("system", "segment")}
    for name in names:
        own = average_ratings(placed.isel(row=assessor == name))["human"].reindex(to)
        scores = with_metric(scores, name, own.transpose("system", "segment").to_numpy(), True)
    return scores, names


class Gold(NamedTuple):
    """A gold standard, and the scorers that it ranks.

    Attributes
    ----------
    name
        Name of the gold standard.
    scores
        Scores whose human scores are the gold standard; metrics are all scorers that it ranks.
    people
        The people among these scorers.
    """

    name: str
    scores: xr.Dataset
    people: list[str]


def golds_of(scores: xr.Dataset, people: Sequence[str], gold: str) -> list[Gold]:
    """Make gold standards that rank people: one person, or for each the mean of the others.

    People's scores are used on the translations that all of them scored.
    """
    check_people(scores, people)
    if gold != OTHERS:
        check_names("rater", [gold], [*people, OTHERS])
    scores = rated_by_all(scores, people)
    if gold != OTHERS:
        ranked = [name for name in people if name != gold]
        return [Gold(gold, take_as_gold(scores, gold), ranked)]
    found = []
    for name in people:
        others = [each for each in people if each != name]
        title = f"mean of all but {name}" if len(others) > 1 else others[0]
        found.append(Gold(title, take_as_gold(scores, others), [name]))
    return found


def check_people(scores: xr.Dataset, people: Sequence[str]) -> list[str]:
    """Return the names of all scorers; raise InputError for unknown or fewer than two people."""
    existing = [str(name) for name in scores["metric"].to_numpy()]
    check_names("rater", people, existing)
    if len(set(people)) < len(people):
        raise InputError(f"a rater is named twice among {listed(people, 5)}")
    if len(people) < 2:
        raise InputError(f"name at least two raters (given: {listed(people) or 'none'})")
    return existing


def rated_by_all(scores: xr.Dataset, people: Sequence[str]) -> xr.Dataset:
    """Keep people's scores on the translations that all of them scored; InputError if none."""
    names = scores["metric"].to_numpy()
    values = scores[SCORE.name].transpose(*SCORE.dims).to_numpy()
    own = np.isin(names, people)
    shared = np.isfinite(values[own]).all(axis=0)
    for name, each in zip(names[own], values[own], strict=True):
        if (np.isfinite(each).any(axis=1)).sum() < 2:
            raise InputError(f"{quoted(name)} scored fewer than two systems; leave it out")
    if not shared.any():
        scored = np.isfinite(values[own]).reshape(len(people), -1).astype(int)
        common = np.triu(scored @ scored.T + 1, 1) - 1  # of two different people
        pair = as_option(names[own][np.argwhere(common == common.max())[0]])
        most = f"the most that two share is {common.max()}, by --rater {pair}"
        most = most if common.max() else "no two share any, so they cannot be compared"
        raise InputError(f"no translation was scored by all of {listed(people, 5)}; {most}")
    for name, each in zip(names[own], values[own], strict=True):
        standardised(each, shared, str(name))  # raises where scores do not vary
    for first, second in combinations(np.flatnonzero(own), 2):
        if np.array_equal(values[first][shared], values[second][shared]):
            alike = f"{quoted(names[first])} and {quoted(names[second])}"
            raise InputError(f"{alike} have the same scores: name each person once")
    kept = np.where(own[:, np.newaxis, np.newaxis] & ~shared, np.nan, values)
    result = scores.assign({SCORE.name: (SCORE.dims, kept)})
    without = [str(name) for name in scores["system"].to_numpy()[~shared.any(axis=1)]]
    if not without:
        return result
    told = [scores.attrs.get("systems_left_out"), f"{', '.join(without)} (not scored by everybody)"]
    left_out = ", ".join(filter(None, told))
    return keep_systems(result, exclude=without).assign_attrs(systems_left_out=left_out)


def scorer_values(scores: xr.Dataset, names: Sequence[str]) -> Floats:
    """Scores (scorers, systems, segments), with signs such that larger is better."""
    chosen = scores.sel(metric=list(names))
    signs = np.where(chosen["higher_is_better"].to_numpy(), 1.0, -1.0)
    return np.asarray(SCORE.of(chosen) * signs[:, np.newaxis, np.newaxis])
