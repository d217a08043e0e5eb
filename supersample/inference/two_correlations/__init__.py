"""Two correlations: tests and intervals, dependent or independent."""
