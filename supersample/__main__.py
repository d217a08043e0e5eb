"""``python -m supersample``: the command line."""

from supersample.cli import main

main()
