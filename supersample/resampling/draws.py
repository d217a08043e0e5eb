"""Count how often each system, segment or document is drawn in each resample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.resamples import Counts, LeftOut, bootstrap_counts
from supersample.errors import InputError

Random = Literal["systems", "segments", "documents", "systems+segments", "systems+documents"]
RANDOM: tuple[str, ...] = get_args(Random)
"""Units that can be drawn with replacement."""


class Draws(NamedTuple):
    """Weights of systems and of units of text, one row per replicate.

    None means that everything counts once.
    """

    systems: Floats | None
    """How often each system is drawn, shape (replicates, systems)."""
    units: Counts | None
    """How often each unit is drawn, shape (replicates, units)."""
    unit_of: NDArray[np.int64]
    """Unit of each segment; -1 for segments without a unit."""

    @property
    def replicates(self) -> int:
        """Number of replicates."""
        counts = self.systems if self.units is None else self.units
        return 0 if counts is None else len(counts)

    def rows(self, start: int, stop: int) -> "Draws":
        """Take some replicates."""
        rows = slice(start, stop)
        systems = None if self.systems is None else self.systems[rows]
        units = None if self.units is None else np.asarray(self.units)[rows]
        return Draws(systems, units, self.unit_of)


class Labels(NamedTuple):
    """Labels of the systems and units that a group's measure uses."""

    systems: NDArray[Any]
    """Label of each system, shape (systems,)."""
    units: NDArray[Any]
    """Label of each segment's unit, shape (segments,)."""
    counted: NDArray[np.bool_]
    """Which segments count; others are never drawn."""


@dataclass(frozen=True)
class Kind:
    """One kind of unit of one group: systems, segments or documents."""

    name: str
    places: NDArray[np.int64]
    """Number of each item's unit among the units to draw from."""
    drawn_from: int
    own: int
    """Number of units of this group; all groups together may have more."""
    seed: int
    shared: bool

    def bootstrap(self, numbers: NDArray[np.uint64]) -> Floats:
        """Count the draws of each unit, (replicates, units)."""
        purpose = f"bootstrap of {self.name}" + (" of all groups" if self.shared else "")
        return bootstrap_counts(
            self.drawn_from, seed=self.seed, replicates=numbers, purpose=purpose
        )


@dataclass(frozen=True)
class Drawing:
    """How the units of one group are drawn."""

    kinds: tuple[Kind, ...]
    unit_of: NDArray[np.int64]

    @property
    def units(self) -> int:
        """Number of units of the scarcest kind in this group."""
        return min(kind.own for kind in self.kinds)

    def bootstrap(self, start: int, stop: int) -> Draws:
        """Draw replicates start to stop - 1 with replacement."""
        numbers = np.arange(start, stop, dtype=np.uint64)
        return self._draws({kind.name: kind.bootstrap(numbers) for kind in self.kinds})

    def left_out(self, kind: Kind, start: int, stop: int) -> Draws:
        """Leave out each of the units start to stop - 1 of a kind in turn."""
        return self._draws({kind.name: LeftOut(kind.drawn_from, start, stop)})

    def _draws(self, counts: Mapping[str, Counts]) -> Draws:
        systems, units = None, None
        for kind in self.kinds:
            if kind.name not in counts:
                continue
            if kind.name == "systems":
                systems = np.ascontiguousarray(np.asarray(counts[kind.name])[:, kind.places])
            else:
                units = counts[kind.name]
        return Draws(systems, units, self.unit_of)


def drawings(
    random: str,
    labels: Sequence[Labels],
    seeds: Sequence[int],
    *,
    seed: int,
    one_set: bool = False,
) -> list[Drawing]:
    """Prepare the drawing of each group's units.

    Parameters
    ----------
    random : str
        One of `RANDOM`.
    labels : sequence of Labels
        Labels of each group; units are documents or segments.
    seeds : sequence of int
        Seed of each group, for units that groups do not share.
    seed : int
        Seed of units that all groups share.
    one_set : bool, default False
        Whether the groups are parts of one set of Scores, so that each has its own segments.

    Returns
    -------
    list of Drawing
        Systems and documents of one name are the same in all groups, and so are the segments of
        sets with equal segments. Shared units are drawn once for all groups.

    Raises
    ------
    InputError
        If `random` is not one of `RANDOM`.
    """
    if random not in RANDOM:
        raise InputError(f"no random unit '{random}'; there are {', '.join(RANDOM)}")
    of_kinds = [_kinds(name, labels, seeds, seed, one_set) for name in random.split("+")]
    found = []
    for group, kinds in zip(labels, zip(*of_kinds, strict=True), strict=True):
        text = [kind for kind in kinds if kind.name != "systems"]
        unit_of = np.full(group.counted.size, -1, np.int64)
        if text:
            unit_of[group.counted] = text[0].places
        found.append(Drawing(tuple(kinds), unit_of))
    return found


def _kinds(
    name: str, labels: Sequence[Labels], seeds: Sequence[int], seed: int, one_set: bool
) -> list[Kind]:
    """One kind of unit in every group."""
    items = [of.systems if name == "systems" else of.units[of.counted] for of in labels]
    own = [np.unique(of_group) for of_group in items]
    every = np.unique(np.concatenate(items))
    recur = every.size < sum(of_group.size for of_group in own)
    same = not one_set and all(names.size == every.size for names in own)
    shared = recur and (same or name != "segments")
    kinds = []
    for of_group, names, group_seed in zip(items, own, seeds, strict=True):
        drawn = every if shared else names
        places = np.searchsorted(drawn, of_group).astype(np.int64)
        keyed = seed if shared else group_seed
        kinds.append(Kind(name, places, drawn.size, names.size, keyed, shared))
    return kinds
