import pytest

from experiments.common import DATA
from experiments.data import lacking


def needs(*sets):
    """Skip a test where files of these sets are missing."""
    absent = lacking(DATA, *sets)
    return pytest.mark.skipif(bool(absent), reason=f"there is no {absent[0] if absent else ''}")
