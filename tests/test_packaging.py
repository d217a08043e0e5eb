"""The job with the oldest versions tests what pyproject.toml allows."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
EXTRAS = ("text", "distributed", "slurm", "fetch", "test")


def test_the_oldest_versions_are_the_minimums():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    of_extras = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    required = [Requirement(line) for line in (*project["dependencies"], *of_extras)]
    minimums = {
        requirement.name: str(requirement.specifier).removeprefix(">=")
        for requirement in required
        if requirement.name != "supersample"
    }
    lines = (ROOT / "constraints-oldest.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    # 17 is pinned as 17.0.0
    different = {
        name: (oldest, pinned[name])
        for name, oldest in minimums.items()
        if not f"{pinned[name]}.".startswith(f"{oldest}.")
    }
    assert different == {}, "run make constraints"
