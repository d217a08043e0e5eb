"""WMT23 scores for the benchmarks: the systems and segments that people rated throughout."""

import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DATA = Path(os.environ.get("SUPERSAMPLE_DATA", Path(__file__).parents[1] / "../shared/data"))
FOLDER = DATA / "mt-metrics-eval-v2" / "wmt23"


def read_scores(path: Path) -> dict[str, list[float]]:
    """Segment scores of each system of a `.seg.score` file, NaN where it says None."""
    scores: dict[str, list[float]] = {}
    for line in path.read_text().splitlines():
        system, score = line.split()
        scores.setdefault(system, []).append(np.nan if score == "None" else float(score))
    return scores


def load(pair: str) -> tuple[list[str], NDArray[np.float64]]:
    """Scorers' names, people first, and scores (scorers, systems, segments)."""
    if not FOLDER.is_dir():
        sys.exit(f"no WMT23 scores in {FOLDER}: set SUPERSAMPLE_DATA to a data root with them")
    human = read_scores(FOLDER / "human-scores" / f"{pair}.mqm.seg.score")
    systems = [name for name in human if name not in ("refA", "synthetic_ref")]
    paths = sorted((FOLDER / "metric-scores" / pair).glob("*-refA.seg.score"))
    scorers = [human, *(read_scores(path) for path in paths)]
    scores = np.array([[scores[name] for name in systems] for scores in scorers])
    names = ["people", *(path.name.removesuffix("-refA.seg.score") for path in paths)]
    return names, scores[:, :, np.isfinite(scores[0]).all(axis=0)]
