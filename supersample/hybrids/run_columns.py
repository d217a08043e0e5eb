"""What a run of hybrids stores: its arrays, their rows, and how many of them make a chunk."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.designs import make_design
from supersample.engine.hybrids import HybridSource, hybrid_scores
from supersample.execution.stores.manifest import Facts, Manifest
from supersample.execution.workers.rows import LARGEST_BLOCK
from supersample.hybrids.samples import (
    PreparedHybrids,
    hybrid_coordinates,
    lazy_sample,
    prepare_hybrids,
)

Precision = Literal["float64", "float32"]

CHUNK_BYTES = 96 << 20  # about half a second to compute, write and check
FEWEST_CHUNKS = 4


@dataclass(frozen=True)
class HybridColumns:
    """Rows of a run's arrays, a pure function of their numbers; goes to the workers."""

    source: HybridSource
    precision: Precision

    def __call__(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Scores and make-up of hybrids `start` to `stop` - 1, by name of array."""
        human = np.empty(stop - start, self.precision)
        score = np.empty((stop - start, len(self.source.statistics.finalizers) - 1), self.precision)
        for first in range(start, stop, LARGEST_BLOCK):  # what is in between stays small
            rows = hybrid_scores(self.source, first, min(stop, first + LARGEST_BLOCK))
            place = slice(first - start, first - start + rows.shape[0])
            human[place], score[place] = rows[:, 0], rows[:, 1:]
        return {"human": human, "score": score, **hybrid_coordinates(self.source, start, stop)}


def template(hybrids: PreparedHybrids, facts: Facts) -> xr.Dataset:
    """Sample as the store will have it, with lazy arrays in place of those that chunks fill.

    They are never computed, so that one block, a graph of one task, is enough.
    """
    sample = lazy_sample(hybrids, facts.n, facts.n)
    stored = {
        name: sample[name].astype(facts.parameters["precision"]) for name in ("human", "score")
    }
    return sample.assign(stored)


def default_chunk(hybrids: PreparedHybrids, precision: Precision, n: int) -> int:
    """Hybrids a chunk: 96 MiB of them, or fewer where there would be less than four chunks."""
    scorers = len(hybrids.source.statistics.finalizers)
    described = hybrid_coordinates(hybrids.source, 0, 0).values()
    row = scorers * np.dtype(precision).itemsize + sum(empty.itemsize for empty in described)
    largest = CHUNK_BYTES // row
    blocks = min(largest // LARGEST_BLOCK, -(-n // (FEWEST_CHUNKS * LARGEST_BLOCK)))
    return max(1, blocks) * LARGEST_BLOCK


def prepare_run(scores: xr.Dataset, parameters: Mapping[str, Any], n: int) -> PreparedHybrids:
    """Prepare the hybrids of a run from its Scores and parameters."""
    return prepare_hybrids(scores, n=n, seed=parameters["seed"], **_options(parameters))


def run_options(path: str | Path) -> dict[str, Any]:
    """How the hybrids of a run are built: n, design, mask and human_mean, as verbs take them.

    Raises
    ------
    InputError
        If there is no run of a known format.
    """
    facts = Manifest(Path(path)).facts()
    return {"n": facts.n, **_options(facts.parameters)}


def _options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    design = dict(parameters["design"])
    return {
        "design": make_design(design.pop("name"), design),
        "mask": parameters["mask"],
        "human_mean": parameters["human_mean"],
    }
