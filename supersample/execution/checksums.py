"""Checksums of bytes, of facts and of the content of Datasets."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import google_crc32c
import numpy as np
import xarray as xr


def checksum(content: bytes | memoryview) -> str:
    """BLAKE2b of 16 bytes, in hexadecimal.

    >>> checksum(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def keyed(**facts: Any) -> str:
    """Key of a result: a checksum of everything that determines it, as JSON.

    >>> keyed(seed=0, n=10) == keyed(n=10, seed=0)
    True
    """
    return checksum(json.dumps(facts, sort_keys=True).encode())


def content_code(data: xr.Dataset | Mapping[str, xr.Dataset]) -> str:
    """CRC-32C of all values, labels and their attributes; or of several Datasets by name.

    It does not depend on the file format. Attributes of the Dataset (which name its source), the
    order of variables and the bits of a NaN do not count.

    >>> data = xr.Dataset({"a": ("x", [1.0, 2.0])})
    >>> content_code(data) == content_code(data[["a"]]), content_code(data) == content_code(-data)
    (True, False)
    """
    if isinstance(data, xr.Dataset):
        contents = _contents(data)
    else:
        codes = {name: content_code(part) for name, part in data.items()}
        contents = iter((json.dumps(codes).encode(),))
    code = 0
    for content in contents:
        code = google_crc32c.extend(code, np.frombuffer(content, np.uint8))
    return f"{code:08x}"


def _contents(data: xr.Dataset) -> Iterator[bytes | memoryview]:
    """Facts and values of each variable, in the order of their names."""
    for name in sorted(map(str, data.variables)):
        variable = data.variables[name]
        values = np.asarray(variable.to_numpy())
        content: bytes | memoryview
        if values.dtype.kind in "OTU":
            content = json.dumps([str(value) for value in values.ravel()]).encode()
        else:
            if values.dtype.kind == "f" and np.isnan(values).any():
                values = np.where(np.isnan(values), np.nan, values)
            content = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        kind = "text" if values.dtype.kind in "OTU" else values.dtype.str
        facts = [name, variable.dims, values.shape, kind, variable.attrs]
        yield json.dumps(facts, sort_keys=True, default=_plain).encode()
        yield content


def _plain(value: object) -> Any:
    """Attribute as JSON has it: of a netCDF file, numbers are NumPy's."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)
