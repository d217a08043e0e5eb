"""Time to read scores, against the limits that are promised, and the memory it takes.

    python -m benchmarks.reading            # WMT23 zh-en, newstest2020, ten million rows of Parquet
    python -m benchmarks.reading --smoke    # seconds, small tables, no limits

Exits with status 1 if a limit is missed. Beside each time stands its ratio to reading the bytes of
the same files, in the same run. Public data is looked for where SUPERSAMPLE_DATA says, and what
needs it is skipped, and said so, where it is absent.
"""

import argparse
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
    """Seconds, and the most memory in bytes, of reading in a process of its own."""
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    worker = context.Process(target=_measured, args=(read, told))
    worker.start()
    worker.join()
    if worker.exitcode:
        sys.exit(f"reading failed with status {worker.exitcode}")
    return told.get(timeout=10)


def report(
    what: str, paths: list[Path], read: Callable[[], object], seconds: float, memory: float
) -> bool:
    """Measure, print, and tell whether the limits hold; infinite ones always do."""
    of_bytes = bytes_seconds(paths)  # what is read twice comes from memory both times
    taken, used = measured(read)
    held = taken <= seconds and used <= memory
    limits = "" if seconds == np.inf else f" (limits {seconds:g} s, {memory / GIB:.1f} GiB)"
    print(
        f"{what}: {taken:.2f} s, {taken / max(of_bytes, 1e-9):.0f} times the bytes alone, "
        f"{used / GIB:.2f} GiB{limits}{'' if held else ' MISSED'}"
    )
    return held


def public_sets() -> list[bool]:
    """Read WMT23 zh-en and newstest2020 en-de."""
    mtme, wmt20 = DATA / "mt-metrics-eval-v2", DATA / "wmt20"
    held = []
    if (mtme / "wmt23").is_dir():
        paths = sorted((mtme / "wmt23" / "metric-scores" / "zh-en").glob("*-refA.seg.score"))
        held.append(
            report(
                f"WMT23 zh-en, {len(paths)} metrics",
                paths,
                lambda: ss.read_mtme(mtme, "wmt23", "zh-en"),
                1.5,
                3 * GIB,
            )
        )
    else:
        print(f"WMT23 zh-en: skipped, it is not at {mtme}")
    if wmt20.is_dir():
        held.append(
            report(
                "newstest2020 en-de, all references",
                sorted(wmt20.glob("*.gz")),
                lambda: ss.read_wmt(
                    wmt20,
                    human=wmt20 / "mqm_newstest2020_ende.avg_seg_scores.tsv",
                    reference="all",
                ),
                10.0,
                3 * GIB,
            )
        )
    else:
        print(f"newstest2020 en-de: skipped, it is not at {wmt20}")
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes, no limits")
    smoke = parser.parse_args().smoke
    held = [] if smoke else public_sets()
    rows = 10_000 if smoke else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.parquet"
        write_long_table(path, rows)
        limits = (np.inf, np.inf) if smoke else (10.0, 3 * GIB)
        held.append(report(f"Parquet, {rows:,} rows", [path], lambda: ss.read_table(path), *limits))
    if not all(held):
        sys.exit("a limit is missed")


if __name__ == "__main__":
    main()
