"""Run the study: ``python -m experiments.survival``."""

import sys

from experiments.survival.study import main

sys.exit(main())
