"""Sizes of the package: lines of code, without docstrings, comments and blank lines.

``python -m tests.sizes`` prints them by room.
"""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "supersample"
NO_CODE = (
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(text):
    """Count the lines that hold code."""
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            docstrings |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    return len(lines - docstrings)


def by_room(package=PACKAGE):
    """Lines of code and number of modules of each room."""
    lines, modules = Counter(), Counter()
    for path in sorted(package.rglob("*.py")):
        room = path.relative_to(package).parts[0]
        lines[room] += code_lines(path.read_text(encoding="utf-8"))
        modules[room] += 1
    return lines, modules


if __name__ == "__main__":
    lines, modules = by_room()
    for room, count in lines.items():
        print(f"{room:24}{modules[room]:4} modules {count:6,} lines of code")
    print(f"{'total':24}{modules.total():4} modules {lines.total():6,} lines of code")
