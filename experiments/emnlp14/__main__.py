"""Run the experiment: ``python -m experiments.emnlp14``."""

import sys

from experiments.common import run
from experiments.emnlp14 import reproduce

sys.exit(run(reproduce))
