"""1,000 systems' predictions of 10,000 segments, from file to table: all pairs, and a loop.

    python -m benchmarks.quality_estimation [--smoke]

The reference computes each pair by itself, by `numpy.corrcoef` of three rows and one test, timed in
the same run on a few pairs. Exits with status 1 if reading, judging, rescaling and the tables
together take more processor time than the limit. With --smoke it takes 12 systems and 50 segments
and has no limit.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

import supersample as ss
from benchmarks._report import Report, parser
from supersample.inference.two_correlations.overlapping import williams1959, zou2007
from supersample.presentation.rankings import plain_ranking_table
from supersample.presentation.studies import rescaling_table
from supersample.presentation.table import to_csv

SYSTEMS, SEGMENTS = 1_000, 10_000
SMOKE_SYSTEMS, SMOKE_SEGMENTS = 12, 50
LIMIT_SECONDS = 10.0
LOOP_PAIRS = 50


def write(path, systems, segments):
    generator = np.random.default_rng(0)
    gold = generator.random(segments)
    ends = [f"\t0\t{label:.10f}\n" for label in gold]
    with path.open("w") as file:
        file.write("METRIC\tSID\tSCORE\tRANK\tHUMAN\n")
        for s in range(systems):
            predicted = generator.random() * gold + 0.3 * generator.normal(size=segments)
            file.writelines(f"s{s}\t{i}\t{x:.10f}{ends[i]}" for i, x in enumerate(predicted))


def everything(path):
    """Do all but figures, with the processor seconds of each step."""
    seconds = {}

    def timed(name, step, *arguments):
        start = time.process_time()
        result = step(*arguments)
        seconds[name] = time.process_time() - start
        return result

    data = timed("read", ss.read_predictions, path)
    evaluation = timed("judge", ss.quality_estimation.evaluate_predictions, data)
    study = timed("rescale", ss.quality_estimation.rescaling_study, data)
    timed(
        "tables",
        lambda: (to_csv(plain_ranking_table(evaluation)), to_csv(rescaling_table(study))),
    )
    return data, evaluation, seconds


def by_itself(data, i, j):
    rows = np.vstack([data["label"].values[0], data["prediction"].values[[i, j]]])
    r = np.corrcoef(rows)
    correlations = (r[0, 1], r[0, 2], r[1, 2], rows.shape[1])
    return williams1959(*correlations, alternative="greater"), zou2007(*correlations)


def main():
    options = parser(__doc__).parse_args()
    report = Report("quality_estimation", options)
    smoke = options.smoke
    systems, segments = (SMOKE_SYSTEMS, SMOKE_SEGMENTS) if smoke else (SYSTEMS, SEGMENTS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.tsv"
        write(path, systems, segments)
        data, evaluation, seconds = everything(path)
    pairs = np.random.default_rng(1).integers(systems, size=(LOOP_PAIRS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    start = time.process_time()
    alone = [by_itself(data, i, j) for i, j in pairs]
    loop = (time.process_time() - start) / len(pairs) * systems * (systems - 1)
    ours = evaluation["p_value"].values[0][pairs[:, 0], pairs[:, 1]]
    np.testing.assert_allclose(ours, [test.p_value for test, _ in alone], rtol=1e-8, atol=1e-14)
    total = sum(seconds.values())
    for name, taken in seconds.items():
        report.add(f"{name}, processor time", taken, "s")
    what = f"{systems:,} systems x {segments:,} segments, processor time"
    report.add(what, total, "s", at_most=LIMIT_SECONDS)
    report.add("judging, times faster than pair by pair", loop / seconds["judge"], "x")
    report.end()


if __name__ == "__main__":
    main()
