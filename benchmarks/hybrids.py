"""Speed and memory of hybrid super-samples, as ratios against a plain NumPy loop in the same run.

    python -m benchmarks.hybrids            # the sizes that are promised
    python -m benchmarks.hybrids --smoke    # seconds, for the tests

The loop is what one would write first: for each hybrid draw a mask and take
``where(mask, a, b).mean(0)`` of the segments' scores. It is timed on some hybrids and scaled.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import xarray as xr

import supersample as ss

SYSTEMS, SEGMENTS, METRICS = 12, 3003, 12


def make_scores(systems: int, segments: int, metrics: int) -> xr.Dataset:
    correlations = {f"metric-{k}": 1 - k / metrics for k in range(metrics)}
    return ss.simulate_scores(systems=systems, segments=segments, correlations=correlations)


def loop_seconds(scores: xr.Dataset, hybrids: int) -> float:
    """Seconds a hybrid of the loop, the best of three."""
    values = np.concatenate([scores["human"].values[None], scores["score"].values])
    values = np.ascontiguousarray(np.moveaxis(values, 0, 2))
    rng = np.random.default_rng(0)

    def run() -> None:
        for i in range(hybrids):
            a, b = values[i % len(values)], values[(i + 1) % len(values)]
            mask = rng.random(values.shape[1]) < 0.5
            np.where(mask[:, np.newaxis], a, b).mean(axis=0)

    return best(run, 3) / hybrids


def best(run: Callable[[], object], times: int) -> float:
    """Shortest of some runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def report(hybrids: int, scores: xr.Dataset, loop: float, times: int) -> float:
    """Print and return how many times faster than the loop."""
    seconds = best(lambda: ss.hybrid_supersample(scores, n=hybrids, seed=0), times)
    ratio = loop * hybrids / seconds
    print(
        f"{hybrids:>10,} hybrids: {seconds:8.3f} s, {1e6 * seconds / hybrids:6.2f} us a hybrid, "
        f"{ratio:6.1f} times faster than the loop ({1e6 * loop:.0f} us a hybrid)"
    )
    return ratio


def peak_megabytes(hybrids: int) -> float:
    """Peak resident memory of a process that builds the sample and nothing else."""
    code = (
        "import sys, benchmarks.hybrids as b, supersample as ss; "
        f"sample = ss.hybrid_supersample(b.make_scores({SYSTEMS}, {SEGMENTS}, {METRICS}), "
        f"n={hybrids}); print(b.own_peak())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    return float(printed)


def own_peak() -> float:
    """Peak resident memory of this process, in MB (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    scores = make_scores(4, 300, 3) if smoke else make_scores(SYSTEMS, SEGMENTS, METRICS)
    sizes = {name: scores.sizes[name] for name in ("system", "segment", "metric")}
    print(f"{sizes}, and one human scorer")
    ss.hybrid_supersample(scores, n=100)  # compiled before anything is timed
    loop = loop_seconds(scores, 50 if smoke else 1000)
    report(200 if smoke else 10_000, scores, loop, times=5)
    if not smoke:
        report(1_000_000, scores, loop, times=2)
        print(f"peak memory with a million hybrids: {peak_megabytes(1_000_000):.0f} MB")


if __name__ == "__main__":
    main()
