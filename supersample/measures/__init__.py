"""Measures of agreement: how a metric's scores agree with people's.

A measure is one class, in the module of its subject, and one registration (`registry.py`):

- `systems.py`: measures of system-level scores: correlations, pairwise accuracy, errors. System
  scores are functions of sums over segments, so these measures can be resampled over systems,
  segments, documents and both, and allow every kind of swap.
- `pairs.py`: pairwise accuracy (PA) and soft pairwise accuracy (SPA), of paired differences.
- `segments.py`: whether a metric ranks translations of one segment (or of one system, or all
  translations) as people do, by any of ten statistics.

`measure.on(...)` computes the measure for the metrics of one group (`Measured`): their values,
their values on resamples, and the differences of each pair after swaps. Comparisons need nothing
else, and know no measure by name. `groups.py` makes groups of Scores: language pairs, domains,
documents.

Fast paths (the shared-permutation kernels of SPA, sums by segment for swapped inputs, closed forms
of the jackknife) give the same numbers as the general way; tests check this.
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
