"""``supersample run``, ``resume`` and ``status``: hybrids of any number, into a store."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, echo, say
from supersample.cli.options import HumanMeanOption, Hybrids, Quiet, Reader, one_of, with_source
from supersample.cli.parameters import HybridOptions, PartOptions, WorkerOptions, with_options
from supersample.cli.stopping import stoppable
from supersample.errors import InputError

if TYPE_CHECKING:
    from supersample.hybrids.run_progress import RunStatus

Store = Annotated[str, typer.Argument(metavar="RUN", help="Store that run began.")]


def _design_names() -> list[str]:
    from supersample.engine.designs import DESIGNS

    return list(DESIGNS)


@dataclass(frozen=True)
class RunHybrids(HybridOptions):
    """Hybrids of a run."""

    hybrids: Hybrids = 1_000_000
    human_mean: HumanMeanOption = "ratings"
    design: Annotated[
        str, one_of(_design_names, "Hybrids of two systems, of all, or of a registered design.")
    ] = "pairs"

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of `run_hybrids`."""
        from supersample.engine.designs import make_design

        arguments = super().arguments() | {"human_mean": self.human_mean}
        if self.design == "pairs":
            return arguments
        if (self.pairs, self.share) != ("balanced", "0.5"):
            raise InputError(f"--pairs and --share do not go with --design {self.design}")
        return arguments | {"design": make_design(self.design, {"unit": self.unit})}


@app.command()
@with_source
@with_options
def run(
    read: Reader,
    *,
    out: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="Zarr store, or its URL s3://...; an existing run is continued."
        ),
    ],
    build: RunHybrids,
    precision: Annotated[
        Literal["float64", "float32"], typer.Option(help="Of the stored scores.")
    ] = "float64",
    chunk: Annotated[
        int | None, typer.Option(min=1, help="Hybrids a chunk.  [default: 96 MiB of them]")
    ] = None,
    workers: WorkerOptions,
    part: PartOptions,
    quiet: Quiet = False,
) -> None:
    """Compute hybrids of any number into a store, chunk by chunk.

    A run can be stopped at any time; the same command or resume continues it, with the chunks that
    are finished. A larger --hybrids makes the run longer. Several processes can share a run by
    --part and --parts. rank takes the finished store.
    """
    options = build.arguments() | {"part": part.parsed(), "workers": workers.parsed()}
    from supersample.comparisons.correlations.correlate import correlate
    from supersample.hybrids.runs import run_hybrids
    from supersample.scores.system_level import system_level_scores

    scores = read()
    if "segment" in scores.dims:  # warns of constant and reversed metrics before the work
        correlate(system_level_scores(scores, mask=build.mask, human_mean=build.human_mean))
    with stoppable(f"supersample resume {out}"):
        status = run_hybrids(
            scores, out, precision=precision, chunk=chunk, progress=not quiet, **options
        )
    _say_became(status, quiet=quiet)


@app.command()
@with_options
def resume(
    store: Store,
    *,
    hybrids: Annotated[
        int | None, typer.Option("--hybrids", "-n", help="Lengthen the run to so many.")
    ] = None,
    workers: WorkerOptions,
    part: PartOptions,
    quiet: Quiet = False,
) -> None:
    """Continue a run: compute the chunks that are missing or damaged."""
    chosen_part, who = part.parsed(), workers.parsed()
    from supersample.hybrids.runs import resume_run

    with stoppable(f"supersample resume {store}"):
        status = resume_run(store, n=hybrids, part=chosen_part, workers=who, progress=not quiet)
    _say_became(status, quiet=quiet)


@app.command()
def status(store: Store) -> None:
    """Show how much of a run or a sweep is done, and its rate."""
    from supersample.hybrids.run_progress import run_status
    from supersample.sampling.sweeps import is_sweep, sweep_status

    echo(sweep_status(store) if is_sweep(store) else run_status(store))


def _say_became(status: "RunStatus", *, quiet: bool) -> None:
    counts = ", ".join(f"{count} {what}" for what, count in sorted(status.became.items()))
    say(f"chunks: {counts or 'none of this part'}", str(status), quiet=quiet)
