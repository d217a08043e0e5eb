"""``supersample inspect``: what is in a file or folder of scores."""

from supersample.cli.app import app, print_tables
from supersample.cli.sources import Reader


@app.command()
def inspect(read: Reader) -> None:
    """List systems, metrics, what is missing and what looks reversed."""
    from supersample.presentation.studies import inspection_tables
    from supersample.scores.inspection import inspect_scores

    print_tables(*inspection_tables(inspect_scores(read())))
