from .by_formula import correlate as correlate
from .by_formula import compare_correlations as compare_correlations
from .streaming import stream_correlations as stream_correlations
from .by_formula import (
    compare_overlapping as compare_overlapping,
    compare_non_overlapping as compare_non_overlapping,
    compare_independent as compare_independent,
)
