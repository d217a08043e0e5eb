"""Populations made from data: of the systems that there are, fitted to them, or hypothetical."""

from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtri

from supersample.engine.normals import normals
from supersample.engine.streams import stream_key
from supersample.errors import InputError, check_choice
from supersample.inference.one_correlation.coefficients import pearson
from supersample.sampling.populations import (
    CopulaPopulation,
    FinitePopulation,
    NormalPopulation,
    Replacement,
)
from supersample.scores.system_level import HYBRIDS, SYSTEMS, bases_of, make_system_scores

SMALLEST_FIT = 4
SMALLEST_HYPOTHETICAL, LARGEST_HYPOTHETICAL = 3, 2**20


def finite_population(
    data: xr.Dataset, *, basis: str | None = None, replacement: Replacement = "without"
) -> FinitePopulation:
    """Make a population of the hybrids, or of the original systems, that there are.

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, Scores (on the common mask), or system-level scores, such
        as the hypothetical ones of `hypothetical_systems`.
    basis : {"hybrids", "systems", "systems without outliers"}, optional
        Hybrids where there are any, systems otherwise, by default.
    replacement : {"without", "with"}, default "without"
        Whether one of them can be in a sample several times.

    Returns
    -------
    FinitePopulation
        Scores oriented by declaration, as `correlate` takes them.

    Raises
    ------
    InputError
        If `data` is none of these, has no such basis, or a score is missing.

    Examples
    --------
    >>> from supersample import load_example
    >>> finite_population(load_example()).size
    12
    """
    chosen = basis or (HYBRIDS if "hybrid" in data.dims else SYSTEMS)
    (found,) = bases_of(data, [chosen])
    return FinitePopulation(found.scores, _metrics(data), chosen, replacement)


def fit_population(
    data: xr.Dataset, *, marginals: Literal["normal", "observed"] = "normal"
) -> NormalPopulation | CopulaPopulation:
    """Fit an infinite population to the original systems' scores.

    Observed scores are fitted, oriented by declaration and over the common mask. So a sample is of
    new systems, each scored on as many segments as these, with the same noise over segments.

    "normal" is a multivariate normal with the systems' Pearson correlations; means and variances do
    not matter to r and are 0 and 1. "observed" takes each scorer's marginal as observed (see
    `CopulaPopulation`) and joins them by a Gaussian copula whose correlations are the Pearson
    correlations of normal scores, ``Phi^-1(rank / (k + 1))`` over k systems. With k systems, no
    more than k - 1 scorers vary freely; the population has as many dimensions as they span.

    Parameters
    ----------
    data : xarray.Dataset
        As for `finite_population`; hybrids play no part.
    marginals : {"normal", "observed"}, default "normal"

    Returns
    -------
    NormalPopulation or CopulaPopulation

    Raises
    ------
    InputError
        If there are fewer than 4 systems, or a scorer has no score of some or the same of all.

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
    """
    check_choice("marginals", marginals, ("normal", "observed"))
    (systems,) = bases_of(data, [SYSTEMS])
    scores, metrics = systems.scores, _metrics(data)
    if scores.shape[0] < SMALLEST_FIT:
        raise InputError(
            f"a population is fitted to at least {SMALLEST_FIT} systems, not {scores.shape[0]}"
        )
    unfit = ~np.isfinite(scores).all(axis=0) | (scores.max(axis=0) == scores.min(axis=0))
    if unfit.any():
        names = ", ".join(np.array(["the human scores", *metrics])[unfit])
        raise InputError(f"a population cannot be fitted: {names} do not vary, or have gaps")
    if marginals == "normal":
        return NormalPopulation(pearson(scores), metrics)
    from scipy.stats import rankdata  # slow to import

    normal_scores = ndtri(rankdata(scores, axis=0) / (scores.shape[0] + 1))
    return CopulaPopulation(pearson(normal_scores), list(scores.T), metrics)


def hypothetical_systems(r: float, *, size: int = 10_000, seed: int = 0) -> xr.Dataset:
    """Make up systems whose human and metric scores correlate exactly r, as in a figure.

    Figure 1 of Graham and Liu (2016) shows 10,000 such systems: normal scores, of which those of
    the metric are made of the human ones and of what is left of others when regressed on them.

    Parameters
    ----------
    r : float
        In [-1, 1].
    size : int, default 10_000
        At least 3.
    seed : int, default 0

    Returns
    -------
    xarray.Dataset
        System-level scores, as `make_system_scores` gives them, with the metric "metric".

    Raises
    ------
    InputError
        If r is no correlation, or there are fewer than 3 systems or more than 2**20.

    References
    ----------
    Graham and Liu (2016), NAACL, section 2.1.

    Examples
    --------
    >>> from supersample import correlate
    >>> round(float(correlate(hypothetical_systems(0.91, size=100))["value"].item()), 12)
    0.91
    """
    if not -1 <= r <= 1:
        raise InputError(f"a correlation lies in [-1, 1], not {r}")
    if not SMALLEST_HYPOTHETICAL <= size <= LARGEST_HYPOTHETICAL:
        raise InputError(
            f"{SMALLEST_HYPOTHETICAL} to {LARGEST_HYPOTHETICAL} systems are made up, not {size}"
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


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre, with a sum of squares of 1."""
    centred = values - values.mean()
    return np.asarray(centred / np.sqrt(centred @ centred))


def _metrics(data: xr.Dataset) -> tuple[str, ...]:
    return tuple(str(name) for name in data["metric"].to_numpy())
