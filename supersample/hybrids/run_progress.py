"""What a run is, how far it is, and the hybrids of a finished run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.execution.progress import rate_text, time_text
from supersample.execution.stores.datasets import (
    ROWS,
    RUN,
    load_zarr,
    read_chunk,
    run_facts,
)
from supersample.execution.stores.places import Place, place_of
from supersample.execution.workers.workers import lazy_rows
from supersample.hybrids.samples import MOST_LABELLED, with_labels

RATE_OVER = 600.0  # seconds
COMPUTED = "computed"  # array whose chunks are written last


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

    def finished(self) -> dict[int, float]:
        """Time when each finished chunk was written, seconds since 1970; reads no chunk."""
        times = self.place.names(f"{COMPUTED}/c")
        numbers = {int(name): when for name, when in times.items() if name.isdecimal()}
        return {number: when for number, when in numbers.items() if number < self.chunks}


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
    rate: float
    """Hybrids per second of the last ten minutes of work; NaN with fewer than two chunks."""
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
        if self.rate > 0:
            text += f"; {rate_text(self.rate)}"
            if not self.complete:
                text += f", {time_text((self.n - self.finished_hybrids) / self.rate)} left"
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
    times = run.finished()
    latest = max(times.values(), default=0.0)
    recent = sorted((when, number) for number, when in times.items() if when > latest - RATE_OVER)
    began = recent[0][0] if recent else latest
    rows = sum(run.rows(number) for _, number in recent[1:])
    return RunStatus(
        path=run.place.path,
        n=run.n,
        chunk=run.chunk,
        chunks=run.chunks,
        finished=len(times),
        finished_hybrids=sum(map(run.rows, times)),
        rate=rows / (latest - began) if latest > began else float("nan"),
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
    if not opened.attrs.get("finished"):  # a process was killed before it could say so
        raise InputError(f"{path} is incomplete; repair it: supersample run --resume {path}")
    lazy = {
        name: variable.copy(data=_lazy_values(run, str(name), variable))
        for name, variable in opened.drop_vars(COMPUTED).variables.items()
        if ROWS in variable.dims
    }
    del opened.attrs[RUN]
    return opened.drop_vars(COMPUTED).assign(lazy)


def _lazy_values(run: Run, name: str, variable: xr.Variable) -> Any:
    seen = Run(run.place.absolute(), run.n, run.chunk, run.parameters)
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
