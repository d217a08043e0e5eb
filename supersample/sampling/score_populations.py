"""Populations of systems scored on segments: what studies of intervals and tests draw from."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

from supersample.engine.normals import (
    correlated_normals,
    correlation_factor,
    fill_noisy,
    normals,
)
from supersample.engine.streams import stream_key, uniforms
from supersample.errors import InputError, check_choice
from supersample.sampling.populations import check_correlation_matrix

Distribution = Literal["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]
Outliers = Literal["none", "one", "some"]

HEAVY_TAILED_FREEDOM = 5  # of Student's t
LOG_NORMAL_SCALE = 0.6
OUTLIER_DISTANCE = 5.0  # below the others' mean, in standard deviations of the others
OUTLIER_SHARE = 1.0 / 12.0
_SCORERS = 3


@dataclass(frozen=True, eq=False)
class ScorePopulation:
    r"""Infinitely many systems, whose true scores and segments' scores are random.

    Scorer k (0 the human scores, then two metrics) gives system s at segment l the score

        t_ks + d_k e_ksl

    with true scores t of standard deviation 1 (but for outliers) that correlate as given, and
    standard normal noise e, independent between systems and segments, that correlates between
    scorers. The difficulty of segments is left out: it is the same for all systems and moves no
    correlation.

    Parameters
    ----------
    correlation : array_like, shape (3, 3)
        Of true scores: human, first metric, second metric.
    distribution : str, default "normal"
        Of true scores. "normal"; "skewed": t = A g, A A' the correlations (A lower triangular) and
        g independent exponential numbers less 1; "heavy-tailed": the same of Student's t with 5
        degrees of freedom, scaled to variance 1; "log-normal": exp(0.6 z) of normal z that
        correlate as given, standardised, so that the scores correlate somewhat less; "uneven":
        normal, with what the metrics add to their regression on t_0 multiplied by
        sqrt((1 + t_0^2) / 2), so that errors grow away from the middle.
    outliers : {"none", "one", "some"}, default "none"
        Systems much worse than the others, by people and by metrics (Mathur, Baldwin and Cohn
        2020): 5 is taken off all true scores of the first system of a sample, or of each system
        with probability 1/12.
    segment_deviation : float or array_like, shape (3,), default 6.0
        d, of all scorers or of each, in units of systems' standard deviation.
    shared_noise : float or array_like, shape (3, 3), default 0.3
        Correlation of the noise of any two scorers, in [0, 1]; or of all with each other.
    human_levels : int, optional
        The human score of a segment is one of so many whole numbers from 0, equally likely under a
        normal population.
    missing_ratings : float, default 0.0
        Probability that nobody rated a system's segment. People's scores then are means over rated
        segments, and contributions are those of the first order.

    Raises
    ------
    InputError
        If a parameter is out of range or no scores correlate so.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU", ACL, section 4, on outlier systems.

    Examples
    --------
    >>> population = ScorePopulation([[1, 0.9, 0.8], [0.9, 1, 0.8], [0.8, 0.8, 1]])
    >>> population.describe()
    'normal(0.9,0.8,0.8)'
    """

    correlation: ArrayLike
    distribution: Distribution = "normal"
    outliers: Outliers = "none"
    segment_deviation: ArrayLike = 6.0
    shared_noise: ArrayLike = 0.3
    human_levels: int | None = None
    missing_ratings: float = 0.0

    def __post_init__(self) -> None:
        matrix = check_correlation_matrix(self.correlation)
        if matrix.shape != (_SCORERS, _SCORERS):
            raise InputError(
                f"a score population has human scores and two metrics, 3 x 3 "
                f"correlations, not {matrix.shape[0]} x {matrix.shape[1]}"
            )
        object.__setattr__(self, "correlation", matrix)
        check_choice("distribution", self.distribution, get_args(Distribution))
        check_choice("outliers", self.outliers, get_args(Outliers))
        object.__setattr__(self, "segment_deviation", _deviations(self.segment_deviation))
        object.__setattr__(self, "shared_noise", _noise_correlation(self.shared_noise))
        if self.human_levels is not None and self.human_levels < 2:
            raise InputError(f"human levels are at least 2, not {self.human_levels}")
        if not 0 <= self.missing_ratings < 1:
            raise InputError(f"missing ratings are a share in [0, 1), not {self.missing_ratings}")

    def describe(self) -> str:
        """Say in a word what it is, for signatures."""
        matrix = np.asarray(self.correlation)
        numbers = ",".join(f"{matrix[i, j]:.4g}" for i, j in ((0, 1), (0, 2), (1, 2)))
        parts = [f"{self.distribution}({numbers})"]
        if self.outliers != "none":
            parts.append(f"outliers {self.outliers}")
        if self.human_levels is not None:
            parts.append(f"{self.human_levels} levels")
        if self.missing_ratings:
            parts.append(f"missing {self.missing_ratings:g}")
        return "+".join(parts)

    def draw(
        self, seed: int, systems: int, segments: int, replicates: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        """Draw samples, keyed by replicate number, shape (replicates, systems, segments, 3).

        They are what each segment contributes; the mean over segments is a system's score.
        """
        true = self._true_scores(seed, systems, replicates)
        size = systems * segments
        shape = (replicates.size, systems, segments)
        out = np.empty((*shape, _SCORERS))
        keys = [stream_key(seed, f"noise of scorer {k}") for k in range(_SCORERS)]
        factor = correlation_factor(np.asarray(self.shared_noise))
        noise = correlated_normals(np.array(keys), factor, replicates, size)
        deviations = np.asarray(self.segment_deviation)
        fill_noisy(true, deviations, noise, out)
        if self.human_levels is not None:
            spread = np.sqrt(1.0 + deviations[0] ** 2)
            out[..., 0] = np.floor(ndtr(out[..., 0] / spread) * self.human_levels)
        if self.missing_ratings:
            rated = uniforms(stream_key(seed, "rated"), replicates, size) >= self.missing_ratings
            out[..., 0] = _rated_contributions(out[..., 0], rated.reshape(shape))
        return out

    def _true_scores(
        self, seed: int, systems: int, replicates: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        """Shape (replicates, systems, scorers)."""
        factor = correlation_factor(np.asarray(self.correlation))
        drawn = np.empty((replicates.size, systems, _SCORERS))
        for k in range(_SCORERS):
            key = stream_key(seed, f"true scorer {k}")
            if self.distribution in ("normal", "log-normal", "uneven"):
                drawn[..., k] = normals(key, replicates, systems)
                continue
            p = uniforms(key, replicates, systems)
            if self.distribution == "skewed":
                drawn[..., k] = -np.log1p(-p) - 1.0
            else:
                tail = stdtrit(HEAVY_TAILED_FREEDOM, p + 2.0**-54)
                drawn[..., k] = tail / np.sqrt(HEAVY_TAILED_FREEDOM / (HEAVY_TAILED_FREEDOM - 2))
        if self.distribution == "uneven":
            drawn[..., 1:] *= np.sqrt((1.0 + drawn[..., :1] ** 2) / 2.0)
        true: NDArray[np.float64] = np.einsum("rsj,kj->rsk", drawn, factor)
        if self.distribution == "log-normal":
            square = LOG_NORMAL_SCALE**2
            mean, deviation = np.exp(square / 2), np.sqrt(np.expm1(square) * np.exp(square))
            true = (np.exp(LOG_NORMAL_SCALE * true) - mean) / deviation
        if self.outliers == "one":
            true[:, 0] -= OUTLIER_DISTANCE
        elif self.outliers == "some":
            drawn_out = uniforms(stream_key(seed, "outlier"), replicates, systems) < OUTLIER_SHARE
            true -= OUTLIER_DISTANCE * drawn_out[..., np.newaxis]
        return true


def _deviations(values: ArrayLike) -> NDArray[np.float64]:
    """One for each scorer."""
    try:
        deviations = np.broadcast_to(np.asarray(values, dtype=np.float64), (_SCORERS,)).copy()
    except ValueError as error:
        raise InputError(f"segment deviations are one number or three, not {values!r}") from error
    if not (np.isfinite(deviations).all() and (deviations > 0).all()):
        raise InputError(f"segment deviations are above 0, not {values!r}")
    return deviations


def _noise_correlation(noise: ArrayLike) -> NDArray[np.float64]:
    """Between all scorers."""
    matrix = np.asarray(noise, dtype=np.float64)
    if matrix.ndim == 0:
        if not 0 <= matrix <= 1:
            raise InputError(f"shared noise lies in [0, 1], not {matrix}")
        return np.asarray(matrix + (1.0 - matrix) * np.eye(_SCORERS))
    if matrix.shape != (_SCORERS, _SCORERS):
        raise InputError(f"shared noise is one number or 3 x 3 of them, not {matrix.shape}")
    return check_correlation_matrix(matrix)


def _rated_contributions(
    scores: NDArray[np.float64], rated: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """First-order contributions to means over rated segments; all count where none is rated."""
    rated = rated | ~rated.any(axis=-1, keepdims=True)
    share = rated.mean(axis=-1, keepdims=True)
    mean = (scores * rated).sum(axis=-1, keepdims=True) / rated.sum(axis=-1, keepdims=True)
    return np.asarray(mean + (scores - mean) * rated / share)


Moments = tuple[NDArray[np.float64], NDArray[np.float64]]


def exact_moments(population: ScorePopulation, systems: int, segments: int) -> Moments | None:
    """Find the expected covariances over the systems of a sample, where they have a closed form.

    They are the covariance of system scores, and the mean over segments of that of the segment's
    contributions, both of shape (3, 3). None where ratings are missing or human scores are levels;
    see `simulated_moments`.
    """
    if population.human_levels is not None or population.missing_ratings:
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
    return true + noise / segments, true + noise


def simulated_moments(
    population: ScorePopulation, systems: int, segments: int, *, seed: int, total: int = 2**17
) -> Moments:
    """Simulate what `exact_moments` computes, as the mean over samples of ``total`` systems.

    They are drawn for this purpose alone. Correlations have standard errors of about
    ``(1 - r^2) / 362``.
    """
    samples = -(-total // systems)
    scores, units = np.zeros((_SCORERS, _SCORERS)), np.zeros((_SCORERS, _SCORERS))
    step = max(1, 2**20 // (systems * segments))
    key = int(stream_key(seed, "reference population"))
    for start in range(0, samples, step):
        numbers = np.arange(start, min(start + step, samples), dtype=np.uint64)
        for sample in population.draw(key, systems, segments, numbers):
            centred = sample - sample.mean(axis=0)
            means = centred.mean(axis=1)
            scores += means.T @ means
            flat = centred.reshape(-1, _SCORERS)
            units += flat.T @ flat / segments
    freedom = samples * (systems - 1)
    return scores / freedom, units / freedom
