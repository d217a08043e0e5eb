"""Run the study: ``python -m experiments.judges``."""

import sys

from experiments.judges.study import main

sys.exit(main())
