"""Conclusions for new texts (bootstrap over documents), new systems and new sets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.compare import Part, answered, compared_data, compared_parts
from supersample.comparisons.correlations.by_formula import compare_correlations, correlate
from supersample.comparisons.question import INPUTS, Question
from supersample.engine.hybrid_designs import Design, PairHybrids
from supersample.errors import InputError, plural, told_elsewhere
from supersample.execution.workers import AnyWorkers, connect
from supersample.hybrids.samples import hybrid_supersample
from supersample.inference.one_correlation import mean_interval
from supersample.inference.two_correlations.averages import FEWEST_SETS
from supersample.inference.two_correlations.fisher_jackknife import SYSTEM_METHOD
from supersample.measures.formulas import concluded_over_sets
from supersample.measures.registry import Measures
from supersample.measures.systems import Correlation
from supersample.presentation.labels import LEAD, NO_SYSTEMS, NO_TEXTS, is_grouped, names_of
from supersample.results.pairs import excludes_zero, is_significant
from supersample.results.ranks_and_clusters import rank, starred
from supersample.results.variables import PAIR, describe, result_attrs, result_variables, signed
from supersample.scores.outliers import outlier_names
from supersample.scores.selection import check_sizes, group_seed, named_scores, without_gaps
from supersample.scores.system_level import HYBRIDS, SETS, SYSTEMS, HumanMean, system_level_scores

FEWEST_DOCUMENTS = 5
METHOD = "zou2007"
"""Interval of a difference over hybrids of one group; its mean bounds the average."""
JACKKNIFE = "jackknife of systems"
OVER_SETS = "student over sets"
_TOLD = ("p_best", "p_simultaneous", "behind_lower", "behind_upper")
_LIMITS = ("lower", "upper", "difference_lower", "difference_upper")
"""Also told of one metric or two, which are answered in a sentence."""


def new_texts(
    scores: xr.Dataset | Mapping[str, xr.Dataset], by: str | None = None
) -> tuple[str | None, str]:
    """Name the unit of new texts: documents if they are known, else segments.

    Returns None, and the reason, if a group by this label has too few documents, or there are no
    segments.
    """
    parts = [scores] if isinstance(scores, xr.Dataset) else list(scores.values())
    whole = [part for part in parts if "segment" not in part.dims]
    if whole:
        return None, whole[0].attrs.get(NO_TEXTS, "system-level scores have no segments")
    known = ["document" in part.coords for part in parts]
    if not all(known):
        some = any(known)
        return (None, "only some sets have documents") if some else ("segments", "")
    fewest = min(_fewest_documents(part, by) for part in parts)
    if fewest >= FEWEST_DOCUMENTS:
        return "documents", ""
    each = f" in one {by or 'set'}" if by or len(parts) > 1 else ""
    told = f"{plural(fewest, 'documents')}{each}; at least {FEWEST_DOCUMENTS} are needed"
    return None, "each document is a group" if by == "document" else told


def _fewest_documents(scores: xr.Dataset, by: str | None) -> int:
    documents = scores["document"].to_numpy()
    if by is None or by not in scores.coords:
        return np.unique(documents).size
    groups = scores[by].to_numpy()
    return min(np.unique(documents[groups == group]).size for group in np.unique(groups))


def first_of(scores: xr.Dataset | Mapping[str, xr.Dataset]) -> xr.Dataset:
    """Scores, or those of the first set."""
    return scores if isinstance(scores, xr.Dataset) else next(iter(scores.values()))


def _averaged(scores: Any, compared: xr.Dataset) -> Any:
    """Keep the segments of the groups that a comparison averages, for all its conclusions."""
    if not compared.attrs.get("groups_left_out"):
        return scores
    of_groups = scores[compared.attrs["by"]].to_numpy().astype(str)
    return scores.isel(segment=np.isin(of_groups, compared["group"].to_numpy().astype(str)))


def with_new_texts(
    compared: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    human_mean: HumanMean = "ratings",
    **asked: Any,
) -> xr.Dataset:
    """Add the basis of new texts to comparisons of r.

    The values are those over the systems. Limits and conclusions come from the bootstrap over
    documents (see `compare`), and n counts documents. If texts are unknown, nothing is added.
    """
    scores = _averaged(scores, compared)
    question = Question(
        Correlation(human_mean), confidence_level=compared.attrs["confidence_level"], **asked
    )
    unit, why_not = new_texts(scores, question.by)
    one_sided = compared.attrs.get("alternative", "two-sided") != "two-sided"
    if one_sided or SYSTEM_METHOD not in compared["tested_by"]:
        return compared
    if unit is not None and "in_sets" in compared:
        unit, why_not = None, "only for the mean r of metrics that all sets have"
    if unit is None:
        return compared.assign_attrs({NO_TEXTS: why_not})
    with told_elsewhere(Warning):  # `compared` already warned about the scores
        drawn = answered(scores, question.over_new(unit, question.measures))
    [measure], test = names_of(drawn, "measure"), drawn["tested_by"].item()
    drawn = drawn.isel(measure=0, basis=0, drop=True).rename(units="n")
    known = [name for name in drawn if name in compared and "basis" in compared[name].dims]
    found = on_basis(compared, measure, unit, drawn[known], test)
    return found if "seed" in found.attrs else signed(found, seed=question.seed)


def with_new_systems(compared: xr.Dataset, parts: Sequence[Part], question: Question) -> xr.Dataset:
    """Add conclusions for new systems and for new sets to comparisons over several sets.

    The basis "systems", and with at least five sets "sets", follow the basis of each measure in
    `compared`; see `supersample.inference.two_correlations.averages`. Values that a measure lacks
    on a basis are NaN. The question is that of `compared`.
    """
    try:
        check_sizes(parts[0].groups.of)
    except InputError as error:
        return compared.assign_attrs({NO_SYSTEMS: str(error)})
    if ("swap", SYSTEMS) in question.ways:
        compared = _named_anew(compared, {SYSTEMS: f"swapped {SYSTEMS}"})
    few = len(parts[0].of) < FEWEST_SETS
    found = [
        {} if few and way.kind == "formula" else _over_sets(part, question.confidence_level)
        for part, way in zip(parts, question.ways, strict=True)
    ]
    for basis in (SYSTEMS, SETS):
        for part, way, each in zip(parts, question.ways, found, strict=True):
            if basis in each and (basis, way.kind) != (SYSTEMS, "formula"):  # it has concluded
                test = OVER_SETS if basis == SETS else (*part.measure.formulas, JACKKNIFE)[0]
                compared = on_basis(compared, part.measure.name, basis, each[basis], test)
    return compared


def _named_anew(compared: xr.Dataset, names: Mapping[str, str]) -> xr.Dataset:
    """Give bases other names."""
    bases = compared["basis"].to_numpy().astype(str).tolist()
    return compared.assign_coords(basis=[names.get(basis, basis) for basis in bases])


def _over_sets(part: Part, confidence_level: float) -> dict[str, xr.Dataset]:
    """Conclude for new systems and, with at least five sets, for new sets, by basis.

    Differences of errors have the opposite sign there. Single sets have no conclusion for new sets.
    """
    sets = part.measure.over_sets(part.of, part.groups.how)
    labels: dict[str, Any] = dict.fromkeys(PAIR, part.of[0].names)
    systems, new = concluded_over_sets(part.sign * part.values, sets, confidence_level)
    bases = {SYSTEMS: systems}
    if len(sets.weights) >= FEWEST_SETS:
        alone = {name: np.full((len(sets.weights), *x.shape), np.nan) for name, x in new.items()}
        bases[SETS] = {name: np.stack([x, *alone[name]]) for name, x in new.items()}
    found = {}
    for basis, each in bases.items():
        limits = (name for name in each if name.startswith(("difference_", "prediction_")))
        turned = {name: each[name].swapaxes(-1, -2) for name in limits if part.sign < 0}
        significant = is_significant(each["p_value"], 1.0 - confidence_level)
        variables = result_variables({**each, **turned, "significant": significant}, ("group",))
        found[basis] = xr.Dataset(variables, {**labels, "group": part.labels})
    return found


def concluded_over_texts(
    compared: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    parts: Sequence[Part],
    question: Question,
) -> xr.Dataset:
    """Conclude on all metrics by the bootstrap over new texts, if measures swap inputs.

    The null hypothesis of swapped inputs is that scores are exchangeable, so metrics of equal
    agreement are rejected too often; only p-values of pairs come from swaps. There is no conclusion
    if there are no or too few documents, or a measure has no bootstrap; otherwise the basis is
    named after the new texts. `parts` are the data of the comparison; they are prepared anew only
    if swaps left out segments.
    """
    unit, why_not = new_texts(scores, question.by)
    basis = unit or INPUTS
    parts = [x for x, way in zip(parts, question.ways, strict=True) if way.kind == "swap"]
    measures = [part.measure for part in parts]
    names = [each.name for each in measures]
    told_of = [*_TOLD, *_LIMITS] if compared.sizes["metric"] < 3 else [*_TOLD]
    drawn = compared[[name for name in told_of if name in compared]] * np.nan
    if unit is not None:
        with told_elsewhere(Warning):
            try:
                asked = question.over_new(unit, measures)
                if any(_swaps_left_out_segments(part) for part in parts):
                    parts = compared_data(scores, asked)
                drawn = compared_parts(parts, asked)[told_of]
            except InputError as error:
                unit, why_not = None, str(error)
    result = _named_anew(compared, {INPUTS: basis})
    for name in names:
        test = result["tested_by"].sel(measure=name, basis=basis).item()
        result = on_basis(result, name, basis, drawn.sel(measure=name).isel(basis=0), test)
    leads = names_of(compared, "measure")[0] in names
    told = {NO_TEXTS: why_not} if leads and unit is None else {}
    over = (unit or "nothing") if leads else SYSTEMS
    return signed(result, concluded_over=over).assign_attrs(told)


def _swaps_left_out_segments(part: Part) -> bool:
    """Whether data for swaps lack segments that values over systems use; see `complete_cases`."""
    attrs = part.groups.attrs, *(each.attrs for each in part.groups.of.values())
    masks = [str(each.get("mask")) for each in attrs]
    return part.measure.level == "systems" and any(", complete" in mask for mask in masks)


def compare_over_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    n: int | None = 10_000,
    design: Design | None = None,
    human_mean: HumanMean = "ratings",
    workers: AnyWorkers = "threads",
    progress: bool = False,
    **asked: Any,
) -> xr.Dataset:
    """Compare metrics in several language pairs, domains or documents, and on average.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, with `by`; or (system-level) Scores of several language pairs, by name.
    n : int or None, default 10_000
        Number of hybrids of each group; None for correlations over the original systems only.
    design, human_mean, workers, progress
        As in `hybrid_supersample`.
    **asked
        Further parts of the `Question`: ``by``, the label of segments that splits one set of Scores
        into groups; ``weights`` of groups in the average, by default 1, as in the WMT metrics task;
        ``in_at_least``, to compare the metrics of at least this many groups, each over the groups
        that have it, and a pair over the groups that have both; ``mask`` ("common" by default),
        ``confidence_level``, and the ``seed`` of the hybrids: a group's seed depends on it and on
        the group's name.

    Returns
    -------
    xarray.Dataset
        Dims (measure, basis, group, metric), the average first; by default for the metrics of all
        groups: ``n``, ``value``, ``lower``, ``upper``. Dims (..., metric, other_metric):
        ``difference``, ``difference_lower``, ``difference_upper`` and ``significant``. Over
        systems, the test is fisher-jackknife in a group and `average_difference` for the average,
        with ``p_value``, ``p_simultaneous`` (adjusted for all pairs; for the average by Holm) and
        ``p_best`` (metric), the p-value of the hypothesis that the metric is among the best;
        significant means unadjusted p <= 1 - confidence_level. Over hybrids, limits are Zou's;
        p-values are NaN, and a difference is significant if its limits exclude 0. `rank` accepts
        the result.

    Raises
    ------
    InputError
        If the groups have nothing in common, or hybrids are asked for from system-level scores; and
        as `hybrid_supersample` and `compare_correlations`.

    Notes
    -----
    Systems are clusters: systems of one name are one system in all groups, so their errors in the
    groups are dependent (see `supersample.inference.two_correlations.averages`). One file under two
    names gives the same conclusions as one file; groups with different systems are independent. n
    of the average counts different systems. Hybrids are drawn in each group separately; limits over
    them measure Monte-Carlo precision. With five groups or more, the basis "sets" gives conclusions
    for new language pairs (sets, domains, documents): the groups are a sample of groups. There
    ``tau``, the standard deviation of the true difference between groups, ``i_squared``,
    ``prediction_lower`` and ``prediction_upper`` say how much it varies.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12.

    Examples
    --------
    >>> from supersample import load_example
    >>> of_four = load_example().isel(segment=slice(40))
    >>> groups = compare_over_groups(of_four, by="document", n=None)
    >>> groups["group"].values[:3].tolist()
    ['average', 'document-01', 'document-02']
    """
    question = Question(Correlation(human_mean), **asked)
    by, mask = question.by, question.mask or "common"
    if isinstance(scores, xr.Dataset):
        if by is None:
            raise InputError("one set of Scores is one group; split it by domain or document")
        if "segment" not in scores.dims:
            raise InputError(f"system-level scores have no segments to group by {by}")
        scores = without_gaps(scores, by)
    else:
        scores = named_scores(scores, by)
    [part] = parts = compared_data(scores, question)
    groups = part.groups
    check_sizes(groups.of)
    compared = with_new_systems(compared_parts(parts, question), parts, question)
    in_another_form = ["p_holm", "systems", "segments", "larger_is_better"]
    result = compared.drop_vars(in_another_form, errors="ignore")
    sizes = [len(each) for each in groups.how.systems]
    different = np.unique(np.concatenate(groups.how.systems)).size
    counted = {SYSTEMS: [different, *sizes], SETS: [len(sizes), *np.ones_like(sizes)]}
    counts = [[counted[basis] for basis in names_of(result, "basis")]]
    rests_on = groups.how.weights_of_pairs(result.sizes["metric"]) > 0
    of_metrics = {"sets": rests_on.sum(axis=0)}
    if groups.present is not None:
        of_metrics["in_sets"] = groups.present.sum(axis=0)
    result = result.assign(result_variables({"n": counts}, LEAD))
    result = result.assign(result_variables(of_metrics))
    facts: dict[str, Any] = {"in_at_least": question.in_at_least}
    if not groups.one_set:
        means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
        far = {
            name: outlier_names(system_level_scores(x, **means) if "segment" in x.dims else x)
            for name, x in groups.of.items()
        }
        facts["outliers"] = "; ".join(f"{x} ({name})" for name, x in far.items() if x)
    if n is not None:
        build = {"n": n, "design": design or PairHybrids(), "progress": progress}
        build |= {"mask": mask, "human_mean": human_mean}
        drawn = groups.of if isinstance(scores, xr.Dataset) else scores
        with connect(workers) as client:
            hybrids = _over_hybrids(drawn, result, part, question, {**build, "workers": client})
        result = on_basis(result, part.measure.name, HYBRIDS, hybrids, METHOD)
        facts |= {"design": describe(build["design"]), "hybrids": n}
    return _with_facts(result, facts)


def _over_hybrids(
    scores: Mapping[str, xr.Dataset],
    compared: xr.Dataset,
    part: Part,
    question: Question,
    build: dict[str, Any],
) -> xr.Dataset:
    """Compare r over hybrids of each group, and its average over groups that are independent."""
    level, how = question.confidence_level, part.groups.how
    found = []
    for name, own in scores.items():
        try:
            sample = hybrid_supersample(own, seed=group_seed(question.seed, name), **build)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
        with told_elsewhere():  # the average warns of reversed and undefined metrics
            r = correlate(sample, bases=[HYBRIDS], confidence_level=level)
            r = _reindexed(r, **dict.fromkeys(PAIR, compared["metric"].to_numpy()))
            compared_r = compare_correlations(r, method=METHOD, confidence_level=level)
            found.append(compared_r.isel(dict.fromkeys(LEAD, 0)))
    of = {name: np.stack([each[name].to_numpy() for each in found]) for name in _OF_HYBRIDS}
    difference = how.differences(of["value"])
    same = compared["identical"].to_numpy()[0] & ~np.isnan(difference)
    of["difference"] = np.where(of["difference"] == 0, 0.0, difference[1:])
    mean = {"value": how.averages(of["value"]), "difference": difference[0], "n": of["n"].sum()}
    metrics = len(same[0])
    value, lower, upper = (of[name] for name in ("value", "lower", "upper"))
    mean["lower"], mean["upper"] = mean_interval(value, lower, upper, how.weights_of(metrics))
    apart, lower, upper = (of[f"difference{end}"] for end in ("", "_lower", "_upper"))
    limits = mean_interval(apart, lower, upper, how.weights_of_pairs(metrics))
    for name, limit in zip(("difference_lower", "difference_upper"), limits, strict=True):
        mean[name] = np.where(same[0], 0.0, limit)
    mean["significant"] = excludes_zero(mean["difference_lower"], mean["difference_upper"])
    stacked = {name: np.stack([mean[name], *of[name]]) for name in _OF_HYBRIDS}
    labels: dict[str, Any] = {dim: compared[dim] for dim in ("group", *PAIR)}
    return xr.Dataset(result_variables(stacked, ("group",)), labels)


_OF_HYBRIDS = (
    *("n", "value", "lower", "upper"),
    *("difference", "difference_lower", "difference_upper", "significant"),
)


def _with_facts(result: xr.Dataset, facts: dict[str, Any]) -> xr.Dataset:
    """Add the attributes of a comparison of r in groups, and its signature."""
    groups = result.sizes["group"] - 1
    facts = facts | {
        "statistic": f"pearson, arithmetic mean over {groups} groups",
        "method": METHOD if "hybrids" in facts else SYSTEM_METHOD,
        "systems_method": SYSTEM_METHOD,
        "interval": SYSTEM_METHOD,
        "coefficient": "pearson",
    }
    facts = {**result.attrs, **{name: value for name, value in facts.items() if value is not None}}
    del facts["significance_level"]
    n = [groups, *([facts["hybrids"]] if "hybrids" in facts else [])]
    kept = {name: value for name, value in facts.items() if value != ""}
    result.attrs = result_attrs(kept, n=n, counted=["groups", "hybrids each"][: len(n)])
    return result


def on_basis(
    compared: xr.Dataset, measure: str, basis: str, found: xr.Dataset, test: str
) -> xr.Dataset:
    """Add what a measure concludes on a basis, along groups and metrics, to a comparison.

    Values and differences that `found` lacks are those of the leading basis; other numbers that
    are not known are NaN, and flags False.
    """
    at = {"measure": measure, "basis": basis}
    leading = next((x for x in names_of(compared, "basis") if x != HYBRIDS), HYBRIDS)
    like = compared.sel(basis=leading)
    bases = list(dict.fromkeys([*names_of(compared, "basis"), basis]))
    tests = compared["tested_by"].to_pandas().reindex(columns=bases, fill_value="")
    tests.loc[measure, basis] = test
    result = _reindexed(compared.drop_vars("tested_by"), basis=bases).copy(deep=True)
    for name in ("value", "difference", "metric_r"):
        if name in result and basis not in compared["basis"]:
            result[name].loc[{"basis": basis}] = like[name].to_numpy()
    found = _reindexed(found, **{str(dim): compared[dim].to_numpy() for dim in found.dims})
    for name in map(str, found.data_vars):
        if name not in result:
            lead = result["difference" if "other_metric" in found[name].dims else "value"]
            result = result.assign({name: lead * np.nan})
        result[name].loc[at] = found[name].transpose(*result[name].dims[2:]).to_numpy()
    return result.assign_coords(tested_by=(LEAD[:2], tests.to_numpy().astype(str)))


def _reindexed(result: xr.Dataset, **labels: Any) -> xr.Dataset:
    """Give a result these labels; what it lacks is NaN, or False."""
    kinds = {name: x.dtype.kind for name, x in result.data_vars.items()}
    blank = {name: {"b": False, "i": 0}.get(kind, np.nan) for name, kind in kinds.items()}
    return result.reindex(labels, fill_value=blank)


def rank_by_measures(
    scores: xr.Dataset | Mapping[str, xr.Dataset], measure: Measures, **options: Any
) -> xr.Dataset:
    """Rank metrics by any measures, as `rank` does; options are those of `compare`.

    If two metrics swap inputs, conclusions on all metrics come from the bootstrap over new texts:
    swapped inputs test that scores are exchangeable, not that agreement is equal. Over several sets
    the result also has conclusions for new systems and for new sets.
    """
    question = Question(measure, **options)
    parts = compared_data(scores, question)
    compared = compared_parts(parts, question)
    scores = _averaged(scores, compared)
    if INPUTS in compared["basis"]:
        compared = concluded_over_texts(compared, scores, parts, question)
    if is_grouped(compared) and question.random is None and question.two_sided:
        compared = with_new_systems(compared, parts, question)
    return rank(starred(compared, first_of(scores)))
