"""Tolerances: how far numbers may differ by rounding, each with its reason.

Numbers that are equal in theory differ by rounding if they are computed in two ways, but must tie
when they are compared: a lost tie changes a p-value by a replicate, or turns a metric's tie into a
win. Each tolerance is far above rounding errors and far below the steps between scores.
"""

# Sums are equal if they differ by at most this share of the absolute values added up.
#
# This also holds for sums of squares, and for the difference of two scores. In double precision,
# sums of a million numbers are accurate to about 1e-13 of that.
SUM_TIE = 1e-12

# Scores are far from zero if all are further from it than this many times their range.
#
# Their sums would lose the digits in which they differ, so the smallest score is subtracted first.
FAR_FROM_ZERO = 1e4

# Correlations and accuracies are equal if they differ by at most this.
#
# They are at most 1 and accurate to about 1e-13; accuracies change in steps of one over the
# number of pairs.
VALUE_TIE = 1e-10

# Replicates that fall short of the observed statistic by at most this share of it reach it.
#
# Statistics in units of their standard error are ratios, which are less accurate than sums.
REPLICATE_TIE = 1e-9

# Sums of standardised scores that differ by at most this come from the same scores.
#
# Sums of squared differences of such scores that are below this are zero except for rounding.
COPY = 1e-9

# Largest distance below zero of a determinant or an eigenvalue that is due to rounding.
DETERMINANT_ROUNDING = 1e-10

# A variance below this, for each variable of a correlation matrix, is what its factor rounds.
VARIANCE_ROUNDING = 1e-14

# Four roundings to single precision: numbers, their differences, the sum, and the limit.
SINGLE_ROUNDING = 2.0**-22

# Smallest p-value that is converted to a quantile, and variance that is divided by.
TINY = 1e-300
