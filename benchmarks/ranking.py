"""How the time and memory of a ranking grow, and how both compare with another commit's.

    python -m benchmarks.ranking                   # against the last commit
    python -m benchmarks.ranking --against COMMIT
    python -m benchmarks.ranking --smoke           # seconds, for the tests

Each size is ranked by this tree and by the commit in turn, each time by a new process, which ranks
few scores first, so that everything is compiled. Seconds are those of the processor. Sizes that are
not named are 15 systems, 1,000 segments and 25 metrics; documents have 10 segments.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks._report import Report, parser

ROOT = Path(__file__).parent.parent
ROUNDS = 3
SLOWER = 1.2  # most time or memory, relative to the other commit
STEEPER = 1.5  # most growth in segments, relative to linear growth
MORE = 1.0  # most seconds of 16,000 segments that are units themselves, beyond those in documents
CODE = """
import resource, sys, time, warnings
import supersample as ss

def scores(systems, segments, metrics, document):
    warnings.simplefilter("ignore")
    r = {f"metric-{k}": 0.98 - 0.8 * k / metrics for k in range(metrics)}
    found = ss.simulate_scores(systems=systems, segments=segments, correlations=r)
    found = found.drop_vars("document", errors="ignore")
    if not document:
        return found
    names = [f"d{k // document}" for k in range(segments)]
    return found.assign_coords(document=("segment", names))

size = [int(word) for word in sys.argv[1:]]
ss.rank(scores(8, 50, 4, size[-1]))
data = scores(*size)
start = time.process_time()
ss.rank(data)
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


class Size(NamedTuple):
    """Size of the ranked scores."""

    systems: int = 15
    segments: int = 1_000
    metrics: int = 25
    document: int = 0
    """Segments of a document; 0 without documents."""

    def __str__(self) -> str:
        named = zip(self[:3], Size()[:3], ("systems", "segments", "metrics"), strict=True)
        different = [f"{size:,} {what}" for size, usual, what in named if size != usual]
        documents = " in documents" if self.document else ""
        return (", ".join(different) or f"{self.segments:,} segments") + documents


SEGMENTS = (1_000, 4_000, 16_000, 64_000)
SIZES = (
    *(Size(segments=n, document=of) for of in (0, 10) for n in SEGMENTS),
    *(Size(metrics=n) for n in (100, 400)),
    *(Size(systems=n) for n in (60, 120)),
)
SMOKE_SIZES = (Size(4, 60, 3, 10),)


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """Check out another commit, for a while."""
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*git, "add", "--quiet", "--detach", folder, commit], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


def measured(tree: Path, size: Size) -> tuple[float, float]:
    """Seconds and MB of a ranking by the package of a tree."""
    command = [sys.executable, "-c", CODE, *map(str, size)]
    ran = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
    seconds, memory = map(float, ran.stdout.split())
    return seconds, memory


def compare(report: Report, size: Size, other: Path, rounds: int) -> float:
    """Add the figures of one size, and return its seconds."""
    trees = ROOT, other
    found: dict[Path, list[tuple[float, float]]] = {tree: [] for tree in trees}
    for number in range(rounds + 1):
        for tree in [*found][:: 1 if number % 2 else -1]:
            found[tree].append(measured(tree, size))
    if rounds:  # in the first round functions are compiled
        found = {tree: each[1:] for tree, each in found.items()}
    for k, (what, unit) in enumerate((("", "s"), (", memory", "MB"))):
        ours, theirs = ([each[k] for each in found[tree]] for tree in trees)
        report.add(f"{size}{what}", median(ours), unit)
        ratio = median(x / y for x, y in zip(ours, theirs, strict=True))
        report.add(f"{size}{what}, relative to the other commit", ratio, "x", at_most=SLOWER)
    return median(each[0] for each in found[ROOT])


def measure(report: Report, other: Path, smoke: bool) -> None:
    """Add the figures of all sizes, and of growth in segments."""
    sizes = SMOKE_SIZES if smoke else SIZES
    seconds = {size: compare(report, size, other, 0 if smoke else ROUNDS) for size in sizes}
    if smoke:
        return
    for of, kind in ((0, ""), (10, " in documents")):
        before, last = (seconds[Size(segments=n, document=of)] for n in SEGMENTS[-2:])
        growth = last / before / (SEGMENTS[-1] / SEGMENTS[-2])
        what = f"last step of segments{kind}, relative to linear growth"
        report.add(what, growth, "x", at_most=STEEPER)
    alone, together = (seconds[Size(segments=16_000, document=of)] for of in (0, 10))
    what = "16,000 segments, more than in documents"
    report.add(what, alone - together, "s", at_most=MORE)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--against", default="HEAD~1", metavar="COMMIT", help="the other commit")
    chosen = options.parse_args()
    report = Report("ranking", chosen)
    if chosen.smoke:
        measure(report, ROOT, smoke=True)
    else:
        with tree_of(chosen.against) as other:
            measure(report, other, smoke=False)
    report.end()


if __name__ == "__main__":
    main()
