"""Populations of systems scored on segments, from which studies draw samples; fitted populations.

`Population` has infinitely many systems, and finitely or infinitely many segments;
`FinitePopulation` has the existing systems.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, cast, get_args, runtime_checkable

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from supersample.engine import Floats
from supersample.engine.bootstrap import with_replacement, without_replacement
from supersample.engine.designs import PairHybrids
from supersample.engine.moments import (
    correlation_of,
    observed_weights,
    score_contributions,
    true_weights,
)
from supersample.engine.streams import (
    correlate,
    correlated_normals,
    correlation_factor,
    fill_noisy,
    normals,
    stream_key,
    uniforms,
)
from supersample.errors import InputError, check_choice, listed
from supersample.inference.arguments import ROUNDING, numbers_of
from supersample.inference.one_correlation.coefficients import COEFFICIENTS, pearson
from supersample.scores.schema import LARGEST
from supersample.scores.selection import Mask
from supersample.scores.system_level import (
    HYBRIDS,
    SYSTEMS,
    bases_of,
    make_system_scores,
    prepare_scores,
    system_level_scores,
)

Replicates = NDArray[np.uint64]
Marginal = ArrayLike | Callable[[Floats], Floats]
Distribution = Literal["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]
Outliers = Literal["none", "one", "some"]
Replacement = Literal["without", "with"]

HEAVY_TAILED_FREEDOM = 5  # of Student's t
LOG_NORMAL_SCALE = 0.6
OUTLIER_DISTANCE = 5.0  # below the others' mean, in standard deviations of the others
OUTLIER_SHARE = 1.0 / 12.0
Moments = tuple[Floats, Floats]


@runtime_checkable
class AnyPopulation(Protocol):
    """A population from which `sampling_distribution` draws samples of systems or hybrids."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Labels of all scorers except the first, the human scores."""

    @property
    def size(self) -> int | None:
        """Largest number of systems in one sample; None if unlimited."""

    def describe(self) -> str:
        """Describe it briefly, for signatures."""

    def coefficients(self, coefficient: str) -> Floats:
        """Return the metrics' correlations with human scores in it, NaN if unknown."""

    def draw(self, seed: int, replicates: Replicates, systems: int) -> Floats:
        """Draw samples, keyed by replicate number, shape (replicates, systems, 1 + metrics)."""


@dataclass(frozen=True, eq=False)
class Population:
    r"""Infinitely many systems with random true scores and random segment scores.

    Scorer k (0 the human scores, then the metrics) gives system s at segment l the score

        t_ks + d_k e_ksl

    with true scores t of standard deviation 1 (except for outliers) and given correlations, and
    standard normal noise e, independent between systems and segments, but correlated between
    scorers. With infinitely many segments, a system's scores are its true scores. The model has no
    difficulty of segments, because it is the same for all systems and changes no correlation.

    Parameters
    ----------
    correlation : float or array_like, shape (1 + metrics, 1 + metrics)
        Correlations of true scores: one metric with the human scores; or all scorers with each
        other, human scores first, positive semidefinite.
    distribution : str or sequence, default "normal"
        Distribution of true scores. "normal"; "skewed": t = A g, with A A' the correlations (A
        lower triangular) and g independent exponential numbers minus 1; "heavy-tailed": the same
        with g from Student's t with 5 degrees of freedom, scaled to variance 1; "log-normal":
        exp(0.6 z) of normal z with the given correlations, standardised, so that the scores
        correlate slightly less; "uneven": normal, with the residuals of the metrics' regression on
        t_0 multiplied by sqrt((1 + t_0^2) / 2), so that errors grow away from the middle.

        Or the marginal distribution of each scorer, human scores first, joined by a Gaussian
        copula: scores are ``Q_k(Phi(z_k))`` with z normal with the given correlations, Phi the
        standard normal distribution function and Q_k the k-th scorer's quantile function. A
        marginal is a quantile function, such as ``scipy.stats.gamma(2).ppf``; or observed scores,
        whose quantile function is linear between the order statistics x_(i) at (i - 1/2) / count
        and flat outside. The Pearson correlation of such scores differs from that of z.
    outliers : {"none", "one", "some"}, default "none"
        Systems that are much worse than the others, by people and by metrics (Mathur, Baldwin and
        Cohn 2020): 5 is subtracted from all true scores of the first system of a sample, or of each
        system with probability 1/12.
    segment_deviation : float or array_like, shape (1 + metrics,), default 6.0
        d, for all scorers or for each, in units of true scores.
    shared_noise : float or array_like, shape (1 + metrics, 1 + metrics), default 0.3
        Correlation of the noise of any two scorers, in [0, 1]; or the matrix for all scorers.
    human_levels : int, optional
        If given, the human score of a segment is one of this many whole numbers from 0, which are
        equally likely in a normal population.
    missing_ratings : float, default 0.0
        Probability that nobody rated a system's segment. Human scores are then means over rated
        segments, and contributions are first-order contributions.
    metrics : sequence of str, optional
        Labels; "metric", or "metric-1" and so on, by default.

    Raises
    ------
    InputError
        If a parameter is out of range, the correlations are impossible, or labels do not fit.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU", ACL, section 4, on outlier systems.
    Nelsen (2006), An Introduction to Copulas, section 2.3; Hazen (1914) for observed quantiles.

    Examples
    --------
    >>> Population([[1, 0.9, 0.8], [0.9, 1, 0.8], [0.8, 0.8, 1]]).describe()
    'normal(0.9,0.8,0.8)'
    >>> Population(0.8, [[60, 70, 75, 77], [20, 31, 32, 33]]).describe()
    'copula(0.8)'
    """

    correlation: ArrayLike
    distribution: Distribution | Sequence[Marginal] = "normal"
    outliers: Outliers = "none"
    segment_deviation: ArrayLike = 6.0
    shared_noise: ArrayLike = 0.3
    human_levels: int | None = None
    missing_ratings: float = 0.0
    metrics: tuple[str, ...] = ()
    size: ClassVar[None] = None

    def __post_init__(self) -> None:
        matrix = _correlation_matrix(self.correlation)
        scorers = matrix.shape[0]
        checked = {
            "correlation": matrix,
            "distribution": _distribution(self.distribution, scorers),
            "segment_deviation": _deviations(self.segment_deviation, scorers),
            "shared_noise": _noise_correlation(self.shared_noise, scorers),
            "metrics": _labels(self.metrics, scorers - 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        check_choice("outliers", self.outliers, get_args(Outliers))
        if self.human_levels is not None and self.human_levels < 2:
            raise InputError(f"human levels must be at least 2, not {self.human_levels}")
        if not 0 <= self.missing_ratings < 1:
            raise InputError(f"missing ratings must be 0 to below 1, not {self.missing_ratings}")

    @property
    def marginals(self) -> Sequence[Marginal]:
        """Distributions of the scorers, if they are given for each scorer."""
        return () if isinstance(self.distribution, str) else self.distribution

    def __repr__(self) -> str:
        return f"<Population {self.describe()}: {listed(self.metrics, 10)}>"

    def describe(self) -> str:
        """Describe it briefly, for signatures: correlations with people, and between two metrics.

        With more metrics, the correlations between them are left out.
        """
        matrix = np.asarray(self.correlation)
        between = [matrix[1, 2]] if len(matrix) == 3 else []
        numbers = ",".join(f"{r:.4g}" for r in (*matrix[0, 1:], *between))
        parts = [f"{'copula' if self.marginals else self.distribution}({numbers})"]
        if self.outliers != "none":
            parts.append(f"outliers {self.outliers}")
        if self.human_levels is not None:
            parts.append(f"{self.human_levels} levels")
        if self.missing_ratings:
            parts.append(f"missing {self.missing_ratings:g}")
        return "+".join(parts)

    def facts(self) -> dict[str, Any]:
        """Everything that determines its draws, as JSON values."""
        if any(callable(marginal) for marginal in self.marginals):
            raise InputError("samples cannot be stored if marginals are functions without names")
        return {
            name: [np.asarray(marginal).tolist() for marginal in value]
            if isinstance(value, tuple)
            else np.asarray(value).tolist()
            for name, value in vars(self).items()
            if name != "metrics"
        }

    def coefficients(self, coefficient: str) -> Floats:
        """Correlations with the human scores on infinitely many segments, NaN if unknown."""
        rho, chosen = np.asarray(self.correlation)[0, 1:], COEFFICIENTS[coefficient]
        functions = self.marginals and all(callable(marginal) for marginal in self.marginals)
        order_kept = chosen.of_ranks and (functions or self.distribution == "log-normal")
        if self.outliers == "none" and self.human_levels is None:
            if self.distribution == "normal" or order_kept:
                return chosen.in_normal_population(rho)
            moments = exact_moments(self, systems=1)
            if coefficient == "pearson" and moments is not None:
                return correlation_of(moments[0])[0, 1:]
        return np.full(rho.shape, np.nan)

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
        deviations = np.asarray(self.segment_deviation)
        if segments is None:
            if self.human_levels is not None:
                true[..., 0] = _mean_level(true[..., 0], deviations[0], self.human_levels)
            return true
        shape = (replicates.size, systems, segments)
        keys = [stream_key(seed, f"noise of scorer {k}") for k in range(deviations.size)]
        factor = correlation_factor(np.asarray(self.shared_noise))
        noise = correlated_normals(np.array(keys), factor, replicates, systems * segments)
        out = np.empty((*shape, deviations.size))
        fill_noisy(true, deviations, noise, out)
        if self.human_levels is not None:
            spread = np.sqrt(1.0 + deviations[0] ** 2)
            out[..., 0] = np.floor(ndtr(out[..., 0] / spread) * self.human_levels)
        if self.missing_ratings:
            drawn = uniforms(stream_key(seed, "rated"), replicates, systems * segments)
            rated = (drawn >= self.missing_ratings).reshape(shape)
            out[..., 0] = _rated_contributions(out[..., 0], rated)
        return out

    def _true_scores(self, seed: int, replicates: Replicates, systems: int, stream: str) -> Floats:
        """Shape (replicates, systems, scorers)."""
        factor = correlation_factor(np.asarray(self.correlation))
        keys = np.array([stream_key(seed, f"{stream} {k}") for k in range(len(factor))])
        drawn = np.empty((replicates.size, keys.size, systems))
        for k, key in enumerate(keys):
            if self.distribution == "skewed":
                drawn[:, k] = -np.log1p(-uniforms(key, replicates, systems)) - 1.0
            elif self.distribution == "heavy-tailed":
                p = uniforms(key, replicates, systems) + 2.0**-54
                spread = np.sqrt(HEAVY_TAILED_FREEDOM / (HEAVY_TAILED_FREEDOM - 2))
                drawn[:, k] = stdtrit(HEAVY_TAILED_FREEDOM, p) / spread
            else:
                drawn[:, k] = normals(key, replicates, systems)
        if self.distribution == "uneven":
            drawn[:, 1:] *= np.sqrt((1.0 + drawn[:, :1] ** 2) / 2.0)
        correlate(drawn, factor)
        if self.distribution == "log-normal":
            square = LOG_NORMAL_SCALE**2
            mean, deviation = np.exp(square / 2), np.sqrt(np.expm1(square) * np.exp(square))
            drawn = (np.exp(LOG_NORMAL_SCALE * drawn) - mean) / deviation
        for k, marginal in enumerate(self.marginals):
            drawn[:, k] = _quantiles(marginal, ndtr(drawn[:, k]))
        if self.outliers == "one":
            drawn[:, :, 0] -= OUTLIER_DISTANCE
        elif self.outliers == "some":
            out = uniforms(stream_key(seed, "outlier"), replicates, systems) < OUTLIER_SHARE
            drawn -= OUTLIER_DISTANCE * out[:, np.newaxis]
        return np.swapaxes(drawn, 1, 2)


@dataclass(frozen=True, eq=False)
class FinitePopulation:
    """A finite population: existing systems or hybrids.

    Parameters
    ----------
    scores : xarray.Dataset or array_like, shape (size, 1 + metrics)
        A sample of `hybrid_supersample`, Scores (on the common mask), or system-level scores, for
        example from `hypothetical_systems`; all are oriented as in `correlate`. Or finite numbers,
        human scores first, where larger is better.
    metrics : sequence of str, optional
        Labels; by default those of the Dataset, or as in `Population`.
    basis : {"hybrids", "systems", "systems without outliers"}, optional
        What is drawn; by default hybrids if there are any, else systems.
    replacement : {"without", "with"}, default "without"
        Whether a sample can have the same system several times.

    Raises
    ------
    InputError
        If scores are not finite, labels do not fit, or the Dataset has another type or lacks the
        basis.

    Examples
    --------
    >>> from supersample import load_example
    >>> FinitePopulation(load_example()).size
    12
    >>> FinitePopulation([[1, 2], [2, 1], [3, 5]]).size
    3
    """

    scores: xr.Dataset | ArrayLike
    metrics: tuple[str, ...] = ()
    basis: str | None = None
    replacement: Replacement = "without"

    def __post_init__(self) -> None:
        check_choice("replacement", self.replacement, get_args(Replacement))
        given, metrics, basis = self.scores, self.metrics, self.basis or SYSTEMS
        if isinstance(given, xr.Dataset):
            basis = self.basis or (HYBRIDS if "hybrid" in given.dims else SYSTEMS)
            given, names = oriented_scores(given, basis)
            metrics = metrics or names
        scores = numbers_of("scores", given)
        if scores.ndim != 2 or scores.shape[1] < 2:
            raise InputError(f"scores must have the shape (size, 1 + metrics), not {scores.shape}")
        if not (np.abs(scores) <= LARGEST).all():
            raise InputError(f"scores of a finite population must be finite, up to {LARGEST:g}")
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "metrics", _labels(metrics, scores.shape[1] - 1))
        object.__setattr__(self, "basis", basis)

    @property
    def size(self) -> int | None:
        """Number of systems; None with replacement."""
        return None if self.replacement == "with" else np.asarray(self.scores).shape[0]

    def __repr__(self) -> str:
        return f"<FinitePopulation of {self.describe()}: {listed(self.metrics, 10)}>"

    def describe(self) -> str:
        """Describe it briefly, for signatures."""
        return f"{np.asarray(self.scores).shape[0]} {self.basis},{self.replacement} replacement"

    def coefficients(self, coefficient: str) -> Floats:
        """Return the coefficients over the whole population."""
        human, *metrics = np.asarray(self.scores).T
        pairs = [np.column_stack([human, metric]) for metric in metrics]
        return np.array([COEFFICIENTS[coefficient].matrix(pair)[0, 1] for pair in pairs])

    def draw(self, seed: int, replicates: Replicates, systems: int) -> Floats:
        """As `Population.draw`, on the existing segments."""
        scores = np.asarray(self.scores)
        drawing = without_replacement if self.replacement == "without" else with_replacement
        key = stream_key(seed, "systems of a sample")
        return np.asarray(scores[drawing(key, replicates, systems, scores.shape[0])])


def oriented_scores(
    data: xr.Dataset, basis: str, *, mask: Mask = "common"
) -> tuple[Floats, tuple[str, ...]]:
    """Scores on a basis, oriented by declaration, (n, 1 + metrics), and the metrics' labels."""
    levels = system_level_scores(data, mask=mask)
    (found,) = bases_of(levels, [basis])
    return found.scores, tuple(str(name) for name in levels["metric"].to_numpy())


def exact_moments(
    population: Population, systems: int, segments: int | None = None
) -> Moments | None:
    """Find the expected covariances over the systems of a sample, if they have a closed form.

    They are the covariance of system scores, and the mean over segments of the covariance of the
    segment's contributions, both of shape (scorers, scorers). None if ratings are missing, human
    scores are levels or marginals are given; see `simulated_moments`.
    """
    if population.human_levels is not None or population.marginals:
        return None
    if population.missing_ratings and segments is not None:
        return None
    true = np.array(population.correlation)
    if population.distribution == "log-normal":
        square = LOG_NORMAL_SCALE**2
        true = np.expm1(square * true) / np.expm1(square)
    if population.outliers == "one":
        true = true + OUTLIER_DISTANCE**2 / systems
    elif population.outliers == "some":
        true = true + OUTLIER_DISTANCE**2 * OUTLIER_SHARE * (1.0 - OUTLIER_SHARE)
    deviations = np.asarray(population.segment_deviation)
    noise = np.outer(deviations, deviations) * np.asarray(population.shared_noise)
    return (true if segments is None else true + noise / segments), true + noise


def simulated_moments(
    population: Population, systems: int, segments: int, *, seed: int, total: int = 2**17
) -> Moments:
    """Simulate the moments of `exact_moments` as the mean over samples of ``total`` systems.

    The samples are drawn only for this. Correlations have standard errors of about
    ``(1 - r^2) / 362``.
    """
    samples = -(-total // systems)
    step = max(1, 2**20 // (systems * segments))
    key = int(stream_key(seed, "reference population"))
    sums = np.zeros((2, *np.shape(population.correlation)))
    for start in range(0, samples, step):
        numbers = np.arange(start, min(start + step, samples), dtype=np.uint64)
        for sample in population.draw(key, numbers, systems, segments):
            sums += products_over_systems(sample)
    scores, units = sums / (samples * (systems - 1))
    return scores, units


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
    if smallest < -ROUNDING:
        raise InputError(
            "these correlations cannot hold together; check each of them (the matrix is not "
            f"positive semidefinite, with the smallest eigenvalue {smallest:.3g})"
        )
    return matrix


def _distribution(
    given: Distribution | Sequence[Marginal], scorers: int
) -> Distribution | tuple[Marginal, ...]:
    """Check a name, or one marginal for each scorer; sort observed scores."""
    if isinstance(given, str):
        check_choice("distribution", given, get_args(Distribution))
        return cast("Distribution", given)
    if len(given) != scorers:
        raise InputError(f"{len(given)} marginals for {scorers} scorers, human and metrics")
    return tuple(marginal if callable(marginal) else _ordered(marginal) for marginal in given)


def _ordered(marginal: ArrayLike) -> Floats:
    scores = np.sort(numbers_of("a marginal", marginal), axis=None)
    if scores.size < 2 or not (np.abs(scores) <= LARGEST).all():
        raise InputError(
            f"a marginal needs at least two observed scores, finite, up to {LARGEST:g}"
        )
    return scores


def _quantiles(marginal: Marginal, p: Floats) -> Floats:
    if callable(marginal):
        return marginal(p)
    scores = np.asarray(marginal, dtype=np.float64)
    return np.interp(p, (np.arange(scores.size) + 0.5) / scores.size, scores)


def _deviations(values: ArrayLike, scorers: int) -> Floats:
    """Deviation of each scorer."""
    given = numbers_of("segment_deviation", values)
    try:
        deviations = np.broadcast_to(given, (scorers,)).copy()
    except ValueError as error:
        raise InputError(
            f"segment deviations must be one number, or one for each of {scorers} scorers, not "
            f"{values!r}"
        ) from error
    if not (np.isfinite(deviations).all() and (deviations > 0).all()):
        raise InputError(f"segment deviations must be above 0, not {values!r}")
    return deviations


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


def _mean_level(true: Floats, deviation: float, levels: int) -> Floats:
    """Mean of levels (whole numbers from 0) over infinitely many segments, given true scores."""
    limits = ndtri(np.arange(1, levels) / levels) * np.sqrt(1.0 + deviation**2)
    return np.asarray(ndtr((true[..., np.newaxis] - limits) / deviation).sum(axis=-1))


def _rated_contributions(scores: Floats, rated: NDArray[np.bool_]) -> Floats:
    """First-order contributions to means over rated segments (over all, if none is rated)."""
    rated = rated | ~rated.any(axis=-1, keepdims=True)
    share = rated.mean(axis=-1, keepdims=True)
    mean = (scores * rated).sum(axis=-1, keepdims=True) / rated.sum(axis=-1, keepdims=True)
    return np.asarray(mean + (scores - mean) * rated / share)


def _labels(metrics: Sequence[str], count: int) -> tuple[str, ...]:
    """Labels of the metrics; made if there are none."""
    if not metrics:
        return ("metric",) if count == 1 else tuple(f"metric-{k + 1}" for k in range(count))
    labels = tuple(map(str, metrics))
    if len(labels) != count or len(set(labels)) < count:
        raise InputError(f"{count} metrics need as many different labels, not {', '.join(labels)}")
    return labels


def estimand_values(
    population: Population, systems: int, segments: int, seed: int = 0
) -> dict[str, Floats]:
    """For each estimand, r of the first metric and the difference of both in the population."""
    drawn = population, systems, segments
    scores, units = exact_moments(*drawn) or simulated_moments(*drawn, seed=seed)
    weights = {
        "observed": observed_weights(),
        "true": true_weights(segments),
        "hybrid": PairHybrids().moment_weights(systems, segments),
    }
    values = {}
    for name, weight in weights.items():
        covariance = weight.scores * scores + weight.units * units
        deviations = np.sqrt(np.diag(covariance))
        r = covariance[0, 1:] / (deviations[0] * deviations[1:])
        values[name] = np.array([r[0], r[0] - r[1]])
    return values


FitMethod = Literal["normal", "observed", "segments"]

SMALLEST_FIT = 4
SMALLEST_HYPOTHETICAL, LARGEST_HYPOTHETICAL = 3, 2**20


def fit_population(
    data: xr.Dataset,
    *,
    method: FitMethod = "normal",
    metrics: Sequence[str] | None = None,
    mask: Mask = "common",
) -> Population:
    """Fit an infinite population to the oriented scores of the original systems.

    "normal" and "observed" fit the system scores, including the noise of these segments. A sample
    without `segments` then has new systems, each scored on as many segments as these. "normal" is a
    multivariate normal distribution with the systems' Pearson correlations; means are 0 and
    variances 1, because they do not change r. "observed" uses each scorer's observed marginal
    distribution and joins them by a Gaussian copula. Its correlations are the Pearson correlations
    of normal scores, ``Phi^-1(rank / (k + 1))`` over k systems. With k systems, at most k - 1
    scorers vary freely; the population has as many dimensions as they span.

    "segments" separates true scores from the noise of segments, so that samples with any number of
    segments can be drawn. It uses moments: true scores have the covariance B - (S - B) / (U - 1),
    and the noise of one segment (S - B) U / (U - 1), where B is the covariance over systems of
    their scores and S the mean over the U segments of the covariance of the segment's scores (see
    `supersample.engine.moments`). Both are assumed to be normal, and noise to be independent
    between segments, also within a document.

    Parameters
    ----------
    data : xarray.Dataset
        As in `FinitePopulation`; hybrids are ignored. "segments" needs Scores.
    method : {"normal", "observed", "segments"}, default "normal"
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
        If a metric does not exist; there are fewer than 4 systems; a scorer has missing or only
        equal scores; or the noise of segments explains all differences, so true scores have no
        variance or no correlations.

    References
    ----------
    van der Waerden (1952), "Order tests for the two-sample problem and their power", Indagationes
    Mathematicae 14, for normal scores.

    Examples
    --------
    >>> from supersample import load_example
    >>> population = fit_population(load_example())
    >>> population.coefficients("pearson").round(2)[:3]
    array([0.92, 0.93, 0.85])
    >>> fit_population(load_example(), method="segments", metrics=["good-90", "fair-70"]).metrics
    ('good-90', 'fair-70')
    """
    check_choice("way to fit a population", method, get_args(FitMethod))
    if method == "segments":
        return _fit_segments(data, metrics, mask)
    scores, labels = oriented_scores(data, SYSTEMS, mask=mask)
    chosen, names = _chosen(labels, metrics)
    scores = np.take(scores, chosen, axis=1)
    if scores.shape[0] < SMALLEST_FIT:
        raise InputError(
            f"a population is fitted to at least {SMALLEST_FIT} systems, not {scores.shape[0]}"
        )
    unfit = ~np.isfinite(scores).all(axis=0) | (scores.max(axis=0) == scores.min(axis=0))
    if unfit.any():
        which = ", ".join(np.array(["the human scores", *names])[unfit])
        raise InputError(f"a population cannot be fitted: {which} do not vary, or have gaps")
    if method == "normal":
        return Population(pearson(scores), metrics=names)
    from scipy.stats import rankdata  # slow to import

    normal_scores = ndtri(rankdata(scores, axis=0) / (scores.shape[0] + 1))
    return Population(pearson(normal_scores), list(scores.T), metrics=names)


def _fit_segments(scores: xr.Dataset, metrics: Sequence[str] | None, mask: Mask) -> Population:
    """Fit true scores and the noise of segments by moments."""
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
            "the variances allow; there are too few systems or segments"
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
    for name in wanted:
        check_choice("metric", name, names)
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a population has each metric once, not {', '.join(wanted)}")
    return [0, *(1 + names.index(name) for name in wanted)], wanted


def _as_correlation(covariance: Floats) -> Floats:
    """Exactly symmetric, with ones on the diagonal."""
    matrix = correlation_of(covariance)
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 1.0)
    return np.asarray(symmetric)


def hypothetical_systems(r: float, *, size: int = 10_000, seed: int = 0) -> xr.Dataset:
    """Make hypothetical systems whose human and metric scores have exactly the correlation r.

    Figure 1 of Graham and Liu (2016) shows 10,000 such systems. Scores are normal; the metric's
    scores combine the human scores with the residuals of other normal scores after regression on
    them.

    Parameters
    ----------
    r : float
        Correlation, in [-1, 1].
    size : int, default 10_000
        Number of systems, at least 3.
    seed : int, default 0

    Returns
    -------
    xarray.Dataset
        System-level scores, as from `make_system_scores`, with one metric called "metric".

    Raises
    ------
    InputError
        If r is outside [-1, 1], or `size` is below 3 or above 2**20.

    References
    ----------
    Graham and Liu (2016), NAACL, section 2.1.

    Examples
    --------
    >>> from supersample.comparisons.correlations import correlate
    >>> round(float(correlate(hypothetical_systems(0.91, size=100))["value"].item()), 12)
    0.91
    """
    if not -1 <= r <= 1:
        raise InputError(f"a correlation must be from -1 to 1, not {r}")
    if not SMALLEST_HYPOTHETICAL <= size <= LARGEST_HYPOTHETICAL:
        raise InputError(
            f"{SMALLEST_HYPOTHETICAL} to {LARGEST_HYPOTHETICAL} systems can be made up, not {size}"
        )
    whole = np.arange(1, dtype=np.uint64)
    human, other = (
        _standardised(normals(stream_key(seed, f"hypothetical {what}"), whole, size)[0])
        for what in ("human", "metric")
    )
    rest = _standardised(other - (human @ other) * human)
    width = len(str(size))
    return make_system_scores(
        human,
        [r * human + np.sqrt(1 - r**2) * rest],
        systems=[f"system-{i + 1:0{width}d}" for i in range(size)],
        metrics=["metric"],
        attrs={"source": f"hypothetical, r {r:g}, seed {seed}"},
    )


def _standardised(values: Floats) -> Floats:
    """Centre values and scale them to a sum of squares of 1."""
    centred = values - values.mean()
    return np.asarray(centred / np.sqrt(centred @ centred))
