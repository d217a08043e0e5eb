"""Commands of this tree against those of the last release, in turn on one machine.

    make benchmark-release                         # against the last release on PyPI
    make benchmark-release RELEASE=dist/X.whl      # against a wheel

Each command runs alternately by the Python of either environment; in every round the two
times make a ratio. Both environments have the versions of constraints.txt. Writes
benchmarks/results/release.md, a part of the documentation, and exits with status 1 if a command
takes more than LIMIT times as long, by the median of its ratios.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.__main__ import machine
from benchmarks._report import run_measured

HERE = Path(__file__).parent
LIMIT = 1.2
COMMANDS = {
    "the help": ["--help"],
    "a ranking": ["rank", "example"],
    "a ranking with all files": ["rank", "example", "--out", "OUT"],
    "a million hybrids": ["rank", "example", "--stream", "-n", "1000000"],
    "soft pairwise accuracy": ["spa", "example"],
    "agreement on segments": ["segments", "example"],
    "a stored run": ["run", "example", "-n", "100000", "--out", "OUT.zarr"],
}


def seconds(python: str, command: list[str]) -> float:
    """Time a command by the package that a Python has installed, not by the folder it stands in."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word.replace("OUT", f"{folder}/out") for word in command]
        return run_measured([python, "-I", "-m", "supersample", *words])[0]


def ratios(tree: str, release: str, command: list[str], rounds: int) -> list[float]:
    """Divide times of this tree by those of the release; which of them runs first alternates."""
    found = []
    for number in range(rounds + 1):
        turn = (tree, release) if number % 2 else (release, tree)
        taken = {python: seconds(python, command) for python in turn}
        found.append(taken[tree] / taken[release])
    return found[1:]  # in the first round functions are compiled


def version(python: str) -> str:
    """Ask for the version that a Python has installed."""
    asked = [python, "-I", "-m", "supersample", "--version"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("release", metavar="PYTHON", help="that has the release")
    parser.add_argument("--rounds", type=int, default=9, metavar="N")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "release.md")
    options = parser.parse_args()
    # not resolved: an environment's Python is a link to another
    tree, release = sys.executable, str(Path(options.release).absolute())
    lines = [
        f"Version {version(tree)} of this tree against the release {version(release)}, on: "
        f"{machine()}. Ratios of times, {options.rounds} rounds.",
        "",
        "| command | median | least | most |",
        "| --- | ---: | ---: | ---: |",
    ]
    slower = []
    for name, command in COMMANDS.items():
        found = ratios(tree, release, command, options.rounds)
        lines.append(f"| {name} | {median(found):.2f} | {min(found):.2f} | {max(found):.2f} |")
        print(lines[-1], flush=True)
        if median(found) > LIMIT:
            slower.append(name)
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if slower:
        sys.exit(f"more than {LIMIT} times as long as the release takes: {', '.join(slower)}")


if __name__ == "__main__":
    main()
