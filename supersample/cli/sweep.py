"""``supersample sweep``: rankings over a grid that a file names."""

from pathlib import Path
from typing import Annotated

import typer

from supersample.cli.app import app, echo, say
from supersample.cli.options import Quiet, WorkerOptions
from supersample.cli.stopping import stoppable


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument()],
    *,
    out: Path,
    workers: WorkerOptions,
    quiet: Quiet = False,
) -> None:
    """Rank metrics for combinations of inputs, designs and methods.

    A file names inputs, designs, seeds and methods; all their combinations are computed.

    A sweep can be stopped at any time; the same command continues it. Finished combinations stay,
    run --status OUT counts them, and a file that names more adds them. OUT/result.csv and
    OUT/result.zarr hold all results.

    Parameters
    ----------
    file : FILE
        TOML or YAML.
    out
        Folder of the results; an existing sweep is continued.
    """
    who = workers.parsed()
    from supersample.sampling.sweeps import sweep, sweep_status

    with stoppable(f"supersample sweep {file} --out {out}"):
        result = sweep(file, out, workers=who, progress=not quiet)
    computed, total = result.attrs["computed"], result.attrs["combinations"]
    counts = f"{computed} combinations computed, {total - computed} finished before"
    say(counts, str(sweep_status(out)), quiet=quiet)
    echo(f"{out / 'result.csv'}")
