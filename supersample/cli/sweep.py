"""``supersample sweep``: rankings over a grid that a file names."""

from pathlib import Path
from typing import Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import Quiet
from supersample.cli.run import (
    Count,
    Memory,
    Queue,
    Scheduler,
    Walltime,
    parsed_workers,
    stoppable,
)


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="TOML or YAML.")],
    *,
    out: Annotated[
        Path, typer.Option(help="Folder of the results; gone on with where it is there.")
    ],
    scheduler: Scheduler = "threads",
    workers: Count = None,
    memory: Memory = None,
    walltime: Walltime = None,
    queue: Queue = None,
    quiet: Quiet = False,
) -> None:
    """Rank metrics for all combinations of inputs, designs, seeds and methods that a file names.

    Stop it whenever you like, and go on with the same command: finished combinations stay, and a
    file that names more adds them. The results are gathered in OUT/result.csv and OUT/result.zarr.
    """
    who = parsed_workers(scheduler, workers, memory, walltime, queue)
    import supersample as ss

    with stoppable(f"supersample sweep {file} --out {out}"):
        result = ss.sweep(file, out, workers=who, progress=not quiet)
    computed, total = result.attrs["computed"], result.attrs["combinations"]
    say(f"{computed} combinations computed, {total - computed} were there", quiet=quiet)
    say(str(ss.sweep_status(out)), quiet=quiet)
    typer.echo(f"{out / 'result.csv'}")
