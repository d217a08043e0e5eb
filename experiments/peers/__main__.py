"""Run the study: ``python -m experiments.peers``."""

from experiments.peers.study import main

main()
