"""Datasets in files of Zarr 3, with checksums that are compared when they are read.

The root of a Zarr group (``zarr.json``) has the metadata of all arrays, and two checksums among its
attributes: of itself, and of all other files. Arrays of hybrids in a run are left out of them:
their chunks are written later, and have Zarr's own checksums (the codec crc32c). An attribute says
the format; it is checked before any value is read. These attributes are removed when it is read.
"""

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import dask
import google_crc32c
import numpy as np
import xarray as xr
from dask.base import is_dask_collection
from numpy.typing import NDArray
from zarr.codecs import Crc32cCodec
from zarr.storage import MemoryStore

from supersample.errors import FORMATS, InputError, UncheckedWarning, check_format, warn
from supersample.execution.stores import Place
from supersample.execution.workers import AnyWorkers, connect

# Attributes of every written Dataset.
SEAL = "checksum"
FILES = "checksum_of_files"
FORMAT = "supersample_format"
ROOT = "zarr.json"
# Of a run: an attribute that describes it, the group with the data that it is computed from, and
# the first dimension of arrays whose chunks are written later.
RUN = "supersample_run"
INPUTS = "scores"
ROWS = "hybrid"
_CRC_BYTES = 4


def write_zarr(dataset: xr.Dataset, path: str | Path, *, workers: AnyWorkers = "threads") -> None:
    """Write a Dataset as a new Zarr store, readable by xarray; workers compute lazy arrays."""
    store = Path(path)
    store.mkdir(parents=True)
    if any(map(is_dask_collection, dataset.variables.values())):
        with connect(workers) as client, dask.config.set(scheduler=client.scheduler):
            dataset = dataset.compute()
    for name, content in files_of(dataset).items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_bytes(content)


def files_of(dataset: xr.Dataset, chunk: int | None = None) -> dict[str, bytes]:
    """Give the files of a Zarr group by name, the root last; of a run without chunks."""
    plain = dataset.drop_encoding().assign_attrs({FORMAT: FORMATS["Dataset"]})
    texts = [name for name, each in plain.variables.items() if each.dtype.kind == "U"]
    plain = plain.assign({name: plain.variables[name].astype(object) for name in texts})
    encoding = {
        name: {"chunks": (chunk, *each.shape[1:]), "compressors": [Crc32cCodec()]}
        for name, each in plain.variables.items()
        if chunk is not None and ROWS in each.dims
    }
    kept: dict[str, Any] = {}
    options: dict[str, Any] = {"zarr_format": 3, "consolidated": False, "compute": False}
    plain.to_zarr(MemoryStore(kept), encoding=encoding, **options)
    files = {name: bytes(kept[name].to_bytes()) for name in sorted(kept)}
    root = json.loads(files.pop(ROOT))
    arrays = {name.removesuffix(f"/{ROOT}"): name for name in files if name.endswith(f"/{ROOT}")}
    found = {name: json.loads(files[file]) for name, file in arrays.items()}
    root["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": found}
    root["attributes"][FILES] = _code_of({name: files.get(name) for name in _names(root)})
    root["attributes"][SEAL] = _code_of_root(root)
    return {**files, ROOT: json.dumps(root, indent=1).encode()}


def _names(root: Mapping[str, Any]) -> list[str]:
    """Names of a group's files, without the root and chunks that are written later."""
    names, is_run = [], RUN in root["attributes"]
    for name, array in sorted(root["consolidated_metadata"]["metadata"].items()):
        names.append(f"{name}/{ROOT}")
        if not (is_run and ROWS in array["dimension_names"]):
            sizes = array["chunk_grid"]["configuration"]["chunk_shape"]
            counts = [-(-n // size) for n, size in zip(array["shape"], sizes, strict=True)]
            names += ["/".join([name, "c", *map(str, at)]) for at in product(*map(range, counts))]
    return names


def _code_of(files: Mapping[str, bytes | None]) -> str:
    """CRC-32C of files with their names; Zarr does not write chunks that hold nothing."""
    code = 0
    for name, content in files.items():
        head = f"{name} {None if content is None else len(content)}\n".encode()
        code = google_crc32c.extend(google_crc32c.extend(code, head), content or b"")
    return f"crc32c:{code:08x}"


def _code_of_root(root: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in root["attributes"].items() if name != SEAL}
    return _code_of({ROOT: json.dumps({**root, "attributes": rest}, sort_keys=True).encode()})


def read_root(place: Place) -> dict[str, Any] | None:
    """Read the root of a Zarr group, checked; None if other software wrote it, or there is none.

    Raises
    ------
    InputError
        If it is damaged, or the Dataset has another format.
    """
    try:
        raw = place.read(ROOT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:  # a folder in its place
        raw = b""
    try:
        root: dict[str, Any] = json.loads(raw)
        attributes = root["attributes"]
        if not {SEAL, FILES} & attributes.keys():
            return None
        whole = attributes[SEAL] == _code_of_root(root)
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise InputError(f"{place}/{ROOT} is damaged")
    check_format(place, "Dataset", attributes.get(FORMAT))
    return root


def run_facts(place: Place) -> dict[str, Any] | None:
    """Read the description of a run; None if there is no run, InputError as `read_root`."""
    root = read_root(place)
    facts: dict[str, Any] | None = None if root is None else root["attributes"].get(RUN)
    return facts


def load_zarr(place: Place, mending: str = "make it again") -> xr.Dataset:
    """Load a Dataset that `write_zarr` wrote, with checks; other stores with `UncheckedWarning`.

    The arrays of hybrids of a run are not read.

    Raises
    ------
    InputError
        If a file changed after writing, or the Dataset has another format.
    """
    root = read_root(place)
    if root is None:
        text = f"{place} has no checksum, so damage to it cannot be detected"
        warn(text, UncheckedWarning, stacklevel=2)
    elif _code_of(read_files(place, _names(root))) != root["attributes"][FILES]:
        raise InputError(f"a file of {place} is damaged; {mending}")
    opened: xr.Dataset = xr.open_zarr(str(place), chunks=None, consolidated=root is not None)
    for variable in opened.variables.values():
        variable.encoding = {}  # xarray 2025.10 reads the values in drop_encoding
    opened.encoding = {}
    for name in (SEAL, FILES, FORMAT):
        opened.attrs.pop(name, None)
    lazy = [name for name, v in opened.variables.items() if RUN in opened.attrs and ROWS in v.dims]
    loaded = opened.drop_vars(lazy).load()
    return opened.assign({name: _with_plain_text(v) for name, v in loaded.variables.items()})


def _with_plain_text(variable: xr.Variable) -> xr.Variable:
    """Give texts the same type as in memory: Zarr has another."""
    is_text = variable.dtype.kind in "OT"
    return variable.astype(object).astype(str) if is_text else variable


def read_files(place: Place, names: list[str]) -> dict[str, bytes | None]:
    """Contents of small files by name, None if one cannot be read."""

    def content(name: str) -> bytes | None:
        try:
            return place.read(name)
        except OSError:
            return None

    return {name: content(name) for name in names}


def put_files(place: Place, files: Mapping[str, bytes]) -> bool:
    """Put those files of a store that are missing or different, in order; whether any is."""
    there = read_files(place, [*files])
    differing = {name: content for name, content in files.items() if there[name] != content}
    for name, content in differing.items():
        place.put(name, content)
    return bool(differing)


def chunk_file(name: str, number: int, ndim: int) -> str:
    """Name of a chunk's file, if chunks have all of each dimension but the first.

    >>> chunk_file("score", 3, ndim=2)
    'score/c/3/0'
    """
    return "/".join([name, "c", str(number), *["0"] * (ndim - 1)])


def put_chunk(place: Place, name: str, number: int, rows: NDArray[Any]) -> None:
    """Put a whole chunk of a chunked array: rows in C order, and Zarr's checksum."""
    little = np.ascontiguousarray(rows, dtype=rows.dtype.newbyteorder("<"))
    content = little.data.cast("B")
    place.put(chunk_file(name, number, rows.ndim), content, _crc(content))


def read_chunk(
    place: Place, name: str, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> NDArray[Any] | None:
    """Read a whole chunk of a chunked array; None if it is damaged, OSError if it is missing."""
    content = memoryview(place.read(chunk_file(name, number, len(shape))))
    rows = content[:-_CRC_BYTES]
    if rows.nbytes != np.prod(shape) * dtype.itemsize or _crc(rows) != content[-_CRC_BYTES:]:
        return None
    return np.frombuffer(rows, dtype.newbyteorder("<")).reshape(shape)


def _crc(content: memoryview) -> bytes:
    return int(google_crc32c.value(np.frombuffer(content, np.uint8))).to_bytes(_CRC_BYTES, "little")
