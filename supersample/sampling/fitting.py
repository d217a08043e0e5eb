"""Fit populations to data, and make hypothetical systems with an exact correlation."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import xarray as xr
from scipy.special import ndtri

from supersample.engine import Floats
from supersample.engine.moments import correlation_of, score_contributions, true_weights
from supersample.engine.normals import normals
from supersample.engine.streams import stream_key
from supersample.errors import InputError, check_choice
from supersample.inference.one_correlation.coefficients import pearson
from supersample.sampling.populations import Population, oriented_scores, products_over_systems
from supersample.scores.selection import Mask
from supersample.scores.system_level import SYSTEMS, make_system_scores, prepare_scores

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
