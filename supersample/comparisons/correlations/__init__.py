"""Correlations of metrics with human scores: intervals, tests, resampling, averages.

Two dependent correlations
--------------------------
`supersample.inference.two_correlations` has the tests and intervals of the literature by name.
Variable 1 is the shared variable, the human scores: r12 and r13 are the correlations of two
metrics with people, r23 is the correlation between the metrics; "greater" means r12 > r13. Verbs
add the flag ``identical`` for metrics whose scores are bitwise equal; their difference is 0, the
interval [0, 0] and p 1. Correlations that rounding makes slightly impossible together are accepted
(determinant above -1e-10).

If no formula applies, `supersample.comparisons.compare` resamples: a bootstrap over systems,
segments or documents, or swaps of two metrics' scores. Results have p-values adjusted by Holm, over
all pairs of metrics of a basis, beside the unadjusted ones.

Averages over groups
--------------------
`compare_over_groups` averages r over language pairs, domains or documents. If groups are
independent (language pairs; hybrids in any case), limits of the average follow from those of the
groups by variance recovery. Domains and documents share their systems, so a bootstrap over systems
draws systems once for all groups. Over hybrids, means of Zou's intervals of
differences are intervals of their average.

Streaming
---------
Correlations need only means and centred products. Each block of 65,536 hybrids gives these; 16
blocks are one task that merges them in order; tasks are merged in the order of their numbers. So
the bits do not depend on workers. `stream_correlations` equals `correlate`, except for rounding.
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
