"""A release has one version and one list of requirements everywhere; workflows call targets."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from docs.site import add, releases
from tests.installs import TRIALS

ROOT = Path(__file__).parent.parent
EXTRAS = ("text", "distributed", "slurm", "fetch")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, BUILT_BY = PYPROJECT["project"], PYPROJECT["build-system"]["requires"]
USERS_EXTRAS = PROJECT["optional-dependencies"]


def read(path):
    """Read a file of YAML, which JSON is, too."""
    return yaml.safe_load((ROOT / path).read_text())


def test_the_oldest_versions_are_the_minimums():
    of_extras = [line for extra in EXTRAS for line in USERS_EXTRAS[extra]]
    of_tests = PYPROJECT["dependency-groups"]["test"]
    required = [Requirement(line) for line in (*PROJECT["dependencies"], *of_extras, *of_tests)]
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


def test_one_version_everywhere():
    """`make tagged TAG=v...` also compares a tag, and asks for a date, names and addresses."""
    recipe, citation = read("recipe/recipe.yaml"), read("CITATION.cff")
    headings = re.findall(
        r"^## (\S+) \((unreleased|\d{4}-\d{2}-\d{2})\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    newest, date = headings[0]
    versions = {str(citation["version"]), recipe["context"]["version"], newest}
    assert versions == {PROJECT["version"]}
    if tag := os.environ.get("RELEASE_TAG"):
        assert tag == f"v{PROJECT['version']}"
        assert date != "unreleased", "write the date into CHANGELOG.md"
        assert open_places() == [], "docs/releasing.md says who writes them"


def open_places():
    """Where names and addresses of the project are still to be written."""
    named = {author["name"] for author in PROJECT["authors"]}
    nobody = "The supersample authors"
    maintainers = read("recipe/recipe.yaml")["extra"]["recipe-maintainers"]
    cited = {author["name"] for author in read("CITATION.cff")["authors"]}
    places = {
        "authors in pyproject.toml": nobody in named,
        "addresses in pyproject.toml": any(
            "example.org" in url for url in PROJECT["urls"].values()
        ),
        "authors in CITATION.cff": nobody in cited,
        "maintainers in recipe/recipe.yaml": "supersample" in maintainers,
    }
    return [place for place, is_open in places.items() if is_open]


def test_a_release_asks_for_names_and_addresses():
    assert len(open_places()) in (0, 4), "some of them are written, and others are not"


ON_CONDA = {"dask": "dask-core", "matplotlib": "matplotlib-base"}  # without what only users need


def on_conda(lines):
    """Lines of a recipe for requirements of pyproject.toml."""
    found = [Requirement(line) for line in lines]
    return {
        f"{ON_CONDA.get(each.name, each.name)} {each.specifier}"
        for each in found
        if each.name != "supersample"
    }


def test_the_recipe_requires_what_the_package_requires():
    recipe = read("recipe/recipe.yaml")
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    required = recipe["requirements"]
    python = "python >=${{ python_min }}"
    assert set(required["run"]) == {python, *on_conda(PROJECT["dependencies"])}
    of_extras = [line for lines in USERS_EXTRAS.values() for line in lines]
    assert set(required["run_constraints"]) == on_conda(of_extras)
    assert {line for line in required["host"] if ">=" in line} == on_conda(BUILT_BY)
    scripts = [f"{name} = {what}" for name, what in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


def test_each_extra_is_tried_in_an_empty_environment():
    assert set(TRIALS) == {"core", *USERS_EXTRAS, "sdist"}


def test_zenodo_and_the_citation_say_the_same():
    citation, zenodo = read("CITATION.cff"), read(".zenodo.json")
    for name in ("title", "license", "keywords"):
        assert citation[name] == zenodo[name]
    assert [author["name"] for author in citation["authors"]] == [
        creator["name"] for creator in zenodo["creators"]
    ]
    assert [each["doi"] for each in citation["references"]] == [
        each["identifier"] for each in zenodo["related_identifiers"]
    ]


def test_forms_and_workflows_are_yaml():
    for path in (ROOT / ".github").rglob("*.y*ml"):
        assert isinstance(yaml.safe_load(path.read_text()), dict), path


def test_binder_installs_what_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    steps = ROOT / ".binder" / "postBuild"
    assert os.access(steps, os.X_OK)
    constraints, extra = re.search(r"--constraint (\S+) '\.\[(\w+)\]'", steps.read_text()).groups()
    assert (ROOT / constraints).is_file()
    assert extra in project["optional-dependencies"]
    assert (ROOT / "docs" / "notebooks" / "example.md").is_file()  # which docs/conf.py links


TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", (ROOT / "Makefile").read_text(), re.M))


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_workflows_call_targets_of_the_makefile(path):
    jobs = read(path)["jobs"].values()
    called = [
        word
        for job in jobs
        for step in job["steps"]
        for words in re.findall(r"make ([^\n]*)", step.get("run", ""))
        for word in re.sub(r"\$\{\{.*?\}\}", "", words).split()
        if "=" not in word
    ]
    for job in jobs:
        rows = job.get("strategy", {}).get("matrix", {}).get("include", [])
        called += [target for row in rows for target in row["target"].split()]
    assert set(called) - TARGETS == set()
    assert called or path.stem == "release"
    assert all("timeout-minutes" in job for job in jobs)
    actions = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in actions)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md", "docs/releasing.md"])
def test_targets_that_pages_name_are_there(page):
    named = re.findall(r"`make ([a-z -]+)", (ROOT / page).read_text())
    assert {word for words in named for word in words.split()} - TARGETS == set()


def test_the_site_leads_to_its_newest_release(tmp_path):
    pages, address = tmp_path / "pages", "https://example.org/supersample"
    pages.mkdir()
    site = tmp_path / "site"
    for ref in ("main", "v0.2.0", "v0.10.0", "v0.2.1", "main", "v0.11.0rc1"):
        (pages / "index.html").write_text(ref)
        add(pages, site, ref, address)
        if ref == "main" and not releases(site):
            assert 'url=dev/"' in (site / "index.html").read_text()
    texts = {path.parent.name: path.read_text() for path in site.glob("*/index.html")}
    assert texts == {"dev": "v0.11.0rc1", "0.2": "v0.2.1", "0.10": "v0.10.0", "stable": "v0.10.0"}
    assert 'url=stable/"' in (site / "index.html").read_text()
    assert f"{address}/stable/" in (site / "404.html").read_text()
    listed = json.loads((site / "switcher.json").read_text())
    assert [(each["version"], each["url"]) for each in listed] == [
        ("dev", f"{address}/dev/"),
        ("0.10", f"{address}/stable/"),
        ("0.2", f"{address}/0.2/"),
    ]
    assert [each["version"] for each in listed if each.get("preferred")] == ["0.10"]
