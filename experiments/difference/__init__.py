"""Which test and interval of a difference of r over systems."""
