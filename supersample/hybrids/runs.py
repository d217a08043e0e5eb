"""Runs: hybrids computed into a store, chunk by chunk, that can be stopped and resumed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.designs import Design, PairHybrids, make_design
from supersample.engine.hybrids import HybridSource, hybrid_scores
from supersample.errors import InputError
from supersample.execution.memory import check_memory
from supersample.execution.provenance import content_checksum, provenance
from supersample.execution.stores.chunks import ChunkWriter, compute_chunks
from supersample.execution.stores.datasets import (
    check_inputs,
    complete_inputs,
    create_store,
    match_layout,
)
from supersample.execution.stores.files import Part
from supersample.execution.stores.manifest import Facts, Manifest, manifest_at
from supersample.execution.stores.places import PlaceError
from supersample.execution.workers.clients import Client
from supersample.execution.workers.rows import LARGEST_BLOCK
from supersample.execution.workers.workers import AnyWorkers, connect
from supersample.hybrids.run_progress import RunStatus, status_of
from supersample.hybrids.samples import (
    PreparedHybrids,
    hybrid_coordinates,
    lazy_sample,
    prepare_hybrids,
)
from supersample.readers.xarray_files import read_dataset
from supersample.scores.prepared import HumanMean
from supersample.scores.selection import Mask

KIND = "hybrids"

Precision = Literal["float64", "float32"]

CHUNK_BYTES = 96 << 20  # about half a second to compute, write and check
FEWEST_CHUNKS = 4


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

    The store holds what `hybrid_supersample` gives, bit by bit, whoever computes it and however
    often it was stopped. An existing store is resumed: finished, undamaged chunks stay, and a
    larger `n` makes the run longer.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores. They are kept in the store.
    path : str or Path
        Of the store, which plain ``xarray.open_zarr`` opens. Workers elsewhere must see it. Or the
        URL of a bucket, ``s3://bucket/run.zarr`` (extra `s3`) or ``gs://`` (extra `gcs`), with
        fsspec's configuration and credentials. There are no locks: processes that work on the same
        chunk at once write the same bytes.
    n, seed, design, mask, human_mean
        As for `hybrid_supersample`.
    precision : {"float64", "float32"}, default "float64"
        Of the stored scores; single precision takes half the space.
    chunk : int, optional
        Hybrids a chunk, and a task; by default as many as take 96 MiB.
    part : (int, int), optional
        Compute only part k, from 1, of N, ``(k, N)``: every N-th chunk. Several processes may
        compute different parts of a store at once.
    workers : Workers, Client or str, default "threads"
        Who computes: a name, `Workers`, or a client of `connect`.
    progress : bool, default False
        Whether to show progress on standard error: a bar at a terminal, else a line a minute.

    Returns
    -------
    RunStatus
        How far the run is now, and what became of its chunks.

    Raises
    ------
    InputError
        As `hybrid_supersample`; if the store was begun with other parameters, which are named, by
        another version or in another format; if another process is at work on it; or if it cannot
        be written, a full disk for instance. Nothing that was finished is lost.

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
    of_part = _checked_part(part)
    manifest = manifest_at(path)
    if manifest.store.suffix != ".zarr":
        raise InputError(f"{path}: the name of a run's store ends in .zarr")
    begun = manifest.store.exists()
    if begun:
        _refuse_others(manifest, n, {"chunk": chunk, **parameters})
    else:
        manifest.store.check_room(row * n, f"{n:,} hybrids")
    with connect(workers) as client:
        if not begun:
            size = default_chunk(hybrids, precision, n) if chunk is None else chunk
            facts = Facts(uuid4().hex, KIND, n, size, parameters)
            with _writing(manifest):
                create_store(manifest.store, facts, template(hybrids, facts), scores)
            _refuse_others(manifest, n, {"chunk": chunk, **parameters})  # another was quicker
        if not manifest.store.locks:  # its maker may be at work still, or killed
            with _writing(manifest):
                complete_inputs(manifest.store, scores)
        return _go_on(manifest, n, hybrids, of_part, client, progress)


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
        Store that `run_hybrids` began, which holds all that is needed.
    n : int, optional
        Makes the run longer.
    part, workers, progress
        As for `run_hybrids`.

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
    of_part = _checked_part(part)
    manifest = manifest_at(path)
    facts = manifest.facts()
    check_inputs(manifest.store)
    scores = read_dataset(path)
    now = {"scores": content_checksum(scores), "version": version("supersample")}
    longer = facts.n if n is None else n
    _refuse_others(manifest, longer, {**facts.parameters, **now})
    hybrids = prepare_run(scores, facts.parameters, longer)
    with connect(workers) as client:
        return _go_on(manifest, longer, hybrids, of_part, client, progress)


def _checked_part(part: tuple[int, int] | None) -> Part | None:
    if part is None:
        return None
    number, count = part
    if not 1 <= number <= count:
        raise InputError(f"parts are numbered from 1 to {count}; there is no part {number}")
    return Part(number, count)


@contextmanager
def _writing(manifest: Manifest) -> Iterator[None]:
    """Raise InputError if the store cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{error.filename or manifest.store} cannot be written: {error.strerror or error}"
        ) from error


def _refuse_others(manifest: Manifest, n: int, chosen: Mapping[str, Any]) -> None:
    """Refuse to mix what was computed with other parameters; None is any.

    Raises
    ------
    InputError
        It names what differs.
    """
    facts = manifest.facts()
    if n < facts.n:
        raise InputError(f"{manifest.store} has {facts.n} hybrids already, more than {n}")
    begun = {**facts.parameters, "chunk": facts.chunk}
    differing = []
    for name, is_now in chosen.items():
        was = begun.get(name)
        if is_now not in (was, None):
            differing.append("other scores" if name == "scores" else f"{name} {was}, not {is_now}")
    if facts.kind != KIND or differing:
        raise InputError(
            f"{manifest.store} was begun with {'; '.join(differing) or facts.kind}; go on with the "
            "same, or name another store"
        )


def _go_on(
    manifest: Manifest,
    n: int,
    hybrids: PreparedHybrids,
    part: Part | None,
    client: Client,
    progress: bool,
) -> RunStatus:
    """Compute what is missing or damaged, of all chunks or those of a part."""
    store = manifest.store.absolute()  # workers may be in other folders
    try:
        with manifest.store.lock(part):
            facts = manifest.facts()
            left = n - sum(map(facts.rows, manifest.finished(facts)))
            row = row_bytes(hybrids, facts.parameters["precision"])
            manifest.store.check_room(row * left, f"{left:,} hybrids")
            facts = match_layout(manifest, n, partial(template, hybrids))
            numbers = range(facts.chunks)[slice(None) if part is None else part.chunks]
            columns = HybridColumns(hybrids.source, facts.parameters["precision"])
            who = {"workers": client.description, "part": part}
            manifest.add_session({**provenance(), **who, "n": facts.n})
            became = compute_chunks(
                ChunkWriter(store, facts, columns),
                numbers,
                client,
                progress="hybrids" if progress else None,
            )
    except (OSError, PlaceError) as error:
        reason = str(error)
        if isinstance(error, OSError):
            reason = f"{error.filename or manifest.store}: {error.strerror or error}"
        raise InputError(
            f"{reason}; what is finished stays, go on with: supersample run --resume "
            f"{manifest.store}"
        ) from error
    return replace(status_of(manifest, became), at_work=False)


@dataclass(frozen=True)
class HybridColumns:
    """Rows of a run's arrays, a pure function of their numbers; goes to the workers."""

    source: HybridSource
    precision: Precision

    def __call__(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Scores and make-up of hybrids `start` to `stop` - 1, by name of array."""
        human = np.empty(stop - start, self.precision)
        score = np.empty((stop - start, len(self.source.statistics.finalizers) - 1), self.precision)
        for first in range(start, stop, LARGEST_BLOCK):  # what is in between stays small
            rows = hybrid_scores(self.source, first, min(stop, first + LARGEST_BLOCK))
            place = slice(first - start, first - start + rows.shape[0])
            human[place], score[place] = rows[:, 0], rows[:, 1:]
        return {"human": human, "score": score, **hybrid_coordinates(self.source, start, stop)}


def template(hybrids: PreparedHybrids, facts: Facts) -> xr.Dataset:
    """Sample as the store will have it, with lazy arrays in place of those that chunks fill.

    They are never computed, so that one block, a graph of one task, is enough.
    """
    sample = lazy_sample(hybrids.of_length(facts.n), facts.n, facts.n)
    stored = {
        name: sample[name].astype(facts.parameters["precision"]) for name in ("human", "score")
    }
    return sample.assign(stored)


def default_chunk(hybrids: PreparedHybrids, precision: Precision, n: int) -> int:
    """Hybrids a chunk: 96 MiB of them, or fewer where there would be less than four chunks."""
    largest = CHUNK_BYTES // row_bytes(hybrids, precision)
    blocks = min(largest // LARGEST_BLOCK, -(-n // (FEWEST_CHUNKS * LARGEST_BLOCK)))
    return max(1, blocks) * LARGEST_BLOCK


def row_bytes(hybrids: PreparedHybrids, precision: Precision) -> int:
    """Bytes of a hybrid in a store."""
    scorers = len(hybrids.source.statistics.finalizers)
    described = hybrid_coordinates(hybrids.source, 0, 0).values()
    return scorers * np.dtype(precision).itemsize + sum(empty.itemsize for empty in described)


def prepare_run(scores: xr.Dataset, parameters: Mapping[str, Any], n: int) -> PreparedHybrids:
    """Prepare the hybrids of a run from its Scores and parameters."""
    return prepare_hybrids(scores, n=n, seed=parameters["seed"], **_options(parameters))


def run_options(path: str | Path) -> dict[str, Any]:
    """How the hybrids of a run are built: n, design, mask and human_mean, as verbs take them.

    Raises
    ------
    InputError
        If there is no run of a known format.
    """
    facts = manifest_at(path).facts()
    return {"n": facts.n, **_options(facts.parameters)}


def _options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    design = dict(parameters["design"])
    return {
        "design": make_design(design.pop("name"), design),
        "mask": parameters["mask"],
        "human_mean": parameters["human_mean"],
    }
