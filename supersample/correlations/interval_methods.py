"""Intervals by name: how, over which random unit, and for which estimand."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supersample.correlations.moment_resampling import Estimand, MomentResampling, RandomUnit
from supersample.engine.designs import Design
from supersample.errors import InputError
from supersample.execution.workers.blocks import Scheduler
from supersample.inference.one_correlation.intervals import fisher_interval
from supersample.inference.resampling.intervals import bca_interval, percentile_interval
from supersample.inference.results import Interval
from supersample.inference.two_correlations.jackknife_zou import (
    LOST_WITH_SYSTEMS,
    LeftOut,
    jackknife_fisher_interval,
    jackknife_zou_interval,
)
from supersample.inference.two_correlations.overlapping import zou2007

Method = Literal["zou", "jackknife", "shrunken-jackknife", "percentile", "bca"]
Unit = RandomUnit | Literal["hybrids"]

SHRINKAGE = 0.3
"""Weight of the jackknife in "shrunken-jackknife" unless another is given: what
`experiments/calibration` chose."""
SMALLEST_N = 4
_TEXT = re.compile(r"^(?P<method>[a-z-]+)(\((?P<weight>\d+(\.\d*)?|\.\d+)\))?$")


@dataclass(frozen=True)
class IntervalMethod:
    """An interval for r and for differences of r, by three names.

    Parameters
    ----------
    method : str
        "zou": Fisher's interval for r, Zou's (2007) for a difference. "jackknife" and
        "shrunken-jackknife": the same with the covariance that the jackknife gives, alone or
        averaged with the normal one; see
        `supersample.inference.two_correlations.jackknife_zou`. "percentile" and "bca": of
        bootstrap replicates.
    unit : str, default "systems"
        What is random: "systems", "segments", "documents", both ("systems+segments",
        "systems+documents"), or "hybrids".
    estimand : {"observed", "true", "hybrid"}, default "observed"
        What it is an interval for: the correlation of scores on this test set, of true scores
        (infinitely many segments), or of infinitely many hybrids.
    weight : float, default 0.3
        Of the jackknife in "shrunken-jackknife", in (0, 1].

    Raises
    ------
    InputError
        If a name is unknown, or the three do not go together.

    Examples
    --------
    >>> str(IntervalMethod.parse("bca:systems:hybrid"))
    'bca:systems:hybrid'
    """

    method: Method = "zou"
    unit: Unit = "systems"
    estimand: Estimand = "observed"
    weight: float = SHRINKAGE

    def __post_init__(self) -> None:
        units = ("hybrids", *get_args(RandomUnit))
        for what, own, there in (
            ("interval", self.method, get_args(Method)),
            ("random unit", self.unit, units),
            ("estimand", self.estimand, get_args(Estimand)),
        ):
            if own not in there:
                raise InputError(f"no {what} '{own}'; there are {', '.join(there)}")
        if not 0 < self.weight <= 1:
            raise InputError(f"the weight of the jackknife lies in (0, 1], not {self.weight}")
        if self.method == "zou" and self.unit not in ("systems", "hybrids"):
            raise InputError(f"Zou's interval counts systems or hybrids, not {self.unit}")
        if self.unit == "hybrids" and (self.method != "zou" or self.estimand != "hybrid"):
            raise InputError("with hybrids as the random unit there is zou:hybrids:hybrid alone")
        if self.method == "shrunken-jackknife" and self.unit != "systems":
            raise InputError(f"the shrunken jackknife leaves out systems, not {self.unit}")
        if self.method == "jackknife" and "+" in self.unit:
            raise InputError(f"the jackknife leaves out one kind of unit, not {self.unit}")

    @classmethod
    def parse(cls, text: str) -> "IntervalMethod":
        """Read ``METHOD[:UNIT[:ESTIMAND]]``; ``shrunken-jackknife(0.3)`` gives the weight.

        Raises
        ------
        InputError
            As the class, or if the text has another form.
        """
        parts = text.split(":")
        match = _TEXT.match(parts[0])
        if match is None or len(parts) > 3:
            raise InputError(f"an interval is METHOD[:UNIT[:ESTIMAND]], not '{text}'")
        if match["weight"] and match["method"] != "shrunken-jackknife":
            raise InputError(f"a weight goes with shrunken-jackknife alone, not '{text}'")
        weight = float(match["weight"]) if match["weight"] else SHRINKAGE
        names = dict(zip(("unit", "estimand"), parts[1:], strict=False))
        return cls(match["method"], weight=weight, **names)  # type: ignore[arg-type]

    def __str__(self) -> str:
        weight = ""
        if self.method == "shrunken-jackknife":
            weight = f"({self.weight:g})"
        return f"{self.method}{weight}:{self.unit}:{self.estimand}"


@dataclass
class Evidence:
    """What intervals are computed from: contributions, and resamples of them, computed once.

    Parameters
    ----------
    own, common : ndarray, shape (systems, units, scorers)
        Contributions with tangents at each system's totals and at the mean totals; hybrids use the
        latter. The human scores first.
    design : PairHybrids or MixHybrids
    resamples, seed, first_replicate : int
    hybrids : int
        n of intervals over hybrids.
    scheduler : str
        Who draws resamples.
    """

    own: NDArray[np.float64]
    common: NDArray[np.float64]
    design: Design
    resamples: int = 9_999
    seed: int = 0
    first_replicate: int = 0
    hybrids: int = 10_000
    scheduler: Scheduler = "synchronous"

    def __post_init__(self) -> None:
        self._of: dict[str, MomentResampling] = {}
        self._known: dict[tuple[str, ...], NDArray[np.float64]] = {}

    @property
    def systems(self) -> int:
        """How many."""
        return int(self.own.shape[0])

    def correlations(self, estimand: Estimand) -> NDArray[np.float64]:
        """Of all scorers, shape (scorers, scorers)."""
        key = ("r", estimand)
        if key not in self._known:
            self._known[key] = self._resampling(estimand).correlations()
        return self._known[key]

    def left_out(self, estimand: Estimand, unit: str) -> NDArray[np.float64]:
        """R without each unit in its turn; both kinds of unit, scaled, where there are two."""
        key = ("left out", estimand, unit)
        if key not in self._known:
            kinds = unit.split("+")
            resampling = self._resampling(estimand)
            parts = [resampling.left_out(kind) for kind in kinds]
            if len(parts) > 1:
                parts = [_scaled(part) for part in parts]
            self._known[key] = np.concatenate(parts)
        return self._known[key]

    def drawn(self, estimand: Estimand, unit: str) -> NDArray[np.float64]:
        """Return bootstrap replicates of r, shape (resamples, metrics)."""
        key = ("drawn", estimand, unit)
        if key not in self._known:
            resampling = self._resampling(estimand)
            self._known[key] = resampling.drawn(unit, self.resamples, scheduler=self.scheduler)
        return self._known[key]

    def _resampling(self, estimand: Estimand) -> MomentResampling:
        if estimand not in self._of:
            contributions = self.common if estimand == "hybrid" else self.own
            self._of[estimand] = MomentResampling(
                contributions, estimand, self.design, self.seed, self.first_replicate
            )
        return self._of[estimand]


def interval_of_r(
    method: IntervalMethod, evidence: Evidence, confidence_level: float = 0.95
) -> Interval:
    """Intervals for every metric's correlation with people, shape (metrics,).

    NaN with fewer than four systems (five for jackknives), or without an estimate.
    """
    estimand, unit = method.estimand, method.unit
    r = evidence.correlations(estimand)[0, 1:]
    options = {"confidence_level": confidence_level}
    if evidence.systems < SMALLEST_N:
        return Interval(np.full(r.shape, np.nan), np.full(r.shape, np.nan))
    if method.method == "zou":
        return fisher_interval(r, _counted(method, evidence), **options)
    if "jackknife" in method.method:
        left_out = evidence.left_out(estimand, unit)
        return jackknife_fisher_interval(
            r, left_out, weight=_weight(method), lost=_lost(method), **options
        )
    drawn = evidence.drawn(estimand, unit)
    if method.method == "percentile":
        return percentile_interval(drawn, **options)
    return bca_interval(drawn, r, evidence.left_out(estimand, unit), **options)


def interval_of_difference(
    method: IntervalMethod,
    evidence: Evidence,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    confidence_level: float = 0.95,
) -> Interval:
    """Intervals for r of metrics `first` less r of metrics `second`, shape (pairs,)."""
    estimand, unit = method.estimand, method.unit
    matrix = evidence.correlations(estimand)
    r = matrix[0, 1:]
    a, b = r[first], r[second]
    options = {"confidence_level": confidence_level}
    if evidence.systems < SMALLEST_N:
        return Interval(np.full(a.shape, np.nan), np.full(a.shape, np.nan))
    if method.method == "zou":
        between = matrix[1 + first, 1 + second]
        return _zou(a, b, between, _counted(method, evidence), confidence_level)
    if "jackknife" in method.method:
        left_out = evidence.left_out(estimand, unit)
        return jackknife_zou_interval(
            a,
            b,
            matrix[1 + first, 1 + second],
            LeftOut(left_out[:, first], left_out[:, second]),
            weight=_weight(method),
            lost=_lost(method),
            **options,
        )
    drawn = evidence.drawn(estimand, unit)
    differences = drawn[:, first] - drawn[:, second]
    if method.method == "percentile":
        return percentile_interval(differences, **options)
    left_out = evidence.left_out(estimand, unit)
    return bca_interval(differences, a - b, left_out[:, first] - left_out[:, second], **options)


def _zou(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    between: NDArray[np.float64],
    n: int,
    confidence_level: float,
) -> Interval:
    """Zou's interval where the three can be correlations; others have none."""
    determinant = 1 + 2 * a * b * between - a**2 - b**2 - between**2
    with np.errstate(invalid="ignore"):
        use = determinant >= 0
    lower, upper = np.full(a.shape, np.nan), np.full(a.shape, np.nan)
    lower[use], upper[use] = zou2007(
        a[use], b[use], between[use], n, confidence_level=confidence_level
    )
    return Interval(lower, upper)


def _counted(method: IntervalMethod, evidence: Evidence) -> int:
    return evidence.hybrids if method.unit == "hybrids" else evidence.systems


def _weight(method: IntervalMethod) -> float:
    return method.weight if method.method == "shrunken-jackknife" else 1.0


def _lost(method: IntervalMethod) -> int:
    """Say what n is lessened by in the jackknife's factor."""
    return LOST_WITH_SYSTEMS if method.unit == "systems" else 1


def _scaled(left_out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Deviations of one of two samples, in the units in which BCa's acceleration adds them.

    Davison and Hinkley (1997), section 5.3.2: by their effect on the statistic, (n - 1) / n of the
    jackknife's.
    """
    n = left_out.shape[0]
    known = ~np.isnan(left_out)
    mean = np.where(known, left_out, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.asarray((left_out - mean) * (n - 1) / n)
