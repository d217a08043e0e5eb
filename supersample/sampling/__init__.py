"""Sampling distributions of r, populations, coverage studies, planning, sweeps."""
