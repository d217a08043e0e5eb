"""Every benchmark, one after the other, and one page of all figures.

    python -m benchmarks                  # minutes; writes benchmarks/results
    python -m benchmarks hybrids growth   # some of them

Each runs in a separate process. Exits with status 1 if one misses a limit.
"""

import argparse
import csv
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("[a-z]*.py"))


def run(names: list[str], folder: Path, extra: list[str]) -> list[str]:
    """Run benchmarks and return those that missed a limit or failed."""
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", "--results", str(folder), *extra]
        if subprocess.run(command, cwd=HERE.parent, check=False).returncode:
            failed.append(name)
    return failed


def machine() -> str:
    """Describe the processor, its cores and the load."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"{', '.join(models) or platform.processor()}, {os.cpu_count()} cores{load}"


def table(rows: list[dict[str, str]]) -> list[str]:
    """Lay out figures as a table of Markdown."""
    head = ["| benchmark | what | value | limit | met |", "| --- | --- | ---: | --- | --- |"]
    return head + [
        f"| {row['benchmark']} | {row['what']} | {row['value']} {row['unit']} | {row['limit']} "
        f"| {row['met']} |"
        for row in rows
    ]


def write_page(folder: Path) -> None:
    """Write the figures of all benchmarks that have some, by what they say."""
    rows: list[dict[str, str]] = []
    for path in (folder / f"{name}.csv" for name in NAMES):
        if path.exists():
            with path.open(newline="") as file:
                rows += csv.DictReader(file)
    ratios = [row for row in rows if row["unit"] == "x" and row["benchmark"] != "growth"]
    growth = [row for row in rows if row["benchmark"] in ("growth", "ranking")]
    memory = [row for row in rows if row["unit"] == "MB" and row not in growth]
    pictures = [f"![{path.stem}]({path.name})" for path in sorted(folder.glob("growth-*.png"))]
    others = [row for row in rows if row not in [*ratios, *growth, *memory]]
    parts = {
        "Beside other code in the same run": [
            "Each is timed in turn with what it names.",
            "",
            *table(ratios),
        ],
        "Growth": [*table(growth), "", *pictures],
        "Memory": ["The peak of a command and all its processes.", "", *table(memory)],
        "Time": table(others),
    }
    lines = ["# Results", "", f"Figures on: {machine()}."]
    for title, part in parts.items():
        lines += ["", f"## {title}", "", *part]
    (folder / "README.md").write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--smoke", action="store_true", help="small sizes, no limits")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    options.results.mkdir(parents=True, exist_ok=True)
    extra = ["--smoke"] if options.smoke else []
    failed = run(options.names or NAMES, options.results.resolve(), extra)
    write_page(options.results)
    if failed:
        sys.exit(f"a limit missed, or an error: {', '.join(failed)}")


if __name__ == "__main__":
    main()
