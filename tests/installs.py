"""Install what is in dist/ in empty environments, without extras and with each, and try it.

    python -m tests.installs              # by this Python: core, each extra, the sdist
    python -m tests.installs core excel   # some of them
    python -m tests.installs --contents   # what the archives hold, alone

`make wheel` and `make extras` call it. It needs Python alone, so that any Python tries itself.
Exits with status 1 where an installation fails, or where a first ranking from an empty
environment without extras takes more than a minute.
"""

import argparse
import os
import platform
import subprocess
import sys
import tarfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
MINUTE = 60.0
SDIST_ALONE = {
    "CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md",
    "pyproject.toml", "setup.cfg",
}  # fmt: skip
SCORED = """
import supersample as ss
texts = ss.corpus.Texts({"A": ["a cat", "a mat"], "B": ["cats", "mats"]}, [["a cat", "a mat"]])
scores = ss.make_scores(
    [[1.0, 0.9], [0.1, 0.2]], [[[1, 2], [0, 1]]], systems=["A", "B"], metrics=["m"]
)
ss.corpus.add_corpus_metrics(scores, texts, ["bleu"])
"""
COMPUTED = """
import supersample as ss
if __name__ == "__main__":
    with {cluster} as cluster, ss.connect(cluster.scheduler_address) as client:
        run = ss.hybrids.run_hybrids(ss.load_example(), "run.zarr", n=100, workers=client)
    assert run.complete
"""
TRIALS = {
    "core": "",
    "text": SCORED,
    "distributed": "from distributed import LocalCluster"
    + COMPUTED.format(cluster="LocalCluster(1, threads_per_worker=1, dashboard_address=None)"),
    "slurm": "from dask_jobqueue import SLURMCluster; import supersample as ss"
    "\ntry:\n    ss.connect(ss.Workers('slurm')).__enter__()"
    "\nexcept ss.InputError as error:\n    assert 'SLURM' in str(error), error",
    "s3": "import fsspec; fsspec.get_filesystem_class('s3')",
    "gcs": "import fsspec; fsspec.get_filesystem_class('gs')",
    "fetch": "import pooch, requests; import supersample.readers.public_sets",
    "excel": "import python_calamine; from supersample.readers import table_files",
    "sdist": "",
}
"""What is tried after a ranking, by extra; `core` and `sdist` are installed without one."""


def check_contents(version: str) -> list[str]:
    """Say what the archives miss, and what they have too much."""
    with zipfile.ZipFile(DIST / f"supersample-{version}-py3-none-any.whl") as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
        facts = {name.partition(".dist-info/")[2] for name in wheel.namelist()} - {""}
    top = f"supersample-{version}/"
    with tarfile.open(DIST / f"supersample-{version}.tar.gz") as sdist:
        names = {member.name.removeprefix(top) for member in sdist if member.isfile()}
    tracked = subprocess.run(
        ["git", "ls-files", "supersample"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    from_package = {name for name in names if name.startswith("supersample/")}
    others = {name for name in names - from_package if ".egg-info/" not in name}
    differences = {
        "the wheel": packed ^ set(tracked),
        "the sdist's package": from_package ^ set(tracked),
        "the sdist": others ^ SDIST_ALONE,
        "the wheel's facts": {"licenses/LICENSE", "METADATA", "entry_points.txt"} - facts,
    }
    return [f"{what}: {sorted(found)}" for what, found in differences.items() if found]


def worked() -> float:
    """Seconds that processes of this one have worked; 0 on Windows."""
    return os.times().children_user + os.times().children_system


def try_out(name: str, archive: Path, folder: Path) -> tuple[float, float]:
    """Install into an empty environment, rank, and use the extra.

    Returns the seconds until the ranking, and how many of them processors worked.
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NUMBA"))}
    start, before = time.perf_counter(), worked()
    venv.create(folder, clear=True, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"

    def run(*command: object) -> None:
        words = [str(word) for word in command]
        subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=True)

    extra = "" if name in ("core", "sdist") else f"[{name}]"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "install", f"{archive}{extra}")
    run(scripts / "supersample", "rank", "example")
    seconds, work = time.perf_counter() - start, worked() - before
    run(scripts / "supersample", "rank", "example", "--out", "example")
    run(*pip, "check")
    trial = folder / "trial.py"
    trial.write_text(TRIALS[name], encoding="utf-8")
    run(python, trial)
    return seconds, work


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TRIALS))
    parser.add_argument("--contents", action="store_true", help="look into the archives, alone")
    options = parser.parse_args()
    if unknown := set(options.names) - TRIALS.keys():
        parser.error(f"nothing is called {', '.join(sorted(unknown))}")
    stem = f"supersample-{project['version']}"
    if options.contents:
        sys.exit("\n".join(check_contents(project["version"])) or 0)
    failed = []
    for name in options.names or TRIALS:
        suffix = ".tar.gz" if name == "sdist" else "-py3-none-any.whl"
        folder = ROOT / "build" / "installs" / f"{name}-{platform.python_version()}"
        try:
            seconds, work = try_out(name, DIST / f"{stem}{suffix}", folder)
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error}\n{error.stderr.decode(errors='replace')}", flush=True)
            failed.append(name)
            continue
        tried = f"Python {platform.python_version()}, {name}"
        print(f"{tried}: ranked after {seconds:.0f} s, {work:.0f} of work", flush=True)
        if name == "core" and seconds > MINUTE:  # on a machine with nothing else to do
            failed.append(name)
    if failed:
        sys.exit(f"failed, or ranked after more than a minute: {', '.join(failed)}")


if __name__ == "__main__":
    main()
