"""Run the experiment: ``python -m experiments.spa24``."""

import sys

from experiments.common import run
from experiments.spa24 import reproduce

sys.exit(run(reproduce))
