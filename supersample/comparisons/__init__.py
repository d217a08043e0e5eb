"""Comparisons of metrics by any measure: values, intervals, tests, groups and averages.

`compare` combines three things: what is measured (`measures/`), what is random (`resampling.py`),
and what is reported for each pair of metrics: the difference, its interval, p-values for the pair
and for all pairs at once, and which metrics may be the best. It works on replicates and on
differences under the null hypothesis, and knows no measure by name. `results/pairs.py` has the
arithmetic of pairs, which shared tasks also use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
