"""Intervals and p-values from replicates, whatever was resampled."""
