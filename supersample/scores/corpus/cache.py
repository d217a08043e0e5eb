"""Statistics of texts on disk, so that they are counted once."""

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.scores.corpus.sacrebleu_metrics import INSTALL

LAYOUT = 1  # of the files; another number is another key


def user_cache() -> Path:
    """Give the folder for the caches of this user, as the platform has it; it is not made.

    Raises
    ------
    InputError
        If the extra that knows is not installed.
    """
    try:
        import platformdirs
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    return platformdirs.user_cache_path("supersample") / "texts"


def statistics_key(how: str, hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> str:
    """Digest of the texts and of how they are counted; the same digest, the same statistics."""
    inputs = json.dumps([LAYOUT, how, list(hypothesis), [list(lines) for lines in references]])
    return hashlib.sha256(inputs.encode("utf-8", errors="surrogatepass")).hexdigest()


def load_statistics(folder: Path, key: str, shape: tuple[int, int]) -> NDArray[np.float64] | None:
    """Statistics stored under a key, None where there are none, or no whole ones."""
    path = folder / f"{key}.npy"
    if not path.is_file():
        return None
    try:
        stored = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        return None  # cut short, or not readable: counted anew
    return stored if stored.shape == shape and stored.dtype == np.float64 else None


def store_statistics(folder: Path, key: str, statistics: NDArray[np.float64]) -> None:
    """Store statistics under their key, whole or not at all; a folder that cannot be is warned of.

    Warns
    -----
    UserWarning
        If nothing can be written there.
    """
    partial = folder / f".{key}.{os.getpid()}.npy"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        np.save(partial, statistics, allow_pickle=False)
        partial.replace(folder / f"{key}.npy")
    except OSError as error:
        text = f"statistics of texts are not cached: {folder}: {error.strerror or error}"
        warnings.warn(text, UserWarning, stacklevel=2)
