"""The command line: parses, calls verbs, prints. One module a command, registered by its import.

A command of another package registers itself alike: ``@app.command()`` on a function, which takes
Scores by a parameter of the type `Reader`.
"""

from supersample.cli import (  # noqa: F401
    compare,
    convert,
    coverage,
    fetch,
    inspect,
    plan,
    qe,
    rank,
    run,
    segments,
    simulate,
    spa,
    sweep,
    task,
    test,
)
from supersample.cli.app import app, main
from supersample.cli.sources import Reader

__all__ = ["Reader", "app", "main"]
