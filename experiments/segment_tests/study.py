"""Type I error of tests of two equal metrics, and coverage of intervals of PDP.

python -m experiments.segment_tests            # 2,000 samples a test, 40 settings; minutes
python -m experiments.segment_tests --smoke    # seconds, for the tests
"""

import argparse
import csv
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import supersample as ss
from experiments.common import OUT
from experiments.honest_inference.shapes import error, quality
from experiments.segment_tests import pairs
from supersample.comparisons.compare import group_replicates
from supersample.measures.registry import as_measure
from supersample.measures.segments import MeasuredTranslations, Translations
from supersample.resampling import Replicates, samplers
from supersample.results.pairs import swap_p_values
from supersample.tolerances import VALUE_TIE

HERE = Path(__file__).parent
TESTS = (
    ("acc_eq/item", "pairs"),
    ("acc_eq/item", "inputs"),
    ("pdp/item", "inputs"),
    ("acc_23/item", "pairs"),
    ("acc_23/item", "both"),
    ("pearson/none", "both"),
    ("pearson/item", "both"),
    ("pdp/item", "both"),
    ("tau_b/item", "both"),
)
BOOTSTRAPS = ("pdp/item", "pearson/item", "acc_eq/item")
METHODS = ("student", "percentile", "bca")
QUALITIES = ("normal", "skewed", "ceiling", "clusters", "t6")
ERRORS = ("normal", "t4", "t6", "laplace", "skewed")


class Setting(NamedTuple):
    """A population of segments, for given systems."""

    systems: int
    segments: int
    quality: str
    error: str
    shape: float
    spread: float
    """Standard deviation of systems' quality, in that of translations about it."""
    r: float
    """Correlation of people's and the metric's deviations within a segment."""
    difficulty: float
    """Standard deviation of the logarithm of a segment's scale."""


def random_setting(rng: np.random.Generator) -> Setting:
    """Draw a setting with as many systems as the study of honest inference has."""
    return Setting(
        int(rng.integers(8, 25)),
        int(rng.integers(100, 500)),
        str(rng.choice(QUALITIES)),
        str(rng.choice(ERRORS)),
        float(rng.random()),
        float(rng.uniform(0.1, 0.6)),
        float(rng.uniform(0.1, 0.9)),
        float(rng.uniform(0.0, 0.5)),
    )


class Sample(NamedTuple):
    """Scores of two metrics, and the PDP of the first over infinitely many segments."""

    part: Translations
    pdp: float


def draw(setting: Setting, systems: NDArray[np.float64], rng: np.random.Generator) -> Sample:
    """Draw segments for given qualities; both metrics have the same errors in distribution."""
    size = (setting.systems, setting.segments)
    scale = np.exp(setting.difficulty * rng.standard_normal(size[1]))
    q = np.broadcast_to(systems[:, np.newaxis], size)

    def deviations() -> NDArray[np.float64]:
        return error(setting.error, setting.shape, rng, q) * scale

    people = deviations()
    rest = np.sqrt(1 - setting.r**2)
    metrics = [q + setting.r * people + rest * deviations() for _ in range(2)]
    scores = ss.make_scores(
        q + people,
        metrics,
        systems=[str(i) for i in range(size[0])],
        metrics=["A", "B"],
    )
    measure = as_measure("pdp")
    part = measure.prepare(measure.select(scores, measure.mask, complete=False), seed=0)
    noise = np.exp(2 * setting.difficulty**2)
    spread = systems.var(ddof=1)
    return Sample(part, (spread + setting.r * noise) / (spread + noise))


def qualities(setting: Setting, rng: np.random.Generator) -> NDArray[np.float64]:
    """Qualities of the systems."""
    return setting.spread * quality(setting.quality, setting.shape, rng, (setting.systems,))


def measured(name: str, part: Translations) -> MeasuredTranslations:
    """Measure one sample."""
    return ss.measures.as_measure(name).on(part)


def swapped(found: MeasuredTranslations, scheme: str, resamples: int) -> NDArray[np.float64]:
    """Differences of each pair of metrics after swaps, also of the correctness of pairs."""
    if scheme == "pairs":
        return pairs.null_differences(found, resamples)
    return found.null_differences(scheme, resamples, map)  # type: ignore[arg-type]


def bootstrapped(name: str, part: Translations) -> Replicates:
    """499 replicates of a measure of one sample, over segments."""
    found = measured(name, part)
    labels = [found.labels("segments")]
    [drawing] = samplers("segments", labels, [part.seed], seed=part.seed)
    return group_replicates(as_measure(name), found, drawing, 499)


def type_one_errors(samples: int, resamples: int) -> list[dict[str, object]]:
    """Share of samples in which each test finds two equal metrics different at 5 %."""
    rejected: Counter[tuple[str, str]] = Counter()
    setting = Setting(8, 60, "normal", "normal", 0.5, 0.3, 0.5, 0.3)
    for number in range(samples):
        rng = np.random.default_rng([1, number])
        part = draw(setting, qualities(setting, rng), rng).part._replace(seed=number)
        for name, scheme in TESTS:
            found = measured(name, part)
            null = swapped(found, scheme, resamples)
            p = swap_p_values(found.values, null, alternative="two-sided", tie=VALUE_TIE)[0, 1]
            rejected[name, f"perm-{scheme}"] += int(p <= 0.05)
        for name in BOOTSTRAPS:
            replicates = bootstrapped(name, part)
            for method in METHODS:
                limits = replicates.of_differences(method, 0.95)
                rejected[name, f"{method} bootstrap over segments"] += int(
                    limits.lower[0] > 0 or limits.upper[0] < 0
                )
    return [
        {"statistic": name, "test": how, "samples": samples, "rejected": count / samples}
        for (name, how), count in rejected.items()
    ]


def coverages(settings: int, samples: int) -> list[dict[str, object]]:
    """Coverage of 95 % intervals of PDP over segments, by setting and method."""
    rows: list[dict[str, object]] = []
    for number in range(settings):
        rng = np.random.default_rng([2, number])
        setting = random_setting(rng)
        systems = qualities(setting, rng)
        covered = dict.fromkeys(METHODS, 0)
        for _ in range(samples):
            sample = draw(setting, systems, rng)
            replicates = bootstrapped("pdp/item", sample.part)
            for method in covered:
                limits = replicates.of_values(method, 0.95)
                covered[method] += int(limits.lower[0] <= sample.pdp <= limits.upper[0])
        shares = {method: count / samples for method, count in covered.items()}
        rows.append({**setting._asdict(), "samples": samples, **shares})
    return rows


def main() -> None:
    """Run both parts and write their tables."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--smoke", action="store_true", help="small sizes")
    made.add_argument("--out", type=Path, metavar="FOLDER", help="by default results/")
    options = made.parse_args()
    smoke = options.smoke
    folder = options.out or (OUT / "segment_tests" if smoke else HERE / "results")
    tests = type_one_errors(*(4, 19) if smoke else (2_000, 199))
    covered = coverages(*(1, 3) if smoke else (40, 500))
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("type-one-errors", tests), ("coverage-of-pdp", covered)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    for row in tests:
        print(f"{row['statistic']}, {row['test']}: {100 * float(str(row['rejected'])):.1f} %")
    for method in METHODS:
        shares = [float(str(row[method])) for row in covered]
        print(f"PDP, {method}: {min(shares):.3f} to {max(shares):.3f}, mean {np.mean(shares):.3f}")


if __name__ == "__main__":
    main()
