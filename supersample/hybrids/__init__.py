"""Hybrid systems: samples, exact moments, assignments, runs to disk."""
