"""``python -m supersample``: the command line."""

from supersample.cli import main

if __name__ == "__main__":
    main()
