"""Run the study: ``python -m experiments.honest_inference``."""

import sys

from experiments.honest_inference.study import main

sys.exit(main())
