"""The command line: parses, calls verbs, prints. A module registers its commands as it is imported.

A command of another package registers itself in the same way: ``@app.command()`` on a function,
which takes Scores by a parameter of the type `Reader`.
"""

from supersample.cli import (  # noqa: F401
    files,
    people,
    qe,
    rank,
    run,
    studies,
    task,
)
from supersample.cli.app import app, main
from supersample.cli.sources import Reader

__all__ = ["Reader", "app", "main"]
