"""``supersample convert``: scores from one layout to another."""

from pathlib import Path

from supersample.cli.app import app, echo, say
from supersample.cli.options import Quiet
from supersample.cli.sources import Reader


@app.command()
def convert(read: Reader, *, to: Path, quiet: Quiet = False) -> None:
    """Convert scores to another layout.

    Parameters
    ----------
    to
        File to write: .csv, .tsv, .jsonl, .parquet, .nc or .zarr; without a suffix a folder in the
        layout of mt-metrics-eval.
    """
    from supersample.scores.writing import write_scores

    scores = read()
    lost = write_scores(scores, to)
    sizes = ", ".join(f"{size} {name}s" for name, size in scores.sizes.items())
    say(f"written to {to}: {sizes}", quiet=quiet)
    if lost:
        echo(f"not in the file, to be repeated when it is read: {lost}", err=True)
