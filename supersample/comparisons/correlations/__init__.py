"""Correlations of metrics with human scores: intervals, tests, resampling, averages.

Two dependent correlations
--------------------------
`supersample.inference.two_correlations` holds the tests and intervals of the field by name.
Variable 1 is the shared one, the human scores: r12 and r13 are the correlations of two metrics with
people, r23 that between the metrics; "greater" is r12 > r13. Verbs add the flag ``identical`` for
metrics with bitwise the same scores, whose difference is 0, interval [0, 0] and p 1. Correlations
that rounding makes just impossible together are accepted to 1e-10 of a determinant.

Where no formula serves, `supersample.comparisons.compare` draws: a bootstrap over systems, segments
or documents, or swaps of two metrics' scores. Holm's and Benjamini and Hochberg's adjusted p-values
stand beside raw ones, over all pairs of metrics of a basis.

`human_only_intervals` resamples human scores alone, as WMT once did, for comparison with the
others: it measures the precision of the human scores of these systems, not that of r.

Declared intervals
------------------
Three correlations are correlations of ``a B + b S`` (`supersample.engine.moments`), with B the
covariance over systems of their scores and S the mean over segments of that of the segments'
scores: of observed scores (a = 1, b = 0), of true scores (without the noise of segments), and of
infinitely many hybrids. `IntervalMethod` names a procedure, what is random, and the estimand.
Resampling systems, segments or both takes new B and S, never hybrids; sums run in a fixed order,
without a BLAS. Scores with gaps and corpus metrics enter by first-order contributions of their
segments.

Averages over groups
--------------------
`compare_over_groups` averages r over language pairs, domains or documents. Limits of the average
follow from those of the groups by variance recovery where groups are independent: language pairs,
and hybrids in any case. Domains and documents share their systems, so over systems a bootstrap
draws these once for all groups. The mean of r goes with Zou's intervals of differences, the mean of
Fisher's z with those of Meng et al., because their means over groups are intervals of that average.

Streaming
---------
Correlations need means and centred products alone. Every 65,536 hybrids give some, 16 such blocks
are a task that merges them in order, and tasks are merged in the order of their numbers, so that
bits do not depend on workers. `stream_correlations` gives the result of `correlate`, to rounding.
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
