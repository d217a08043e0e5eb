"""``supersample run``, ``resume`` and ``status``: hybrids of any number, into a store."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    Hybrids,
    MaskOption,
    Pairs,
    Quiet,
    Seed,
    Share,
    Unit,
    parsed_share,
    with_source,
)
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

    import supersample as ss

Scheduler = Annotated[
    str,
    typer.Option(
        metavar="[threads|processes|synchronous|slurm|tcp://HOST:PORT]",
        help="Who computes; the results are the same bits.",
    ),
]
Count = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Threads, processes, or jobs of SLURM.  [default: processors; one job]",
        show_default=False,
    ),
]
Memory = Annotated[str | None, typer.Option(help="Of a job of SLURM: 4GB.", show_default=False)]
Walltime = Annotated[
    str | None, typer.Option(help="Of a job of SLURM: 01:00:00.", show_default=False)
]
Queue = Annotated[str | None, typer.Option(help="SLURM's partition.", show_default=False)]
PartNumber = Annotated[
    int | None,
    typer.Option("--part", help="Compute part K of --parts alone, from 1.", show_default=False),
]
Parts = Annotated[
    int | None,
    typer.Option(help="How many processes compute a part each.", show_default=False),
]
Store = Annotated[Path, typer.Argument(metavar="RUN", help="Store that run began.")]


@app.command()
@with_source
def run(
    read: Callable[[], "xr.Dataset"],
    *,
    out: Annotated[Path, typer.Option(help="Zarr store; gone on with where it is there.")],
    hybrids: Hybrids = 1_000_000,
    seed: Seed = 0,
    design: Annotated[
        Literal["pairs", "mix"], typer.Option(help="Hybrids of two systems, or of all.")
    ] = "pairs",
    pairs: Pairs = "balanced",
    share: Share = "0.5",
    unit: Unit = "segment",
    mask: MaskOption = "common",
    human_mean: Annotated[
        Literal["ratings", "segments"], typer.Option(help="What human scores are means over.")
    ] = "ratings",
    precision: Annotated[
        Literal["float64", "float32"], typer.Option(help="Of the stored scores.")
    ] = "float64",
    chunk: Annotated[
        int | None,
        typer.Option(min=1, help="Hybrids a chunk.  [default: 96 MiB of them]", show_default=False),
    ] = None,
    scheduler: Scheduler = "threads",
    workers: Count = None,
    memory: Memory = None,
    walltime: Walltime = None,
    queue: Queue = None,
    part: PartNumber = None,
    parts: Parts = None,
    quiet: Quiet = False,
) -> None:
    """Compute hybrids of any number into a store, chunk by chunk.

    Stop it whenever you like, and go on with the same command or with resume: chunks that are
    finished stay. A larger --hybrids makes the run longer. Several processes can share a run by
    --part and --parts. rank takes the finished store.
    """
    own = _part(part, parts)
    who = parsed_workers(scheduler, workers, memory, walltime, queue)
    import supersample as ss

    if design == "mix":
        if (pairs, share) != ("balanced", "0.5"):
            raise InputError("--pairs and --share do not go with --design mix")
        chosen: ss.PairHybrids | ss.MixHybrids = ss.MixHybrids(unit)
    else:
        chosen = ss.PairHybrids(pairs, parsed_share(share), unit)
    scores = read()
    with stoppable(f"supersample resume {out}"):
        status = ss.run_hybrids(
            scores,
            out,
            n=hybrids,
            seed=seed,
            design=chosen,
            mask=mask,
            human_mean=human_mean,
            precision=precision,
            chunk=chunk,
            part=own,
            workers=who,
            progress=not quiet,
        )
    _say_became(status, quiet=quiet)


@app.command()
def resume(
    store: Store,
    *,
    hybrids: Annotated[
        int | None,
        typer.Option("--hybrids", "-n", help="Make the run so long.", show_default=False),
    ] = None,
    scheduler: Scheduler = "threads",
    workers: Count = None,
    memory: Memory = None,
    walltime: Walltime = None,
    queue: Queue = None,
    part: PartNumber = None,
    parts: Parts = None,
    quiet: Quiet = False,
) -> None:
    """Go on with a run: compute the chunks that are missing or damaged."""
    own = _part(part, parts)
    who = parsed_workers(scheduler, workers, memory, walltime, queue)
    import supersample as ss

    with stoppable(f"supersample resume {store}"):
        status = ss.resume_run(store, n=hybrids, part=own, workers=who, progress=not quiet)
    _say_became(status, quiet=quiet)


@app.command()
def status(store: Store) -> None:
    """Say what of a run or a sweep is done, what remains, and at what rate it goes."""
    import supersample as ss
    from supersample.sampling.sweeps import is_sweep

    typer.echo(str(ss.sweep_status(store) if is_sweep(store) else ss.run_status(store)))


def _say_became(status: "ss.RunStatus", *, quiet: bool) -> None:
    said = ", ".join(f"{count} {what}" for what, count in sorted(status.became.items()))
    say(f"chunks: {said or 'none of this part'}", quiet=quiet)
    say(str(status), quiet=quiet)


def _part(part: int | None, parts: int | None) -> tuple[int, int] | None:
    if part is None and parts is None:
        return None
    if part is None or parts is None:
        raise InputError("--part and --parts go together")
    return part, parts


def parsed_workers(
    scheduler: str, count: int | None, memory: str | None, walltime: str | None, queue: str | None
) -> "ss.Workers":
    """Make workers of what options say of them."""
    import supersample as ss

    return ss.Workers(scheduler, count, memory=memory, walltime=walltime, queue=queue)


class _Terminated(BaseException):
    """SIGTERM: a batch system's time is over."""


@contextmanager
def stoppable(again: str) -> Iterator[None]:
    """Let the work at hand come to its end on Ctrl-C and SIGTERM, and say how to go on."""

    def stop(*_: Any) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except (KeyboardInterrupt, _Terminated) as stopped:
        typer.echo(f"stopped; go on with: {again}", err=True)
        number = signal.SIGTERM if isinstance(stopped, _Terminated) else signal.SIGINT
        raise typer.Exit(128 + number) from None
    finally:
        signal.signal(signal.SIGTERM, before)
