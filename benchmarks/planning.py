"""Speed of a plan with defaults, against separate samples of each size, in the same run.

python -m benchmarks.planning            # the sizes that are promised
python -m benchmarks.planning --smoke    # seconds, for the tests
"""

import time
from collections.abc import Callable

import supersample as ss
from benchmarks._report import Report, parser
from supersample.simulation.planning import SEGMENTS, SYSTEMS

MATRIX = [[1, 0.95, 0.8], [0.95, 1, 0.8], [0.8, 0.8, 1]]


def processor(run: Callable[[], object]) -> float:
    """Seconds of the processor."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("planning", options)
    sizes = {"systems": (5, 8), "segments": (10,)} if options.smoke else {}
    replicates, few = (20, 4) if options.smoke else (1_000, 40)
    systems, segments = sizes.get("systems", SYSTEMS), sizes.get("segments", SEGMENTS)
    population = ss.simulation.Population(MATRIX)
    ss.simulation.plan(
        population, systems=[5], segments=[10], replicates=2
    )  # compiled before it is timed

    def alone() -> None:
        for n in systems:
            for length in segments:
                ss.simulation.plan(population, systems=[n], segments=[length], replicates=few)

    start = time.perf_counter()
    together = processor(lambda: ss.simulation.plan(population, replicates=replicates, **sizes))
    report.add("plan, defaults", time.perf_counter() - start, "s", at_most=5)
    ratio = processor(alone) / few * replicates / together
    report.add("plan, times less processor time than size by size", ratio, "x")
    report.end()


if __name__ == "__main__":
    main()
