"""Preferences: which of two systems' outputs for an item people judged to be better."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from supersample.engine import Floats
from supersample.errors import InputError, check_confidence_level, check_names, listed, quoted
from supersample.execution.workers.clients import installed
from supersample.inference.segments.statistics import Flat, flat_parts, ratio
from supersample.measures.translations import TranslationMeasure
from supersample.readers.judgments import TIE
from supersample.results.signature import result_attrs
from supersample.scores.schema import SCORE

FEWEST_ITEMS = 3


class Preferences(NamedTuple):
    """Judgments of two outputs at a time; see `make_preferences`."""

    systems: list[str]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    item: NDArray[np.str_]
    outcome: Floats
    """1 where the first is better, 0 where the second is, 0.5 for a tie."""


def make_preferences(
    first: Iterable[str], second: Iterable[str], item: Iterable[str], better: Iterable[str]
) -> Preferences:
    """Make Preferences of judgments, one by one; several annotators may judge the same.

    Parameters
    ----------
    first, second : iterable of str
        Systems that were compared.
    item : iterable of str
        Segment, or prompt, whose outputs these are.
    better : iterable of str
        The system whose output is better, or "tie".

    Raises
    ------
    InputError
        If lengths differ, or a judgment compares a system with itself or names a third one.

    Examples
    --------
    >>> made = make_preferences(["A", "A"], ["B", "B"], ["1", "2"], ["A", "tie"])
    >>> made.outcome.tolist()
    [1.0, 0.5]
    """
    columns = [[str(each) for each in column] for column in (first, second, item, better)]
    if len({len(column) for column in columns}) > 1 or not columns[0]:
        raise InputError("preferences need a judgment, each of two systems, an item and an answer")
    rows = list(zip(columns[0], columns[1], columns[3], strict=True))
    for k, (a, b, answer) in enumerate(rows, start=1):
        if a == b:
            raise InputError(f"judgment {k} compares {quoted(a)} with itself")
        if answer not in (a, b, TIE):
            raise InputError(
                f"judgment {k} is of {quoted(a)} and {quoted(b)}, and says {quoted(answer)}; "
                f"name one of them, or {TIE}"
            )
    systems = list(dict.fromkeys(name for a, b, _ in rows for name in (a, b)))
    places = {name: k for k, name in enumerate(systems)}
    return Preferences(
        systems,
        np.array([places[a] for a, _, _ in rows]),
        np.array([places[b] for _, b, _ in rows]),
        np.array(columns[2]),
        np.array([0.5 if answer == TIE else float(answer == a) for a, _, answer in rows]),
    )


def bradley_terry(preferences: Preferences, *, confidence_level: float = 0.95) -> xr.Dataset:
    """Score systems by the model of Bradley and Terry.

    The log odds that one is judged better than another are the difference of their scores; a tie is
    half a win of each. Scores add up to 0. Limits take judgments of one item to depend on each
    other (a variance by clusters, and Student's t of as many), in a logistic regression of
    statsmodels.

    Parameters
    ----------
    preferences : Preferences
        As `make_preferences` gives.
    confidence_level : float, default 0.95
        Of limits.

    Returns
    -------
    xarray.Dataset
        Along ``system``: ``score``, ``lower``, ``upper``, ``judgments``.

    Raises
    ------
    InputError
        If all judgments are ties, or fewer than three items were judged; if some systems were
        always better than all others, or never compared with them, so that their scores are
        infinite or unknown; or if statsmodels is missing (the extra ``raters``).

    References
    ----------
    Bradley and Terry (1952), "Rank analysis of incomplete block designs", Biometrika 39.

    Examples
    --------
    >>> made = make_preferences(["A"] * 4, ["B"] * 4, list("1234"), ["A", "A", "A", "B"])
    >>> bradley_terry(made)["score"].round(3).values.tolist()
    [0.549, -0.549]
    """
    check_confidence_level(confidence_level)
    count = len(preferences.systems)
    _check_connected(preferences)
    if (preferences.outcome == 0.5).all():
        raise InputError("all judgments are ties: nothing tells the systems apart")
    groups = np.unique(preferences.item, return_inverse=True)[1]
    if groups.max() < FEWEST_ITEMS - 1:
        raise InputError(
            f"limits need judgments of {FEWEST_ITEMS} items, not of {int(groups.max()) + 1}"
        )
    rows = np.arange(len(preferences.outcome))
    design = np.zeros((len(rows), count))
    design[rows, preferences.first], design[rows, preferences.second] = 1.0, -1.0
    design = design[:, :-1] - design[:, -1:]  # the last score is less the sum of the others
    families = installed("statsmodels.genmod.families", "raters")
    models = installed("statsmodels.genmod.generalized_linear_model", "raters")
    model = models.GLM(preferences.outcome, design, family=families.Binomial())
    fitted = model.fit(tol=1e-12, cov_type="cluster", cov_kwds={"groups": groups})
    back = np.vstack([np.eye(count - 1), -np.ones(count - 1)])
    score = back @ fitted.params
    deviation = np.sqrt(np.diag(back @ fitted.cov_params() @ back.T))
    far = stdtrit(groups.max(), (1 + confidence_level) / 2) * deviation
    judged = np.bincount(np.concatenate([preferences.first, preferences.second]), minlength=count)
    return xr.Dataset(
        {
            "score": ("system", score),
            "lower": ("system", score - far),
            "upper": ("system", score + far),
            "judgments": ("system", judged),
        },
        coords={"system": preferences.systems},
        attrs=result_attrs(
            {},
            n=[len(rows)],
            counted=["judgments"],
            statistic="bradley-terry",
            confidence_level=confidence_level,
        ),
    )


def _check_connected(preferences: Preferences) -> None:
    """Refuse systems whose scores are infinite: no way of wins leads back from them."""
    size = len(preferences.systems)
    wins = np.zeros((size, size))
    np.add.at(wins, (preferences.first, preferences.second), preferences.outcome)
    np.add.at(wins, (preferences.second, preferences.first), 1 - preferences.outcome)
    parts, part = connected_components(wins, directed=True, connection="strong")
    if parts > 1:
        few = min((np.flatnonzero(part == k) for k in range(parts)), key=len)
        names = listed([preferences.systems[k] for k in few], 3)
        raise InputError(
            f"{names} won or lost every comparison with the others, or had none: such scores have "
            "no bound; leave them out"
        )


def preference_accuracy(preferences: Preferences, scores: xr.Dataset) -> xr.Dataset:
    """Measure how often metrics prefer what people prefer, without scores of people.

    Parameters
    ----------
    preferences : Preferences
        As `make_preferences` gives.
    scores : xarray.Dataset
        Scores of these systems; items are its segments. Its human scores are not used.

    Returns
    -------
    xarray.Dataset
        Along ``metric``: ``PA``, pairwise accuracy by which of two systems won more comparisons, of
        metrics' mean scores of the compared segments; ``acc_eq`` by each judgment, a metric's
        scores being tied within the ``threshold``, in the metric's units, that makes it largest.
        ``pairs``: how many pairs of systems PA rests on, those that won as many left out; NaN where
        there is none.

    Raises
    ------
    InputError
        If systems or items are not in the Scores, or a metric lacks scores of them.

    References
    ----------
    Kocmi et al. (2021), "To ship or not to ship", WMT (PA). Deutsch, Foster and Freitag (2023),
    "Ties matter", EMNLP (acc_eq).

    Examples
    --------
    >>> from supersample import load_example
    >>> scores = load_example()
    >>> a, b = scores["system"].values[:2]
    >>> made = make_preferences([a], [b], [scores["segment"].values[0]], [a])
    >>> preference_accuracy(made, scores)["pairs"].item()
    1
    """
    systems = [str(name) for name in scores["system"].to_numpy()]
    segments = [str(name) for name in scores["segment"].to_numpy()]
    check_names("system", preferences.systems, systems)
    check_names("segment", dict.fromkeys(preferences.item.tolist()), segments)
    places = np.array([systems.index(name) for name in preferences.systems])
    at = {name: k for k, name in enumerate(segments)}
    item = np.array([at[name] for name in preferences.item])
    sign = np.where(scores["higher_is_better"].to_numpy(), 1.0, -1.0)[:, np.newaxis]
    values = SCORE.of(scores)
    apart = sign * (
        values[:, places[preferences.first], item] - values[:, places[preferences.second], item]
    )
    if np.isnan(apart).any():
        lacking = scores["metric"].to_numpy()[np.isnan(apart).any(axis=1)]
        raise InputError(f"{listed(lacking, 3)} lacks scores of compared outputs; leave it out")
    wanted = np.sign(preferences.outcome - 0.5)
    votes, sums = _of_systems(preferences, wanted, apart)
    # each judgment is a group of two translations, the second of which has scores of 0
    human, *metrics = (np.stack([x, np.zeros_like(x)], axis=1).ravel() for x in (wanted, *apart))
    place = np.arange(human.size)
    flat = Flat(human, np.stack(metrics), np.arange(0, human.size + 1, 2), place, place)
    measure = TranslationMeasure("acc_eq")
    thresholds = measure.thresholds(flat)
    right = flat_parts(measure.code, flat, thresholds).sum(axis=1)
    with np.errstate(invalid="ignore"):
        of_pairs = (np.sign(sums) == np.sign(votes)).sum(axis=1) / np.float64(votes.size)
    return xr.Dataset(
        {
            "PA": ("metric", of_pairs),
            "acc_eq": ("metric", ratio(right)),
            "threshold": ("metric", thresholds),
            "pairs": votes.size,
        },
        coords={"metric": scores["metric"]},
        attrs=result_attrs(
            scores.attrs,
            n=[wanted.size],
            counted=["judgments"],
            statistic="PA,acc_eq",
            human="preferences",
        ),
    )


def _of_systems(preferences: Preferences, wanted: Floats, apart: Floats) -> tuple[Floats, Floats]:
    """Sum judgments, and metrics' differences, of every two systems; ties of people left out."""
    both = np.stack([preferences.first, preferences.second])
    turn = np.where(both[0] > both[1], -1.0, 1.0)
    _, pair = np.unique(np.sort(both, axis=0), axis=1, return_inverse=True)
    sums = np.stack([np.bincount(pair.ravel(), turn * each) for each in (wanted, *apart)])
    votes, *of_metrics = 1.0 * sums[:, sums[0] != 0]
    return votes, np.stack(of_metrics)
