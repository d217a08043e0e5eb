"""The import rule of docs/architecture.md over the package's import graph, read and not run."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import supersample as ss

PACKAGE = Path(ss.__file__).parent
ROOMS = ("engine", "inference", "execution", "presentation")
ARRAYS = {"numpy", "scipy", "numba", "llvmlite"}
LABELLED = {"numpy", "scipy", "xarray", "pandas", "pyarrow"}
OF_TEXTS = {
    "supersample.scores.corpus.sacrebleu_metrics": "sacrebleu",
    "supersample.scores.corpus.adding": "platformdirs",
}


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _imports(path):
    """Every module imported anywhere in a file, also where only a type checker looks."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in whole}
    return found


IMPORTS = {name: _imports(path) for name, path in MODULES.items()}


def _room(module):
    """Return the room of a module of the package, "verbs" for those at its top."""
    parts = module.split(".")
    if len(parts) == 1:
        return "root"
    if parts[1] == "__main__":
        return "cli"
    if parts[1] in (*ROOMS, "errors", "cli"):
        return parts[1]
    return "verbs"


def _rooms_of(module):
    return {_room(name) for name in IMPORTS[module] if name.split(".")[0] == "supersample"}


def _outside(module):
    tops = {name.split(".")[0] for name in IMPORTS[module]}
    return tops - {"supersample"} - sys.stdlib_module_names


def _modules_of(*rooms):
    return [module for module in MODULES if _room(module) in rooms]


def test_every_room_is_there():
    assert {_room(module) for module in MODULES} == {"root", "verbs", "errors", "cli", *ROOMS}


@pytest.mark.parametrize("module", _modules_of("engine", "inference"))
def test_engine_and_inference_know_arrays_only(module):
    assert _outside(module) <= ARRAYS
    assert _rooms_of(module) <= {_room(module), "errors"}


@pytest.mark.parametrize("module", _modules_of("data"))
def test_data_knows_labelled_arrays_and_no_other_room(module):
    assert _outside(module) <= LABELLED | {OF_TEXTS.get(module)}
    assert _rooms_of(module) <= {"data", "errors"}


def test_extras_stay_where_they_are_needed():
    extra = {*OF_TEXTS.values(), "pooch"}
    users = {module for module in MODULES if _outside(module) & extra}
    assert users == {*OF_TEXTS, "supersample.readers.public_sets.fetching"}


@pytest.mark.parametrize("module", _modules_of("execution"))
def test_execution_knows_no_other_room(module):
    assert _rooms_of(module) <= {"execution", "errors"}


def test_only_execution_imports_dask_and_zarr():
    schedulers = {"dask", "distributed", "dask_jobqueue", "zarr"}
    others = [module for module in MODULES if _room(module) != "execution"]
    assert [module for module in others if _outside(module) & schedulers] == []


@pytest.mark.parametrize("module", _modules_of("presentation"))
def test_presentation_takes_datasets(module):
    assert _rooms_of(module) <= {"presentation", "data", "errors"}


@pytest.mark.parametrize("module", _modules_of("cli"))
def test_the_command_line_calls_verbs_and_presentation(module):
    assert _rooms_of(module) <= {"root", "cli", "verbs", "presentation", "errors"}


@pytest.mark.parametrize("module", _modules_of("verbs"))
def test_verbs_do_not_know_the_command_line(module):
    assert "cli" not in _rooms_of(module)


def test_errors_import_nothing_but_the_standard_library():
    assert _outside("supersample.errors") == set()
    assert _rooms_of("supersample.errors") == set()


def test_only_the_command_line_imports_the_package_root():
    importers = [module for module in MODULES if "supersample" in IMPORTS[module]]
    assert {_room(module) for module in importers} == {"cli"}


def test_there_is_no_cycle():
    # without the root, which refers to every public name for the type checker
    inner = MODULES.keys() - {"supersample"}
    graph = {module: (IMPORTS[module] & inner) - {module} for module in inner}
    TopologicalSorter(graph).prepare()


def _loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    run = [sys.executable, "-c", code]
    return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("module", ["supersample", "supersample.cli"])
def test_heavy_packages_load_when_first_used(module):
    heavy = {
        "numpy",
        "scipy",
        "xarray",
        "pandas",
        "numba",
        "dask",
        "matplotlib",
        "zarr",
        "sacrebleu",
        "pooch",
    }
    assert _loaded_by(f"import {module}") & heavy == set()


def test_no_figure_needs_a_display():
    loaded = _loaded_by("import supersample.presentation.figures")
    assert "matplotlib" in loaded
    assert "matplotlib.pyplot" not in loaded


@pytest.mark.parametrize("name", ss.__all__)
def test_public_names_resolve_and_are_documented(name):
    assert getattr(ss, name).__doc__
    assert name in dir(ss)


def test_public_names_are_those_that_the_type_checker_sees():
    tree = ast.parse(Path(ss.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname: (node.module, alias.name) for node in block.body for alias in node.names}
    assert sorted(seen) == ss.__all__
    for name, (module, own) in seen.items():
        assert own == name
        assert getattr(ss, name).__module__ == module


def test_other_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ss.nonsense  # noqa: B018
