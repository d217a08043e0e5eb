"""Run the experiment: ``python -m experiments.naacl16``."""

import sys

from experiments.common import run
from experiments.naacl16 import reproduce

sys.exit(run(reproduce))
