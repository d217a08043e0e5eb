"""Rank people among the metrics, by gold standards that do not contain them."""

from collections.abc import Sequence
from typing import Any

import xarray as xr

from supersample.comparisons.compare import compare
from supersample.comparisons.scopes import new_texts
from supersample.errors import DegenerateScoreWarning, check_confidence_level, told_elsewhere
from supersample.execution.checksums import content_code
from supersample.inference.resampling.p_values import holm
from supersample.measures.base import Measure
from supersample.measures.registry import Measures, as_measures
from supersample.raters.golds import OTHERS, Gold, golds_of
from supersample.results.signature import result_attrs
from supersample.scores.contamination import refuse_parts
from supersample.scores.selection import keep_metrics, select_segments

SYSTEMS = "systems"
_COMPARED = ("value", "p_value", "larger_is_better", "systems", "segments")


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

    Returns
    -------
    xarray.Dataset
        Dims (measure, scorer), where scorers are people and metrics: ``value``, for metrics the
        mean over the gold standards; ``is_person``; ``people_below``, how many people have a worse
        value by the same gold standard. Dims (measure, scorer, person): ``difference``, the
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
    >>> found["people_below"].sel(scorer="weak-40").values.tolist()
    [0]
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
        found = [[_compared(of, measures, scope, options) for scope in scopes] for of in golds]
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
            how = {"confidence_level": options["confidence_level"]}
        found.append(compare(gold.scores, measure, **how)[[*_COMPARED]].drop_attrs())
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
        "value": every["value"].mean("person"),
        "people_below": (ahead > 0).sum("person"),
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
    value = of_scopes[0]["value"].reindex(metric=scorers)
    p = xr.concat([each["p_value"].reindex(metric=scorers) for each in of_scopes], "scope")
    own = value.sel(metric=person, drop=True)
    found = {
        "value": value,
        "person_value": own,
        "difference": (value - own).where(value["metric"] != person),
        "p_value": p.sel(other_metric=person, drop=True).where(p["metric"] != person),
    }
    return xr.Dataset(found, {"person": person, "gold": gold.name})
