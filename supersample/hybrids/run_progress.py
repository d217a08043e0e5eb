"""Status of a run, and the hybrids of a finished run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import xarray as xr

from supersample.errors import InputError
from supersample.execution.progress import rate_text, time_text
from supersample.execution.stores.datasets import open_run_arrays
from supersample.execution.stores.places import KEPT, place_of
from supersample.execution.stores.store import Run, Store, finished_chunks, run_of
from supersample.hybrids.samples import MOST_LABELLED, with_labels

KIND = "run"
RATE_OVER = 600.0  # seconds


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
    """Hybrids per second since work began, or in its last ten minutes; NaN without a chunk."""
    at_work: bool
    """Whether a process is computing it now."""
    became: Mapping[str, int]
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
        if self.at_work:
            return f"{text}; at work"
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
    return status_of(run_store(path), {})


def run_store(path: str | Path) -> Store:
    """Store of the run at a path or URL, if there is one."""
    return Store(place_of(path), KIND)


def is_run(path: str | Path) -> bool:
    """Whether a path or URL is the store of a run."""
    return place_of(path).within(KEPT).is_folder()


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
    status = run_status(path)
    if not status.complete:
        raise InputError(
            f"{path} has {status.finished} of {status.chunks} chunks; finish it: "
            f"supersample run --resume {path}"
        )
    opened = open_run_arrays(run_store(path))
    if opened.sizes["hybrid"] != status.n or not opened.attrs.get("finished"):
        raise InputError(  # a process was killed while it extended or finished the run
            f"{path} is incomplete; repair it: supersample run --resume {path}"
        )
    of_systems = opened.drop_dims("hybrid").load()
    return opened.drop_vars("computed").assign(of_systems.variables)


def status_of(store: Store, became: Mapping[str, int]) -> RunStatus:
    """Status of the run in a store, and what a call did with the chunks."""
    run = run_of(store)
    times = finished_chunks(store, run)
    return RunStatus(
        path=store.place.path,
        n=run.n,
        chunk=run.chunk,
        chunks=run.chunks,
        finished=len(times),
        finished_hybrids=sum(map(run.rows, times)),
        rate=_rate(store, run, times),
        at_work=store.place.at_work(),
        became=dict(became),
    )


def _rate(store: Store, run: Run, times: Mapping[int, float]) -> float:
    """Hybrids per second since work began, over all processes that compute parts.

    For long work, the ten minutes before the last chunk was finished count.
    """
    latest = max(times.values(), default=0.0)
    began = latest - RATE_OVER
    for when, session in reversed(store.sessions()):
        if when < latest - RATE_OVER:
            break
        began = when
        if session.get("part") is None:
            break
    recent = [run.rows(number) for number, when in times.items() if when > began]
    return sum(recent) / (latest - began) if recent else float("nan")
