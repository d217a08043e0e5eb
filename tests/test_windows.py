"""Nothing that Windows lacks is needed to import the package, to rank, and to keep a run.

The package sees this system without the modules, functions and signals of POSIX alone; what it
imports sees its modules. Tests that themselves need POSIX have the mark `posix`, with the reason.
"""

import subprocess
import sys

POSIX_ALONE = """
import builtins, mmap, multiprocessing.resource_tracker, os, signal, subprocess, sys
import dask.system  # libraries may look at the system before

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios"}
NAMES = {
    os: ["fork", "geteuid", "getloadavg", "getuid", "killpg", "mkfifo", "sched_getaffinity",
         "setsid", "sysconf"],
    signal: ["SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "alarm", "pthread_sigmask",
             "setitimer"],
    mmap: ["MADV_HUGEPAGE", "MAP_ANONYMOUS", "MAP_PRIVATE"],
}
import_anything = builtins.__import__


def import_some(name, namespace=None, *more, **named):
    if name in MODULES and (namespace or {}).get("__name__", "").startswith("supersample"):
        raise ImportError(f"Windows has no {name}")
    return import_anything(name, namespace, *more, **named)


builtins.__import__ = import_some
for module, names in NAMES.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""


CODE = """
import importlib, pkgutil
import supersample as ss
from supersample.cli import main
from supersample.execution.limits import usable_memory

for module in pkgutil.walk_packages(ss.__path__, "supersample."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert usable_memory() == float("inf")
ss.hybrids.run_hybrids(ss.load_example(), "run.zarr", n=200)
main(["rank", "run.zarr"])
"""


def test_importing_everything_rankings_and_runs_need_no_posix(tmp_path):
    command = [sys.executable, "-c", POSIX_ALONE + CODE]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "strong-95" in ran.stdout
