"""Correlations of metrics with human scores: intervals, tests, resampling, averages."""
