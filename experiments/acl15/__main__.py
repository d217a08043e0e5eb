"""Run the experiment: ``python -m experiments.acl15``."""

import sys

from experiments.acl15 import reproduce
from experiments.common import run

sys.exit(run(reproduce))
