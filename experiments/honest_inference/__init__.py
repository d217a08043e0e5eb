"""Tests, intervals and rankings measured at the noise that real test sets have."""
