"""Populations of systems to draw samples from: given, finite, or fitted to Scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from supersample.engine.normals import correlated_normals, correlation_factor
from supersample.engine.resamples import with_replacement, without_replacement
from supersample.engine.streams import stream_key
from supersample.errors import InputError, check_choice
from supersample.inference.arguments import ROUNDING
from supersample.inference.one_correlation.registry import COEFFICIENTS
from supersample.scores.variables import LARGEST

Replacement = Literal["without", "with"]
Marginal = ArrayLike | Callable[[NDArray[np.float64]], NDArray[np.float64]]


@runtime_checkable
class Population(Protocol):
    """What samples of systems are drawn from."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Labels, one for each scorer but the first, the human scores."""

    @property
    def size(self) -> int | None:
        """How many systems can be drawn into one sample; None where there is no end of them."""

    def describe(self) -> str:
        """Say in a word what it is, for signatures."""

    def coefficients(self, coefficient: str) -> NDArray[np.float64]:
        """Return the metrics' correlations with human scores in it, NaN where not known."""

    def draw(self, seed: int, n: int, replicates: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Draw samples of n systems, shape (replicates, 1 + metrics, n), keyed by replicate."""


@dataclass(frozen=True, eq=False)
class NormalPopulation:
    """Infinitely many systems whose scores are jointly normal.

    Parameters
    ----------
    correlation : float or array_like, shape (1 + metrics, 1 + metrics)
        Correlation of one metric with the human scores; or of all scorers with each other, the
        human scores first, positive semidefinite.
    metrics : sequence of str, optional
        Labels; "metric", or "metric-1" and so on, by default.

    Raises
    ------
    InputError
        If no scores can correlate so, or labels repeat or do not fit.

    Examples
    --------
    >>> NormalPopulation(0.91).metrics
    ('metric',)
    """

    correlation: ArrayLike
    metrics: tuple[str, ...] = ()
    size: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        matrix = check_correlation_matrix(self.correlation)
        object.__setattr__(self, "correlation", matrix)
        object.__setattr__(self, "metrics", _labels(self.metrics, matrix.shape[0] - 1))

    def describe(self) -> str:
        """Name and correlations with the human scores."""
        return f"normal({_numbers(np.asarray(self.correlation)[0, 1:])})"

    def coefficients(self, coefficient: str) -> NDArray[np.float64]:
        """rho; (6 / pi) arcsin(rho / 2) for Spearman's; (2 / pi) arcsin(rho) for Kendall's."""
        rho = np.asarray(self.correlation)[0, 1:]
        return COEFFICIENTS[coefficient].in_normal_population(rho)

    def draw(self, seed: int, n: int, replicates: NDArray[np.uint64]) -> NDArray[np.float64]:
        """As `Population.draw`; metrics added behind the others leave those as they are."""
        return _normal_samples(np.asarray(self.correlation), seed, n, replicates)


@dataclass(frozen=True, eq=False)
class CopulaPopulation:
    """Infinitely many systems, with any distribution of each scorer and a Gaussian copula.

    Scores are ``Q_k(Phi(z_k))`` with z normal and correlated as given, Phi the standard normal
    distribution function and Q_k the k-th scorer's quantile function.

    Parameters
    ----------
    correlation : float or array_like
        Of z, as for `NormalPopulation`. The Pearson correlation of the scores is another, their
        Spearman and Kendall correlations are as if they were normal.
    marginals : sequence, one for each scorer, the human scores first
        Observed scores, whose quantile function is linear between the order statistics x_(i) at
        (i - 1/2) / count and flat beyond the first and last; or a quantile function, such as
        ``scipy.stats.gamma(2).ppf``.
    metrics : sequence of str, optional
        As for `NormalPopulation`.

    Raises
    ------
    InputError
        As `NormalPopulation`, or if the marginals do not fit or observed scores are not finite.

    References
    ----------
    Nelsen (2006), An Introduction to Copulas, section 2.3; Hazen (1914) for the quantiles.

    Examples
    --------
    >>> CopulaPopulation(0.8, [[60, 70, 75, 77], [20, 31, 32, 33]]).metrics
    ('metric',)
    """

    correlation: ArrayLike
    marginals: Sequence[Marginal]
    metrics: tuple[str, ...] = ()
    size: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        matrix = check_correlation_matrix(self.correlation)
        if len(self.marginals) != matrix.shape[0]:
            raise InputError(
                f"{len(self.marginals)} marginals for {matrix.shape[0]} scorers, human and metrics"
            )
        marginals = tuple(m if callable(m) else _ordered(m) for m in self.marginals)
        object.__setattr__(self, "correlation", matrix)
        object.__setattr__(self, "marginals", marginals)
        object.__setattr__(self, "metrics", _labels(self.metrics, matrix.shape[0] - 1))

    def describe(self) -> str:
        """Name and correlations with the human scores."""
        return f"copula({_numbers(np.asarray(self.correlation)[0, 1:])})"

    def coefficients(self, coefficient: str) -> NDArray[np.float64]:
        """Return those of ranks, if all marginals are quantile functions; otherwise NaN."""
        rho = np.asarray(self.correlation)[0, 1:]
        chosen = COEFFICIENTS[coefficient]
        if not chosen.of_ranks or not all(callable(m) for m in self.marginals):
            return np.full(rho.shape, np.nan)
        return chosen.in_normal_population(rho)

    def draw(self, seed: int, n: int, replicates: NDArray[np.uint64]) -> NDArray[np.float64]:
        """As `Population.draw`."""
        samples = _normal_samples(np.asarray(self.correlation), seed, n, replicates)
        for k, marginal in enumerate(self.marginals):
            p = ndtr(samples[:, k])
            if callable(marginal):
                samples[:, k] = marginal(p)
            else:
                scores = np.asarray(marginal)
                samples[:, k] = np.interp(p, (np.arange(scores.size) + 0.5) / scores.size, scores)
        return samples


@dataclass(frozen=True, eq=False)
class FinitePopulation:
    """The systems, or hybrids, that there are; see `finite_population`.

    Parameters
    ----------
    scores : array_like, shape (size, 1 + metrics)
        Finite scores, the human ones first, larger meaning better.
    metrics : sequence of str, optional
        As for `NormalPopulation`.
    counted : str, default "systems"
        What they are.
    replacement : {"without", "with"}, default "without"
        Whether one of them can be in a sample several times.

    Raises
    ------
    InputError
        If scores are not finite or labels do not fit.

    Examples
    --------
    >>> FinitePopulation([[1, 2], [2, 1], [3, 5]]).size
    3
    """

    scores: ArrayLike
    metrics: tuple[str, ...] = ()
    counted: str = "systems"
    replacement: Replacement = "without"

    def __post_init__(self) -> None:
        scores = np.array(self.scores, dtype=np.float64)
        check_choice("replacement", self.replacement, ("without", "with"))
        if scores.ndim != 2 or scores.shape[1] < 2:
            raise InputError(f"scores are of shape (size, 1 + metrics), not {scores.shape}")
        if not (np.abs(scores) <= LARGEST).all():
            raise InputError(f"scores of a finite population are finite, up to {LARGEST:g}")
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "metrics", _labels(self.metrics, scores.shape[1] - 1))

    @property
    def size(self) -> int | None:
        """All of them; None where they can be drawn again."""
        return None if self.replacement == "with" else np.asarray(self.scores).shape[0]

    def describe(self) -> str:
        """Say how many of what."""
        return f"{np.asarray(self.scores).shape[0]} {self.counted},{self.replacement} replacement"

    def coefficients(self, coefficient: str) -> NDArray[np.float64]:
        """Return those of all of them together."""
        human, *metrics = np.asarray(self.scores).T
        pairs = [np.column_stack([human, metric]) for metric in metrics]
        return np.array([COEFFICIENTS[coefficient].matrix(pair)[0, 1] for pair in pairs])

    def draw(self, seed: int, n: int, replicates: NDArray[np.uint64]) -> NDArray[np.float64]:
        """As `Population.draw`."""
        scores = np.asarray(self.scores)
        drawing = without_replacement if self.replacement == "without" else with_replacement
        drawn = drawing(stream_key(seed, "systems of a sample"), replicates, n, scores.shape[0])
        return np.ascontiguousarray(np.swapaxes(scores[drawn], 1, 2))


def check_correlation_matrix(correlation: ArrayLike) -> NDArray[np.float64]:
    """Correlations of all scorers with each other, refused where no scores have them."""
    matrix = np.array(correlation, dtype=np.float64)
    if matrix.ndim == 0:
        matrix = np.array([[1.0, float(matrix)], [float(matrix), 1.0]])
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 2:
        raise InputError(
            f"correlations are one number or a square matrix of human and metrics, not of shape "
            f"{matrix.shape}"
        )
    if not np.all(np.abs(matrix) <= 1):
        raise InputError("a correlation lies in [-1, 1]")
    if not (np.array_equal(matrix, matrix.T) and np.all(np.diag(matrix) == 1)):
        raise InputError("a correlation matrix is symmetric with ones on its diagonal")
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if smallest < -ROUNDING:
        raise InputError(
            "no scores correlate so: the matrix is not positive semidefinite "
            f"(smallest eigenvalue {smallest:.3g})"
        )
    return matrix


def _labels(metrics: Sequence[str], count: int) -> tuple[str, ...]:
    """Labels of the metrics, made where there are none."""
    if not metrics:
        return ("metric",) if count == 1 else tuple(f"metric-{k + 1}" for k in range(count))
    labels = tuple(map(str, metrics))
    if len(labels) != count or len(set(labels)) < count:
        raise InputError(f"{count} metrics need as many different labels, not {', '.join(labels)}")
    return labels


def _ordered(marginal: ArrayLike) -> NDArray[np.float64]:
    scores = np.sort(np.array(marginal, dtype=np.float64), axis=None)
    if scores.size < 2 or not (np.abs(scores) <= LARGEST).all():
        raise InputError(
            f"observed scores of a marginal are at least two, finite, up to {LARGEST:g}"
        )
    return scores


def _normal_samples(
    correlation: NDArray[np.float64], seed: int, n: int, replicates: NDArray[np.uint64]
) -> NDArray[np.float64]:
    keys = [stream_key(seed, f"normal scorer {k}") for k in range(correlation.shape[0])]
    factor = correlation_factor(correlation)
    return correlated_normals(np.array(keys), factor, replicates, n)


def _numbers(values: NDArray[np.float64]) -> str:
    return ",".join(f"{value:.4g}" for value in values)
