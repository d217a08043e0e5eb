"""Hybrid super-samples: synthetic systems whose segments come from two real systems, and which."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import index
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.hybrid_designs import (
    Design,
    HybridBlock,
    HybridSource,
    PairHybrids,
    hybrid_block,
    hybrid_scores,
    hybrid_source,
    system_scores,
)
from supersample.errors import InputError, check_counted
from supersample.execution.workers import (
    LARGEST_BLOCK,
    AnyWorkers,
    checked_workers,
    compute_rows,
    lazy_rows,
)
from supersample.results.variables import describe, signature
from supersample.scores.schema import HUMAN, SCORE
from supersample.scores.selection import Mask
from supersample.scores.system_level import HumanMean, PreparedScores, prepare_scores, unit_numbers

CHUNK_BYTES = 96 << 20  # takes about half a second to compute, write and check
FEWEST_CHUNKS = 4
SMALLEST_CHUNK = 1024  # hybrids
MOST_LABELLED = 1 << 20  # hybrids; their labels take 24 MiB

MADE_OF = {
    "hybrid": "number of the hybrid",
    "first_system": "first system of the hybrid, its position along system",
    "second_system": "second system of the hybrid, its position along system",
    "share": "share of the first system in the hybrid",
}


def hybrid_supersample(
    scores: xr.Dataset,
    *,
    n: int = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    chunks: int | Literal["auto"] | None = None,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Build hybrid systems and score each by people and by every metric.

    A hybrid takes each segment (or document) from one of two systems. Its human score and its
    metric scores are means over the same segments (Graham and Liu 2016, section 3.1). A corpus
    metric (see `add_corpus_metrics`) scores the hybrid's whole text.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, for example from `read_mtme`, `read_table` or `make_scores`.
    n : int, default 10_000
        Number of hybrids. The first hybrids of a larger sample are those of a smaller one.
    seed : int, default 0
        Seed. Hybrid i depends only on (seed, i), the design and the Scores: it has the same bits
        for any `n`, `chunks`, workers and machine.
    design : Design, optional
        `PairHybrids`, `MixHybrids` or a registered design; default: pairs in rotation, and a fair
        coin for each segment.
    mask : {"common", "complete", "all"}, default "common"
        Segments to use; see `select_segments`.
    human_mean : {"ratings", "segments"}, default "ratings"
        Whether the human score of a system is the mean over ratings (segments weighted by
        `human_count`) or over segments; they are equal if every segment has one rating.
    chunks : int or "auto", optional
        If given, arrays are lazy dask arrays with this many hybrids per chunk ("auto": as in a
        run). By default NumPy arrays are computed.
    workers : Workers, Client or str, default "threads"
        Workers that compute the NumPy arrays. Lazy arrays follow dask's configuration.
    progress : bool, default False
        Whether to show a progress bar on a terminal if it takes over two seconds.

    Returns
    -------
    xarray.Dataset
        ``human`` (hybrid) and ``score`` (hybrid, metric): system-level scores of the hybrids.
        ``system_human`` (system) and ``system_score`` (system, metric): those of the original
        systems on the same segments. ``higher_is_better`` (metric). For designs of pairs, the
        coordinates ``first_system`` and ``second_system`` (positions along ``system``; their
        attribute ``flag_meanings`` has the names) and ``share`` (of the first system), and the
        number of each ``hybrid``. Coordinates of lazy samples are in memory, so ``groupby`` accepts
        them; with more than 1,048,576 hybrids they are lazy, without numbers. The attribute
        ``signature`` describes how to reproduce the sample.

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
    >>> from supersample.scores.schema import load_example
    >>> sample = hybrid_supersample(load_example(), n=1000, seed=0)
    >>> sample["score"].sizes
    Frozen({'hybrid': 1000, 'metric': 8})
    """
    if chunks is not None and chunks != "auto":
        check_counted("hybrids per chunk", chunks)
    workers = checked_workers(workers)
    hybrids = prepare_hybrids(
        scores, n=n, seed=seed, design=design, mask=mask, human_mean=human_mean
    )
    if chunks is not None:
        size = default_chunk(hybrids, n) if chunks == "auto" else chunks
        sample = lazy_sample(hybrids, n, size)
        few = n <= MOST_LABELLED
        return with_labels(sample, hybrid_coordinates(hybrids.source, 0, n)) if few else sample
    return computed_sample(hybrids, n, workers=workers, progress=progress)


@dataclass(frozen=True)
class PreparedHybrids:
    """Prepared data from which the hybrids of Scores are computed, and their attributes."""

    prepared: PreparedScores
    source: HybridSource
    attrs: dict[str, Any]

    def of_length(self, n: int) -> "PreparedHybrids":
        """Give the same for n hybrids, with n in the signature."""
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
        raise InputError(f"n and seed must be whole numbers: {error}") from error
    if design is not None and not isinstance(design, Design):
        raise InputError(f"the design must be a Design such as PairHybrids(), not {design!r}")
    check_counted("hybrids", n)
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
    """Coordinates of hybrids `start` to `stop` - 1 that the design has, by name."""
    return source.design.coordinates(hybrid_block(source, start, stop))


def default_chunk(hybrids: PreparedHybrids, n: int) -> int:
    """Hybrids per chunk: 96 MiB of them, or fewer if there would be less than four chunks."""
    largest = CHUNK_BYTES // row_bytes(hybrids)
    blocks = min(largest // LARGEST_BLOCK, -(-n // (FEWEST_CHUNKS * LARGEST_BLOCK)))
    part = 1 << max(0, (n // FEWEST_CHUNKS).bit_length() - 1)  # part of a block, for few hybrids
    return max(1, blocks) * min(LARGEST_BLOCK, max(SMALLEST_CHUNK, part))


def row_bytes(hybrids: PreparedHybrids) -> int:
    """Count the bytes of one hybrid in a store."""
    scorers = len(hybrids.source.statistics.finalizers)
    described = hybrid_coordinates(hybrids.source, 0, 0).values()
    return scorers * np.dtype(np.float64).itemsize + sum(each.itemsize for each in described)


def _coordinate_rows(block: HybridBlock, design: Design, start: int, stop: int) -> Floats:
    numbered = block._replace(replicates=np.arange(start, stop, dtype=np.uint64))
    return np.column_stack([*design.coordinates(numbered).values()])


def computed_sample(
    hybrids: PreparedHybrids, n: int, *, workers: AnyWorkers = "threads", progress: bool = False
) -> xr.Dataset:
    """Compute a sample of n hybrids, as `hybrid_supersample` does."""
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
    """Make a lazy sample of n hybrids, with `chunks` hybrids per chunk."""
    source = hybrids.source
    rows = lazy_rows(partial(hybrid_scores, source), n, len(source.statistics.finalizers), chunks)
    names = hybrid_coordinates(source, 0, 0)
    if not names:
        return _sample_dataset(hybrids, rows, {})
    block = partial(_coordinate_rows, hybrid_block(source, 0, 0), source.design)
    described = lazy_rows(block, n, len(names), chunks)
    columns = enumerate(names.items())
    lazy = {name: described[:, i].astype(empty.dtype) for i, (name, empty) in columns}
    return _sample_dataset(hybrids, rows, lazy)


def with_labels(sample: xr.Dataset, made_of: Mapping[str, NDArray[Any]]) -> xr.Dataset:
    """Add numbers and coordinates of hybrids to a lazy sample."""
    labels = {name: sample[name].variable.copy(data=values) for name, values in made_of.items()}
    numbers = np.arange(sample.sizes["hybrid"])
    labels["hybrid"] = xr.Variable("hybrid", numbers, {"long_name": MADE_OF["hybrid"]})
    return sample.assign_coords(labels)


def original_systems(hybrids: PreparedHybrids) -> xr.Dataset:
    """Variables of a sample about its original systems, and its attributes."""
    return hybrids.prepared.of_systems(system_scores(hybrids.source), hybrids.attrs)


def _sample_dataset(
    hybrids: PreparedHybrids, rows: Any, coordinates: Mapping[str, Any]
) -> xr.Dataset:
    """Make a sample from scores `rows` (hybrid, scorer), lazy or not, and hybrids' coordinates.

    Names of systems are in the attributes that the CF conventions define for this.
    """
    scores, systems = hybrids.prepared.scores.variables, original_systems(hybrids)
    human = scores[HUMAN.name].attrs | {"long_name": "human score of the hybrid"}
    score = scores[SCORE.name].attrs | {"long_name": "metric score of the hybrid"}
    names = [str(name).replace(" ", "_") for name in systems["system"].to_numpy()]
    flags = {"flag_values": [*range(len(names))], "flag_meanings": " ".join(names)}
    made_of = {}
    for name, values in coordinates.items():
        facts = {"long_name": MADE_OF.get(name, name)}
        made_of[name] = ("hybrid", values, facts | (flags if name.endswith("_system") else {}))
    return xr.Dataset(
        {
            "human": ("hybrid", rows[:, 0], human),
            "score": (("hybrid", "metric"), rows[:, 1:], score),
            **systems.data_vars,
        },
        coords={**systems.coords, **made_of},
        attrs=systems.attrs,
    )


def hybrid_assignments(
    scores: xr.Dataset,
    *,
    n: int = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    start: int = 0,
) -> xr.Dataset:
    """List which system each segment of a hybrid comes from.

    Use it for metrics whose score of a hybrid is not a function of sums: put the hybrids' texts
    together, and score them elsewhere.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    n, seed, design, mask
        As in `hybrid_supersample`; hybrid i is the same here and there.
    start : int, default 0
        Number of the first hybrid, to process many hybrids in blocks.

    Returns
    -------
    xarray.Dataset
        ``origin`` (hybrid, segment): the position along ``system`` of the segment's system; and the
        coordinates of hybrids in a sample, such as ``first_system``.

    Raises
    ------
    InputError
        As `hybrid_supersample`, or if `start` is negative.

    Examples
    --------
    >>> from supersample import load_example
    >>> assignments = hybrid_assignments(load_example(), n=3)
    >>> assignments["origin"].sizes
    Frozen({'hybrid': 3, 'segment': 463})
    """
    if n < 1 or start < 0:
        raise InputError(f"hybrids {start} to {start + n - 1}: name at least one, counted from 0")
    hybrids = prepare_hybrids(scores, n=n, seed=seed, design=design, mask=mask)
    source, selected = hybrids.source, hybrids.prepared.scores
    units = unit_numbers(selected, source.design.unit)
    block = hybrid_block(source, start, start + n)
    described = source.design.coordinates(block)
    facts = {**hybrids.attrs, "n": f"{n} hybrids from {start}"}
    return xr.Dataset(
        {"origin": (("hybrid", "segment"), source.design.origins(block)[:, units])},
        coords={
            "hybrid": np.arange(start, start + n),
            "segment": selected["segment"].to_numpy(),
            "system": selected["system"].to_numpy(),
            **{name: ("hybrid", values) for name, values in described.items()},
        },
        attrs={**hybrids.attrs, "signature": signature(**facts)},
    )
