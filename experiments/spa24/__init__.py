"""Thompson et al. (2024), soft pairwise accuracy."""
