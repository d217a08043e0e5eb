"""Coefficients, intervals and tests, on arrays alone."""
