"""Mistakes drawn at random from the syntax trees of the core, which the nearest tests must find.

``python -m tests.faults.mutants SEED COUNT`` draws COUNT mistakes, makes them one by one in a copy
of the package, and prints which tests found each. It ends with status 1 if over a twentieth
survived. A third number takes that one alone.
"""

import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
LONGEST = 900.0  # seconds
ROOMS = ("inference", "comparisons", "engine", "measures", "scores", "hybrids")
TESTS = {"comparisons/correlations": "correlations", "inference/translations_and_ties": "measures"}
"""Folders of tests that have another name than the folder of the modules."""
BESIDE = ("measures", "comparisons")
"""Rooms that are tested together."""
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
"""What stands in the place of an operator."""
NO_NUMBERS = (ast.Raise, ast.JoinedStr, ast.arg, ast.AnnAssign, ast.Import, ast.ImportFrom)
"""Messages, types and imports, in which a mistake changes no number."""
MEANINGLESS = {"stacklevel", "progress", "dtype", "cache", "nogil", "parallel", "order", "strict"}
"""Arguments that speed or messages depend on."""


class Mutant(NamedTuple):
    """A text of a module, what stands in its place, and the tests that must fail."""

    module: str
    text: str
    instead: str
    tests: str
    above: int = 0
    """How many of the same text stand above."""


def mistaken(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node by mistake."""
    other = deepcopy(node)
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
        other.op = SWAPPED[type(node.op)]()
        yield other
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        other.ops[0] = SWAPPED[type(node.ops[0])]()
        yield other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value * 1.5 if node.value % 1 else node.value + 1)
    elif isinstance(node, ast.Call):
        for i, keyword in enumerate(node.keywords):
            if keyword.arg is not None and keyword.arg not in MEANINGLESS:
                less = deepcopy(node)
                del less.keywords[i]
                yield less


def counted(node: ast.AST) -> Iterator[ast.AST]:
    """Go through the nodes in which a mistake would change what is computed."""
    for name, field in ast.iter_fields(node):
        if name in ("decorator_list", "returns", "annotation", "slice" if _is_type(node) else ""):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not isinstance(child, NO_NUMBERS):
                yield child
                yield from counted(child)


def _is_type(node: ast.AST) -> bool:
    """Whether a node subscribes a type, as in dict[str, int]."""
    return isinstance(node, ast.Subscript) and getattr(node.value, "id", "x")[0].isupper()


def nearest(module: Path) -> tuple[str, ...]:
    """Find a module's tests: its examples, what imports it, the shortest first, and a folder."""
    folder = module.parent.relative_to(ROOT / "supersample")
    tests = ROOT / "tests"
    of_folder = tests / TESTS.get(str(folder), str(folder))
    while not of_folder.is_dir():
        of_folder = of_folder.parent
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    files = sorted(tests.rglob("test_*.py"), key=lambda path: path.stat().st_size)
    own = [path for path in files if name in path.read_text(encoding="utf-8")]
    whole = [tests / "measures", tests / "comparisons"] if folder.parts[0] in BESIDE else []
    found = [module, *own, of_folder, *whole]
    return tuple(dict.fromkeys(str(path.relative_to(ROOT)) for path in found))


def drawn(seed: int, count: int) -> list[Mutant]:
    """Draw mistakes: modules by how many places for mistakes they have."""
    places = []
    for room in ROOMS:
        for path in sorted((ROOT / "supersample" / room).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            for node in counted(ast.parse(source)):
                places += [(path, source, node, other) for other in mistaken(node)]
    chosen = random.Random(seed).sample(places, count)
    return [_mutant(*place) for place in chosen]


def _mutant(path: Path, source: str, node: ast.AST, other: ast.AST) -> Mutant:
    """Give the text of whole lines, which tells where the node stands."""
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno
    start = len(lines[first].encode()[: node.col_offset].decode())
    end = len(lines[last - 1].encode()[: node.end_col_offset].decode())
    before, after = lines[first][:start], lines[last - 1][end:]
    text = "".join(lines[first:last])
    instead = f"{before}({ast.unparse(ast.fix_missing_locations(other))}){after}"
    above = "".join(lines[:first])
    number = above.count(text)  # as many of the same text stand above
    module = str(path.relative_to(ROOT))
    return Mutant(module, text, instead, " ".join(nearest(path)), number)


def failed(mutant: Mutant) -> str:
    """Make a mistake in a copy of the package, and name the test that fails, "" if none does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        path = copy / mutant.module
        text = (ROOT / mutant.module).read_text(encoding="utf-8")
        parts = text.split(mutant.text)
        if len(parts) < mutant.above + 2:
            raise LookupError(f"{mutant.module} has no {mutant.text!r}")
        # what Numba compiled does not know of mistakes in modules that it includes
        compiled = shutil.ignore_patterns(*(["*.nbi", "*.nbc"] if _is_compiled(text) else []))
        for name in ("supersample", "tests", "experiments"):
            shutil.copytree(ROOT / name, copy / name, ignore=compiled)
        shutil.copy2(ROOT / "pyproject.toml", copy)
        before = mutant.text.join(parts[: mutant.above + 1])
        after = mutant.text.join(parts[mutant.above + 1 :])
        path.write_text(before + mutant.instead + after, encoding="utf-8")
        try:
            ran = _tested(copy, *mutant.tests.split())
        except subprocess.TimeoutExpired as late:
            return _endless(copy, (late.stdout or b"").decode())
        if ran.returncode == 2 or "\nERROR " in ran.stdout:  # a module that cannot be imported
            return "the import of a test"
        if ran.returncode not in (0, 1):
            raise RuntimeError(ran.stdout + ran.stderr)
        test = re.search(r"^FAILED (\S+)", ran.stdout, re.MULTILINE)
        return "" if ran.returncode == 0 else test[1] if test else mutant.tests


def _tested(
    folder: Path, *tests: str, seconds: float = LONGEST
) -> subprocess.CompletedProcess[str]:
    """Run tests in a copy of the package, until the first fails; -v names each before it runs."""
    command = [sys.executable, "-m", "pytest", "-v", "-x", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-o", "python_functions=test_*"]  # no function of a module that is called tested
    return subprocess.run(
        [*command, *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def _endless(copy: Path, printed: str) -> str:
    """Tell whether the test that ran when time was up ends without the mistake, and not with it."""
    begun = re.findall(r"^(\S+::.+?)(?: (?:PASSED|SKIPPED|XFAIL).*)?$", printed, re.MULTILINE)
    start = time.monotonic()
    if not begun or _tested(ROOT, begun[-1]).returncode != 0:
        return ""
    longest = 60 + 10 * (time.monotonic() - start)
    try:
        return begun[-1] if _tested(copy, begun[-1], seconds=longest).returncode else ""
    except subprocess.TimeoutExpired:
        return f"{begun[-1]}, which does not end"


def _is_compiled(text: str) -> bool:
    """Whether a module has functions, or constants of them, that Numba compiles."""
    return any(word in text for word in ("njit", "numba", "intrinsic", "guvectorize"))


def main() -> None:
    """Print what became of each mutant."""
    seed, count, *only = map(int, sys.argv[1:])
    mutants = drawn(seed, count)
    numbers = [number - 1 for number in only] or range(count)
    survivors = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tried = {pool.submit(failed, mutants[i]): i for i in numbers}
        for done in as_completed(tried):  # the time of each differs
            i, test = tried[done], done.result()
            mutant = mutants[i]
            survivors += not test
            change = f"{mutant.text.strip()!r} -> {mutant.instead.strip()!r}"
            print(f"{i + 1:2}  {mutant.module}: {change}: {test or 'SURVIVES'}", flush=True)
    print(f"{len(numbers) - survivors} of {len(numbers)} are caught")
    sys.exit(survivors > len(numbers) / 20)


if __name__ == "__main__":
    main()
