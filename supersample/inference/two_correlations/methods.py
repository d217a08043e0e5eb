"""The tests and intervals by the field's names, for callers that are given a name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from supersample.inference.results import HypothesisTest, Interval
from supersample.inference.two_correlations import independent, non_overlapping, overlapping

OVERLAPPING_TESTS: Mapping[str, Callable[..., HypothesisTest]] = MappingProxyType(
    {
        "pearson1898": overlapping.pearson1898,
        "hotelling1940": overlapping.hotelling1940,
        "williams1959": overlapping.williams1959,
        "olkin1967": overlapping.olkin1967,
        "dunn1969": overlapping.dunn1969,
        "hendrickson1970": overlapping.hendrickson1970,
        "steiger1980": overlapping.steiger1980,
        "meng1992": overlapping.meng1992,
        "hittner2003": overlapping.hittner2003,
        "zou2007": overlapping.zou2007_test,
    }
)
"""Arguments r12, r13, r23, n; the last one inverts an interval."""
OVERLAPPING_INTERVALS: Mapping[str, Callable[..., Interval]] = MappingProxyType(
    {"meng1992": overlapping.meng1992_interval, "zou2007": overlapping.zou2007}
)
"""Arguments r12, r13, r23, n. Meng's limits are on the z scale, Zou's on that of r."""
NON_OVERLAPPING_TESTS: Mapping[str, Callable[..., HypothesisTest]] = MappingProxyType(
    {
        "pearson1898": non_overlapping.pearson1898,
        "dunn1969": non_overlapping.dunn1969,
        "steiger1980": non_overlapping.steiger1980,
        "raghunathan1996": non_overlapping.raghunathan1996,
        "silver2004": non_overlapping.silver2004,
        "zou2007": non_overlapping.zou2007_test,
    }
)
"""Arguments r12, r34, r13, r14, r23, r24, n; the last one inverts an interval."""
NON_OVERLAPPING_INTERVALS: Mapping[str, Callable[..., Interval]] = MappingProxyType(
    {"zou2007": non_overlapping.zou2007}
)
"""Arguments r12, r34, r13, r14, r23, r24, n."""
INDEPENDENT_TESTS: Mapping[str, Callable[..., HypothesisTest]] = MappingProxyType(
    {"fisher1925": independent.fisher1925, "zou2007": independent.zou2007_test}
)
"""Arguments r1, r2, n1, n2; the last one inverts an interval."""
INDEPENDENT_INTERVALS: Mapping[str, Callable[..., Interval]] = MappingProxyType(
    {"zou2007": independent.zou2007}
)
"""Arguments r1, r2, n1, n2."""
