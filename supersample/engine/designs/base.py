"""The interface of hybrid designs, and what follows from it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.memory import ROW, store_row_sum
from supersample.engine.moments import HybridMixture, MomentWeights, scores_of_totals
from supersample.engine.statistics import Statistics, system_totals

Unit = Literal["segment", "document"]

_REPLICATES_AT_ONCE = 256


class Components(NamedTuple):
    """Population of hybrids as a mixture; within a component, units are drawn independently."""

    weights: Floats
    """Probability of each component, shape (components,)."""
    probabilities: Floats
    """Probability that a unit comes from each system, shape (components, systems)."""


class Draw(NamedTuple):
    """The numbers of hybrids to draw, their seed and size."""

    seed: int
    replicates: NDArray[np.uint64]
    """Numbers of the hybrids, in any order."""
    systems: int
    units: int


class Design(ABC):
    """A way of drawing hybrids. Everything depends only on (seed, replicate number).

    Subclasses are frozen dataclasses with the field `unit` and further options. `origins` and
    `components` must agree: `origins` draws from the population that `components` describes.
    """

    unit: Unit
    """The unit that comes from one system as a whole."""

    def options(self) -> dict[str, Any]:
        """Values of the fields by name, as stored with a run."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @abstractmethod
    def origins(self, draw: Draw) -> NDArray[np.int64]:
        """System that each unit of each hybrid comes from, shape (replicates, units)."""

    @abstractmethod
    def components(self, systems: int) -> Components:
        """Describe the population that hybrids of this many systems are drawn from."""

    def coordinates(self, draw: Draw) -> dict[str, NDArray[Any]]:
        """Numbers that describe each hybrid, shape (replicates,), by name; by default none."""
        return {}

    def assignments(self, draw: Draw) -> dict[str, NDArray[Any]]:
        """Origin of each unit, shape (replicates, units), and description of each hybrid.

        By default ``origin``, the system of each unit.
        """
        return {"origin": self.origins(draw)}

    def layout(self, values: Floats, varying: NDArray[np.int64]) -> Floats:
        """Arrange the varying columns of statistics (systems, units, columns) for `fill_totals`."""
        return _by_unit(values, varying)

    def fill_totals(
        self, out: Floats, rows: Floats, system_sums: Floats, varying: NDArray[np.int64], draw: Draw
    ) -> None:
        """Fill the varying columns of the hybrids' totals, shape (replicates, columns).

        `rows` comes from `layout`; `system_sums` are the totals of the original systems, shape
        (systems, columns); `varying` are the columns on which systems differ.
        """
        for start in range(0, draw.replicates.size, _REPLICATES_AT_ONCE):
            block = slice(start, start + _REPLICATES_AT_ONCE)
            origins = self.origins(draw._replace(replicates=draw.replicates[block]))
            out[block, varying] = _gathered_sums(rows, origins, varying.size)

    def mixture(self, statistics: Statistics) -> HybridMixture:
        """Moments of the population of hybrids of these units, each of the design's `unit`."""
        values = statistics.values
        totals = system_totals(values)
        weights, probabilities = self.components(values.shape[0])

        def covariances() -> Iterator[Floats]:
            for p in probabilities:
                centred = values - np.tensordot(p, values, axes=1)
                flat = (centred * np.sqrt(p)[:, np.newaxis, np.newaxis]).reshape(
                    -1, values.shape[2]
                )
                yield flat.T @ flat

        moments = scores_of_totals(statistics, probabilities @ totals, covariances())
        midpoints = [statistics.finalize(totals[p > 0].mean(axis=0)) for p in probabilities]
        one_stratum = np.zeros(weights.size, np.int64)
        return HybridMixture(weights, one_stratum, np.array(midpoints), *moments)

    def moment_weights(self, systems: int, units: int) -> MomentWeights:
        """Weights of the two exact moments in the covariance of infinitely many hybrids.

        This holds for designs that treat all systems alike, as all registered designs do.
        """
        weights, probabilities = self.components(systems)
        between = ((probabilities - 1.0 / systems) ** 2).sum(axis=1)
        within = 1.0 - (probabilities**2).sum(axis=1)
        return MomentWeights(float(weights @ between), float(weights @ within) / units)


@njit(cache=True, nogil=True)
def _by_unit(values: Floats, chosen: NDArray[np.int64]) -> Floats:
    """Arrange columns, shape (ceil(chosen / 16), units, systems, 16), padded with zeros."""
    systems, units, _ = values.shape
    rows = np.zeros(((chosen.size + ROW - 1) // ROW, units, systems, ROW))
    for unit in range(units):
        for s in range(systems):
            for c in range(chosen.size):
                rows[c // ROW, unit, s, c % ROW] = values[s, unit, chosen[c]]
    return rows


@njit(cache=True, nogil=True)
def _gathered_sums(rows: Floats, origins: NDArray[np.int64], columns: int) -> Floats:
    """Sum units in order, each of the system it comes from; shape (replicates, columns)."""
    passes, units, systems, _ = rows.shape
    out, sums = np.empty((origins.shape[0], columns)), np.zeros(ROW)
    places = np.empty(units, np.int64)
    for r in range(origins.shape[0]):
        for unit in range(units):
            places[unit] = (unit * systems + origins[r, unit]) * ROW
        for p in range(passes):
            flat = rows[p].ravel()
            sums[:] = 0.0
            for unit in range(units):
                store_row_sum(sums, 0, 0, flat, places[unit])  # type: ignore[call-arg]
            for c in range(p * ROW, min((p + 1) * ROW, columns)):
                out[r, c] = sums[c - p * ROW]
    return out
