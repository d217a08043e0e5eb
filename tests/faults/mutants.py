"""Mistakes made on purpose in the core, each of which the nearest tests must find.

``python -m tests.faults.mutants`` makes them one by one in a copy of the package, prints which test
file found each, and ends with status 1 if one was not. A number on the command line takes that one.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
LONGEST = 900.0  # seconds


class Mutant(NamedTuple):
    """A text of a module, what stands in its place, and the tests that must fail."""

    module: str
    text: str
    instead: str
    tests: str
    above: int = 0
    """How many of the same text stand above."""


ENGINE, TWO = "engine", "inference/two_correlations"
FLIP, STORES = "inference/accuracies", "execution/stores"


def _in(module: str, tests: str, *changes: tuple[str, str]) -> list[Mutant]:
    return [Mutant(f"supersample/{module}.py", *change, f"tests/{tests}.py") for change in changes]


MUTANTS = [
    *_in(
        f"{ENGINE}/masked_sums",
        "engine/test_masked_sums",
        ("np.uint64(number % 2)", "np.uint64(0)"),
        ("words[start + r, number // 2]", "words[r, number // 2]"),
        ("            sums[:] = 0.0\n", ""),
        ("out[start + r, c] = sums[r * ROW + c", "out[start + r, c] = sums[c"),
        ("_NIBBLE) + np.uint64(32)) * _ROW", "_NIBBLE) + np.uint64(16)) * _ROW"),
        ("place + c] = values", "place + c] = -values"),
        ("    rows[:, -1:] = 0.0", ""),
    ),
    *_in(
        f"{ENGINE}/memory",
        "engine/test_masked_sums",
        ("for i in range(3, -1, -1)", "for i in range(3, 0, -1)"),
    ),
    *_in(f"{ENGINE}/memory", "engine/test_hybrids", ("builder.fsub(", "builder.fadd(")),
    *_in(
        f"{ENGINE}/co_moments",
        "engine/test_co_moments",
        ("first.same & second.same", "first.same | second.same"),
        ("np.outer(apart, apart) * (first.rows * share)", "np.outer(apart, apart) * share"),
        ("first.means + apart * share", "first.means + apart / 2"),
        ("np.minimum(first.lowest, second.lowest)", "first.lowest"),
        ("- scores[0, k] - means[k]", "- scores[0, k]"),
        ("return scores[0] + means, products", "return means, products"),
        ("if score < lowest[k]", "if score > lowest[k]"),
    ),
    *_in(
        f"{TWO}/statistics",
        f"{TWO}/test_overlapping",
        ("_joint(below_a, above_b, uncorrelated)", "_joint(below_a, below_b, uncorrelated)"),
        ("(1 + confidence_level) / 2", "confidence_level"),
        ("q / np.sqrt(n - 3)", "q / np.sqrt(n - 1)"),
        ("(x - y) ** 2 + 2 *", "(x - y) ** 2 - 2 *"),
        ("p_value = 2 * below", "p_value = below"),
        ('below(-statistic if alternative == "greater" else statistic)', "below(statistic)"),
    ),
    *_in(
        f"{TWO}/overlapping",
        "inference/test_golden_differences",
        ("((a + b) / 2) ** 2 * (1 - c) ** 3)", "((a + b) / 2) ** 2 * (1 - c) ** 2)"),
        ("2 * det * (n - 1) / (n - 3)", "2 * det * (n - 3) / (n - 1)"),
        ("(n - 1) * (1 + c)\n", "(n - 3) * (1 + c)\n"),
        ("return z_statistic(two, two.a, two.b)", "return z_statistic(two, two.b, two.b)"),
    ),
    *_in(
        "inference/comparisons_with_best",
        "inference/test_comparisons_with_best",
        ("tests = max(int(distinct.sum()) - 1, 2)", "tests = max(int(distinct.sum()) - 2, 2)"),
        ("-ndtri(alpha / tests)", "-ndtri(alpha / 2 / tests)"),
        ("ahead * (1 - shrunk)", "ahead * (1 + shrunk)"),
        ("np.sqrt((1 + largest_shares(left))", "np.sqrt((1 - largest_shares(left))"),
    ),
    *_in(
        f"{TWO}/many_metrics",
        f"{TWO}/test_many_metrics",
        ("distinct.size > 2 else quantiles", "distinct.size > 3 else quantiles"),
    ),
    *_in(
        "inference/comparisons_with_best",
        f"{TWO}/test_many_metrics",
        ("np.maximum(adjusted, behind)", "np.minimum(adjusted, behind)"),
    ),
    *_in(
        "inference/resampling/p_values",
        "inference/resampling/test_step_down",
        ("t[order] * (1 - REPLICATE_TIE)", "t[order] * (1 + REPLICATE_TIE)"),
    ),
    *_in(
        f"{TWO}/system_scores",
        f"{TWO}/test_williams_jackknife",
        (
            "share * _quantile(jackknifed) + (1 - share) * _quantile(tempered)",
            "share * _quantile(tempered) + (1 - share) * _quantile(jackknifed)",
        ),
    ),
    *_in(
        f"{ENGINE}/statistics",
        "measures/test_rounding",
        ("_TIE = 1e-12", "_TIE = 0.0"),
        ("lowest if abs(lowest) > _FAR * spread", "lowest if abs(lowest) > _FAR + spread"),
        ("means = (Mean() if", "means = (each if"),
    ),
    *_in(
        "results/comparisons",
        "comparisons/test_denied",
        ("(lower < 0) & (upper > 0))", "(lower < 0) & (upper < 0))"),
        (">= level - 1e-9", ">= 0.0"),
    ),
    *_in(
        "measures/pairs",
        "measures/test_rounding",
        ("if np.ptp(self._pairs.human) > 0", "if np.ptp(self._pairs.human) >= 0"),
    ),
    *_in(
        f"{FLIP}/sign_flip",
        f"{FLIP}/test_sign_flip",
        ("x[..., i, :] - x[..., j, :]", "x[..., j, :] - x[..., i, :]"),
        ("ndtr(-total /", "ndtr(total /"),
        ("square <= 0.0", "square < 0.0"),
    ),
    *_in(
        "resampling/draws",
        "resampling/test_draws",
        ("[:, kind.places])", "[:, : kind.places.size])"),
        ("keyed = seed if shared", "keyed = seed if not shared"),
    ),
    *_in(
        "measures/translations",
        "measures/test_contract",
        ("of_groups = whole[:, group_units]", "of_groups = 1.0 + 0.0 * whole[:, group_units]"),
    ),
    *_in(
        "measures/pairs",
        "measures/test_contract",
        ("systems[:, first] * systems[:, second]", "systems[:, first] + systems[:, second]"),
    ),
    *_in(
        "measures/systems",
        "measures/test_contract",
        ("kept[j] + brought[i]]", "kept[j] + brought[j]]"),
    ),
    *_in(
        "comparisons/compare",
        "comparisons/test_compare",
        ("measures, mask, by, seed, [F", "measures, None, by, seed, [F"),
        ("measures, mask, by, seed, wh", "measures, None, by, seed, wh"),
    ),
    *_in(
        "comparisons/pairwise",
        "comparisons/test_compare",
        ("_signs(larger_is_better, null) * null, **how", "null, **how"),
    ),
    *_in(
        "results/ranking",
        "comparisons/test_compare",
        (
            '2.0 * ordered.get("larger_is_better", xr.DataArray(True)) - 1.0',
            '1.0 + 0 * ordered.get("larger_is_better", xr.DataArray(True))',
        ),
    ),
    *_in(
        "scores/selection",
        "scores/test_selection",
        ("~np.isnan(HUMAN.of(scores)).any(axis=0)", "~np.isnan(HUMAN.of(scores)).all(axis=0)"),
        ('elif mask == "complete"', 'elif mask == "none"'),
        ('present.all(("metric", "system"))', 'present.any(("metric", "system"))'),
    ),
    *_in(
        "scores/prepared",
        "scores/test_prepared",
        ("1.0, -1.0)", "-1.0, 1.0)"),
        ("[human_higher, *metrics", "[True, *metrics"),
    ),
    *_in(
        f"{STORES}/store",
        "faults/test_damage",
        ("{self.bounds(number)}", "{self.chunks}"),
        ("{self._determined} {self.chunk}", "{self.chunk}"),
    ),
    *_in(
        f"{STORES}/places",
        "execution/stores/test_store",
        ('f"{key}\\n".encode() + content', "content"),
        ("content if stored == sealed(content, key) else None", "content"),
    ),
    *_in(
        f"{STORES}/store",
        "execution/stores/test_store",
        ("while written != run.bounds(number)", "while written is None"),
    ),
    *_in(
        f"{STORES}/datasets",
        "faults/test_damage",
        ("if found != self._recorded(key)", "if found is None and self._recorded(key)"),
        ("files if sums and whole", "files if sums"),
    ),
    *_in(
        f"{STORES}/store",
        "hybrids/test_faults",
        ("all(self.store.place.is_whole(*file)", "all(bool(file)"),
        ("self.store.write(run.key(number),", "self.store.write(run.key(number + 1),"),
    ),
    *_in(
        "hybrids/runs",
        "hybrids/test_runs",
        (
            "human[place], score[place] = rows[:, 0], rows[:, 1:]",
            "human[place], score[place] = rows[:, 0], -rows[:, 1:]",
        ),
        ("hybrid_scores(self.source, first,", "hybrid_scores(self.source, start,"),
    ),
]


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
    chosen = [MUTANTS[int(number) - 1] for number in sys.argv[1:]] or MUTANTS
    with ThreadPoolExecutor(AT_ONCE) as pool:
        survivors = 0
        for mutant, test in zip(chosen, pool.map(failed, chosen), strict=True):
            change = f"{mutant.text.strip()!r} -> {mutant.instead.strip()!r}"
            number = MUTANTS.index(mutant) + 1
            print(f"{number:2}  {mutant.module}: {change}: {test or 'SURVIVES'}", flush=True)
            survivors += not test
    print(f"{len(chosen) - survivors} of {len(chosen)} are caught")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
