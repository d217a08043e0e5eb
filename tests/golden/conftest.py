"""Recipes of golden values need what the tests do not have, and are no tests."""

collect_ignore = ["distribution_of_r.py"]
