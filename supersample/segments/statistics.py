"""Statistics of agreement on segments, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError, check_choice
from supersample.inference.segments import statistics as kinds
from supersample.inference.segments.statistics import Grouping

GROUPINGS = get_args(Grouping)


class _Kind(NamedTuple):
    code: int
    groupings: tuple[Grouping, ...] = ("item", "none", "system")
    calibrated: bool = False


KINDS = {
    "pearson": _Kind(kinds.PEARSON),
    "spearman": _Kind(kinds.SPEARMAN),
    "tau_b": _Kind(kinds.TAU_B),
    "tau_c": _Kind(kinds.TAU_C),
    "tau_23": _Kind(kinds.TAU_23),
    "tau_eq": _Kind(kinds.TAU_23, calibrated=True),
    "acc_23": _Kind(kinds.ACC_23),
    "acc_eq": _Kind(kinds.ACC_23, calibrated=True),
    "kendall_like": _Kind(kinds.KENDALL_LIKE),
    "pdp": _Kind(kinds.PDP, ("item",)),
}


@dataclass(frozen=True)
class SegmentStatistic:
    """Statistic of agreement within groups of translations.

    Parameters
    ----------
    name : str
        "pearson", "spearman", "tau_b", "tau_c" (Kendall's); "acc_23" and "tau_23", which credit
        pairs that people and the metric tie, and "acc_eq" and "tau_eq", the same after tie
        calibration; "kendall_like", the metrics task's until 2020; "pdp", the pairwise difference
        Pearson.
    grouping : {"item", "none", "system"}, default "item"
        Within a segment, over all translations, within a system. PDP has pairs within a segment.
    human_threshold : float, default 25.0
        Of "kendall_like": least difference of human scores that counts.

    Raises
    ------
    InputError
        If an option is unknown, out of range, or does not go with the statistic.

    Examples
    --------
    >>> SegmentStatistic.parse("pearson/none").grouping
    'none'
    >>> str(SegmentStatistic("acc_eq"))
    'acc_eq/item'
    """

    name: str
    grouping: Grouping = "item"
    human_threshold: float = 25.0

    def __post_init__(self) -> None:
        check_choice("segment-level statistic", self.name, KINDS)
        check_choice("grouping", self.grouping, GROUPINGS)
        if self.grouping not in KINDS[self.name].groupings:
            raise InputError(f"{self.name} is of pairs within a segment: {self.name}/item")
        if not self.human_threshold > 0 or not np.isfinite(self.human_threshold):
            raise InputError(f"the human threshold is above 0, not {self.human_threshold}")

    def __str__(self) -> str:
        """Name as results have it, ``acc_eq/item``."""
        return f"{self.name}/{self.grouping}"

    @classmethod
    def parse(cls, text: str, *, human_threshold: float = 25.0) -> "SegmentStatistic":
        """Read ``NAME`` or ``NAME/GROUPING``."""
        name, slash, grouping = text.partition("/")
        chosen = grouping if slash else "item"
        return cls(name, chosen, human_threshold)  # type: ignore[arg-type]

    @property
    def code(self) -> int:
        """Number of the array function's statistic."""
        return KINDS[self.name].code

    @property
    def calibrated(self) -> bool:
        """Whether ties are calibrated first."""
        return KINDS[self.name].calibrated

    @property
    def lowest(self) -> float:
        """Least value; the largest is 1."""
        return 0.0 if self.code == kinds.ACC_23 else -1.0

    def thresholds(self, metrics: int) -> NDArray[np.float64]:
        """Thresholds without calibration, shape (metrics,)."""
        of_people = self.code == kinds.KENDALL_LIKE
        return np.full(metrics, self.human_threshold if of_people else 0.0)


Statistics = str | SegmentStatistic | Sequence[str | SegmentStatistic]


def as_statistics(statistics: Statistics) -> list[SegmentStatistic]:
    """List statistics by name or as they are; an InputError refuses none, or one twice."""
    given = [statistics] if isinstance(statistics, str | SegmentStatistic) else list(statistics)
    parsed = [SegmentStatistic.parse(each) if isinstance(each, str) else each for each in given]
    names = [str(each) for each in parsed]
    if not names or len(set(names)) < len(names):
        raise InputError("name the segment-level statistics, each once: acc_eq, pearson/none")
    return parsed
