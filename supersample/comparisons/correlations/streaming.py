"""Correlations over any number of hybrids, without keeping them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice

import numpy as np
import xarray as xr

from supersample.comparisons.correlations.by_formula import OverHybrids, bases_of, correlated
from supersample.engine import Floats
from supersample.engine.hybrid_designs import Design, HybridSource, hybrid_scores
from supersample.engine.moments import CoMoments, co_moments, correlations, merged
from supersample.errors import InputError, check_confidence_level
from supersample.execution.progress import Meter
from supersample.execution.workers import AnyWorkers, connect
from supersample.hybrids.samples import PreparedHybrids, original_systems, prepare_hybrids
from supersample.scores.selection import Mask
from supersample.scores.system_level import HYBRIDS, SYSTEMS, HumanMean, orientation_signs

BLOCK = 2**16
"""Hybrids per block, whose moments are computed together. It fixes the order of summation."""
BLOCKS = 16
"""Blocks per task, which are merged first. It fixes the order of summation."""

LARGEST_N = 2**44
Blocks = Callable[[int, int], Iterator[Floats]]
"""Yields the scores of hybrids start to stop - 1 in blocks of `BLOCK`."""


def stream_correlations(
    scores: xr.Dataset | PreparedHybrids,
    *,
    n: int = 1_000_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    bases: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Correlate over hybrids in constant memory: hybrids are computed, summed and discarded.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, from which hybrids are built; or a sample from `open_run` or `hybrid_supersample`,
        lazy or not, whose hybrids are read block by block; or a result of `prepare_hybrids`. For a
        sample, options on hybrids have no effect; for prepared hybrids only `n` has one.
    n : int, default 1_000_000
        Number of hybrids, at most 2**44; they are the hybrids of `hybrid_supersample` with this n.
    seed, design, mask, human_mean
        As in `hybrid_supersample`.
    bases : sequence of str, optional
        As in `correlate`.
    confidence_level : float, default 0.95
    workers : Workers, Client or str, default "threads"
        Workers that compute the hybrids, or read those of a sample: each opens the run's store
        (which it must be able to read) and returns sums of the chunks that it read.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    xarray.Dataset
        As from `correlate`; `compare_correlations` and `rank` accept it. The moments of blocks of
        65,536 hybrids are merged in the order of their numbers, so the bits do not depend on
        workers. They differ from `correlate` by rounding.

    Raises
    ------
    InputError
        As `hybrid_supersample` and `correlate`.

    Examples
    --------
    >>> from supersample import load_example, rank
    >>> from supersample.comparisons.correlations import compare_correlations
    >>> streamed = stream_correlations(load_example(), n=20_000)
    >>> rank(compare_correlations(streamed))["metric"].values[0].item()
    'strong-95'
    """
    check_confidence_level(confidence_level)
    if isinstance(scores, xr.Dataset) and "hybrid" in scores.dims:
        n, sample = scores.sizes["hybrid"], scores
        # each chunk is read completely, and only once
        chunk = max(scores["score"].chunksizes.get("hybrid", [0]))
        blocks: Blocks = _BlocksOfSample(scores[["human", "score"]].reset_coords(drop=True))
    else:
        chunk = 0
        if n > LARGEST_N:
            raise InputError(f"at most {LARGEST_N} hybrids are possible, not {n}")
        prepared = (
            scores
            if isinstance(scores, PreparedHybrids)
            else prepare_hybrids(
                scores, n=n, seed=seed, design=design, mask=mask, human_mean=human_mean
            )
        )
        statistics = prepared.source.statistics.about_centres()
        blocks = _BlocksOfSource(replace(prepared.source, statistics=statistics))
        sample = original_systems(prepared)
    if n < 1:
        raise InputError(f"n, the number of hybrids, must be at least 1, not {n}")
    signs = orientation_signs(sample["system_human"], sample)
    with connect(workers) as client, Meter("hybrids" if progress else None, n) as meter:
        count = BLOCKS if n > BLOCK * BLOCKS * (client.count - 1) else 1
        task = _MomentsOf(blocks, n, signs, chunk if chunk >= BLOCK else count * BLOCK)
        with closing(client.map(task, range(-(-n // task.rows)))) as results:
            moments = _merged_in_order(results, meter)
    matrix = correlations(moments)
    same = moments.same[1:, 1:] | (matrix[1:, 1:] > 1 - 1e-14)
    others = bases_of(sample, [name for name in bases or [SYSTEMS] if name != HYBRIDS])
    return correlated(sample, [OverHybrids(n, matrix, same), *others], confidence_level)


@dataclass(frozen=True)
class _BlocksOfSource:
    """Scores of computed hybrids."""

    source: HybridSource

    def __call__(self, start: int, stop: int) -> Iterator[Floats]:
        for first in range(start, stop, BLOCK):
            yield hybrid_scores(self.source, first, min(first + BLOCK, stop))


@dataclass(frozen=True)
class _BlocksOfSample:
    """Scores of a sample's hybrids, lazy or not; picklable, as the sample is."""

    sample: xr.Dataset

    def __call__(self, start: int, stop: int) -> Iterator[Floats]:
        block = self.sample.isel(hybrid=slice(start, stop)).compute(scheduler="synchronous")
        human = block["human"].to_numpy()
        score = block["score"].transpose("hybrid", "metric").to_numpy()
        for first in range(0, stop - start, BLOCK):
            place = slice(first, first + BLOCK)
            yield np.column_stack([human[place], score[place]]).astype(np.float64, copy=False)


@dataclass(frozen=True)
class _MomentsOf:
    """A task: compute the moments of the oriented scores of its blocks."""

    blocks: Blocks
    n: int
    signs: Floats
    rows: int

    def __call__(self, number: int) -> list[CoMoments]:
        ends = (-(-end * self.rows // BLOCK) * BLOCK for end in (number, number + 1))
        blocks = self.blocks(*(min(end, self.n) for end in ends))
        return [co_moments(np.multiply(block, self.signs, out=block)) for block in blocks]


def _merged_in_order(results: Iterator[list[CoMoments]], meter: Meter) -> CoMoments:
    """Merge moments: first the blocks of each task, then the tasks in order."""

    def counted() -> Iterator[CoMoments]:
        for moments in results:
            meter.add(sum(block.rows for block in moments))
            yield from moments

    blocks = counted()
    together = iter(lambda: [*islice(blocks, BLOCKS)], [])
    return reduce(merged, (reduce(merged, each) for each in together))
