"""``supersample export``: what hybrids are made of, for scorers elsewhere."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    Hybrids,
    MaskOption,
    Overwrite,
    Pairs,
    Quiet,
    Seed,
    Share,
    Unit,
    parsed_share,
    with_source,
)

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def export(
    read: Callable[[], "xr.Dataset"],
    *,
    out: Annotated[Path, typer.Option(help="Folder for the assignments; made if need be.")],
    hybrids: Hybrids = 10_000,
    seed: Seed = 0,
    pairs: Pairs = "balanced",
    share: Share = "0.5",
    unit: Unit = "segment",
    mask: MaskOption = "common",
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Write which system each segment of each hybrid comes from.

    For metrics that supersample cannot compute from sums: score the hybrids elsewhere and bring the
    scores back with rank --import-hybrids and the same options.
    """
    from supersample.results.outputs import check_folder, write_assignments

    folder = check_folder(out, overwrite=overwrite)
    scores = read()
    import supersample as ss

    blocks = ss.assignment_blocks(
        scores,
        n=hybrids,
        seed=seed,
        design=ss.PairHybrids(pairs, parsed_share(share), unit),
        mask=mask,
    )
    written = write_assignments(folder, blocks)
    say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
