"""Published papers, regenerated: one folder a paper."""
