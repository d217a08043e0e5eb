"""Files of a test, in a folder of its own."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a text, or bytes, into a file; its path."""

    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
