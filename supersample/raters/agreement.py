"""People among the metrics: how well they agree, which ranks they have, and plans.

`plan_judge` takes the noise of a judge's agreement with people from their answers: over n items its
limits are those of `judge_agreement` with the standard error ``sqrt(v(k) / n)``, where k people
answer every item. Of the variance v of the agreement with one person, people share a part s (that
of the judge and of hard items), so ``v(k) = s + (v - s) / k``. `plan_campaign` takes the noise of
people from variance components.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from supersample.comparisons.compare import compare
from supersample.comparisons.scopes import new_texts
from supersample.engine import Floats
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    check_confidence_level,
    check_counted,
    check_names,
    listed,
    told_elsewhere,
)
from supersample.execution.checksums import content_code, keyed
from supersample.execution.workers import AnyWorkers
from supersample.inference.arguments import numbers_of
from supersample.inference.one_correlation import interval_of_r
from supersample.inference.p_values import holm
from supersample.inference.systems_needed import check_power, systems_needed
from supersample.inference.teams import teams_of
from supersample.inference.two_correlations.fisher_jackknife import jackknife_variance
from supersample.measures.base import Measure
from supersample.measures.registry import Measures, as_measures
from supersample.raters.golds import (
    OTHERS,
    Gold,
    check_people,
    golds_of,
    rated_by_all,
    scorer_values,
)
from supersample.raters.judges import (
    COLUMN,
    COMPARED,
    FEWEST_SHARED,
    Answers,
    Prepared,
    Scale,
    difference_from_people,
    noise_of_people,
    prepared,
    sides,
)
from supersample.results.variables import result_attrs
from supersample.scores.inspection import refuse_parts
from supersample.scores.ratings import standardised
from supersample.scores.schema import teams_of_systems
from supersample.scores.selection import keep_metrics, select_segments
from supersample.tolerances import TINY

EFFECTS = (
    "system",
    "segment",
    "rater",
    "system x segment",
    "system x rater",
    "segment x rater",
    "system x segment x rater",
)
"""Variance components of a score: main effects, then interactions; the last includes the noise."""
_AXES = {"s": (0, 2), "i": (0, 1), "r": (1, 2), "si": (0,), "sr": (2,), "ir": (1,), "sir": ()}
CORRECTION = 0.5
"""Share of Student's quantile in the limits of the correction for noise; chosen and confirmed by
`experiments/human_ceiling`."""
KNOWS = ("system", "translation")


@np.errstate(invalid="ignore")  # people who are opposites have a mean without variation
def reliability(
    scores: xr.Dataset, people: Sequence[str], *, confidence_level: float = 0.95
) -> xr.Dataset:
    """Measure how well people agree, and which r a metric can reach with them.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores with the people among their metrics. Metrics that lack the score of a translation
        are left out.
    people : sequence of str
        At least two raters. They are compared on the segments that all of them, and all metrics,
        scored for every system. Each rater's scores are standardised on the translations that all
        people scored, as `take_as_gold` does.
    confidence_level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    xarray.Dataset
        ``component`` (effect): variance components. Raters, systems and segments are all random
        effects; estimates below 0, which sampling error gives, are kept. ``system_r`` and
        ``translation_r`` (person, other_person): Pearson's r of two raters.
        ``ceiling`` (knows, raters): expected r over the systems of a metric that knows the true
        quality of each system, or of each translation of these segments; with one rater, and with
        the mean of all. Along metric: ``r`` with the mean of people; ``true_r``, that r corrected
        for the noise of raters and segments, with limits ``lower`` and ``upper``; NaN where
        people do not agree on systems by more than noise. ``metric_r``
        (metric, other_metric): r of two metrics over the systems.

    Raises
    ------
    InputError
        If a scorer does not exist, or fewer than two raters, four systems or two segments are left.

    Notes
    -----
    The limits of ``true_r`` are products: limits of r (fisher-jackknife) times limits of the
    correction (jackknife on its logarithm, with half of Student's quantile), and NaN of fewer than
    five teams. Their measured coverage is in `experiments/human_ceiling`.

    References
    ----------
    Brennan (2001), Generalizability Theory, sections 3.4 and 4.1. Spearman (1904), "The proof and
    measurement of association between two things", American Journal of Psychology 15.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = reliability(load_example(), ["strong-98", "strong-95"])
    >>> found["ceiling"].sel(knows="system").round(3).values.tolist()
    [0.924, 0.959]
    """
    check_confidence_level(confidence_level)
    every = check_people(scores, people)
    whole = np.asarray(np.isfinite(scorer_values(scores, every)).all(axis=(1, 2)))
    names = [name for name, kept in zip(every, whole, strict=True) if kept and name not in people]
    rated = rated_by_all(scores, people)
    values = _crossed(rated, people, names)
    _, systems, segments = values.shape
    if systems < 4:
        raise InputError(f"components need at least four systems, not {systems}")
    count = len(people)
    components = variance_components(values[:count])
    of_systems = values.mean(axis=2)
    mean = of_systems[:count].mean(axis=0)
    limits = true_correlations(values, count, confidence_level, teams=teams_of_systems(rated))
    flat = values[:count].reshape(count, -1)
    told: dict[str, Any] = {"kind": "reliability", "statistic": "reliability"}
    told |= {"human": ", ".join(people)}
    told |= {"mask": f"scored by all {segments}/{scores.sizes['segment']}"}
    told |= {"n": [systems, segments], "counted": ["systems", "segments"]}
    told |= {"confidence_level": confidence_level, "scores": content_code(scores)}
    ceilings = [ceiling(components, np.array([1, count]), segments, knows) for knows in KNOWS]
    variables: dict[str, Any] = {
        "component": ("effect", components),
        "system_r": (("person", "other_person"), np.corrcoef(of_systems[:count])),
        "translation_r": (("person", "other_person"), np.corrcoef(flat)),
        "ceiling": (("knows", "raters"), ceilings),
        "r": ("metric", np.atleast_2d(np.corrcoef(mean, of_systems[count:]))[0, 1:]),
        "metric_r": (("metric", "other_metric"), np.corrcoef(of_systems)[count:, count:]),
        **{name: ("metric", each) for name, each in zip(_LIMITS, limits, strict=True)},
        "systems": systems,
        "segments": segments,
    }
    coords = {"effect": list(EFFECTS), "knows": list(KNOWS), "raters": [1, count]}
    coords |= {"person": list(people), "other_person": list(people)}
    coords |= {"metric": names, "other_metric": names}
    return xr.Dataset(variables, coords, result_attrs(scores.attrs, **told))


_LIMITS = ("true_r", "lower", "upper")


def _crossed(rated: xr.Dataset, people: Sequence[str], metrics: Sequence[str]) -> Floats:
    """Give standardised scores (scorers, systems, segments) on segments where none is missing.

    They are standardised on all translations that the people share, as in `take_as_gold`.
    """
    names = [*people, *metrics]
    values = scorer_values(rated, names)
    shared = np.asarray(np.isfinite(values[: len(people)]).all(axis=0))
    whole = np.isfinite(values).all(axis=(0, 1))
    if whole.sum() < 2:
        raise InputError(
            f"{int(whole.sum())} segments have scores of every system by all of "
            f"{listed(names, 5)}; at least two are needed"
        )
    of_each = zip(values, names, strict=True)
    return np.stack([standardised(each, shared, name) for each, name in of_each])[:, :, whole]


def variance_components(ratings: Floats) -> Floats:
    """Variance components of crossed scores (raters, systems, segments), one score per cell.

    Returns
    -------
    ndarray, shape (7,)
        In the order of `EFFECTS`. Estimates below 0, which sampling error gives, are kept.

    References
    ----------
    Brennan (2001), Generalizability Theory, section 3.4: mean squares of the design p x i x h and
    their expected values.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> system, segment = 2 * rng.standard_normal((1, 300, 1)), rng.standard_normal((1, 1, 400))
    >>> found = variance_components(system + segment + 3 * rng.standard_normal((5, 300, 400)))
    >>> print(found.round(1) + 0.0)
    [3.4 1.  0.  0.  0.  0.  9. ]
    """
    raters, systems, segments = ratings.shape
    free = {"s": systems - 1, "i": segments - 1, "r": raters - 1}
    effects: dict[str, Floats] = {}
    mean = {}
    for name, axes in _AXES.items():
        own = ratings.mean(axis=axes, keepdims=True) - ratings.mean()
        for other, effect in effects.items():
            if set(other) < set(name):
                own = own - effect
        effects[name] = own
        degrees = np.prod([free[letter] for letter in name])
        mean[name] = float(ratings.size / own.size * (own**2).sum() / degrees)
    rest = mean["sir"]
    return np.array(
        [
            (mean["s"] - mean["si"] - mean["sr"] + rest) / (raters * segments),
            (mean["i"] - mean["si"] - mean["ir"] + rest) / (raters * systems),
            (mean["r"] - mean["sr"] - mean["ir"] + rest) / (systems * segments),
            (mean["si"] - rest) / raters,
            (mean["sr"] - rest) / segments,
            (mean["ir"] - rest) / systems,
            rest,
        ]
    )


def ceiling(
    components: Floats, raters: ArrayLike, segments: ArrayLike, knows: str = "system"
) -> Floats:
    """Give the expected r over systems of a metric without error, for these raters and segments.

    The metric knows the true quality of each "system", or of each "translation" of these segments.
    The numbers of raters and segments broadcast.

    Examples
    --------
    >>> components = np.array([4.0, 1.0, 0.0, 9.0, 0.1, 0.0, 9.0])
    >>> print(f"{ceiling(components, 1, 100):.3f} {ceiling(components, 1, 100, 'translation'):.3f}")
    0.967 0.978
    """
    system, both = np.maximum(components[[0, 3]], 0.0)
    known = system + (both / np.asarray(segments) if knows == "translation" else 0.0)
    every = system + error_variance(components, raters, segments)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(known / every))


def error_variance(components: Floats, raters: ArrayLike, segments: ArrayLike) -> Floats:
    """Variance of a system's mean around its true quality, for these raters and segments."""
    _, _, _, both, of_rater, _, rest = np.maximum(components, 0.0)
    k, length = numbers_of("raters", raters), numbers_of("segments", segments)
    return np.asarray(both / length + of_rater / k + rest / (k * length))


def true_correlations(
    values: Floats,
    count: int,
    level: float,
    *,
    teams: ArrayLike | None = None,
    share: float = CORRECTION,
) -> tuple[Floats, Floats, Floats]:
    """Correlate metrics with people over systems, corrected for noise, with limits.

    The limits are limits of r (see `interval_of_r`) times limits of the correction (jackknife on
    its logarithm, with a share of Student's quantile). `values` has shape (scorers, systems,
    segments): first `count` people, then metrics. The jackknife deletes each of the `teams` of
    systems; by default, each system is a team.
    """
    means, known = values.mean(axis=2), teams_of(teams)
    unit_of = np.arange(values.shape[1]) if known is None else known.numbers
    r, true = _corrected(values, count)
    left_out = (np.flatnonzero(unit_of == k) for k in range(unit_of.max() + 1))
    without = [_corrected(np.delete(values, which, axis=1), count) for which in left_out]
    of_r, of_true = (np.stack(each) for each in zip(*without, strict=True))
    t = stdtrit(len(without) - 1, (1 + level) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor, changed = np.log(np.abs(true / r)), np.log(np.abs(of_true / of_r))
    changed = np.where(np.isnan(changed), factor, changed)
    most = share * t * np.sqrt(jackknife_variance(changed, factor, known))
    least, largest = np.exp(np.maximum(factor - most, 0)), np.exp(factor + most)
    scores = np.column_stack([means[:count].mean(axis=0), means[count:].T])
    lower, upper = interval_of_r(scores, teams=teams, confidence_level=level) if r.size else (r, r)
    lower = lower * np.where(lower > 0, least, largest)
    upper = upper * np.where(upper > 0, largest, least)
    return np.clip(true, -1, 1), np.clip(lower, -1, 1), np.clip(upper, -1, 1)


def _corrected(values: Floats, count: int) -> tuple[Floats, Floats]:
    """Give r of each metric with the mean of people, and corrected for noise; NaN if undefined.

    The covariance of two scorers without the segments' noise is (MP_system - MP_rest) / segments.
    Between two raters it is the variance of people, which is free of the raters' noise as well.
    """
    _, systems, segments = values.shape
    centred = values - values.mean(axis=1, keepdims=True)
    mean = centred.mean(axis=2)
    gold = mean[:count].mean(axis=0)
    r = mean[count:] @ gold / np.sqrt((mean[count:] ** 2).sum(axis=1) * (gold @ gold))
    between = segments * mean @ mean.T / (systems - 1)
    flat = centred.reshape(len(values), -1)
    rest = (flat @ flat.T / (systems - 1) - between) / (segments - 1)
    covariance = (between - rest) / segments
    people = covariance[:count, :count]
    of_people = (people.sum() - np.trace(people)) / (count * (count - 1))
    own = np.diag(covariance)[count:]
    bottom = np.where((own > 0) & (of_people > 0), own * of_people, np.nan)
    return np.asarray(r), np.asarray(covariance[count:, :count].mean(axis=1) / np.sqrt(bottom))


SYSTEMS = "systems"
_COMPARED = ("value", "lower", "upper", "p_value", "larger_is_better", "systems", "segments")


def rank_raters(
    scores: xr.Dataset,
    people: Sequence[str],
    measure: Measures = "pearson",
    *,
    gold: str = OTHERS,
    allowed: Sequence[str] = (),
    resamples: int = 999,
    seed: int = 0,
    confidence_level: float = 0.95,
    workers: AnyWorkers = "threads",
) -> xr.Dataset:
    """Rank people among the metrics by how well they agree with other people.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores with the people among their metrics; `add_metric` adds people. The human scores are
        not used.
    people : sequence of str
        At least two raters. They are compared on the translations that all of them scored.
    measure : str, Measure or sequence of them, default "pearson"
        As in `agreement`.
    gold : str, default "others"
        A rater who is the gold standard; or "others": each rater is ranked by the mean of the other
        raters' standardised scores, and metrics by every such mean.
    allowed : sequence of str, default ()
        Metrics to rank although they are part of a gold standard.
    resamples : int, default 999
        Resamples of the bootstrap over documents (segments if documents are unknown) and systems.
    seed : int, default 0
        Seed of the bootstrap. Resample i depends only on the seed, i and the drawn unit.
    confidence_level : float, default 0.95
        p-values are significant up to 1 minus this level.
    workers : str, Workers or client, default "threads"
        Threads that compute; see `compare`.

    Returns
    -------
    xarray.Dataset
        Dims (measure, scorer), where scorers are people and metrics: ``value``, for metrics the
        mean over the gold standards; ``lower`` and ``upper``, its limits over new systems;
        ``is_person``; Dims (measure, scorer, person): ``difference``, the
        scorer's value minus this person's value by the same gold standard. ``scope`` says what is
        drawn: "documents" (or "segments" if there are fewer than five documents) and "systems".
        With ``scope``: ``p_value`` and ``p_holm`` (adjusted for all scorers and people of a measure
        and scope) of the differences, and ``better_than`` and ``worse_than``, whether the scorer
        is significantly better, or worse, than the person.
        ``person_value`` (measure, person); ``larger_is_better``, ``systems`` and ``segments``
        (measure); ``gold`` (person), the gold standard that ranks the person.

    Raises
    ------
    InputError
        If a rater does not exist, there are fewer than two raters, no translation was scored by
        all of them, or a metric is, or is part of, a gold standard.

    Notes
    -----
    For Pearson's r, p-values over systems are those of the test that `compare` uses. Other p-values
    come from Student's t with the bootstrap's standard deviation. The mean of several people has
    less noise than one person, so values by a single person are lower for every scorer.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = rank_raters(load_example(), ["strong-95", "good-90", "fair-70"], resamples=99)
    >>> found["difference"].sel(scorer="weak-40").max().item() < 0
    True
    """
    check_confidence_level(confidence_level)
    measures = as_measures(measure)
    golds = golds_of(scores, people, gold)
    metrics = [str(x) for x in scores["metric"].to_numpy() if x not in people]
    refuse_parts([keep_metrics(each.scores, metrics) for each in golds], tuple(allowed))
    unit, _ = new_texts(golds[0].scores)
    scopes = [unit, SYSTEMS] if unit else [SYSTEMS]
    options: dict[str, Any] = {
        "resamples": resamples,
        "seed": seed,
        "confidence_level": confidence_level,
    }
    with told_elsewhere(DegenerateScoreWarning):
        found = [
            [_compared(of, measures, scope, {**options, "workers": workers}) for scope in scopes]
            for of in golds
        ]
    ranked = [name for of in golds for name in of.people]
    options |= {"scores": content_code(scores)}
    return _result(golds, found, [*ranked, *metrics], options, scopes)


def _compared(
    gold: Gold, measures: Sequence[Measure], scope: str, options: dict[str, Any]
) -> xr.Dataset:
    """Compare all scorers by one gold standard; Pearson's r over systems by a test of its own."""
    found = []
    for measure in measures:
        how = {"random": scope, "method": "student", **options}
        if measure.formulas and scope == SYSTEMS:
            how = {name: options[name] for name in ("confidence_level", "workers")}
        compared = compare(gold.scores, measure, **how).isel(basis=0, group=0, drop=True)
        found.append(compared[[*_COMPARED]].drop_vars("tested_by").drop_attrs())
    return xr.concat(found, "measure")


def _result(
    golds: Sequence[Gold],
    found: Sequence[Sequence[xr.Dataset]],
    scorers: Sequence[str],
    options: dict[str, Any],
    scopes: Sequence[str],
) -> xr.Dataset:
    """Combine the results by each gold standard, person by person."""
    first = found[0][0]
    of_people = [
        _beside(name, gold, of_scopes, scorers)
        for gold, of_scopes in zip(golds, found, strict=True)
        for name in gold.people
    ]
    every = xr.concat(of_people, "person", coords=["gold"])
    every = every.rename(metric="scorer").transpose("measure", "scope", "person", "scorer")
    pairs = [["person", "scorer"]]
    every["p_holm"] = xr.apply_ufunc(
        holm, every["p_value"], input_core_dims=pairs, output_core_dims=pairs, vectorize=True
    )
    ahead = every["difference"].where(first["larger_is_better"], -every["difference"])
    evidence = every["p_holm"] <= round(1 - options["confidence_level"], 12)
    worse, better = (evidence & (side > 0) for side in (-ahead, ahead))
    facts = result_attrs(
        golds[0].scores.attrs,
        n=[int(first["systems"][0])],
        counted=[SYSTEMS],
        kind="raters",
        statistic=",".join(first["measure"].to_numpy()),
        human=", ".join(dict.fromkeys(gold.name for gold in golds)),
        mask=select_segments(golds[0].scores, "all").attrs["mask"],
        **options,
    )
    variables = {
        **{name: every[name].mean("person") for name in ("value", "lower", "upper")},
        "better_than": better,
        "worse_than": worse,
        **{name: first[name] for name in ("larger_is_better", "systems", "segments")},
    }
    people = every["scorer"].isin(every["person"]).to_numpy()
    coords = {"scope": list(scopes), "is_person": ("scorer", people)}
    return every.assign(variables).assign_coords(coords).assign_attrs(facts)


def _beside(
    person: str, gold: Gold, of_scopes: Sequence[xr.Dataset], scorers: Sequence[str]
) -> xr.Dataset:
    """Compare every scorer with a person, by the same gold standard."""
    value, *_ = (each["value"].reindex(metric=scorers) for each in of_scopes)
    lower, upper = (of_scopes[-1][name].reindex(metric=scorers) for name in ("lower", "upper"))
    p = xr.concat([each["p_value"].reindex(metric=scorers) for each in of_scopes], "scope")
    own = value.sel(metric=person, drop=True)
    found = {
        "value": value,
        "lower": lower,
        "upper": upper,
        "person_value": own,
        "difference": (value - own).where(value["metric"] != person),
        "p_value": p.sel(other_metric=person, drop=True).where(p["metric"] != person),
    }
    return xr.Dataset(found, {"person": person, "gold": gold.name})


RATERS = (1, 2, 3, 5)
MOST_UNITS = 100_000
_LARGEST = 0.9999


def plan_judge(
    answers: Answers,
    judge: str,
    people: Sequence[str] = (),
    *,
    width: float | None = None,
    power: float = 0.8,
    raters: Sequence[int] = (),
    scale: Scale | None = None,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Find how many items, and people for each, show how well a judge agrees with people.

    Parameters
    ----------
    answers, judge, people, scale
        As in `judge_agreement`: answers that show how much agreement varies between items.
    width : float, optional
        Width that the interval of the judge's agreement with people is to have. By default the
        question is another one: how many items show that the judge agrees with people better, or
        worse, than people with each other, if the difference is as large as here.
    power : float, default 0.8
        Chance that this difference is shown.
    raters : sequence of int, optional
        With a width: numbers of people who answer every item. By default those of `answers`, and 1,
        2, 3 and 5 if at least two people answered the same items.
    confidence_level : float, default 0.95
        Level of the interval.

    Returns
    -------
    xarray.Dataset
        Dims (statistic, raters): ``units_needed``, the number of items (of segments, if items are
        pairs of a system and a segment), NaN if more than 100,000 are. Along statistic: ``value``,
        the judge's agreement with people, or the difference; ``noise_error``, the relative standard
        error of the variance that the width follows from. Attributes: ``unit``,
        ``items_of_a_unit``, ``answered`` and ``units`` say what was counted.

    Raises
    ------
    InputError
        As `judge_agreement`; or if fewer than ten items are shared, all agree, people answered no
        item in common and several raters or a difference are asked for, or a number is out of
        range.

    Notes
    -----
    Items are independent, people are like these on average, and all answer every item. The width
    is that of an average sample; half of the samples have a wider interval.

    Examples
    --------
    >>> people = {f"p{k}": {i: (i + (i % 7 == k)) % 3 for i in range(60)} for k in range(3)}
    >>> answers = {**people, "judge": {i: i % 3 for i in range(60)}}
    >>> found = plan_judge(answers, "judge", width=0.1, raters=[1, 3])
    >>> found["units_needed"].sel(statistic="weighted kappa").values.tolist()
    [733.0, 186.0]
    """
    check_confidence_level(confidence_level)
    check_power(power)
    if width is not None and not 0 < width < 1:
        raise InputError(f"a width is a number between 0 and 1, such as 0.1, not {width}")
    check_counted("raters", *(raters or [1]))
    of = prepared(answers, judge, people, scale)
    here = np.isfinite(of.values[0]) & np.isfinite(of.values[1:]).any(axis=0)
    unit = "segments" if (units := np.unique(of.units[here]).size) < here.sum() else "items"
    if units < FEWEST_SHARED:
        raise InputError(f"{units} {unit} are too few to plan from; {FEWEST_SHARED} are needed")
    sizes = np.arange(FEWEST_SHARED, MOST_UNITS + 1)
    t, count = stdtrit(sizes - 1, (1 + confidence_level) / 2), len(of.values) - 1
    if width is None:
        value, enough = _differences_shown(of, sizes, t, power)
        raters, error = [count], np.full(3, np.nan)
    else:
        value, variances, error, raters = _variances(of, raters or _tried_raters(of))
        enough = _narrow(value, variances, sizes, t, width)
    first = np.where(enough.any(axis=-1), sizes[enough.argmax(axis=-1)], np.nan)
    columns = [COLUMN[name] for name in of.shown]
    told: dict[str, Any] = {"kind": "judge-plan", "judge": judge, "width": width, "power": power}
    told |= {"statistic": of.shown[0], "human": ", ".join([*of.given][1:]), "people": count}
    told |= {"compared": COMPARED[0 if width else 2], "unit": unit, "scale": of.scale}
    told |= {"items_of_a_unit": here.sum() / units, "confidence_level": confidence_level}
    told |= {"answered": int(here.sum()), "units": units, "scores": of.code()}
    told["settings"] = keyed(width=width, power=power, raters=list(raters))[:8]
    counts: dict[str, Any] = {"n": [int(here.sum()), units], "counted": ["items", "units"]}
    variables: dict[str, Any] = {"value": ("statistic", value[columns])}
    variables |= {"noise_error": ("statistic", error[columns])}
    variables |= {"units_needed": (("statistic", "raters"), first[columns])}
    coords = {"statistic": list(of.shown), "raters": list(raters)}
    return xr.Dataset(variables, coords, result_attrs({}, **counts, **told))


def _tried_raters(of: Prepared) -> list[int]:
    """Numbers of people to try: one, or several if two people answered the same items."""
    together = np.isfinite(of.values[1:]).sum(axis=0) > 1
    return sorted({*RATERS, len(of.values) - 1}) if together.any() else [1]


def _variances(of: Prepared, raters: Sequence[int]) -> tuple[Floats, Floats, Floats, list[int]]:
    """Agreement with a person, its variance a unit by (statistic, raters), and that one's error."""
    value, own, shared, error = noise_of_people(of)
    tried = sorted(set(raters))
    if tried[-1] > 1 and np.isnan(shared).all():
        raise InputError(
            "no two people answered the same items, which would show what more people for an item "
            "bring; plan for one (raters 1)"
        )
    shared, count = np.nan_to_num(shared)[:, np.newaxis], len(of.values) - 1
    own, most = own[:, np.newaxis], np.maximum(np.array(tried), count)
    of_all = shared + (own - shared) / count
    # people who disagree on different items share less than nothing, which more do not go on with
    least = of_all * count / most
    variances = np.maximum(np.maximum(shared + (own - shared) / np.array(tried), least), TINY)
    return value, variances, error, tried


def _narrow(value: Floats, variances: Floats, sizes: Any, t: Any, width: float) -> Any:
    """Whether limits are at most this far apart, (statistic, raters, sizes)."""
    errors = np.sqrt(variances[..., np.newaxis] / sizes)
    slope = np.where(np.abs(value) < 1, 1.0 - value**2, np.nan)  # of Fisher's z; none at 1 exactly
    errors[::2] /= slope[::2, np.newaxis, np.newaxis]  # r and kappa
    apart = []
    for k in range(variances.shape[1]):
        lower, upper = sides(value[:, np.newaxis], errors[:, k], t, sizes)
        apart.append(upper - lower)
    return np.stack(apart, axis=1) <= width


def _differences_shown(of: Prepared, sizes: Any, t: Any, power: float) -> tuple[Floats, Any]:
    """Difference of the judge's and people's agreement, and whether sizes show it with power."""
    whole, variance, units = difference_from_people(of.values, of.coded, of.units)
    if units < FEWEST_SHARED or np.isnan(whole).all():
        raise InputError(
            "two people who answered the same items are needed, to compare the judge with them; or "
            "ask for an interval (width 0.1)"
        )
    least = (t + ndtri(power)) * np.sqrt(variance[:, np.newaxis] / sizes)
    return whole, (np.abs(whole)[:, np.newaxis] >= least)[:, np.newaxis]


def plan_campaign(
    measured: xr.Dataset,
    first: str,
    second: str,
    *,
    raters: Sequence[int] = RATERS,
    segments: Sequence[int] = (100, 200, 500, 1_000),
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Find how many systems a campaign needs to tell two metrics apart, by raters and segments.

    Parameters
    ----------
    measured : xarray.Dataset
        A result of `reliability`.
    first, second : str
        Two metrics of this result.
    raters, segments : sequence of int
        Numbers of raters and of segments to try. Every rater judges every segment.
    power : float, default 0.8
        Chance that the difference is found.
    confidence_level : float, default 0.95
        1 minus the significance level of the two-sided test.

    Returns
    -------
    xarray.Dataset
        Dims (raters, segments). ``ceiling``: the expected r of a metric that knows each system's
        true quality. ``first_r``, ``second_r``: the expected r of the two metrics, below 1.
        ``systems_needed``: the number of systems.

    Raises
    ------
    InputError
        If a metric does not exist, both agree equally with people, or a number is out of range.

    Notes
    -----
    The expected r is the r in `measured` times the ratio of the ceilings. The noise that segments
    cause in the metrics' scores is kept as measured. `systems_needed` is the number with which
    `compare` has this power for normally distributed scores; see
    `supersample.inference.two_correlations.fisher_jackknife`.

    Examples
    --------
    >>> from supersample import load_example
    >>> from supersample.raters import reliability
    >>> measured = reliability(load_example(), ["strong-98", "strong-95"])
    >>> plan = plan_campaign(measured, "good-90", "weak-40", raters=[1, 3], segments=[100])
    >>> plan["systems_needed"].values.ravel().tolist()
    [27.0, 22.0]
    """
    check_power(power)
    check_confidence_level(confidence_level)
    for what, numbers in (("raters", raters), ("segments", segments)):
        check_counted(what, *numbers)
    names = [str(name) for name in measured["metric"].to_numpy()]
    check_names("metric", [first, second], names)
    components = measured["component"].to_numpy()
    here = ceiling(components, measured.sizes["person"], int(measured["segments"]))
    both = measured["r"].sel(metric=[first, second]).to_numpy()
    between = float(measured["metric_r"].sel(metric=first, other_metric=second))
    if np.isnan(here) or np.ptp(both) < 1e-12:
        raise InputError(f"{first} and {second} agree equally with people; choose two that differ")
    k, length = np.meshgrid(raters, segments, indexing="ij")
    best = ceiling(components, k, length)
    a, b = np.clip(both[:, np.newaxis, np.newaxis] * best / here, -_LARGEST, _LARGEST)
    far = _LARGEST * np.sqrt((1 - a**2) * (1 - b**2))  # largest possible r between the metrics
    possible = np.clip(between, a * b - far, a * b + far)
    needed = systems_needed(a, b, possible, power=power, confidence_level=confidence_level)
    columns = {"ceiling": best, "first_r": a, "second_r": b, "systems_needed": needed}
    coords = {"raters": list(raters), "segments": list(segments), "first": first, "second": second}
    told: dict[str, Any] = {"kind": "campaign", "statistic": "campaign", "power": power}
    told |= {"confidence_level": confidence_level, "n": [int(measured["systems"])]}
    attrs = result_attrs(measured.attrs, counted=["systems"], **told)
    every = {name: (("raters", "segments"), each) for name, each in columns.items()}
    return xr.Dataset(every, coords, attrs)
