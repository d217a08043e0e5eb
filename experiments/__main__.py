"""All experiments, one after the other: ``python -m experiments``, or ``make experiments``."""

import sys
from importlib import import_module
from pathlib import Path

from experiments.common import run


def main() -> int:
    """Reproduce every paper, whatever becomes of the others; 1 if any disagrees."""
    papers = sorted(path.parent.name for path in Path(__file__).parent.glob("*/reproduce.py"))
    return max(run(import_module(f"experiments.{paper}.reproduce")) for paper in papers)


if __name__ == "__main__":
    sys.exit(main())
