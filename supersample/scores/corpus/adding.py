"""Add corpus-level BLEU, chrF and TER, counted on the systems' texts, to Scores."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, check_names, quoted, warn
from supersample.execution.checksums import keyed
from supersample.execution.stores import Store, user_cache
from supersample.execution.workers import AnyWorkers, compute_rows
from supersample.scores.alignment import lines_of_segments
from supersample.scores.corpus.metrics import (
    SegmentStatistics,
    TextMetric,
    Texts,
    corpus_finalizer,
    parse_text_metric,
)
from supersample.scores.corpus.statistics import with_corpus_metric
from supersample.scores.schema import validate_start

KIND = "cache of texts"
LAYOUT = 1  # of cached statistics; part of their key
SEGMENTS_A_TASK = 32  # texts per task; a task of TER takes seconds
WORTH_PROCESSES = 30.0  # seconds of counting that make processes worth their start


def add_corpus_metrics(
    scores: xr.Dataset,
    texts: Texts,
    metrics: Sequence[TextMetric | str],
    *,
    cache: str | Path | None = "user",
    workers: AnyWorkers | Literal["auto"] = "synchronous",
    progress: bool = False,
) -> xr.Dataset:
    """Add metrics that score a whole corpus, such as BLEU, to Scores.

    The score of a system, a hybrid or a permuted system is then exactly sacrebleu's score of its
    text: it is computed from sums of per-segment statistics, not as the mean of segment scores.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; they are not changed.
    texts : Texts
        Texts of all systems of the Scores, one line per segment; other systems are ignored.
        `lines_of_segments` says how lines are matched to segments.
    metrics : sequence of TextMetric or str
        `BLEU`, `ChrF` and `TER`, or the same as text: "bleu", "chrf", "chrf++", "ter",
        "bleu:tokenizer=char,name=BLEU-char".
    cache : str, Path or None, default "user"
        Folder that keeps statistics for the next run; "user" is the platform's
        folder for caches. None: no cache.
    workers : Workers, Client, str or "auto", default "synchronous"
        Workers that count; the result does not depend on them. sacrebleu counts in Python, so only
        processes use several cores. "auto" uses processes if counting takes longer than starting
        them, as for TER.
    progress : bool, default False
        Whether to draw a progress bar on a terminal when it takes over two seconds.

    Returns
    -------
    xarray.Dataset
        The Scores with a variable ``<metric>_statistics`` for each metric; verbs treat it as one of
        the metrics. A segment-level metric of the same name is called "... (segment mean)".

    Raises
    ------
    InputError
        If the Scores are invalid, a system has no text, texts do not have one line per segment, a
        metric, option or tokenizer is unknown, or sacrebleu is not installed.

    References
    ----------
    Post (2018), "A call for clarity in reporting BLEU scores", WMT.

    Examples
    --------
    >>> from supersample import make_scores
    >>> from supersample.scores.corpus import Texts
    >>> from supersample.comparisons.correlations import correlate
    >>> texts = Texts(
    ...     {"A": ["the cat sat", "on a mat"], "B": ["a cat", "the mat"]},
    ...     [["the cat sat", "on the mat"]],
    ... )
    >>> scores = make_scores(
    ...     [[1.0, 0.9], [0.1, 0.2]], [[[1, 2], [0, 1]]], systems=["A", "B"], metrics=["BLEU"]
    ... )
    >>> scored = add_corpus_metrics(scores, texts, ["bleu:max_order=2"], cache=None)
    >>> correlate(scored)["metric"].values.tolist()
    ['BLEU (segment mean)', 'BLEU']
    """
    validate_start(scores)
    systems = [str(name) for name in scores["system"].to_numpy()]
    check_names("text of", systems, texts.hypotheses)
    lines, _ = lines_of_segments(scores, texts.segments, "the texts")
    parsed = [parse_text_metric(name) if isinstance(name, str) else name for name in metrics]
    labels = [metric.label for metric in parsed]
    repeated = [label for label in labels if labels.count(label) > 1]
    if repeated:
        raise InputError(
            f"two corpus metrics are called {quoted(repeated[0])}; name one, as in bleu:name=BLEU-2"
        )
    for metric in parsed:
        corpus_finalizer(metric.finalizer, metric.options)  # raises on bad options before any work
    signatures = [metric.signature(texts.references) for metric in parsed]
    named = None if cache is None else Path(cache)
    folder = user_cache("texts", extra="text") if cache == "user" else named
    result = scores
    for metric, signature in zip(parsed, signatures, strict=True):
        values = _statistics(metric, signature, systems, texts, folder, workers, progress)
        placed = values[:, lines]
        result = with_corpus_metric(result, metric, placed, signature, texts.reference)
    return result


def _statistics(
    metric: TextMetric,
    signature: str,
    systems: Sequence[str],
    texts: Texts,
    folder: Path | None,
    workers: AnyWorkers | Literal["auto"],
    progress: bool,
) -> Floats:
    """Read statistics, shape (systems, segments, columns), from the cache, or count them."""
    shape = (texts.segments, len(metric.columns))
    counting = f"{type(metric).__name__}({signature})"
    values: dict[str, Floats] = {}
    keys: dict[str, str] = {}
    if folder is not None:
        texts_of = texts.hypotheses
        keys = {
            name: statistics_key(counting, texts_of[name], texts.references) for name in systems
        }
        store = Store(folder, KIND)
        read = {name: store.read_array(key) for name, key in keys.items()}
        values = {name: array for name, array in read.items() if array is not None}
    absent = [name for name in systems if name not in values]
    if absent:
        if workers == "auto":
            seconds = metric.seconds_a_segment * texts.segments * len(absent)
            workers = "processes" if seconds > WORTH_PROCESSES else "synchronous"
        hypotheses = [texts.hypotheses[name] for name in absent]
        block = SegmentStatistics(metric, hypotheses, texts.references)
        rows = compute_rows(
            block,
            texts.segments,
            len(absent) * shape[1],
            workers=workers,
            progress=f"statistics of {metric.label}" if progress else None,
            chunk=SEGMENTS_A_TASK,
        )
        counted = rows.reshape(texts.segments, len(absent), shape[1]).swapaxes(0, 1)
        for name, statistics in zip(absent, counted, strict=True):
            values[name] = np.ascontiguousarray(statistics)
            if folder is not None:
                keep_statistics(folder, keys[name], values[name])
    return np.stack([values[name] for name in systems])


def statistics_key(
    counting: str, hypothesis: Sequence[str], references: Sequence[Sequence[str]]
) -> str:
    """Key of the texts and the options; equal keys mean equal statistics."""
    texts = {"hypothesis": [*hypothesis], "references": [[*lines] for lines in references]}
    return keyed(layout=LAYOUT, counting=counting, **texts)


def keep_statistics(folder: Path, key: str, statistics: Floats) -> None:
    """Store statistics under their key, completely or not at all; warn if that fails."""
    try:
        Store(folder, KIND).write_array(key, statistics)
    except OSError as error:
        text = f"statistics of texts are not cached: {folder}: {error.strerror or error}"
        warn(text, UserWarning, stacklevel=2)
