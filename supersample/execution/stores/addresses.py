"""Places of stores by their paths and URLs."""

import importlib
import re
from pathlib import Path

from supersample.errors import InputError, quoted
from supersample.execution.stores.objects import Bucket
from supersample.execution.stores.places import Folder, Place

_BUCKETS = {"s3": ("s3", "s3fs"), "gs": ("gcs", "gcsfs")}
_URL = re.compile(rf"({'|'.join(_BUCKETS)}):/{{1,2}}(.+)")  # a Path has one slash of "s3://"


def place_of(path: str | Path) -> Place:
    """Give the place of a path, or of a URL such as ``s3://bucket/run.zarr``.

    Raises
    ------
    InputError
        If the extra of such a URL is not installed, or stores are not kept at such URLs.
    """
    url = _URL.fullmatch(str(path))
    if url is None:
        if "://" in str(path):
            raise InputError(f"{quoted(path)}: a store is a folder, or begins with s3:// or gs://")
        return Folder(Path(path))
    extra, package = _BUCKETS[url[1]]
    try:
        importlib.import_module(package)
    except ImportError as error:
        how = f"pip install 'supersample[{extra}]'"
        raise InputError(f"{url[1]}:// needs the extra {extra}: {how}") from error
    return Bucket(f"{url[1]}://{url[2].rstrip('/')}")
