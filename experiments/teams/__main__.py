"""Run the study: ``python -m experiments.teams``."""

import sys

from experiments.teams.study import main

sys.exit(main())
