"""``supersample fetch``: public sets from the network."""

from pathlib import Path
from typing import Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import Quiet


@app.command()
def fetch(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[SET]", help="For instance wmt23; without one, all are listed."),
    ] = None,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder to keep it in.  [default: $SUPERSAMPLE_CACHE/sets, or the user's cache]",
        ),
    ] = None,
    mirror: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Further address of the file, tried first; repeatable."),
    ] = None,
    sha256: Annotated[str | None, typer.Option(help="What the file's checksum must be.")] = None,
    quiet: Quiet = False,
) -> None:
    """Fetch a public set, unless it is fetched already; an interrupted download continues."""
    from supersample.readers.public_sets.fetching import fetch, public_sets

    sets = public_sets()
    if name is None:
        for each, described in sets.items():
            typer.echo(f"{each}: {described.what}; terms: {described.page}")
        return
    fetched = fetch(name, to=to, mirrors=mirror or [], sha256=sha256, progress=not quiet)
    described = sets[name]
    read_with = described.read_with.replace("FOLDER", str(fetched.folder))
    notes = [*fetched.notes, f"terms of use: {described.page}", f"read it with: {read_with}"]
    say(*notes, quiet=quiet)
    for path in fetched.files:
        typer.echo(path)
