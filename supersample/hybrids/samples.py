"""Hybrid super-samples: synthetic systems whose segments come from two real ones each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import index
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.designs import Design, PairHybrids
from supersample.engine.hybrids import (
    HybridSource,
    hybrid_draw,
    hybrid_scores,
    hybrid_source,
    system_scores,
)
from supersample.errors import InputError
from supersample.execution.workers.workers import (
    AnyWorkers,
    checked_workers,
    compute_rows,
    lazy_rows,
)
from supersample.results.signature import describe, signature
from supersample.scores.prepared import HumanMean, PreparedScores, prepare_scores
from supersample.scores.schema import HUMAN, SCORE
from supersample.scores.selection import Mask


def hybrid_supersample(
    scores: xr.Dataset,
    *,
    n: int = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    chunks: int | None = None,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Build hybrid systems and score each by people and by every metric.

    A hybrid takes each segment (or document) from one of two systems; its human score and its
    metric scores are the means over the same segments (Graham and Liu 2016, section 3.1), and the
    score of a corpus metric (see `add_corpus_metrics`) is that of the hybrid's whole text.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, as `read_mtme`, `read_table` or `make_scores` give them.
    n : int, default 10_000
        How many hybrids. The first of a larger run are the hybrids of a smaller one.
    seed : int, default 0
        Hybrid i is a function of (seed, i), the design and the Scores alone: the same bits whatever
        `n`, `chunks`, the workers or the machine.
    design : Design, optional
        `PairHybrids`, `MixHybrids` or a registered one; pairs in rotation and a fair coin for each
        segment by default.
    mask : {"common", "complete", "all"}, default "common"
        Segments rated for every system, or all of them; see `select_segments`.
    human_mean : {"ratings", "segments"}, default "ratings"
        Whether the human score of a system is the mean over ratings (segments weighted by
        `human_count`) or over segments; the same where every segment has one rating.
    chunks : int, optional
        Hybrids per chunk of lazy dask arrays; NumPy arrays are computed when absent.
    workers : Workers, Client or str, default "threads"
        Who computes the NumPy arrays. Lazy arrays follow dask's configuration when computed.
    progress : bool, default False
        Whether to draw a progress bar on a terminal when it takes over two seconds.

    Returns
    -------
    xarray.Dataset
        ``human`` (hybrid) and ``score`` (hybrid, metric), system-level scores of the hybrids;
        ``system_human`` (system) and ``system_score`` (system, metric), those of the original
        systems on the same segments; ``higher_is_better`` (metric); coordinates
        ``first_system`` and ``second_system`` (positions along ``system``) and ``share`` (of the
        first one) of each hybrid of a pair, and the number of each ``hybrid``, which lazy samples
        leave out. The attribute ``signature`` describes how to reproduce it.

    Raises
    ------
    InputError
        If the Scores are invalid, n < 1, the mask leaves fewer than two segments, or the unit is a
        document and the Scores have none.

    References
    ----------
    Graham and Liu (2016), "Achieving Accurate Conclusions in Evaluation of Automatic Machine
    Translation Metrics", NAACL.

    Examples
    --------
    >>> from supersample.scores.simulation import load_example
    >>> sample = hybrid_supersample(load_example(), n=1000, seed=0)
    >>> sample["score"].sizes
    Frozen({'hybrid': 1000, 'metric': 8})
    """
    if chunks is not None and chunks < 1:
        raise InputError(f"chunks is the number of hybrids per chunk, at least 1, not {chunks}")
    workers = checked_workers(workers)
    hybrids = prepare_hybrids(
        scores, n=n, seed=seed, design=design, mask=mask, human_mean=human_mean
    )
    if chunks is not None:
        return lazy_sample(hybrids, n, chunks)
    return computed_sample(hybrids, n, workers=workers, progress=progress)


@dataclass(frozen=True)
class PreparedHybrids:
    """What the hybrids of some Scores are computed from, and their attributes."""

    prepared: PreparedScores
    source: HybridSource
    attrs: dict[str, Any]

    def of_length(self, n: int) -> "PreparedHybrids":
        """Give the same of n hybrids, whose signature says how many they are."""
        described = signature(statistic="mean", n=f"{n} hybrids", **self.attrs)
        return replace(self, attrs={**self.attrs, "signature": described})


def prepare_hybrids(
    scores: xr.Dataset,
    *,
    n: int,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> PreparedHybrids:
    """Check the arguments of `hybrid_supersample`, and compute what all blocks need.

    Raises
    ------
    InputError
        As `hybrid_supersample`.
    """
    try:
        n, seed = index(n), index(seed)
    except TypeError as error:
        raise InputError(f"n and seed are whole numbers: {error}") from error
    if design is not None and not isinstance(design, Design):
        raise InputError(f"the design is a Design such as PairHybrids(), not {design!r}")
    if n < 1:
        raise InputError(f"n is the number of hybrids, at least 1, not {n}")
    design = PairHybrids() if design is None else design
    if "system_score" in scores and "segment" not in scores.dims:
        raise InputError(
            "hybrids mix the segments of systems, and these are system-level scores without "
            "segments; compare and rank take them"
        )
    prepared = prepare_scores(scores, unit=design.unit, mask=mask, human_mean=human_mean)
    options = {"design": describe(design), "seed": seed, "human_mean": human_mean}
    attrs = {**prepared.scores.attrs, **options}
    source = hybrid_source(prepared.statistics, design, seed)
    return PreparedHybrids(prepared, source, attrs).of_length(n)


def hybrid_coordinates(source: HybridSource, start: int, stop: int) -> dict[str, NDArray[Any]]:
    """Coordinates of hybrids `start` to `stop` - 1 that their design has, by name."""
    return source.design.coordinates(hybrid_draw(source, start, stop))


def _coordinate_rows(source: HybridSource, start: int, stop: int) -> Floats:
    return np.column_stack([*hybrid_coordinates(source, start, stop).values()])


def computed_sample(
    hybrids: PreparedHybrids, n: int, *, workers: AnyWorkers = "threads", progress: bool = False
) -> xr.Dataset:
    """Sample of n hybrids, computed; otherwise as `hybrid_supersample`."""
    rows = compute_rows(
        partial(hybrid_scores, hybrids.source),
        n,
        len(hybrids.source.statistics.finalizers),
        workers=workers,
        progress="hybrids" if progress else None,
    )
    numbered = {**hybrid_coordinates(hybrids.source, 0, n), "hybrid": np.arange(n)}
    return _sample_dataset(hybrids, rows, numbered)


def lazy_sample(hybrids: PreparedHybrids, n: int, chunks: int) -> xr.Dataset:
    """Sample of n hybrids, of which nothing is computed yet, with so many hybrids per chunk."""
    width = len(hybrids.source.statistics.finalizers)
    rows = lazy_rows(partial(hybrid_scores, hybrids.source), n, width, chunks)
    names = hybrid_coordinates(hybrids.source, 0, 0)
    if not names:
        return _sample_dataset(hybrids, rows, {})
    described = lazy_rows(partial(_coordinate_rows, hybrids.source), n, len(names), chunks)
    columns = enumerate(names.items())
    lazy = {name: described[:, i].astype(empty.dtype) for i, (name, empty) in columns}
    return _sample_dataset(hybrids, rows, lazy)


def _sample_dataset(
    hybrids: PreparedHybrids, rows: Any, coordinates: Mapping[str, Any]
) -> xr.Dataset:
    """Sample of the scores `rows` (hybrid, scorer), lazy or not, and what the hybrids are made of.

    Hybrids are numbered by their position; there is no coordinate, which would not be lazy.
    """
    scores, metrics = hybrids.prepared.scores, hybrids.prepared.metrics
    original = system_scores(hybrids.source)
    return xr.Dataset(
        {
            "human": ("hybrid", rows[:, 0], scores.variables[HUMAN.name].attrs),
            "score": (("hybrid", "metric"), rows[:, 1:], scores.variables[SCORE.name].attrs),
            "system_human": ("system", original[:, 0], scores.variables[HUMAN.name].attrs),
            "system_score": (("system", "metric"), original[:, 1:]),
            "higher_is_better": metrics["higher_is_better"],
        },
        coords={
            "metric": metrics["metric"],
            "system": scores["system"],
            **{name: ("hybrid", values) for name, values in coordinates.items()},
        },
        attrs=hybrids.attrs,
    )


def possible_hybrids(systems: int, segments: int) -> int:
    """Count the hybrids that pairs of systems can form (Graham and Liu 2016, equation 1).

    ``k (k - 1) / 2 * 2**segments``, as the paper has it; each original system is counted once in
    each of its pairs.

    Examples
    --------
    >>> possible_hybrids(5, 10)
    10240
    """
    return (systems * (systems - 1) // 2) << segments
