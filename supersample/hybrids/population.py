"""The population of all hybrids of some Scores, sampled without keeping any."""

from dataclasses import dataclass, field, replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.designs import Design, PairHybrids
from supersample.engine.hybrids import HybridSource, hybrid_scores
from supersample.engine.moments import correlation_of
from supersample.hybrids.samples import prepare_hybrids
from supersample.results.signature import describe
from supersample.scores.prepared import HumanMean
from supersample.scores.selection import Mask


@dataclass(frozen=True, eq=False)
class HybridPopulation:
    """Infinitely many hybrids, for `sampling_distribution` to draw samples of n from.

    Sample i of n hybrids are the numbers i n to (i + 1) n - 1 of `hybrid_supersample` with the same
    seed, so that a histogram of r, or of differences of r, over any number of them takes constant
    memory. With pairs in rotation they are not independent draws, but scatter less.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    design : Design, optional
    mask, human_mean
        As for `hybrid_supersample`.

    Raises
    ------
    InputError
        As `hybrid_supersample`.

    Examples
    --------
    >>> from supersample import load_example
    >>> from supersample.sampling import sampling_distribution
    >>> population = HybridPopulation(load_example())
    >>> drawn = sampling_distribution(population, n=500, draws=20, keep="histogram")
    >>> bool((drawn["upper"] > drawn["lower"]).all())
    True
    """

    scores: xr.Dataset = field(repr=False)
    design: Design = field(default_factory=PairHybrids)
    mask: Mask = "common"
    human_mean: HumanMean = "ratings"
    size: None = field(default=None, init=False)
    metrics: tuple[str, ...] = field(init=False)
    _source: HybridSource = field(init=False, repr=False)
    _signs: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        hybrids = prepare_hybrids(
            self.scores,
            n=1,
            seed=0,
            design=self.design,
            mask=self.mask,
            human_mean=self.human_mean,
        )
        names = tuple(str(name) for name in hybrids.prepared.names)
        object.__setattr__(self, "metrics", names)
        object.__setattr__(self, "_source", hybrids.source)
        object.__setattr__(self, "_signs", hybrids.prepared.signs)

    def describe(self) -> str:
        """Describe how hybrids are drawn."""
        return f"hybrids by {describe(self.design)}"

    def coefficients(self, coefficient: str) -> NDArray[np.float64]:
        """Pearson's r in closed form; NaN for others."""
        if coefficient != "pearson":
            return np.full(len(self.metrics), np.nan)
        covariance = self.design.mixture(self._source.statistics).covariance
        signs = self._signs[0] * self._signs[1:]
        return np.asarray(correlation_of(covariance)[0, 1:] * signs)

    def draw(self, seed: int, replicates: NDArray[np.uint64], n: int) -> NDArray[np.float64]:
        """Draw samples of n hybrids, keyed by replicate number, (replicates, n, 1 + metrics)."""
        source = replace(self._source, seed=seed)
        drawn = [hybrid_scores(source, int(i) * n, (int(i) + 1) * n) for i in replicates]
        return np.asarray(np.stack(drawn) * self._signs)
