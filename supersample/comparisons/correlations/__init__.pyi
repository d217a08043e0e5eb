from .by_formula import correlate as correlate
from .by_formula import compare_correlations as compare_correlations
from .streaming import stream_correlations as stream_correlations
from .human_only import human_only_intervals as human_only_intervals
from .by_formula import (
    compare_overlapping as compare_overlapping,
    compare_non_overlapping as compare_non_overlapping,
    compare_independent as compare_independent,
)
