"""Time and memory to read scores, against the promised limits.

    python -m benchmarks.reading            # WMT23 zh-en, newstest2020, ten million rows of Parquet
    python -m benchmarks.reading --smoke    # seconds, small tables, no limits

Exits with status 1 if a limit is missed. Each time is also given relative to reading the bytes of
the same files, in the same run. Public data is read from SUPERSAMPLE_DATA; if it is absent, the
benchmarks that need it are skipped with a message.
"""

import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import supersample as ss
from benchmarks._report import Report, parser

GIB = 2**30
DATA = Path(os.environ.get("SUPERSAMPLE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def bytes_seconds(paths: list[Path]) -> float:
    """Seconds to read the bytes of files."""
    start = time.perf_counter()
    for path in paths:
        path.read_bytes()
    return time.perf_counter() - start


def write_long_table(path: Path, rows: int) -> None:
    """Write a long table of ten systems and ten scorers, the human one among them."""
    systems, scorers = 10, 10
    segments = rows // (systems * scorers)
    index = np.arange(segments * systems * scorers)
    labels = {
        "system": (index // scorers % systems, [f"system-{i}" for i in range(systems)]),
        "segment": (index // (scorers * systems), [f"segment-{i}" for i in range(segments)]),
        "scorer": (index % scorers, ["human", *(f"metric-{i}" for i in range(1, scorers))]),
    }
    columns = {
        name: pa.DictionaryArray.from_arrays(codes.astype(np.int32), names).cast(pa.string())
        for name, (codes, names) in labels.items()
    }
    columns["score"] = pa.array(np.random.default_rng(0).normal(size=index.size))
    pq.write_table(pa.table(columns), path)


def _measured(read: Callable[[], object], told: "multiprocessing.Queue[tuple[float, int]]") -> None:
    start = time.perf_counter()
    read()
    seconds = time.perf_counter() - start
    told.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))


def measured(read: Callable[[], object]) -> tuple[float, int]:
    """Seconds, and the most memory in bytes, of reading in a separate process."""
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    worker = context.Process(target=_measured, args=(read, told))
    worker.start()
    worker.join()
    if worker.exitcode:
        sys.exit(f"reading failed with status {worker.exitcode}")
    return told.get(timeout=10)


def add(
    report: Report, what: str, paths: list[Path], read: Callable[[], object], seconds: float
) -> None:
    """Measure and report; 3 GiB are the limit of memory."""
    of_bytes = bytes_seconds(paths)  # what is read twice comes from memory both times
    taken, used = measured(read)
    report.add(f"{what}, time", taken, "s", at_most=seconds)
    report.add(f"{what}, time relative to reading the bytes", taken / max(of_bytes, 1e-9), "x")
    report.add(f"{what}, memory", used / GIB, "GiB", at_most=3.0)


def public_sets(report: Report) -> None:
    """Read WMT23 zh-en."""
    mtme = DATA / "mt-metrics-eval-v2"
    if (mtme / "wmt23").is_dir():
        paths = sorted((mtme / "wmt23" / "metric-scores" / "zh-en").glob("*-refA.seg.score"))
        add(
            report,
            f"WMT23 zh-en, {len(paths)} metrics",
            paths,
            lambda: ss.read_mtme(mtme, "wmt23", "zh-en", metrics="reference"),
            1.5,
        )
    else:
        print(f"WMT23 zh-en: skipped, it is not at {mtme}")


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("reading", options)
    if not options.smoke:
        public_sets(report)
    rows = 10_000 if options.smoke else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.parquet"
        write_long_table(path, rows)
        add(report, f"Parquet, {rows:,} rows", [path], lambda: ss.read_table(path), 10.0)
    report.end()


if __name__ == "__main__":
    main()
