"""Graham and Baldwin (2014), "Testing for significance of increased correlation"."""
