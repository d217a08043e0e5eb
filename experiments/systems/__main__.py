"""Run the study: ``python -m experiments.systems``."""

import sys

from experiments.systems.study import main

sys.exit(main())
