"""``supersample inspect``: what is in a file or folder of scores."""

from supersample.cli.app import app, print_tables
from supersample.cli.options import Reader, with_source


@app.command()
@with_source
def inspect(read: Reader) -> None:
    """List the scores: systems, metrics, what is missing, and what seems reversed."""
    import supersample as ss
    from supersample.presentation.inspection import inspection_tables

    print_tables(*inspection_tables(ss.inspect_scores(read())))
