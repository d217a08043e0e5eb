"""Run the study: ``python -m experiments.difference``."""

import sys

from experiments.difference.study import main

sys.exit(main())
