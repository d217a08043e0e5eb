"""A bucket, and the command line."""

from tests.buckets import bucket  # noqa: F401
from tests.cli.conftest import command  # noqa: F401
