"""Where results are kept: places, files with checksums and locks, and the store of results."""
