"""Corpus metrics in Scores: per-segment statistics whose sums give a score.

A corpus metric has no segment-level score. Its statistics are a variable of their own,
``<metric>_statistics``, whose attributes say how their sums give a score:

- ``finalizer`` and ``options``: the name of a finalizer and its options as JSON;
- ``higher_is_better``: 1 or 0;
- ``signature``: how the statistics were counted; ``reference``: what the metric compares with.
"""

import json
from collections.abc import Sequence

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, quoted, shortened
from supersample.scores.corpus.metrics import TextMetric
from supersample.scores.variables import LARGEST, Variable, check_declared

SUFFIX = "_statistics"
SEGMENT_MEAN = " (segment mean)"
TEXTS = ("finalizer", "options", "signature")


def statistics_variable(metric: str) -> Variable:
    """Declare the variable that holds a corpus metric's statistics."""
    return Variable(
        f"{metric}{SUFFIX}",
        ("system", "segment", f"{metric}_statistic"),
        "f",
        "counts",
        f"additive statistics of {metric}, without gaps; their sums over segments give its score",
    )


def corpus_metrics(scores: xr.Dataset) -> list[str]:
    """Names of the corpus metrics in Scores, in their order."""
    return [str(n).removesuffix(SUFFIX) for n in scores.data_vars if str(n).endswith(SUFFIX)]


def with_corpus_metric(
    scores: xr.Dataset, of: TextMetric, values: Floats, signature: str, reference: str = ""
) -> xr.Dataset:
    """Add a corpus metric to Scores, and validate it.

    A segment-level metric of the same name is renamed: "BLEU" becomes "BLEU (segment mean)".
    `values` has the shape (systems, segments, columns).
    """
    metric = of.label
    if metric in corpus_metrics(scores):
        raise InputError(f"there are two corpus metrics {quoted(metric)}; give one another name")
    if "/" in metric or not metric.isprintable() or not metric.strip():
        name = shortened(repr(metric))
        raise InputError(f"a corpus metric's name must be printable and without slash, not {name}")
    names = [str(name) for name in scores["metric"].to_numpy()]
    renamed = [name + SEGMENT_MEAN if name == metric else name for name in names]
    variable = statistics_variable(metric)
    expected = (scores.sizes["system"], scores.sizes["segment"], len(of.columns))
    if values.shape != expected:
        name = quoted(metric)
        raise InputError(f"statistics of {name} have shape {values.shape}, not {expected}")
    array = xr.Variable(
        variable.dims,
        values,
        {
            "units": variable.units,
            "long_name": variable.doc,
            "finalizer": of.finalizer,
            "options": json.dumps(of.options, sort_keys=True),
            "signature": signature,
            "higher_is_better": int(of.higher_is_better),
            "reference": reference,
        },
    )
    result = scores.assign_coords(metric=("metric", renamed, scores["metric"].attrs))
    result = result.assign({variable.name: array})
    result = result.assign_coords({variable.dims[2]: of.columns})
    signed = [f"{m}({result[m + SUFFIX].attrs['signature']})" for m in corpus_metrics(result)]
    result.attrs["corpus"] = "; ".join(signed)
    validate_corpus_statistics(result)
    return result


def all_metrics(scores: xr.Dataset) -> xr.Dataset:
    """Orientation of all metrics, segment-level metrics first, and their reference if known."""
    corpus = corpus_metrics(scores)
    if not corpus:
        return scores[["higher_is_better"]]
    attrs = [scores[name + SUFFIX].attrs for name in corpus]
    declared = scores["higher_is_better"]
    higher = [*declared.to_numpy().tolist(), *(bool(a["higher_is_better"]) for a in attrs)]
    metrics = xr.Dataset(
        {"higher_is_better": ("metric", higher, declared.attrs)},
        coords={"metric": [*scores["metric"].to_numpy().tolist(), *corpus]},
    )
    if "reference" in scores.coords:
        of_segments = [str(name) for name in scores["reference"].to_numpy()]
        of_corpora = [str(a.get("reference", "")) for a in attrs]
        metrics = metrics.assign_coords(reference=("metric", [*of_segments, *of_corpora]))
    return metrics


def with_metrics(scores: xr.Dataset, names: Sequence[str]) -> xr.Dataset:
    """Keep only these metrics, segment-level (in this order) and corpus metrics."""
    left_out = [name + SUFFIX for name in corpus_metrics(scores) if name not in names]
    of_segments = [name for name in names if name in scores["metric"].to_numpy()]
    return scores.drop_vars(left_out).sel(metric=of_segments)


def validate_corpus_statistics(scores: xr.Dataset) -> None:
    """Check the corpus metrics of Scores."""
    for metric in corpus_metrics(scores):
        variable = statistics_variable(metric)
        check_declared(scores, variable)
        array = scores[variable.name]
        where = quoted(variable.name)
        for name in TEXTS:
            if not isinstance(array.attrs.get(name), str):
                raise InputError(f"{where} lacks the attribute '{name}', a text")
        if array.attrs.get("higher_is_better") not in (0, 1):
            raise InputError(f"{where} lacks the attribute 'higher_is_better', 0 or 1")
        try:
            options = json.loads(array.attrs["options"])
        except (ValueError, RecursionError) as error:
            raise InputError(f"the options of {where} are not JSON: {error}") from error
        if not isinstance(options, dict):
            raise InputError(f"the options of {where} are not a JSON object")
        if metric in scores["metric"].to_numpy():
            raise InputError(
                f"{quoted(metric)} is a corpus metric and a segment-level metric; call the latter "
                f"{quoted(metric + SEGMENT_MEAN)}"
            )
        values = array.transpose(*variable.dims).to_numpy()
        wrong = np.argwhere(~((values >= 0) & (values <= LARGEST)))
        if wrong.size:
            system, segment, column = wrong[0]
            raise InputError(
                f"{where} is negative, missing or beyond {LARGEST:g}: system "
                f"{quoted(scores['system'].values[system])}, segment "
                f"{quoted(scores['segment'].values[segment])}, statistic {column}"
            )
