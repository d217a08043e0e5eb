"""Runs compute hybrids into a store by chunks; they can be stopped and resumed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.designs import Design, PairHybrids, make_design
from supersample.engine.hybrids import HybridSource, hybrid_scores
from supersample.errors import InputError, in_one_line
from supersample.execution.memory import check_memory
from supersample.execution.provenance import content_checksum, provenance
from supersample.execution.stores.datasets import (
    check_inputs,
    complete_inputs,
    create_run,
    match_layout,
)
from supersample.execution.stores.places import PlaceError
from supersample.execution.stores.store import (
    ChunkWriter,
    Run,
    Store,
    compute_chunks,
    finished_chunks,
    run_of,
)
from supersample.execution.workers.local import Client
from supersample.execution.workers.workers import LARGEST_BLOCK, AnyWorkers, connect
from supersample.hybrids.assignments import with_metrics
from supersample.hybrids.run_progress import RunStatus, open_finished, run_store, status_of
from supersample.hybrids.samples import (
    Precision,
    PreparedHybrids,
    default_chunk,
    hybrid_coordinates,
    lazy_sample,
    prepare_hybrids,
    row_bytes,
)
from supersample.readers.xarray_files import read_dataset
from supersample.scores.prepared import HumanMean, PreparedScores
from supersample.scores.selection import Mask


def run_hybrids(
    scores: xr.Dataset,
    path: str | Path,
    *,
    n: int,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    precision: Precision = "float64",
    chunk: int | None = None,
    part: tuple[int, int] | None = None,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> RunStatus:
    """Compute a hybrid super-sample of any size into a Zarr store, or resume one.

    The store holds the result of `hybrid_supersample`, bit by bit, whichever worker computes it and
    however often it is stopped. An existing store is resumed: finished, undamaged chunks are kept.
    A larger `n` extends the run.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores. They are kept in the store.
    path : str or Path
        Path of the store, which ``xarray.open_zarr`` can open. All workers must have access to it.
        Or the URL of a bucket, ``s3://bucket/run.zarr`` (extra `s3`) or ``gs://`` (extra `gcs`),
        with fsspec's configuration and credentials. Buckets have no locks: processes that work on
        the same chunk at once write the same bytes.
    n, seed, design, mask, human_mean
        As in `hybrid_supersample`.
    precision : {"float64", "float32"}, default "float64"
        Precision of the stored scores; single precision takes half the space.
    chunk : int, optional
        Hybrids per chunk; one task computes one chunk. By default chunks have 96 MiB.
    part : (int, int), optional
        Compute only part k (from 1) of N, ``(k, N)``: every N-th chunk. Several processes may
        compute different parts of a store at once.
    workers : Workers, Client or str, default "threads"
        Workers that compute: a name, `Workers`, or a client of `connect`.
    progress : bool, default False
        Whether to show progress on standard error: a bar at a terminal, else a line per minute.

    Returns
    -------
    RunStatus
        Progress of the run, and what this call did with its chunks.

    Raises
    ------
    InputError
        As `hybrid_supersample`; if the store was begun with other parameters (which are named), by
        another version or in another format; if another process is working on it; or if it cannot
        be written, for instance because the disk is full. Finished work is never lost.

    Examples
    --------
    >>> from supersample import load_example
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "run.zarr"
    >>> run_hybrids(load_example(), path, n=5_000, chunk=2_000).finished_hybrids
    5000
    >>> dict(run_hybrids(load_example(), path, n=10_000, chunk=2_000).became)
    {'kept': 2, 'computed': 3}
    """
    design = PairHybrids() if design is None else design
    if precision not in ("float64", "float32"):
        raise InputError(f"the precision is 'float64' or 'float32', not {precision!r}")
    if chunk is not None and chunk < 1:
        raise InputError(f"a chunk has at least one hybrid, not {chunk}")
    hybrids = prepare_hybrids(
        scores, n=n, seed=seed, design=design, mask=mask, human_mean=human_mean
    )
    parameters = {
        "seed": seed,
        "design": {"name": type(design).__name__, **design.options()},
        "mask": mask,
        "human_mean": human_mean,
        "precision": precision,
        "scores": content_checksum(scores),
        "version": version("supersample"),
    }
    row = row_bytes(hybrids, precision)
    check_memory(row * (chunk or 0), f"chunks of {chunk} hybrids")
    _check_part(part)
    store = run_store(path)
    if store.place.suffix != ".zarr":
        raise InputError(f"{path}: the name of a run's store ends in .zarr")
    begun = store.place.exists()
    if begun:
        _refuse_others(store, n, {"chunk": chunk, **parameters})
    else:
        store.place.check_room(row * n, f"{n:,} hybrids")
    with connect(workers) as client:
        if not begun:
            size = default_chunk(hybrids, precision, n) if chunk is None else chunk
            run = Run(uuid4().hex, n, size, parameters)
            with in_one_line(store.place):
                create_run(store, run, template(hybrids, store, run), scores)
            _refuse_others(store, n, {"chunk": chunk, **parameters})  # another process was faster
        # in a bucket, its creator may still be working, or was killed
        with in_one_line(store.place):
            complete_inputs(store, scores)
        return _go_on(store, n, hybrids, part, client, progress)


def resume_run(
    path: str | Path,
    *,
    n: int | None = None,
    part: tuple[int, int] | None = None,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> RunStatus:
    """Resume a run: compute what is missing or damaged, and nothing else.

    Parameters
    ----------
    path : str or Path
        Store that `run_hybrids` began; it contains everything needed.
    n : int, optional
        New number of hybrids, to extend the run.
    part, workers, progress
        As in `run_hybrids`.

    Returns
    -------
    RunStatus

    Raises
    ------
    InputError
        As `run_hybrids`.

    Examples
    --------
    >>> resume_run("nowhere.zarr")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no run nowhere.zarr
    """
    _check_part(part)
    store = run_store(path)
    run = run_of(store)
    check_inputs(store)
    scores = read_dataset(path)
    now = {"scores": content_checksum(scores), "version": version("supersample")}
    longer = run.n if n is None else n
    _refuse_others(store, longer, {**run.parameters, **now})
    seed = run.parameters["seed"]
    hybrids = prepare_hybrids(scores, n=longer, seed=seed, **_options(run.parameters))
    with connect(workers) as client:
        return _go_on(store, longer, hybrids, part, client, progress)


def _check_part(part: tuple[int, int] | None) -> None:
    if part is not None and not 1 <= part[0] <= part[1]:
        raise InputError(f"parts are numbered from 1 to {part[1]}; there is no part {part[0]}")


def _refuse_others(store: Store, n: int, chosen: Mapping[str, Any]) -> None:
    """Refuse to mix results of different parameters; None matches any value.

    Raises
    ------
    InputError
        If a parameter differs; the message names it.
    """
    run = run_of(store)
    if n < run.n:
        raise InputError(f"{store.place} already has {run.n} hybrids, more than {n}")
    begun = {**run.parameters, "chunk": run.chunk}
    differing = []
    for name, is_now in chosen.items():
        was = begun.get(name)
        if is_now not in (was, None):
            differing.append("other scores" if name == "scores" else f"{name} {was}, not {is_now}")
    if differing:
        raise InputError(
            f"{store.place} was begun with {'; '.join(differing)}; go on with the same, or name "
            "another store"
        )


def _go_on(
    store: Store,
    n: int,
    hybrids: PreparedHybrids,
    part: tuple[int, int] | None,
    client: Client,
    progress: bool,
) -> RunStatus:
    """Compute missing or damaged chunks, of the whole run or of a part."""
    advice = f"; finished chunks are kept, go on with: supersample run --resume {store.place}"
    precision = run_of(store).parameters["precision"]
    try:
        with in_one_line(store.place, advice), store.place.lock(part):
            run = run_of(store)
            left = n - sum(map(run.rows, finished_chunks(store, run)))
            store.place.check_room(row_bytes(hybrids, precision) * left, f"{left:,} hybrids")
            layout = partial(template, hybrids, store)
            run = match_layout(store, n, layout)
            number, parts = part or (1, 1)
            store.add_session(
                {**provenance(), "workers": client.description, "part": part, "n": run.n}
            )
            seen = replace(store, place=store.place.absolute())  # workers may run in other folders
            became = compute_chunks(
                ChunkWriter(seen, run, HybridColumns(hybrids.source, precision)),
                range(number - 1, run.chunks, parts),
                client,
                progress="hybrids" if progress else None,
            )
            match_layout(store, n, layout)  # this also marks the run as finished, if it is
    except PlaceError as error:
        raise InputError(f"{error}{advice}") from error
    return replace(status_of(store, became), at_work=False)


@dataclass(frozen=True)
class HybridColumns:
    """Rows of a run's arrays, a pure function of their numbers; it is sent to the workers."""

    source: HybridSource
    precision: Precision

    def __call__(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Scores and coordinates of hybrids `start` to `stop` - 1, by name of array."""
        human = np.empty(stop - start, self.precision)
        score = np.empty((stop - start, len(self.source.statistics.finalizers) - 1), self.precision)
        for first in range(start, stop, LARGEST_BLOCK):  # intermediate arrays stay small
            rows = hybrid_scores(self.source, first, min(stop, first + LARGEST_BLOCK))
            place = slice(first - start, first - start + rows.shape[0])
            human[place], score[place] = rows[:, 0], rows[:, 1:]
        made_of = hybrid_coordinates(self.source, start, stop)
        return {"human": human, "score": score, **made_of, "computed": np.ones(len(human), bool)}


def template(hybrids: PreparedHybrids, store: Store, run: Run) -> xr.Dataset:
    """Make the sample that the store will have, with lazy arrays where chunks fill values.

    The lazy arrays are never computed, so one block (a graph of one task) is enough. Attributes say
    whether all chunks are finished.
    """
    whole = hybrids.of_length(run.n)
    sample = lazy_sample(whole, run.n, run.n)
    precision = run.parameters["precision"]
    stored = {name: sample[name].astype(precision) for name in ("human", "score")}
    computed = xr.Variable("hybrid", sample["human"].notnull().data)
    finished = len(finished_chunks(store, run)) == run.chunks
    attrs = (whole if finished else hybrids.of_length(run.n, "unfinished run of ")).attrs
    result = sample.assign(stored).assign_coords(computed=computed)
    return result.assign_attrs(attrs, finished=int(finished))


def run_options(path: str | Path) -> dict[str, Any]:
    """Options of a run's hybrids: n, design, mask and human_mean.

    Raises
    ------
    InputError
        If there is no run of a known format.
    """
    run = run_of(run_store(path))
    return {"n": run.n, **_options(run.parameters)}


def scored_run(path: str, scores: xr.Dataset, prepared: PreparedScores) -> xr.Dataset:
    """Score the hybrids of a run by the metrics of Scores; compute metrics that the run lacks.

    Raises InputError if added metrics are not scored on the segments of the run.
    """
    sample, options = open_finished(path), run_options(path)
    if not np.isin(prepared.names, sample["metric"]).all():
        kept = ~np.isin(scores["metric"], sample["metric"])
        seed = int(sample.attrs["seed"])
        added = prepare_hybrids(scores.isel(metric=kept), seed=seed, **options)
        more = lazy_sample(added, options["n"], sample.chunksizes["hybrid"][0])
        if not np.array_equal(more["system_human"], sample["system_human"]):
            raise InputError(
                f"{path} was computed on other segments than the added metric is scored on; "
                "compute a run with the metric, or rank the scores without the run"
            )
        own = ~np.isin(more["metric"], sample["metric"])
        sample = with_metrics(sample, more.isel(metric=own)).chunk(metric=-1)
    if not np.array_equal(prepared.names, sample["metric"]):
        sample = sample.sel(metric=prepared.names)
    return sample.assign(higher_is_better=prepared.metrics["higher_is_better"])


def _options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    design = dict(parameters["design"])
    return {
        "design": make_design(design.pop("name"), design),
        "mask": parameters["mask"],
        "human_mean": parameters["human_mean"],
    }
