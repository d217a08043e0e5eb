"""Where the public data lie, and the one line that ends an experiment without what it needs."""

import os
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from supersample.errors import InputError
from supersample.readers.public_sets import cache_folder

SETS = tomllib.loads(Path(__file__).with_name("data.toml").read_text())


def data_folder(default: Path) -> Path:
    """Folder that SUPERSAMPLE_DATA names, else the default, else the one that `fetch` fills."""
    if named := os.environ.get("SUPERSAMPLE_DATA"):
        return Path(named)
    with suppress(InputError):  # without the extra 'fetch' nothing was fetched
        return default if default.is_dir() else cache_folder()
    return default


def lacking(data: Path, *names: str) -> list[Path]:
    """List the files of these sets that are missing, as patterns."""
    needed = [(data / name, pattern) for name in names for pattern in SETS[name]["needs"]]
    return [folder / pattern for folder, pattern in needed if not any(folder.glob(pattern))]


def require(data: Path, *names: str) -> None:
    """End the program in one line with status 2 where files of these sets are missing."""
    for file in lacking(data, *names):
        missing(data, file)


def missing(data: Path, file: Path) -> NoReturn:
    """Name a missing file, and say where it is published."""
    name = file.relative_to(data).parts[0] if file.is_relative_to(data) else ""
    where = f"; published at {SETS[name]['published']}" if name in SETS else ""
    told = "experiments/data.toml lists the files, SUPERSAMPLE_DATA names their folder"
    print(f"error: there is no {file}{where}; {told}", file=sys.stderr)
    sys.exit(2)
