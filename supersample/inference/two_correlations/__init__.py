"""Two correlations: tests and intervals, dependent or independent.

`overlapping` compares r12 with r13, which share variable 1 (the human scores); `non_overlapping`
compares r12 with r34, which share none but rest on the same systems; `independent` compares r1 with
r2 from different systems. All functions of these modules are described here, once.

Parameters
----------
r12, r13, r23 : array_like
    Of `overlapping`: Pearson correlations, in [-1, 1], the shared variable first.
r12, r34, r13, r14, r23, r24 : array_like
    Of `non_overlapping`: the two correlations compared, and the four between their variables.
r1, r2 : array_like
    Of `independent`: correlations of two samples with nothing in common.
n (n1 and n2 of `independent`) : array_like
    Number of systems (or hybrids) that the correlations rest on, at least 4.
alternative : {"two-sided", "greater", "less"}, default "two-sided"
    Of tests. "greater" says that the first of the two correlations is larger.
confidence_level : float, default 0.95
    Of intervals, strictly between 0 and 1.

Returns
-------
HypothesisTest
    Statistic and p-value of the broadcast shape. The statistic is 0 where both correlations are
    equal, identical metrics included. On Fisher's z scale it is infinite where just one of them is
    1 or -1. That of `zou2007_test` is the normal quantile at which 0 is a limit of the interval,
    with the sign of the difference, infinite where no interval reaches 0; so p is below
    1 - confidence_level exactly where the interval excludes 0.
Interval
    Limits of the difference of the two correlations, of the broadcast shape.

Raises
------
InputError
    If a correlation lies outside [-1, 1], the correlations are impossible together, n < 4, the
    alternative is unknown, or the confidence level is not between 0 and 1.

`registry` lists them by name.
"""
