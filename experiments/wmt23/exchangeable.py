"""How often each swap calls one of two metrics better that are equally good by construction.

Systems differ in quality, segments in difficulty, and both metrics add errors that all translations
of a segment share (sd 0.7) and others of each translation (sd 1.2).
"""

import numpy as np
from numpy.typing import NDArray

from experiments.common import Part, reported
from supersample.measures.registry import as_measure
from supersample.measures.swapped_sums import unit_sums
from supersample.presentation.table import Column, Table
from supersample.results.outputs import Results
from supersample.scores.selection import group_seed
from supersample.tasks.definitions import Source, SourceScores, Task
from supersample.tasks.running import Measured
from supersample.tolerances import VALUE_TIE

SYSTEMS, SEGMENTS, DRAWS = 12, 60, 199
SOURCE = Source("equal", "sample")
KINDS = (
    ("PA", "systems"),
    ("pearson", "systems"),
    ("SPA", "segments"),
    ("pearson/none", "segments"),
    ("pearson/none", "scores"),
    ("acc_eq/item", "segments"),
    ("acc_eq/item", "pairs"),
)
JOINT = {"SPA", "pearson/none", "acc_eq/item"}
"""Tasks of the average: those that swap whole segments of the same scores."""


def rejections(*, smoke: bool) -> Part:
    """Share of samples in which the first metric is called significantly better, of 5 % nominal."""
    samples = 3 if smoke else 2000
    found = np.mean([one(np.random.default_rng([17, i])) for i in range(samples)], axis=0)
    names = [*(_task(*kind).label.partition("sample ")[2] for kind in KINDS), "average, joint"]
    checks = [
        reported("equal metrics", f"one-sided rejections at 5 %, {name}", 0.05, float(share), 3)
        for name, share in zip(names, found, strict=True)
    ]
    columns = (Column("task"), Column("rejections", number=".3f"))
    rows = tuple(zip(names, map(float, found), strict=True))
    return Part(checks, Results(numbers={"equal-metrics": Table(columns, rows, "Equal metrics")}))


def one(random: np.random.Generator) -> list[bool]:
    """Whether each task, and the average, calls the first metric better in a new sample."""
    quality = random.normal(size=(SYSTEMS, 1)) + random.normal(size=(1, SEGMENTS))
    human = np.round(2 * (quality + random.normal(size=quality.shape)))
    metrics = {name: quality + _errors(random) for name in "ab"}
    means = {name: scores.mean(axis=1) for name, scores in metrics.items()}
    of_segments = SourceScores([], human, metrics, "")
    of_systems = SourceScores([], human.mean(axis=1), means, "")
    better, total, null = [], 0.0, np.zeros(DRAWS)
    for kind in KINDS:
        task = _task(*kind)
        scores = of_segments if task.of_segments else of_systems
        part, seed = unit_sums(task.measure, task.swap, scores.human), group_seed(0, SOURCE.name)
        sums = {name: part.sums(x, DRAWS, seed=seed) for name, x in scores.metrics.items()}
        measured = Measured(task, [part], [sums])
        difference = measured.value("a") - measured.value("b")
        draws = measured.nulls("a", "b")[0]
        better.append(_better(difference, draws))
        if task.label.split()[-1] in JOINT and task.swap == "segments":
            scale = 1.0 / (task.measure.highest - task.measure.lowest)
            total, null = total + scale * difference, null + scale * draws
    return [*better, _better(total, null)]


def _errors(random: np.random.Generator) -> NDArray[np.float64]:
    shared = 0.7 * random.normal(size=(1, SEGMENTS))
    return np.asarray(shared + 1.2 * random.normal(size=(SYSTEMS, SEGMENTS)))


def _better(difference: float, draws: NDArray[np.float64]) -> bool:
    return bool((1 + (draws >= difference - VALUE_TIE).sum()) / (DRAWS + 1) <= 0.05)


def _task(name: str, swap: str) -> Task:
    return Task(as_measure(name), (SOURCE,), swap)
