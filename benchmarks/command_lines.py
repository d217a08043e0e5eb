"""Whole command lines: their time and the peak memory of their process trees.

    python -m benchmarks.command_lines            # and WMT23, where SUPERSAMPLE_DATA has it
    python -m benchmarks.command_lines --smoke    # the quickest of them, for the tests

The reference in the same run is Python itself, importing NumPy, which no command line can beat.
"""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks._report import Report, parser, run_measured

DATA = Path(os.environ.get("SUPERSAMPLE_DATA", Path(__file__).parents[2] / "shared" / "data"))
SUPERSAMPLE = [sys.executable, "-m", "supersample"]


def commands(smoke: bool) -> dict[str, tuple[list[str], float | None]]:
    """Command lines by name, and the most seconds that they may take."""
    chosen: dict[str, tuple[list[str], float | None]] = {
        "Python with NumPy": ([sys.executable, "-c", "import numpy"], None),
        "--help": ([*SUPERSAMPLE, "--help"], None),
    }
    if smoke:
        return chosen
    chosen["rank example"] = ([*SUPERSAMPLE, "rank", "example", "--out"], None)
    root = DATA / "mt-metrics-eval-v2"
    if root.is_dir():
        wmt23 = [str(root / "wmt23" / "zh-en")]
        chosen["rank, WMT23 zh-en"] = ([*SUPERSAMPLE, "rank", *wmt23], 2.2)
        chosen["rank with all files, WMT23 zh-en"] = ([*SUPERSAMPLE, "rank", *wmt23, "--out"], 6.0)
        for drawn in ("systems", "segments", "systems+segments"):
            random = ["rank", *wmt23, "--method", "bca", "--random", drawn]
            chosen[f"rank --random {drawn}, bca, WMT23 zh-en"] = ([*SUPERSAMPLE, *random], 3.0)
    return chosen


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("command_lines", options)
    for name, (command, limit) in commands(options.smoke).items():
        runs = []
        for _ in range(1 if options.smoke else 5):
            with tempfile.TemporaryDirectory() as folder:
                out = [str(Path(folder) / "out")] if command[-1] == "--out" else []
                runs.append(run_measured([*command, *out]))
        seconds, megabytes = median(taken for taken, _ in runs), max(peak for _, peak in runs)
        report.add(f"{name}, time", seconds, "s", at_most=limit)
        report.add(f"{name}, peak memory", megabytes, "MB")
    if not options.smoke:
        report_compilation(report)
    report.end()


def report_compilation(report: Report) -> None:
    """Time a first run, where nothing is compiled, and the run after it; medians of five."""
    firsts, seconds = [], []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as cache:
            command = ["env", f"NUMBA_CACHE_DIR={cache}", *SUPERSAMPLE, "rank", "example"]
            firsts.append(run_measured(command)[0])
            seconds.append(run_measured(command)[0])
    first, second = median(firsts), median(seconds)
    report.add("rank example, second run", second, "s", at_most=2.5)
    report.add("rank example, first run minus the second", first - second, "s", at_most=2.2)


if __name__ == "__main__":
    main()
