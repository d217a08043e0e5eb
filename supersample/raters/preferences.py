"""Preferences: people's judgments which of two systems' outputs for an item is better."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from supersample.engine import Floats
from supersample.errors import InputError, check_confidence_level, check_names, listed, quoted
from supersample.execution.provenance import content_code
from supersample.execution.workers.local import installed
from supersample.inference.segments.statistics import Flat, flat_parts, ratio
from supersample.measures.translations import TranslationMeasure
from supersample.readers.judgments import TIE
from supersample.results.signature import result_attrs
from supersample.scores.schema import SCORE

FEWEST_ITEMS = 3


class Preferences(NamedTuple):
    """Judgments of pairs of outputs; see `make_preferences`."""

    systems: list[str]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    item: NDArray[np.str_]
    outcome: Floats
    """1 if the first output is better, 0 if the second is, 0.5 for a tie."""


def make_preferences(
    first: Iterable[str], second: Iterable[str], item: Iterable[str], better: Iterable[str]
) -> Preferences:
    """Make Preferences from judgments. Several annotators may judge the same pair.

    Parameters
    ----------
    first, second : iterable of str
        The two systems of each judgment.
    item : iterable of str
        Segment or prompt of the two outputs.
    better : iterable of str
        The system whose output is better, or "tie".

    Raises
    ------
    InputError
        If lengths differ, a system is compared with itself, or ``better`` is a third system.

    Examples
    --------
    >>> made = make_preferences(["A", "A"], ["B", "B"], ["1", "2"], ["A", "tie"])
    >>> made.outcome.tolist()
    [1.0, 0.5]
    """
    columns = [[str(each) for each in column] for column in (first, second, item, better)]
    if len({len(column) for column in columns}) > 1 or not columns[0]:
        raise InputError("preferences need judgments, each of two systems, an item and an answer")
    rows = list(zip(columns[0], columns[1], columns[3], strict=True))
    for k, (a, b, answer) in enumerate(rows, start=1):
        if a == b:
            raise InputError(f"judgment {k} compares {quoted(a)} with itself")
        if answer not in (a, b, TIE):
            raise InputError(
                f"judgment {k} compares {quoted(a)} and {quoted(b)}, but answers {quoted(answer)}; "
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
    """Score systems from preferences by the Bradley-Terry model.

    The log odds that one system is judged better than another are the difference of their scores. A
    tie counts as half a win for each. Scores add up to 0. The limits come from a logistic
    regression (statsmodels) with standard errors clustered by item and Student's t quantiles,
    because judgments of one item depend on each other.

    Parameters
    ----------
    preferences : Preferences
        A result of `make_preferences`.
    confidence_level : float, default 0.95
        Level of the limits.

    Returns
    -------
    xarray.Dataset
        Dim (system): ``score``, ``lower``, ``upper`` (log odds), ``judgments`` (how many).

    Raises
    ------
    InputError
        If all judgments are ties; if fewer than three items were judged; if some systems always
        beat, or were never compared with, all the others, so that scores are infinite or
        unknown; or if statsmodels is missing (the extra ``raters``).

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
        raise InputError("all judgments are ties, so no system is better than another")
    groups = np.unique(preferences.item, return_inverse=True)[1]
    if groups.max() < FEWEST_ITEMS - 1:
        raise InputError(
            f"intervals need judgments of {FEWEST_ITEMS} items or more, not {int(groups.max()) + 1}"
        )
    rows = np.arange(len(preferences.outcome))
    design = np.zeros((len(rows), count))
    design[rows, preferences.first], design[rows, preferences.second] = 1.0, -1.0
    design = design[:, :-1] - design[:, -1:]  # the last score is minus the sum of the others
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
            scores=content_code(_judgments(preferences)),
            confidence_level=confidence_level,
        ),
    )


def _judgments(preferences: Preferences) -> xr.Dataset:
    """All that was judged, for checksums."""
    columns = preferences._asdict()
    names = {"systems": ("system", np.array(columns.pop("systems")))}
    return xr.Dataset({name: ("judgment", x) for name, x in columns.items()} | names)


def _check_connected(preferences: Preferences) -> None:
    """Refuse systems whose scores are infinite: the graph of wins is not strongly connected."""
    size = len(preferences.systems)
    wins = np.zeros((size, size))
    np.add.at(wins, (preferences.first, preferences.second), preferences.outcome)
    np.add.at(wins, (preferences.second, preferences.first), 1 - preferences.outcome)
    parts, part = connected_components(wins, directed=True, connection="strong")
    if parts > 1:
        few = min((np.flatnonzero(part == k) for k in range(parts)), key=len)
        names = listed([preferences.systems[k] for k in few], 3)
        raise InputError(
            f"{names} won or lost every comparison with the others, or had none, so their scores "
            "have no bound; leave them out"
        )


def preference_accuracy(preferences: Preferences, scores: xr.Dataset) -> xr.Dataset:
    """Measure how often metrics prefer the output that people prefer; needs no human scores.

    Parameters
    ----------
    preferences : Preferences
        A result of `make_preferences`.
    scores : xarray.Dataset
        Scores of these systems, whose segments are the items. Its human scores are not used.

    Returns
    -------
    xarray.Dataset
        Dim (metric). ``PA``, pairwise accuracy of systems: people order two systems by the number
        of comparisons won, a metric orders them by its mean scores of the compared segments.
        ``acc_eq``, accuracy over single judgments with ties: two scores are tied if they differ by
        at most ``threshold`` (in the metric's units), chosen to maximise the accuracy.
        ``pairs``: the number of pairs of systems in PA, without those that won equally often; PA is
        NaN if it is 0.

    Raises
    ------
    InputError
        If systems or items are not in the Scores, or a metric lacks the score of a compared output.

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
        raise InputError(f"leave out {listed(lacking, 3)}: scores of compared outputs are missing")
    wanted = np.sign(preferences.outcome - 0.5)
    votes, sums = _of_systems(preferences, wanted, apart)
    # each judgment is a group of two translations: the difference, and a score of 0
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
            scores=content_code({"metrics": scores, "people": _judgments(preferences)}),
        ),
    )


def _of_systems(preferences: Preferences, wanted: Floats, apart: Floats) -> tuple[Floats, Floats]:
    """Sum judgments and metric differences for each pair of systems, without people's ties."""
    both = np.stack([preferences.first, preferences.second])
    turn = np.where(both[0] > both[1], -1.0, 1.0)
    _, pair = np.unique(np.sort(both, axis=0), axis=1, return_inverse=True)
    sums = np.stack([np.bincount(pair.ravel(), turn * each) for each in (wanted, *apart)])
    votes, *of_metrics = 1.0 * sums[:, sums[0] != 0]
    return votes, np.stack(of_metrics)
