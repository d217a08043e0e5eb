"""Run the study: ``python -m experiments.calibration``."""

import sys

from experiments.calibration.study import main

sys.exit(main())
