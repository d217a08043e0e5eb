"""supersample: which automatic metric agrees best with people, and how sure can we be.

>>> import supersample as ss
>>> ranking = ss.rank(ss.load_example(), n=1000, seed=0)
>>> interval = ss.compare(ss.load_example(), "SPA", random="segments", resamples=99)

``dir(ss)`` is a table of contents: the names that most people use, and modules with further names
by subject, such as ``ss.measures``, ``ss.figures`` and ``ss.simulation``.
"""

import os
from pathlib import Path

from lazy_loader import attach_stub

from supersample.errors import checked_names


def _keep_compiled_code() -> None:
    """Let numba cache in a folder of this process if it cannot write to its usual folders.

    These are the package's folder and the user's; without a cache numba refuses to compile.
    NUMBA_CACHE_DIR names a permanent folder. Worker processes share this process's folder.
    """
    if os.environ.get("NUMBA_CACHE_DIR") or os.access(Path(__file__).parent, os.W_OK):
        return
    import atexit
    import shutil
    import tempfile

    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache):
            return
    except (OSError, RuntimeError):  # a user unknown to the system has no home
        folder = tempfile.mkdtemp(prefix="supersample-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder


_keep_compiled_code()

# Names are loaded when they are first used, so that importing the package, and the command's help,
# are fast. They are listed once, in __init__.pyi, also for type checkers.
_load, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("supersample")
    return _load(name)
