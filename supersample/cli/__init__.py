"""The command line: parses, calls verbs, prints. One module a command."""

from supersample.cli import compare as compare
from supersample.cli import convert as convert
from supersample.cli import coverage as coverage
from supersample.cli import export as export
from supersample.cli import fetch as fetch
from supersample.cli import infer as infer
from supersample.cli import influence as influence
from supersample.cli import inspect as inspect
from supersample.cli import intervals as intervals
from supersample.cli import plan as plan
from supersample.cli import qe as qe
from supersample.cli import rank as rank
from supersample.cli import run as run
from supersample.cli import simulate as simulate
from supersample.cli import spa as spa
from supersample.cli import sweep as sweep
from supersample.cli import test as test
from supersample.cli.app import app, main

__all__ = ["app", "main"]
