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
        typer.Argument(
            metavar="[SET]", help="For instance wmt23; without one, all that there are are listed."
        ),
    ] = None,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder to keep it in.  [default: $SUPERSAMPLE_CACHE/sets, or the user's cache]",
            show_default=False,
        ),
    ] = None,
    mirror: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Further address of the file, tried first; repeatable."),
    ] = None,
    sha256: Annotated[
        str | None, typer.Option(help="What the file's checksum must be.", show_default=False)
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Fetch a public set, unless it is there; a broken-off download goes on where it stopped."""
    import supersample as ss

    known = ss.public_sets()
    if name is None:
        for own, described in known.items():
            typer.echo(f"{own}: {described.what}; terms: {described.page}")
        return
    fetched = ss.fetch(name, to=to, mirrors=mirror or [], sha256=sha256, progress=not quiet)
    for note in fetched.notes:
        say(note, quiet=quiet)
    described = known[name]
    say(f"terms of use: {described.page}", quiet=quiet)
    say(f"read it with: {described.read_with.replace('FOLDER', str(fetched.folder))}", quiet=quiet)
    for path in fetched.files:
        typer.echo(path)
