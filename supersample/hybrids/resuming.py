"""Runs compute hybrids into a store by chunks; they can be stopped and resumed."""

import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.hybrid_designs import (
    Design,
    HybridSource,
    PairHybrids,
    hybrid_scores,
    make_design,
)
from supersample.errors import InputError, in_one_line, listed
from supersample.execution.checksums import content_code
from supersample.execution.limits import check_memory
from supersample.execution.progress import Meter
from supersample.execution.stores import Place, PlaceError, place_of
from supersample.execution.workers import LARGEST_BLOCK, AnyWorkers, connect, lazy_rows
from supersample.execution.zarr_files import (
    INPUTS,
    ROOT,
    ROWS,
    RUN,
    files_of,
    load_zarr,
    put_chunk,
    put_files,
    read_chunk,
    run_facts,
)
from supersample.hybrids.samples import (
    MOST_LABELLED,
    PreparedHybrids,
    default_chunk,
    hybrid_coordinates,
    lazy_sample,
    prepare_hybrids,
    row_bytes,
    with_labels,
)
from supersample.scores.files import read_dataset
from supersample.scores.selection import Mask
from supersample.scores.system_level import HumanMean, PreparedScores

LAST = "human"  # array whose chunks are written last


@dataclass(frozen=True)
class Run:
    """Description of a run: hybrids in chunks, each a pure function of its number.

    A chunk does not depend on the number of hybrids: the last one has hybrids that are not used.
    """

    place: Place
    n: int
    chunk: int
    parameters: dict[str, Any]

    @property
    def chunks(self) -> int:
        """Number of chunks for n hybrids."""
        return -(-self.n // self.chunk)

    def rows(self, number: int) -> int:
        """Count the hybrids of a chunk that are used."""
        return min(self.chunk, self.n - number * self.chunk)

    def finished(self) -> list[int]:
        """Numbers of finished chunks; reads no chunk."""
        numbers = [int(name) for name in self.place.names(f"{LAST}/c") if name.isdecimal()]
        return [number for number in numbers if number < self.chunks]


def run_of(place: Place) -> Run:
    """Read the description of a run; InputError if there is no run of a known format."""
    facts = run_facts(place)
    if facts is None:
        no = f"{place} is no run of supersample; name another"
        raise InputError(no if place.exists() else f"there is no run {place}")
    return Run(place, **facts)


@dataclass(frozen=True)
class RunStatus:
    """Status of a run."""

    path: Path | str
    n: int
    chunk: int
    """Hybrids per chunk."""
    chunks: int
    finished: int
    """Chunks on disk."""
    finished_hybrids: int
    became: Mapping[str, int] = field(default_factory=dict)
    """After a call that computed: chunks kept, computed (were missing), mended (were damaged)."""

    @property
    def complete(self) -> bool:
        """Whether all chunks are finished."""
        return self.finished == self.chunks

    def __str__(self) -> str:
        """One line: what is done, what remains, and how to resume."""
        text = (
            f"{self.path}: {self.finished_hybrids:,} of {self.n:,} hybrids, "
            f"{self.finished:,} of {self.chunks:,} chunks"
        )
        if self.complete:
            unread = "; its chunks were not checked: rank and --resume check them"
            return text + ("" if self.became else unread)
        return f"{text}; go on with: supersample run --resume {self.path}"


def run_status(path: str | Path) -> RunStatus:
    """Give the status of a run, without reading its chunks.

    Raises
    ------
    InputError
        If there is no run of a known format.
    """
    run = run_of(place_of(path))
    finished = run.finished()
    return RunStatus(
        path=run.place.path,
        n=run.n,
        chunk=run.chunk,
        chunks=run.chunks,
        finished=len(finished),
        finished_hybrids=sum(map(run.rows, finished)),
    )


def is_run(path: str | Path) -> bool:
    """Whether a path or URL is the store of a run."""
    return run_facts(place_of(path)) is not None


def open_run(path: str | Path) -> xr.Dataset:
    """Open a finished run as a lazy sample, like those of `hybrid_supersample`.

    Raises
    ------
    InputError
        If there is no run of a known format, or it is not finished.
    """
    sample = open_finished(path)
    if sample.sizes["hybrid"] > MOST_LABELLED:
        return sample
    made_of = [name for name, values in sample.coords.items() if "hybrid" in values.dims]
    coordinates = sample[made_of].compute().coords
    return with_labels(sample, {str(name): coordinates[name].to_numpy() for name in made_of})


def open_finished(path: str | Path) -> xr.Dataset:
    """Open a finished run as `open_run`, without reading the coordinates of its hybrids."""
    run = run_of(place_of(path))
    finished = len(run.finished())
    if finished < run.chunks:
        raise InputError(
            f"{path} has {finished} of {run.chunks} chunks; finish it: "
            f"supersample run --resume {path}"
        )
    opened = load_zarr(run.place, f"repair it: supersample run --resume {path}")
    lazy = {
        name: variable.copy(data=_lazy_values(run, str(name), variable))
        for name, variable in opened.variables.items()
        if ROWS in variable.dims
    }
    del opened.attrs[RUN]
    return opened.assign(lazy)


def _lazy_values(run: Run, name: str, variable: xr.Variable) -> Any:
    seen = replace(run, place=run.place.absolute())
    rest = variable.shape[1:]
    block = partial(_checked_rows, seen, name, rest, variable.dtype)
    return lazy_rows(block, run.n, rest[0] if rest else None, run.chunk, variable.dtype)


def _checked_rows(
    run: Run, name: str, rest: tuple[int, ...], dtype: np.dtype[Any], start: int, stop: int
) -> NDArray[Any]:
    """Rows of an array of a run, within a chunk."""
    number, first = divmod(start, run.chunk)
    try:
        rows = read_chunk(run.place, name, number, (run.chunk, *rest), dtype)
    except OSError:
        seen_by_worker(run)
        rows = None
    if rows is None:
        raise InputError(
            f"{run.place}: chunk {number} of {name} is damaged; "
            f"repair it: supersample run --resume {run.place}"
        )
    return rows[first : first + stop - start]


def seen_by_worker(run: Run) -> None:
    """Refuse to go on if this worker sees no run, or another one, in the place."""
    facts = run_facts(run.place)
    if facts is None or (facts["chunk"], facts["parameters"]) != (run.chunk, run.parameters):
        raise InputError(f"a worker cannot read {run.place}, to which all workers need access")


def run_hybrids(
    scores: xr.Dataset,
    path: str | Path,
    *,
    n: int,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
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
        with fsspec's configuration and credentials. There are no locks: processes that work on the
        same chunk at once write the same bytes.
    n, seed, design, mask, human_mean
        As in `hybrid_supersample`.
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
        another version or in another format; or if it cannot be written, for instance because the
        disk is full. Finished work is never lost.

    Examples
    --------
    >>> from supersample import load_example
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "run.zarr"
    >>> run_hybrids(load_example(), path, n=5_000, chunk=2_000).finished_hybrids
    5000
    >>> dict(run_hybrids(load_example(), path, n=10_000, chunk=2_000).became)
    {'kept': 3, 'computed': 2}
    """
    design = PairHybrids() if design is None else design
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
        "scores": content_code(scores),
        "version": version("supersample"),
    }
    row = row_bytes(hybrids)
    check_memory(row * (chunk or 0), f"chunks of {chunk} hybrids")
    _check_part(part)
    place = place_of(path)
    if place.suffix != ".zarr":
        raise InputError(f"{path}: the name of a run's store ends in .zarr")
    inputs = {f"{INPUTS}/{name}": content for name, content in files_of(scores).items()}
    # seen before the root is: another process may create it in the meantime
    there = {*place.names(), *place.names(f"{LAST}/c")}
    if run_facts(place) is None:
        size = default_chunk(hybrids, n) if chunk is None else chunk
        run = Run(place, n, size, parameters)
        files = layout(hybrids, run)
        root = files.pop(ROOT)
        of_killed = {name.partition("/")[0] for name in [*inputs, *files]}
        if there - of_killed:
            raise InputError(f"{path} is no run of supersample; name another")
        with in_one_line(place):
            place.prepare(row * n, f"{n:,} hybrids")
            put_files(place, inputs)
            with suppress(FileExistsError):  # another process was faster
                place.put(ROOT, root, new=True)
    _refuse_others(run_of(place), n, {"chunk": chunk, **parameters})
    with in_one_line(place):
        put_files(place, inputs)  # mends them
    return _go_on(place, n, hybrids, part, workers, progress)


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
    run = run_of(place_of(path))
    scores = read_dataset(path)
    now = {"scores": content_code(scores), "version": version("supersample")}
    longer = run.n if n is None else n
    _refuse_others(run, longer, {**run.parameters, **now})
    seed = run.parameters["seed"]
    hybrids = prepare_hybrids(scores, n=longer, seed=seed, **_options(run.parameters))
    return _go_on(run.place, longer, hybrids, part, workers, progress)


def _check_part(part: tuple[int, int] | None) -> None:
    if part is not None and not 1 <= part[0] <= part[1]:
        raise InputError(f"parts are numbered from 1 to {part[1]}; there is no part {part[0]}")


def _refuse_others(run: Run, n: int, chosen: Mapping[str, Any]) -> None:
    """Refuse to mix results of different parameters; None matches any value.

    Raises
    ------
    InputError
        If a parameter differs; the message names it.
    """
    if n < run.n:
        raise InputError(f"{run.place} already has {run.n} hybrids, more than {n}")
    begun = {**run.parameters, "chunk": run.chunk}
    differing = []
    for name, is_now in chosen.items():
        was = begun.get(name)
        if is_now not in (was, None):
            differing.append("other scores" if name == "scores" else f"{name} {was}, not {is_now}")
    if differing:
        raise InputError(
            f"{run.place} was begun with {'; '.join(differing)}; go on with the same, or name "
            "another store"
        )


def _go_on(
    place: Place,
    n: int,
    hybrids: PreparedHybrids,
    part: tuple[int, int] | None,
    workers: AnyWorkers,
    progress: bool,
) -> RunStatus:
    """Compute missing or damaged chunks, of the whole run or of a part."""
    advice = f"; finished chunks are kept, go on with: supersample run --resume {place}"
    became: Counter[str] = Counter()
    try:
        with in_one_line(place, advice), connect(workers) as client:
            run = _laid_out(place, n, hybrids)
            left = run.n - sum(map(run.rows, run.finished()))
            place.prepare(row_bytes(hybrids) * left, f"{left:,} hybrids")
            seen = replace(run, place=place.absolute())  # workers may run in other folders
            writer = ChunkWriter(seen, hybrids.source)
            number, parts = part or (1, 1)
            numbers = range(number - 1, run.chunks, parts)
            if progress and client.dashboard is not None:
                print(f"dashboard: {client.dashboard}", file=sys.stderr, flush=True)
            with (
                Meter("hybrids" if progress else None, sum(map(run.rows, numbers))) as meter,
                closing(client.completed(writer, numbers, meter.show)) as outcomes,
            ):
                for chunk, what in outcomes:
                    became[what] += 1
                    meter.add(run.rows(chunk), finished_before=what == "kept")
            if became.total() > became["kept"]:
                _laid_out(place, n, hybrids)  # another process may have made it less long
    except PlaceError as error:
        raise InputError(f"{error}{advice}") from error
    return replace(run_status(place.path), became=dict(became))


@dataclass(frozen=True)
class ChunkWriter:
    """Computes missing or damaged chunks of a run; picklable, for workers on any machine."""

    run: Run
    source: HybridSource

    def __call__(self, number: int) -> str:
        """Compute a chunk, unless it exists and its checksums agree; return what was done.

        "kept": it was complete; "computed": it was missing; "mended": it was damaged. If its files
        cannot be written, OSError is raised, and earlier chunks are kept.
        """
        seen_by_worker(self.run)
        place, chunk = self.run.place, self.run.chunk
        was = "mended"
        try:
            arrays = {
                name: (empty.shape[1:], empty.dtype) for name, empty in self.rows(0, 0).items()
            }
            if all(
                read_chunk(place, name, number, (chunk, *rest), dtype) is not None
                for name, (rest, dtype) in arrays.items()
            ):
                return "kept"
        except FileNotFoundError:
            was = "computed"
        for name, rows in self.rows(number * chunk, (number + 1) * chunk).items():
            put_chunk(place, name, number, rows)
        return was

    def rows(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Scores and coordinates of hybrids `start` to `stop` - 1, by name of array."""
        human = np.empty(stop - start)
        score = np.empty((stop - start, len(self.source.statistics.finalizers) - 1))
        for first in range(start, stop, LARGEST_BLOCK):  # intermediate arrays stay small
            rows = hybrid_scores(self.source, first, min(stop, first + LARGEST_BLOCK))
            place = slice(first - start, first - start + rows.shape[0])
            human[place], score[place] = rows[:, 0], rows[:, 1:]
        made_of = hybrid_coordinates(self.source, start, stop)
        return {**made_of, "score": score, LAST: human}


def layout(hybrids: PreparedHybrids, run: Run) -> dict[str, bytes]:
    """Make the files of a run except chunks."""
    # never computed, so one block is enough
    sample = lazy_sample(hybrids.of_length(run.n), run.n, run.n)
    facts = {"n": run.n, "chunk": run.chunk, "parameters": run.parameters}
    return files_of(sample.assign_attrs({RUN: facts}), run.chunk)


def _laid_out(place: Place, n: int, hybrids: PreparedHybrids) -> Run:
    """Mend the layout of a run, and extend it to n hybrids.

    Another process may make it longer in the meantime: who writes also looks last. Only who makes a
    run longer writes its root, which says how long it is.
    """
    while True:
        run = run_of(place)
        longer = replace(run, n=max(run.n, n))
        files = layout(hybrids, longer)
        root = files.pop(ROOT)
        is_changed = put_files(place, files)
        if longer.n > run.n:
            place.put(ROOT, root)
        elif not is_changed:
            return longer


def run_options(path: str | Path) -> dict[str, Any]:
    """Options of a run's hybrids: n, design, mask and human_mean.

    Raises
    ------
    InputError
        If there is no run of a known format.
    """
    run = run_of(place_of(path))
    return {"n": run.n, **_options(run.parameters)}


def scored_run(path: str, prepared: PreparedScores) -> xr.Dataset:
    """Hybrids of a run with the metrics and orientations of Scores; InputError if it lacks one."""
    sample = open_finished(path)
    lacking = [name for name in prepared.names if name not in sample["metric"]]
    if lacking:
        raise InputError(
            f"{path} has no scores of {listed(lacking, 5)}; compute a run with the metric, or rank "
            "the scores without the run"
        )
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
