"""Shapes of real system scores beside those of the settings that are drawn.

Of every test set: skewness and kurtosis of the human scores; of the metrics with r above .5, the
quartiles of r, and of their errors (what a metric's standardised scores are beside r times the
human ones) the mean absolute skewness, the mean kurtosis, the correlation of the errors' size with
quality, and the median correlation between two metrics' errors. A dozen systems show little of
each, so that the same statistics of drawn settings with as few systems are what they are compared
with.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import xarray as xr

from experiments.honest_inference.populations import draw, random_settings
from experiments.honest_inference.shapes import Floats
from experiments.wmt import WMT15_PAIRS, WMT23_PAIRS, read_wmt15, read_wmt23

LEAST_R = 0.5
STATISTICS = (
    "systems",
    "human skewness",
    "human kurtosis",
    "lower quartile of r",
    "median r",
    "upper quartile of r",
    "error |skewness|",
    "error kurtosis",
    "size of errors with quality",
    "errors of two metrics",
    "noise share",
)


def shape_rows(data: Path, seed: int) -> list[tuple[str | float, ...]]:
    """Return rows of `STATISTICS`, real test sets first, then quantiles of drawn settings."""
    rows: list[tuple[str | float, ...]] = [
        (name, *describe(scores, noise)) for name, scores, noise in _real(data)
    ]
    drawn = []
    for i, setting in enumerate(random_settings(seed, 300)):
        scores = draw(setting, np.random.default_rng((seed, i)), 1)[0]
        drawn.append(describe(scores, setting.noise))
    for share in (0.1, 0.5, 0.9):
        quantiles = np.nanquantile(np.array(drawn), share, axis=0)
        rows.append((f"drawn settings, {share:.0%} quantile", *map(float, quantiles)))
    return rows


def describe(scores: Floats, noise: float) -> tuple[float, ...]:
    """`STATISTICS` of system scores (n, 1 + metrics), the human scores first."""
    z = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    human, n = z[:, 0], scores.shape[0]
    r = human @ z[:, 1:] / n
    errors = z[:, 1:][:, r > LEAST_R] - human[:, np.newaxis] * r[r > LEAST_R]
    r = r[r > LEAST_R]
    if not r.size:
        return (n, _moment(human, 3), _moment(human, 4), *([float("nan")] * 7), noise)
    errors = errors / errors.std(axis=0)
    size = np.abs(errors) - np.abs(errors).mean(axis=0)
    with_quality = (size / size.std(axis=0) * human[:, np.newaxis]).mean()
    between = (errors.T @ errors / n)[np.triu_indices(r.size, 1)]
    return (
        float(n),
        _moment(human, 3),
        _moment(human, 4),
        *(float(q) for q in np.quantile(r, (0.25, 0.5, 0.75))),
        float(np.abs((errors**3).mean(axis=0)).mean()),
        float((errors**4).mean()),
        float(with_quality),
        float(np.median(between)) if between.size else float("nan"),
        noise,
    )


def noise_share(segments: Floats) -> float:
    """Share of noise in the variance of system scores, of human scores (systems, segments).

    The residual variance of segments, what systems and segments add up to taken off, by their
    number.
    """
    rows, columns = segments.shape
    means = segments.mean(axis=1)
    left = segments - means[:, np.newaxis] - segments.mean(axis=0) + means.mean()
    residual = (left**2).sum() / ((rows - 1) * (columns - 1))
    return float(residual / columns / means.var(ddof=1))


def _real(data: Path) -> Iterator[tuple[str, Floats, float]]:
    for pair in WMT15_PAIRS:
        named = read_wmt15(data, pair).rename(system_human="human", system_score="score")
        yield f"WMT15 {pair}", system_scores(named), float("nan")
    yield "WMT20 en-de, human scores alone", *_newstest2020(data)
    for pair in WMT23_PAIRS:
        scores = read_wmt23(data, pair)
        human = scores["human"].transpose("system", "segment").to_numpy()
        human = human[:, np.isfinite(human).all(axis=0)]
        yield f"WMT23 {pair}", system_scores(scores.mean("segment")), noise_share(human)


def system_scores(scores: xr.Dataset) -> Floats:
    """Oriented system-level scores (systems, 1 + metrics), the human ones first."""
    sign = np.where(scores["higher_is_better"].to_numpy(), 1.0, -1.0)
    metrics = scores["score"].transpose("system", "metric").to_numpy() * sign
    values = np.column_stack([scores["human"].to_numpy(), metrics])
    return np.asarray(values[:, np.isfinite(values).all(axis=0)])


def _newstest2020(data: Path) -> tuple[Floats, float]:
    """MQM of newstest2020's machine systems; metrics' scores of it are not in the data."""
    of_system: dict[str, list[float]] = {}
    with (data / "wmt20" / "mqm_newstest2020_ende.avg_seg_scores.tsv").open() as file:
        for row in list(csv.reader(file, delimiter=" "))[1:]:
            if "Human" not in row[0]:
                of_system.setdefault(row[0], []).append(float(row[1]))
    segments = np.array(list(of_system.values()))
    return segments.mean(axis=1)[:, np.newaxis], noise_share(segments)


def _moment(z: Floats, power: int) -> float:
    return float((z**power).mean())
