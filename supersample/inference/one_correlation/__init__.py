"""One correlation: coefficients, intervals, exact distribution."""
