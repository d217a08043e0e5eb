"""Populations of systems scored on segments, from which studies draw samples; fitted ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.engine.moments import correlation_of, score_contributions, true_weights
from supersample.engine.streams import (
    correlate,
    correlated_normals,
    correlation_factor,
    fill_noisy,
    normals,
    stream_key,
)
from supersample.errors import InputError, check_names, listed
from supersample.inference.arguments import numbers_of
from supersample.scores.selection import Mask
from supersample.scores.system_level import prepare_scores
from supersample.tolerances import DETERMINANT_ROUNDING

Replicates = NDArray[np.uint64]
Moments = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Population:
    """Infinitely many systems with random true scores and random segment scores.

    Scorer k (0 the human scores, then the metrics) gives system s at segment l the score

        t_ks + d_k e_ksl

    with normal true scores t of standard deviation 1 and given correlations, and standard normal
    noise e, independent between systems and segments, but correlated between
    scorers. With infinitely many segments, a system's scores are its true scores. The model has no
    difficulty of segments, because it is the same for all systems and changes no correlation.

    Parameters
    ----------
    correlation : float or array_like, shape (1 + metrics, 1 + metrics)
        Correlations of true scores: one metric with the human scores; or all scorers with each
        other, human scores first, positive semidefinite.
    segment_deviation : float or array_like, shape (1 + metrics,), default 4.0
        d, for all scorers or for each, in units of true scores; 0 for no noise.
    shared_noise : float or array_like, shape (1 + metrics, 1 + metrics), default 0.3
        Correlation of the noise of any two scorers, in [0, 1]; or the matrix for all scorers.
    metrics : sequence of str, optional
        Labels; "metric", or "metric-1" and so on, by default.

    Raises
    ------
    InputError
        If a parameter is out of range, the correlations are impossible, or labels do not fit.

    Examples
    --------
    >>> Population([[1, 0.9, 0.8], [0.9, 1, 0.8], [0.8, 0.8, 1]]).describe()
    'normal(0.9,0.8,0.8)'
    """

    correlation: ArrayLike
    segment_deviation: ArrayLike = 4.0
    shared_noise: ArrayLike = 0.3
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        matrix = _correlation_matrix(self.correlation)
        scorers = matrix.shape[0]
        checked = {
            "correlation": matrix,
            "segment_deviation": _deviations(self.segment_deviation, scorers),
            "shared_noise": _noise_correlation(self.shared_noise, scorers),
            "metrics": _labels(self.metrics, scorers - 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<Population {self.describe()}: {listed(self.metrics, 10)}>"

    def describe(self) -> str:
        """Describe it briefly, for signatures: correlations with people, and between two metrics.

        With more metrics, the correlations between them are left out.
        """
        matrix = np.asarray(self.correlation)
        between = [matrix[1, 2]] if len(matrix) == 3 else []
        return f"normal({','.join(f'{r:.4g}' for r in (*matrix[0, 1:], *between))})"

    def facts(self) -> dict[str, Any]:
        """Everything that determines its draws, as JSON values."""
        values = {name: np.asarray(value).tolist() for name, value in vars(self).items()}
        del values["metrics"]
        return values

    def draw(
        self, seed: int, replicates: Replicates, systems: int, segments: int | None = None
    ) -> Floats:
        """Draw samples, keyed by replicate number.

        Parameters
        ----------
        seed : int
        replicates : ndarray of uint64
            Numbers of the samples.
        systems : int
        segments : int, optional
            Number of segments; infinitely many by default.

        Returns
        -------
        ndarray of float64, shape (replicates, systems, scorers)
            System scores; with `segments`, shape (replicates, systems, segments, scorers), the
            contributions of segments, whose mean is the system's score. Adding metrics after the
            others does not change the others' scores.
        """
        stream = "normal scorer" if segments is None else "true scorer"
        true = self._true_scores(seed, replicates, systems, stream)
        if segments is None:
            return true
        deviations = np.asarray(self.segment_deviation)
        shape = (replicates.size, systems, segments)
        keys = [stream_key(seed, f"noise of scorer {k}") for k in range(deviations.size)]
        factor = correlation_factor(np.asarray(self.shared_noise))
        noise = correlated_normals(np.array(keys), factor, replicates, systems * segments)
        out = np.empty((*shape, deviations.size))
        fill_noisy(true, deviations, noise, out)
        return out

    def _true_scores(self, seed: int, replicates: Replicates, systems: int, stream: str) -> Floats:
        """Shape (replicates, systems, scorers)."""
        factor = correlation_factor(np.asarray(self.correlation))
        drawn = np.empty((replicates.size, len(factor), systems))
        for k in range(len(factor)):
            drawn[:, k] = normals(stream_key(seed, f"{stream} {k}"), replicates, systems)
        correlate(drawn, factor)
        return np.swapaxes(drawn, 1, 2)


def exact_moments(population: Population, segments: int | None = None) -> Moments:
    """Find the expected covariances over the systems of a sample.

    They are the covariance of system scores, and the mean over segments of the covariance of the
    segment's contributions, both of shape (scorers, scorers).
    """
    true = np.array(population.correlation)
    deviations = np.asarray(population.segment_deviation)
    noise = np.outer(deviations, deviations) * np.asarray(population.shared_noise)
    return (true if segments is None else true + noise / segments), true + noise


def products_over_systems(contributions: Floats) -> Moments:
    """Products over systems of their scores, and of contributions (mean over segments)."""
    centred = contributions - contributions.mean(axis=0)
    means, flat = centred.mean(axis=1), centred.reshape(-1, centred.shape[-1])
    return means.T @ means, flat.T @ flat / contributions.shape[1]


def _correlation_matrix(correlation: ArrayLike) -> Floats:
    """Correlations of all scorers with each other; refuse impossible correlations."""
    matrix = numbers_of("correlation", correlation)
    if matrix.ndim == 0:
        matrix = np.array([[1.0, float(matrix)], [float(matrix), 1.0]])
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 2:
        raise InputError(
            f"correlations must be a number or a square matrix of human and metrics, not of shape "
            f"{matrix.shape}"
        )
    if not np.all(np.abs(matrix) <= 1):
        raise InputError("a correlation must be from -1 to 1, such as 0.9")
    if not (np.array_equal(matrix, matrix.T) and np.all(np.diag(matrix) == 1)):
        raise InputError("a correlation matrix must be symmetric with ones on its diagonal")
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if smallest < -DETERMINANT_ROUNDING:
        raise InputError(
            "these correlations cannot hold together; check each of them (the matrix is not "
            f"positive semidefinite, with the smallest eigenvalue {smallest:.3g})"
        )
    return matrix


def _deviations(values: ArrayLike, scorers: int) -> Floats:
    """Deviation of each scorer."""
    given = numbers_of("segment_deviation", values)
    usable = np.isfinite(given).all() and (given >= 0).all()
    if given.shape not in ((), (scorers,)) or not usable:
        raise InputError(
            "segment deviations must be one number, at least 0, or one for each of "
            f"{scorers} scorers, not {values!r}"
        )
    return np.broadcast_to(given, (scorers,)).copy()


def _noise_correlation(noise: ArrayLike, scorers: int) -> Floats:
    """Correlation matrix of the noise of all scorers."""
    matrix = numbers_of("shared_noise", noise)
    if matrix.ndim == 0:
        if not 0 <= matrix <= 1:
            raise InputError(f"shared noise must be from 0 to 1, not {matrix}")
        return np.asarray(matrix + (1.0 - matrix) * np.eye(scorers))
    if matrix.shape != (scorers, scorers):
        raise InputError(
            f"shared noise must be one number or {scorers} x {scorers} of them, not {matrix.shape}"
        )
    return _correlation_matrix(matrix)


def _labels(metrics: Sequence[str], count: int) -> tuple[str, ...]:
    """Labels of the metrics; made if there are none."""
    if not metrics:
        return ("metric",) if count == 1 else tuple(f"metric-{k + 1}" for k in range(count))
    labels = tuple(map(str, metrics))
    if len(labels) != count or len(set(labels)) < count:
        raise InputError(f"{count} metrics need as many different labels, not {', '.join(labels)}")
    return labels


def fit_population(
    scores: xr.Dataset, *, metrics: Sequence[str] | None = None, mask: Mask = "common"
) -> Population:
    """Fit an infinite normal population to the oriented scores of the original systems.

    True scores are separated from the noise of segments by moments, so that samples with any number
    of segments can be drawn: true scores have the covariance B - (S - B) / (U - 1), and the noise
    of one segment (S - B) U / (U - 1), where B is the covariance over systems of their scores and S
    the mean over the U segments of the covariance of the segment's scores (see
    `supersample.engine.moments`). Both are assumed to be normal, and noise to be independent
    between segments, also within a document.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    metrics : sequence of str, optional
        Metrics, in this order; all by default.
    mask : {"common", "complete", "all"}, default "common"
        See `select_segments`.

    Returns
    -------
    Population

    Raises
    ------
    InputError
        If a metric does not exist; or the noise of segments explains all differences, so true
        scores have no variance or no correlations.

    Examples
    --------
    >>> from supersample import load_example
    >>> fit_population(load_example(), metrics=["good-90", "fair-70"])
    <Population normal(0.8675,0.439,0.3042): good-90, fair-70>
    """
    prepared = prepare_scores(scores, mask=mask)
    chosen, names = _chosen(tuple(map(str, prepared.names)), metrics)
    contributions = score_contributions(prepared.statistics, "system") * prepared.signs
    systems, units, _ = contributions.shape
    sums = products_over_systems(contributions[..., chosen])
    scored, noisy = (products / (systems - 1) for products in sums)
    weights = true_weights(units)
    true = weights.scores * scored + weights.units * noisy
    noise = (noisy - scored) * units / (units - 1)
    for name, variance, of_noise in zip(
        ("the human scores", *names), np.diag(true), np.diag(noise), strict=True
    ):
        if not of_noise > 0:
            raise InputError(f"no population can be fitted: segments of {name} have no noise")
        if not variance > 0:
            raise InputError(
                "no population can be fitted: by the scores of "
                f"{name}, systems do not differ by more than the noise of segments"
            )
    deviations = np.sqrt(np.diag(true))
    if (np.abs(true) > np.outer(deviations, deviations) * (1 + 1e-9)).any():
        raise InputError(
            "no population can be fitted: without the noise of segments, covariances exceed what "
            "the variances allow; there are too few systems or segments; give correlations "
            "(--r, --other-r, --metric-r), or see how many systems rank --baseline asks for"
        )
    return Population(
        _as_correlation(true),
        segment_deviation=np.sqrt(np.diag(noise)) / deviations,
        shared_noise=_as_correlation(noise),
        metrics=names,
    )


def _chosen(
    names: tuple[str, ...], metrics: Sequence[str] | None
) -> tuple[list[int], tuple[str, ...]]:
    """Columns of the human scores and of some metrics, and their labels."""
    wanted = names if metrics is None else tuple(metrics)
    check_names("metric", wanted, names)
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a population has each metric once, not {', '.join(wanted)}")
    return [0, *(1 + names.index(name) for name in wanted)], wanted


def _as_correlation(covariance: Floats) -> Floats:
    """Exactly symmetric, with ones on the diagonal."""
    matrix = correlation_of(covariance)
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 1.0)
    return np.asarray(symmetric)
