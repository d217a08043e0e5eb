"""Additive statistics, random streams, designs and kernels, on arrays alone."""
