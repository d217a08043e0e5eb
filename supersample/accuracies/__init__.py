"""Pairwise and soft pairwise accuracy: preferences, comparisons, ablations."""
