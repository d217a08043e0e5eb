"""Level of the alternative annotator test where several systems answered each segment.

python -m experiments.judges.replacing            # two minutes
python -m experiments.judges.replacing --smoke    # seconds, for the tests

Calderon, Reichart and Dror (2025) test the mean of one number for each item by Student's t, which
takes items as independent. Here a rater's errors on the items of a segment correlate by ICC, so the
numbers do, too. The judge's noise is such that it fits the other two people exactly so much worse
than the left-out person does as epsilon allows: a test at 5 % may say in 5 % of samples that the
judge may replace this person. Ways: ``items``, the paper's; ``segments``, `judge_agreement`'s.
Segments are of equal size, but for settings apart, where one has many items and each other has one.
"""

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from supersample.engine import Floats
from supersample.raters.judges import _advantage, _fit

SAMPLES, MANY, NOISE = 2_000, 200_000, 0.7
EPSILONS, SCALES, CORRELATIONS = (0.2, 0.0), ("numbers", "levels"), (0.0, 0.2, 0.5, 0.8)
SIZES = ((40, 6), (10, 6), (10, 20), (20, 3), (100, 14))
"""Segments, and systems that answered each."""
UNEVEN = (30, 100)
"""Segments, and items of the first; each other segment has one item."""


def draw(rng: np.random.Generator, size: tuple[int, int], own: float, icc: float) -> Floats:
    """Draw answers (raters, items) of a judge, the left-out person and two others."""
    segments, systems = size
    quality = 0.6 * rng.standard_normal((segments, 1)) + 0.8 * rng.standard_normal(size)
    shared, alone = rng.standard_normal((4, segments, 1)), rng.standard_normal((4, *size))
    noise = np.array([own, NOISE, NOISE, NOISE])[:, np.newaxis, np.newaxis]
    errors = noise * (np.sqrt(icc) * shared + np.sqrt(1 - icc) * alone)
    return (quality + errors).reshape(4, segments * systems)


def fits(answers: Floats, scale: str) -> tuple[Floats, Floats]:
    """How well the judge and the left-out person fit the others."""
    values = answers if scale == "numbers" else np.clip(np.round(3 + 1.2 * answers), 1, 5)
    judge, person = (_fit(each, values[2:], "interval") for each in values[:2])
    return judge, person


def noise_at(epsilon: float, scale: str, icc: float, many: int) -> float:
    """Noise of a judge whose advantage is smaller than the person's by `epsilon`."""

    def ahead(noise: float) -> float:
        answers = draw(np.random.default_rng(1), (many, 1), noise, icc)
        judge, person = fits(answers, scale)
        return float(np.mean(1.0 * (person >= judge) - (judge >= person))) - epsilon

    return float(brentq(ahead, 0.3, 6.0, xtol=1e-3))


def measured(samples: int, many: int) -> pd.DataFrame:
    """Measure the level of each way in each setting, in %."""
    rows: list[tuple[float | str, ...]] = []
    for epsilon, scale, icc in product(EPSILONS, SCALES, CORRELATIONS):
        noise = noise_at(epsilon, scale, icc, many)
        for size in (*SIZES, UNEVEN):
            rng, found = np.random.default_rng(7), []
            kept = np.ones(size, dtype=bool)
            kept[1:, 1:] = size != UNEVEN
            segments = np.nonzero(kept)[0]
            for _ in range(samples):
                both = fits(draw(rng, size, noise, icc)[:, kept.ravel()], scale)
                units = (np.arange(segments.size), segments)
                found.append([_advantage(*both, of, epsilon, 1e-12)[1] <= 0.05 for of in units])
            of_items, of_segments = 100 * np.mean(found, axis=0)
            alike = "uneven" if size == UNEVEN else "equal"
            rows.append((epsilon, scale, icc, *size, alike, of_items, of_segments))
    names = ["epsilon", "scale", "icc", "segments", "systems", "sizes", "by items", "by segments"]
    return pd.DataFrame(rows, columns=names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.judges.replacing")
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = measured(*(2, 2_000) if options.smoke else (SAMPLES, MANY))
    rows.to_csv(options.out / "replacing.csv", index=False, float_format="%.4g")
    levels = rows.groupby(["sizes", "icc"])[["by items", "by segments"]]
    print(levels.agg(["mean", "max"]).to_string())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
