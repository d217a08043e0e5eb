"""How many systems and segments it takes to detect a difference of two correlations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.moment_products import (
    centre_over_systems,
    gram_products,
    score_products,
    unit_grams,
)
from supersample.engine.moments import score_contributions, true_weights
from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.execution.workers.workers import AnyWorkers
from supersample.results.signature import signature
from supersample.sampling.coverage import Setting, coverage
from supersample.sampling.procedures import Procedure, procedure
from supersample.sampling.score_populations import ScorePopulation
from supersample.scores.prepared import prepare_scores
from supersample.scores.selection import Mask

SYSTEMS = (5, 8, 12, 16, 24, 36, 50, 75, 100, 150)
SEGMENTS = (100, 300, 1_000)


def fit_score_population(
    scores: xr.Dataset, first: str, second: str, *, mask: Mask = "common"
) -> ScorePopulation:
    """Fit a normal population of systems to the Scores of two metrics and people.

    By moments: true scores have the covariance B - (S - B) / (U - 1), and one segment's noise
    (S - B) U / (U - 1), with B the covariance over systems of their scores, S the mean over the U
    segments of that of the segment's scores (see `supersample.engine.moments`). Noise is
    taken as independent between segments, those of one document included.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    first, second : str
        Metrics.
    mask : {"common", "complete", "all"}, default "common"

    Returns
    -------
    ScorePopulation

    Raises
    ------
    InputError
        If `scores` are no Scores, a metric is not among them, or true scores have no variance, or
        no correlations, because noise explains all differences.

    Examples
    --------
    >>> from supersample import load_example
    >>> fit_score_population(load_example(), "good-90", "fair-70").distribution
    'normal'
    """
    prepared = prepare_scores(scores, mask=mask)
    names = [str(name) for name in prepared.names]
    for name in (first, second):
        check_choice("metric", name, names)
    if first == second:
        raise InputError(f"two different metrics are compared, not '{first}' with itself")
    contributions = score_contributions(prepared.statistics, "system")
    chosen = [0, 1 + names.index(first), 1 + names.index(second)]
    scored, noisy = _covariances((contributions * prepared.signs)[..., chosen])
    units = contributions.shape[1]
    weights = true_weights(units)
    true = weights.scores * scored + weights.units * noisy
    noise = (noisy - scored) * units / (units - 1)
    _check_moments(true, noise, ("the human scores", first, second))
    deviations, noises = np.sqrt(np.diag(true)), np.sqrt(np.diag(noise))
    return ScorePopulation(
        _as_correlation(true),
        segment_deviation=noises / deviations,
        shared_noise=_as_correlation(noise),
    )


def _check_moments(
    true: NDArray[np.float64], noise: NDArray[np.float64], names: tuple[str, str, str]
) -> None:
    """Refuse matrices that are no covariances of true scores and of noise."""
    for name, variance, noise_variance in zip(names, np.diag(true), np.diag(noise), strict=True):
        if not noise_variance > 0:
            raise InputError(f"no population can be fitted: no noise of segments in {name}")
        if not variance > 0:
            raise InputError(
                f"no population can be fitted: the noise of segments explains all that systems "
                f"differ in by {name}"
            )
    deviations = np.sqrt(np.diag(true))
    if (np.abs(true) > np.outer(deviations, deviations) * (1 + 1e-9)).any():
        raise InputError(
            "no population can be fitted: without the noise of segments, covariances exceed what "
            "the variances allow; there are too few systems or segments"
        )


def plan(
    population: ScorePopulation,
    *,
    systems: Sequence[int] = SYSTEMS,
    segments: Sequence[int] = SEGMENTS,
    by: str | Procedure = "zou:systems:observed",
    power: float = 0.8,
    replicates: int = 1_000,
    resamples: int = 999,
    confidence_level: float = 0.95,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Find how many systems, and how many segments, it takes to detect a difference of r.

    By simulation: samples of each size are drawn from the population, and the test, or the interval
    that leaves out 0, is tried on each.

    Parameters
    ----------
    population : ScorePopulation
        Chosen, or from `fit_score_population`.
    systems, segments : sequence of int
        Sizes of samples; at least 4 systems (5 for jackknives) and 2 segments.
    by : str, IntervalMethod or DependentTest, default "zou:systems:observed"
        As for `coverage`, for instance "williams1959". The default is for normal populations, which
        are drawn by default; the test of `compare_over_systems`, which allows for tails, needs
        somewhat more systems.
    power : float, default 0.8
        Share of samples in which the difference is to be detected.
    replicates : int, default 1_000
        Samples of each size.
    resamples, confidence_level, seed, workers, progress
        As for `coverage`.

    Returns
    -------
    xarray.Dataset
        Along ``segments`` and ``systems``: ``power`` and its Monte-Carlo standard error
        ``power_error``. Along ``segments``: the ``difference`` in the population of the estimand
        that `by` declares (noise moves that of observed scores), and ``systems_needed``, how many
        systems reach the power, by a straight line between the sizes tried, rounded up; NaN where
        none of them does.

    Raises
    ------
    InputError
        If the population has no difference to detect, or a number is out of range.

    Examples
    --------
    >>> apart = ScorePopulation([[1, 0.95, 0.7], [0.95, 1, 0.7], [0.7, 0.7, 1]])
    >>> needed = plan(apart, systems=[8, 40], segments=[1000], replicates=200)["systems_needed"]
    >>> 8 < needed.item() < 40
    True
    """
    if not 0 < power < 1:
        raise InputError(f"the power is a share between 0 and 1, not {power}")
    check_confidence_level(confidence_level)
    if not systems or not segments:
        raise InputError("a plan needs numbers of systems and of segments to try")
    chosen = procedure(by) if isinstance(by, str) else by
    sizes = sorted({int(n) for n in systems})
    lengths = sorted({int(n) for n in segments})
    settings = {
        f"{n} systems, {length} segments": Setting(population, n, length)
        for length in lengths
        for n in sizes
    }
    options: dict[str, Any] = {"replicates": replicates, "confidence_level": confidence_level}
    options["seed"] = seed
    found = coverage(
        settings, [chosen], resamples=resamples, workers=workers, progress=progress, **options
    ).sel(quantity="difference", procedure=str(chosen))
    reached, error, difference = (
        found[name].to_numpy().reshape(len(lengths), len(sizes))
        for name in ("rejected", "rejected_error", "estimand")
    )
    if np.abs(difference[:, -1]).max() < 1e-9:
        raise InputError("both metrics correlate equally with people: no difference to detect")
    facts: dict[str, Any] = {"statistic": "power", "method": str(chosen)}
    facts |= {"population": population.describe(), "power": power, **options}
    return xr.Dataset(
        {
            "power": (("segments", "systems"), reached),
            "power_error": (("segments", "systems"), error),
            "difference": ("segments", difference[:, -1]),
            "systems_needed": ("segments", [_needed(sizes, row, power) for row in reached]),
        },
        coords={"systems": sizes, "segments": lengths},
        attrs={**facts, "signature": signature(**facts, n=f"{replicates} samples")},
    )


def _needed(sizes: Sequence[int], reached: NDArray[np.float64], power: float) -> float:
    """Where power first reaches the one asked for, by lines between the sizes; NaN if never."""
    enough = np.flatnonzero(reached >= power)
    if enough.size == 0:
        return np.nan
    i = int(enough[0])
    if i == 0:
        return float(sizes[0])
    share = (power - reached[i - 1]) / (reached[i] - reached[i - 1])
    return float(np.ceil(sizes[i - 1] + share * (sizes[i] - sizes[i - 1])))


def _covariances(
    contributions: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Covariances over systems, of scores and the mean of segments', shape (scorers, scorers)."""
    centred = centre_over_systems(contributions)
    systems, units, scorers = centred.shape
    shape = (scorers, scorers)
    pairs = np.indices(shape).reshape(2, -1)
    ones = np.ones((1, systems))
    scored = score_products(centred.mean(axis=1), ones, *pairs).reshape(shape)
    return scored, gram_products(unit_grams(centred, *pairs), ones, units).reshape(shape)


def _as_correlation(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exactly symmetric, with ones on the diagonal."""
    deviations = np.sqrt(np.diag(covariance))
    matrix = covariance / np.outer(deviations, deviations)
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 1.0)
    return np.asarray(symmetric)
