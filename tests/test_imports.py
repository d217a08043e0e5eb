"""Rules about the package's layout and imports, read from the source; a failure lists offenders."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import version
from inspect import unwrap
from pathlib import Path

import pytest

import supersample as ss
from tests.sizes import counts

PACKAGE = Path(ss.__file__).parent

# Which rooms each room may import, from the lowest to the highest. The root may import every room.
ARRAYS = {"errors", "tolerances", "engine", "inference"}
BELOW_VERBS = ARRAYS | {"execution", "presentation", "scores", "results", "readers"}
VERBS = {"hybrids", "comparisons", "quality_estimation", "raters", "simulation", "tasks"}
MEASURED = {"resampling", "measures"}
ALLOWED = {
    "errors": set(),
    "tolerances": set(),
    "engine": {"errors", "tolerances"},
    "inference": {"errors", "tolerances"},
    "execution": {"errors"},
    "presentation": {"errors", "tolerances"},
    "scores": ARRAYS | {"execution"},
    "results": ARRAYS | {"execution", "presentation", "scores"},
    "readers": ARRAYS | {"execution", "scores"},
    "hybrids": BELOW_VERBS,
    "resampling": ARRAYS,
    "measures": BELOW_VERBS - {"presentation", "readers"} | {"resampling"},
    "comparisons": BELOW_VERBS | MEASURED | {"hybrids"},
    "quality_estimation": BELOW_VERBS | MEASURED | {"hybrids", "comparisons"},
    "raters": BELOW_VERBS | MEASURED | {"comparisons"},
    "simulation": BELOW_VERBS | MEASURED | {"hybrids", "comparisons"},
    "tasks": BELOW_VERBS | MEASURED | {"comparisons"},
    "testing": BELOW_VERBS | MEASURED | {"hybrids", "comparisons"},
    "cli": VERBS
    | BELOW_VERBS
    | MEASURED,  # below verbs: names in registries, workers and designs alone
    "__main__": {"cli"},
}

# Which packages each room may import, besides the standard library.
COMPILED = {"numpy", "scipy", "numba"}
LABELLED = {"numpy", "scipy", "xarray"}
PACKAGES = {
    "root": set(),
    "errors": set(),
    "tolerances": set(),
    "engine": COMPILED | {"llvmlite"},
    "inference": COMPILED,
    "execution": LABELLED
    | {"dask", "distributed", "dask_jobqueue", "zarr", "fsspec", "rich", "google_crc32c"},
    "presentation": LABELLED | {"matplotlib", "rich", "jinja2"},
    "scores": LABELLED | {"pandas", "pyarrow"},
    "results": LABELLED | {"matplotlib", "pandas"},
    "readers": LABELLED | {"pandas", "pyarrow"},
    "hybrids": LABELLED,
    "resampling": {"numpy"},
    "measures": LABELLED,
    "comparisons": LABELLED,
    "quality_estimation": LABELLED,
    "raters": LABELLED,
    "simulation": LABELLED,
    "tasks": LABELLED,
    "testing": {"numpy", "xarray"},
    "cli": {"typer", "rich", "xarray"},
    "__main__": set(),
}
# Packages of extras, and the only modules that may import them.
EXTRAS = {
    "sacrebleu": {"supersample.scores.corpus.metrics"},
    "python_calamine": {"supersample.readers.table_files"},
}
LAZY = {"lazy_loader": "loads public names when they are first used"}
HEAVY = {"numpy", "scipy", "xarray", "pandas", "numba", "dask", "matplotlib", "zarr"} | {*EXTRAS}

# The most that there may be of each thing: 2 % more than there is. Lower it when there is less.
LIMITS = {
    "lines of code": 23_970,
    "lines of test code": 24_100,
    "modules": 132,
    "options of all commands": 230,
    "different options": 76,
    "public names": 136,
    "public names of the root": 72,
    "result variables": 69,
    "lines of a module": 800,
    "lines of a function": 60,
    "entries of the root": 19,  # besides __init__.py and __main__.py
    "floors": 9,
}


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
LINES = {name: path.read_text(encoding="utf-8").splitlines() for name, path in PATHS.items()}


@cache  # of the worker that has these tests, not of each
def _trees():
    return {name: ast.parse("\n".join(lines)) for name, lines in LINES.items()}


def _imports(tree):
    """Every module imported anywhere in a tree, also where only a type checker looks."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in PATHS else str(node.module) for name in whole}
    return found


@cache
def _all_imports():
    return {name: _imports(tree) for name, tree in _trees().items()}


def _none(offenders):
    """Fail with one line for each offender."""
    offenders = sorted(offenders)
    assert offenders == [], "\n".join(["", *offenders])


def _room(module):
    return module.split(".")[1] if "." in module else "root"


def _arrows():
    """Every import of one room's module by another room's, but those of the root."""
    for module, imported in _all_imports().items():
        for other in sorted(imported):
            inside = other.split(".")[0] == "supersample"
            if inside and module != "supersample" and _room(module) != _room(other):
                yield module, other


def _packages():
    """Every import of a package that is not of the standard library."""
    for module, imported in _all_imports().items():
        tops = {name.split(".")[0] for name in imported}
        for package in sorted(tops - {"supersample"} - sys.stdlib_module_names):
            yield module, package


def _floor(room):
    return 1 + max((_floor(other) for other in ALLOWED[room] - {"root"}), default=0)


def _functions():
    for module, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


def _lines_besides_docstring(function):
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - (docstring.end_lineno - docstring.lineno + 1)


def test_rooms_are_those_of_the_tables():
    rooms = {_room(module) for module in PATHS}
    assert rooms == PACKAGES.keys()
    assert rooms == ALLOWED.keys() | {"root"}


def test_the_table_of_arrows_has_no_cycle_and_few_floors():
    inner = {room: below - {"root"} for room, below in ALLOWED.items()}
    TopologicalSorter(inner).prepare()
    assert max(_floor(room) for room in ALLOWED) <= LIMITS["floors"]


def test_rooms_import_rooms_below_them():
    _none(
        f"{module} imports {other}"
        for module, other in _arrows()
        if _room(other) != "root" and _room(other) not in ALLOWED[_room(module)]
    )


def test_only_the_command_line_imports_the_package_root():
    _none(
        module
        for module, other in _arrows()
        if _room(other) == "root" and "root" not in ALLOWED[_room(module)]
    )


def test_rooms_import_their_packages():
    _none(
        f"{module} imports {package}"
        for module, package in _packages()
        if package not in {*EXTRAS, *LAZY} and package not in PACKAGES[_room(module)]
    )


def test_packages_alone_load_names_when_they_are_used():
    assert {module for module, package in _packages() if package in LAZY} == {
        _name(path.with_suffix(".py")) for path in PACKAGE.rglob("__init__.pyi")
    }


def test_extras_stay_in_their_modules():
    for extra, modules in EXTRAS.items():
        assert {module for module, package in _packages() if package == extra} == modules


def test_packages_are_declared():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    entries = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {re.split(r"[\[<>=]", entry)[0] for group in entries for entry in group}
    names = {"yaml": "pyyaml"}  # of packages that are not installed by the name that is imported
    _none(
        f"{module} imports {package}"
        for module, package in _packages()
        if names.get(package, package.replace("_", "-")) not in declared
    )


def test_no_verb_changes_the_filters_of_warnings():
    """They belong to the whole process; the command line has a process of its own."""
    changing = {"catch_warnings", "simplefilter", "filterwarnings", "resetwarnings", "showwarning"}
    _none(
        f"{module}:{node.lineno}"
        for module, tree in _trees().items()
        for node in ast.walk(tree)
        if {getattr(node, "attr", ""), getattr(node, "id", ""), getattr(node, "name", "")}
        & changing
        and module != "supersample.cli.app"
    )


def test_modules_have_no_cycle():
    graph = {module: (_all_imports()[module] & PATHS.keys()) - {module} for module in PATHS}
    TopologicalSorter(graph).prepare()


def test_the_root_of_the_package_has_few_entries():
    entries = {path.name for path in PACKAGE.iterdir()} - {"py.typed", "__pycache__"}
    entries -= {"__init__.py", "__init__.pyi", "__main__.py"}
    assert len(entries) <= LIMITS["entries of the root"], sorted(entries)


def test_the_package_is_small():
    _none(
        f"{count:,} {what}; the most is {LIMITS[what]:,}"
        for what, count in counts().items()
        if count > LIMITS[what]
    )


def test_modules_are_short():
    most = LIMITS["lines of a module"]
    _none(f"{name} has {len(lines)} lines" for name, lines in LINES.items() if len(lines) > most)


def test_functions_are_short():
    _none(
        f"{module}.{function.name} has {lines} lines besides its docstring"
        for module, function in _functions()
        if (lines := _lines_besides_docstring(function)) > LIMITS["lines of a function"]
    )


# Rooms of further public names, by what the root calls them.
ROOMS = {
    "correlations": "supersample.comparisons.correlations",
    "corpus": "supersample.scores.corpus",
    "figures": "supersample.presentation.figures",
    **{
        name: f"supersample.{name}"
        for name in (
            *("hybrids", "inference", "measures", "quality_estimation", "readers"),
            *("raters", "simulation", "tasks", "testing"),
        )
    },
}


def _public():
    """Every package with public names, and these names but for rooms."""
    yield ss, [name for name in ss.__all__ if name not in ROOMS]
    for name in ROOMS:
        room = getattr(ss, name)
        yield room, room.__all__


def test_the_root_is_a_table_of_contents():
    assert len(ss.__all__) <= LIMITS["public names of the root"]
    assert {name: getattr(ss, name).__name__ for name in ROOMS} == ROOMS
    assert ROOMS.keys() <= set(ss.__all__)


def test_public_names_resolve_and_have_docstrings():
    for package, names in _public():
        _none(name for name in names if not getattr(package, name).__doc__)
        assert set(names) <= set(dir(package))


def test_a_public_name_is_reached_in_one_way():
    names = [name for _, public in _public() for name in public]
    _none({name for name in names if names.count(name) > 1})


def test_public_names_are_those_that_the_type_checker_sees():
    for package, names in _public():
        if not hasattr(package, "__path__"):  # a module, which needs no list
            continue
        stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
        seen = [
            (f"{package.__name__}.{node.module}", alias)
            for node in stub.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name not in ROOMS
        ]
        assert sorted(alias.name for _, alias in seen) == sorted(names)
        _none(
            alias.name
            for module, alias in seen
            if alias.asname != alias.name
            or unwrap(getattr(package, alias.name)).__module__ != module
        )


def test_no_module_hides_a_public_name_of_its_package():
    _none(
        f"{package.__name__}.{name}"
        for package, names in _public()
        for name in names
        if f"{package.__name__}.{name}" in PATHS
    )


def test_the_version_is_that_of_the_package():
    assert ss.__version__ == version("supersample")


def test_other_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="No supersample attribute nonsense"):
        ss.nonsense  # noqa: B018


def _loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    run = [sys.executable, "-c", code]
    return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())


def test_heavy_packages_load_when_first_used():
    loaded = _loaded_by("import supersample.cli")
    assert "supersample" in loaded
    assert loaded & HEAVY == set()


def test_no_figure_needs_a_display():
    loaded = _loaded_by("import supersample.presentation.figures.style")
    assert "matplotlib" in loaded
    assert "matplotlib.pyplot" not in loaded


@pytest.mark.parametrize("cache", [str(Path(__file__, "nowhere")), "~/.cache", ""])
def test_numba_caches_in_a_folder_of_the_process_where_neither_package_nor_home_can_be_written(
    cache,
):
    # containers run as users that have neither HOME nor an entry among the system's users
    code = (
        "import os, pwd; os.access = lambda *_: False; pwd.getpwuid = {}.__getitem__; "
        "os.environ.pop('HOME', None); import supersample; "
        "folder = os.environ['NUMBA_CACHE_DIR']; print(folder, os.path.isdir(folder))"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": cache}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    folder, existed = run.stdout.rsplit(maxsplit=1)
    assert existed == "True"
    assert not Path(folder).exists()
