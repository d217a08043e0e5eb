"""A bucket."""

from tests.buckets import bucket  # noqa: F401
