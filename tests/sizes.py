"""Sizes of the package: lines of code, without docstrings, comments and blank lines, and names.

``python -m tests.sizes`` prints lines of code by room, and all that has a limit (`LIMITS` in
`tests.test_imports`).
"""

import ast
from collections import Counter
from inspect import ismodule
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "supersample"
FOR_HELP = ("help", "help_all", "version", "install_completion", "show_completion")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(text):
    """Count the lines that hold code."""
    lines = enumerate(text.splitlines(), 1)
    kept = {number for number, line in lines if line.strip() and line.lstrip()[0] != "#"}
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno < node.end_lineno:
            kept |= {*range(node.lineno, node.end_lineno + 1)}
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            docstrings |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    return len(kept - docstrings)


def by_room(package=PACKAGE):
    """Lines of code and number of modules of each room."""
    lines, modules = Counter(), Counter()
    for path in sorted(package.rglob("*.py")):
        room = path.relative_to(package).parts[0]
        lines[room] += code_lines(path.read_text(encoding="utf-8"))
        modules[room] += 1
    return lines, modules


def options():
    """Each option of each command of the command line, but those for help, by its first name."""
    import typer

    from supersample.cli.app import app

    def of(command):
        for other in getattr(command, "commands", {}).values():
            yield from of(other)
        for each in command.params:
            if each.param_type_name == "option" and each.name not in FOR_HELP:
                yield each.opts[0]

    return [*of(typer.main.get_command(app))]


def public_names():
    """Public names of the root and of its rooms."""
    import supersample as ss

    found = {name: getattr(ss, name) for name in ss.__all__}
    rooms = [each for each in found.values() if ismodule(each)]
    return [*found, *(name for room in rooms for name in room.__all__)]


def counts():
    """Everything whose number has a limit."""
    from supersample.results.variables import RESULT_VARIABLES

    (lines, modules), (of_tests, _) = by_room(), by_room(Path(__file__).parent)
    return {
        "lines of code": lines.total(),
        "lines of test code": of_tests.total(),
        "modules": modules.total(),
        "options of all commands": len(options()),
        "different options": len(set(options())),
        "public names": len(public_names()),
        "result variables": len(RESULT_VARIABLES),
    }


if __name__ == "__main__":
    lines, modules = by_room()
    for room, count in lines.items():
        print(f"{room:24}{modules[room]:4} modules {count:6,} lines of code")
    for what, count in counts().items():
        print(f"{what:24}{count:7,}")
