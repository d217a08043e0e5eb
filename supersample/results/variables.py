"""The variables of results, each declared once, and the signature: how a result was computed."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.scores.schema import Variable

METRIC = ("metric",)
PAIR = ("metric", "other_metric")

_DECLARATIONS = (
    Variable("n", (), "iu", "1", "number of what the basis counts"),
    Variable("value", METRIC, "f", "1", "agreement with the human scores by the measure"),
    Variable("r", METRIC, "f", "1", "correlation with the human scores"),
    Variable("lower", METRIC, "f", "1", "lower confidence limit"),
    Variable("upper", METRIC, "f", "1", "upper confidence limit"),
    Variable("undefined", METRIC, "iu", "replicates", "replicates without a correlation"),
    Variable("mae", METRIC, "f", "label", "mean absolute error"),
    Variable("rmse", METRIC, "f", "label", "root mean squared error"),
    Variable("accuracy", METRIC, "f", "1", "pairwise accuracy, from 0 to 1"),
    Variable("threshold", METRIC, "f", "metric score", "differences up to this are ties"),
    Variable("undefined_groups", METRIC, "iu", "groups", "groups without a value, left out"),
    Variable("translations", (), "iu", "translations", "number of translations"),
    Variable("systems", (), "iu", "systems", "number of systems"),
    Variable("segments", (), "iu", "segments", "number of segments"),
    Variable("larger_is_better", (), "b", "1", "whether larger values mean better agreement"),
    Variable("higher_is_better", METRIC, "b", "1", "whether larger scores are better"),
    Variable("baseline", METRIC, "b", "1", "whether the metric is a baseline of the organizers"),
    Variable("contrastive", METRIC, "b", "1", "whether it is not a primary submission"),
    Variable("reference_free", METRIC, "b", "1", "whether it uses only the source"),
    Variable("average_rank", METRIC, "f", "1", "weighted mean over tasks of the cluster"),
    Variable("weight", (), "f", "1", "weight of the task in the average"),
    Variable("metric_r", PAIR, "f", "1", "correlation of two metrics with each other"),
    Variable("prediction_r", PAIR, "f", "1", "correlation of the predictions of two systems"),
    Variable("identical", PAIR, "b", "1", "whether scores agree except for offset and scale"),
    Variable("sets", PAIR, "iu", "sets", "sets of the average that have both metrics"),
    Variable("difference", PAIR, "f", "1", "value of the metric minus that of the other one"),
    Variable("difference_lower", PAIR, "f", "1", "lower limit of the difference"),
    Variable("difference_upper", PAIR, "f", "1", "upper limit of the difference"),
    Variable("in_sets", METRIC, "iu", "sets", "sets that have the metric"),
    Variable("tau", PAIR, "f", "1", "standard deviation of the true difference between sets"),
    Variable("i_squared", PAIR, "f", "1", "share of tau in the variance of a set's difference"),
    Variable("prediction_lower", PAIR, "f", "1", "lower limit of the difference in a new set"),
    Variable("prediction_upper", PAIR, "f", "1", "upper limit of the difference in a new set"),
    Variable("statistic", PAIR, "f", "1", "test statistic of the difference"),
    Variable("p_value", PAIR, "f", "1", "p-value of the difference, unadjusted"),
    Variable("independent", PAIR, "f", "systems", "independent systems with the same variance"),
    Variable("p_holm", PAIR, "f", "1", "p-value adjusted by Holm's method"),
    Variable("units", (), "iu", "units", "number of drawn units, of the scarcest kind"),
    Variable("p_best", METRIC, "f", "1", "p-value of being the best, by comparisons with it"),
    Variable("behind_lower", METRIC, "f", "1", "least distance behind the best"),
    Variable("behind_upper", METRIC, "f", "1", "largest distance behind the best"),
    Variable("may_be_best", METRIC, "b", "1", "whether it could be best: by p_best and intervals"),
    Variable("p_simultaneous", PAIR, "f", "1", "p-value corrected for all pairs and p_best"),
    Variable("p_baseline", METRIC, "f", "1", "p-value against the baseline, adjusted by Holm"),
    Variable("differs", METRIC, "b", "1", "whether it differs from the baseline, adjusted"),
    Variable("not_worse", METRIC, "b", "1", "whether it is not worse by as much as the margin"),
    Variable("equivalent", METRIC, "b", "1", "whether the difference is within the margin"),
    Variable("systems_needed", METRIC, "f", "systems", "systems that would show the difference"),
    Variable("texts_needed", METRIC, "f", "texts", "texts that would show the difference"),
    Variable("significant", PAIR, "b", "1", "whether the difference is significant, unadjusted"),
    Variable("differs_adjusted", PAIR, "b", "1", "whether the two differ, corrected for all pairs"),
    Variable("rank", METRIC, "f", "1", "1 for the best value, equal for equal values"),
    Variable("mean", METRIC, "f", "score", "mean score of a system"),
    Variable("rank_first", METRIC, "iu", "1", "first rank that it can have, all at once"),
    Variable("rank_last", METRIC, "iu", "1", "last rank that it can have, all at once"),
    Variable("tie_groups", METRIC, "U", "1", "letters; two that share one do not differ"),
    Variable("published_p", PAIR, "f", "1", "p-value by a published rule"),
    Variable("published_first", METRIC, "f", "1", "first rank by a published rule"),
    Variable("published_last", METRIC, "f", "1", "last rank by a published rule"),
    Variable("published_cluster", METRIC, "f", "1", "cluster by a published rule"),
    Variable("wins_over", PAIR, "b", "1", "whether the metric is significantly better"),
    Variable("wins", METRIC, "iu", "metrics", "metrics that this one is significantly better than"),
    Variable("cluster", METRIC, "f", "1", "greedy significance cluster, from 1"),
    Variable("distinct_values", (), "iu", "values", "different values, to 10 decimals"),
    Variable("significant_pairs", (), "iu", "pairs", "pairs of metrics that differ significantly"),
    Variable("clusters", (), "iu", "clusters", "number of significance clusters"),
    Variable("distinct_metrics", (), "iu", "metrics", "metrics, identical ones counted once"),
)
RESULT_VARIABLES: Mapping[str, Variable] = {variable.name: variable for variable in _DECLARATIONS}


def result_variables(
    values: Mapping[str, Any], lead: tuple[str, ...] = (), *, item: str = "metric"
) -> dict[str, xr.Variable]:
    """Make variables of a result from their declarations.

    Parameters
    ----------
    values : mapping of str to array_like
        Values by the name of a declared variable, of shape (*lead, *declared dims).
    lead : tuple of str
        Dimensions before the declared ones, such as `LEAD`.
    item : str, default "metric"
        Dimension of what is compared: "metric", or "system" if systems predict quality.

    Raises
    ------
    InputError
        If a name is not declared, or values have another number of dimensions or another kind.
    """
    return {name: _variable(name, np.asarray(array), lead, item) for name, array in values.items()}


def _variable(name: str, values: NDArray[Any], lead: tuple[str, ...], item: str) -> xr.Variable:
    if name not in RESULT_VARIABLES:
        raise InputError(f"results declare no variable '{name}'")
    declared = RESULT_VARIABLES[name]
    dims = (*lead, *(dim.replace("metric", item) for dim in declared.dims))
    if values.ndim != len(dims) or values.dtype.kind not in declared.kinds:
        raise InputError(
            f"'{name}' has {values.ndim} dimensions and dtype {values.dtype}; results declare "
            f"{dims} of kind '{declared.kinds}' ({declared.doc})"
        )
    return xr.Variable(dims, values, {"units": declared.units, "long_name": declared.doc})


_FIELDS = (
    *("statistic", "method", "systems_method", "confidence_level", "significance_level"),
    *("alternative", "resamples", "estimator", "ties", "population", "draws"),
    *("n", "teams", "design", "seed", "mask", "by", "weights", "in_at_least", "concluded_over"),
    *("human", "human_mean", "reference", "corpus", "source", "scores", "system_scores"),
    "settings",
)
_UNSAID = {"alternative": "two-sided", "ties": "exact", "by": ""}


def describe(design: Any) -> str:
    """Design as text: its name and its options in order, ``PairHybrids(balanced,0.5,segment)``.

    Options without effect are omitted.
    """
    unused = getattr(design, "unused", ())
    names = [field.name for field in fields(design) if field.name not in unused]
    options = ",".join(str(getattr(design, name)) for name in names)
    return f"{type(design).__name__}({options})"


def signature(**facts: Any) -> str:
    """Join facts of a result, in a fixed order, with the version of supersample.

    Parameters
    ----------
    Any of statistic, method, alternative, resamples, estimator, ties, population,
    draws, n (with what it counts), design, seed, mask, by (groups), weights, in_at_least,
    concluded_over, human, human_mean, reference, corpus, source, scores, system_scores and
    settings. Others are ignored, and so are the default alternative and ties.

    Examples
    --------
    >>> signature(statistic="pearson", n="12 systems", seed=0).rpartition("|")[0]
    'statistic:pearson|n:12 systems|seed:0'
    """
    parts = [
        f"{name}:{facts[name]}"
        for name in _FIELDS
        if facts.get(name, _UNSAID.get(name)) != _UNSAID.get(name)
    ]
    return "|".join([*parts, f"version:{_version()}"])


@cache
def _version() -> str:
    return version("supersample")  # reads files each time


def result_attrs(
    attrs: Mapping[Any, Any], *, n: Iterable[int], counted: Iterable[str], **facts: Any
) -> dict[Any, Any]:
    """Attributes of a result: those of its input, further facts, and the signature of both.

    Parameters
    ----------
    attrs : mapping
        Attributes of the input.
    n, counted : iterable
        Sample sizes, and what each counts.
    **facts
        Attributes that are added or replaced.
    """
    sizes = ", ".join(f"{size} {name}" for size, name in zip(n, counted, strict=True))
    merged = {**attrs, **facts}
    return {**merged, "signature": signature(**{**merged, "n": sizes})}


def signed(result: xr.Dataset, **facts: Any) -> xr.Dataset:
    """Add attributes to a result, and to its signature."""
    before, _, release = str(result.attrs["signature"]).rpartition("|")
    more = [f"{name}:{value}" for name, value in facts.items()]
    return result.assign_attrs(facts, signature="|".join([before, *more, release]))
