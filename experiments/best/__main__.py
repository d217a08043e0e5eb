"""Run the study: ``python -m experiments.best``."""

import sys

from experiments.best.study import main

sys.exit(main())
