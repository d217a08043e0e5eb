"""Coverage, type I error and power of intervals and tests, by simulation."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Literal

import numpy as np
import xarray as xr

from experiments.calibration.evidence import Evidence
from experiments.calibration.interval_methods import (
    IntervalMethod,
    interval_of_difference,
    interval_of_r,
)
from experiments.calibration.populations import estimand_values
from supersample.engine import Floats
from supersample.engine.hybrid_designs import PairHybrids
from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.execution.workers import AnyWorkers, Client, checked_workers, compute_rows, connect
from supersample.inference.two_correlations import OVERLAPPING
from supersample.results.pairs import is_significant
from supersample.results.variables import signature
from supersample.simulation.populations import Population

DEFAULT_PROCEDURES = (
    "zou:systems:observed",
    "zou:hybrids:hybrid",
    "shrunken-jackknife:systems:observed",
    "bca:systems:observed",
    "williams1959:systems",
    "williams1959:hybrids",
)
QUANTITIES = ("r", "difference")
_COLUMNS = 3  # lower, upper, rejected
_PAIR = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
_AT_ONCE = 2**17  # scores drawn together, 1 MB
_A_TASK = 2**23  # scores per task, half a second


@dataclass(frozen=True)
class DependentTest:
    """A test of two dependent correlations, where n counts systems or hybrids.

    Parameters
    ----------
    method : str
        Name of an overlapping test, for instance "williams1959".
    unit : {"systems", "hybrids"}, default "systems"
        With "hybrids", correlations are those of infinitely many hybrids, and n is 10,000.

    Raises
    ------
    InputError
        If a name is unknown.
    """

    method: str
    unit: str = "systems"

    def __post_init__(self) -> None:
        check_choice("test", self.method, OVERLAPPING)
        check_choice("random unit", self.unit, ("systems", "hybrids"))

    def __str__(self) -> str:
        return f"{self.method}:{self.unit}"

    @property
    def estimand(self) -> Literal["observed", "hybrid"]:
        """Estimand of the test: "hybrid" if n counts hybrids, else "observed"."""
        return "hybrid" if self.unit == "hybrids" else "observed"

    def n(self, systems: int, hybrids: int) -> int:
        """Sample size of the test: number of hybrids or systems."""
        return hybrids if self.unit == "hybrids" else systems


Procedure = IntervalMethod | DependentTest


def procedure(text: str) -> Procedure:
    """Read an interval, as `IntervalMethod.parse`, or a test, ``williams1959[:hybrids]``."""
    name, _, unit = text.partition(":")
    if name in OVERLAPPING:
        return DependentTest(name, unit or "systems")
    return IntervalMethod.parse(text)


@dataclass(frozen=True)
class Setting:
    """The population and the size of samples.

    Parameters
    ----------
    population : Population
        Population of human scores and two metrics.
    systems, segments : int
        Size of a sample; at least 4 systems and 2 segments.

    Raises
    ------
    InputError
        If sizes are smaller, or there are not exactly two metrics.
    """

    population: Population
    systems: int = 12
    segments: int = 300

    def __post_init__(self) -> None:
        if not isinstance(self.population, Population) or len(self.population.metrics) != 2:
            raise InputError("a setting needs a Population of human scores and two metrics")
        if self.systems < 4 or self.segments < 2:
            raise InputError(
                f"a sample needs at least 4 systems and 2 segments, not {self.systems} and "
                f"{self.segments}"
            )


def coverage(
    settings: Mapping[str, Setting],
    procedures: Sequence[str | Procedure] = DEFAULT_PROCEDURES,
    *,
    replicates: int = 2_000,
    resamples: int = 999,
    hybrids: int = 10_000,
    confidence_level: float = 0.95,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Simulate samples of systems; measure how often intervals cover and tests reject.

    Every interval is compared with the estimand that it declares, computed in the population: the
    correlation of a metric with people, and the difference of both metrics' correlations, for
    observed scores, true scores or hybrids (see `IntervalMethod`).

    Parameters
    ----------
    settings : mapping of str to Setting
        Settings by name.
    procedures : sequence of str, IntervalMethod or DependentTest
        Intervals such as "bca:systems:observed", and tests such as "williams1959:hybrids".
    replicates : int, default 2_000
        Number of samples of each setting.
    resamples : int, default 999
        Resamples of bootstrap intervals, in each sample.
    hybrids : int, default 10_000
        n for procedures that count hybrids.
    confidence_level : float, default 0.95
        Level of intervals; tests reject at level 1 minus it.
    seed : int, default 0
        Seed; sample i of a setting depends only on (seed, i), the population and its sizes.
    workers, progress
        As in `hybrid_supersample`; the workers are started once.

    Returns
    -------
    xarray.Dataset
        Dims (setting, quantity, procedure), with quantities "r" (of the first metric) and
        "difference". ``estimand``: the value in the population. ``coverage``, ``below`` and
        ``above``: the shares of intervals that contain it, lie below it and lie above it.
        ``width``: the mean width. ``rejected``: the share of intervals that exclude 0, or of tests
        that reject 0; this is the type I error if the estimand is 0, and power otherwise.
        ``undefined``: the number of samples without an interval (they count as not covering and not
        rejecting). ``coverage_error``, ``width_error`` and ``rejected_error``: Monte-Carlo standard
        errors. Dim (setting): ``systems``, ``segments`` and ``population``. Tests have no width and
        do not test r: NaN.

    Raises
    ------
    InputError
        If a procedure is unknown, two share a name, a number is out of range, or there are no
        settings.

    Examples
    --------
    >>> from supersample.simulation import Population
    >>> null = Population([[1, 0.9, 0.9], [0.9, 1, 0.8], [0.9, 0.8, 1]])
    >>> found = coverage({"null": Setting(null, segments=50)}, ["zou"], replicates=200)
    >>> 0.9 < found["coverage"].sel(quantity="difference").item() < 1
    True
    """
    chosen = tuple(procedure(one) if isinstance(one, str) else one for one in procedures)
    names = [str(one) for one in chosen]
    sizes = {"replicates": replicates, "resamples": resamples, "hybrids": hybrids}
    _check(settings, names, sizes)
    check_confidence_level(confidence_level)
    workers = checked_workers(workers)
    parts = []
    with connect(workers) as client:
        studies = {
            name: _Study(setting, chosen, resamples, hybrids, confidence_level, seed)
            for name, setting in settings.items()
        }
        for together in _nested(studies.values()):
            found = _rows(together, replicates, client, progress)
            parts += [_summary(rows, s) for rows, s in zip(found, together, strict=True)]
    facts: dict[str, Any] = {"statistic": "coverage", **sizes}
    facts |= {"confidence_level": confidence_level, "seed": seed}
    each = settings.values()
    return (
        xr.concat(parts, "setting")
        .assign_coords(setting=list(settings), quantity=list(QUANTITIES), procedure=names)
        .assign(
            systems=("setting", [setting.systems for setting in each]),
            segments=("setting", [setting.segments for setting in each]),
            population=("setting", [setting.population.describe() for setting in each]),
        )
        .assign_attrs(facts, signature=signature(**facts, n=f"{replicates} samples"))
    )


@dataclass(frozen=True)
class _Study:
    """Data for any block of samples; a call returns limits and rejections, one row per sample."""

    setting: Setting
    procedures: tuple[Procedure, ...]
    resamples: int
    hybrids: int
    confidence_level: float
    seed: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of a sample's row: (quantity, procedure, column)."""
        return len(QUANTITIES), len(self.procedures), _COLUMNS

    def __call__(self, start: int, stop: int) -> Floats:
        return _of_nested_samples((self,), start, stop)

    def of_sample(self, drawn: Floats, number: int) -> tuple[Floats, Floats]:
        """Compute limits and rejections on the first systems of a sample.

        Closed forms are NaN; `fill_closed` computes them from the correlations that are also
        returned: for each procedure, shape (procedures, 3, 3).
        """
        contributions = drawn[: self.setting.systems]
        evidence = Evidence(
            contributions,
            contributions,
            PairHybrids(),
            resamples=self.resamples,
            seed=self.seed,
            first_replicate=number * self.resamples,
            hybrids=self.hybrids,
        )
        out = np.full(self.shape, np.nan)
        matrices = np.full((len(self.procedures), 3, 3), np.nan)
        for k, chosen in enumerate(self.procedures):
            if isinstance(chosen, DependentTest) or chosen.procedure.closed is not None:
                matrices[k] = evidence.correlations(chosen.estimand)
                continue
            of_r = interval_of_r(chosen, evidence, self.confidence_level)
            of_difference = interval_of_difference(chosen, evidence, *_PAIR, self.confidence_level)
            for q, (lower, upper) in enumerate((of_r, of_difference)):
                out[q, k] = lower[0], upper[0], float(lower[0] > 0 or upper[0] < 0)
        return out, matrices

    def fill_closed(self, rows: Floats, matrices: Floats) -> None:
        """Fill the closed forms of many samples, from the correlations of `of_sample`."""
        for k, chosen in enumerate(self.procedures):
            a, b, between = matrices[:, k, 0, 1], matrices[:, k, 0, 2], matrices[:, k, 1, 2]
            n = chosen.n(self.setting.systems, self.hybrids)
            if isinstance(chosen, DependentTest):
                p = OVERLAPPING[chosen.method].test(a, b, between, n).p_value
                rows[:, 1, k, 2] = is_significant(p, 1 - self.confidence_level)
            elif chosen.procedure.closed is not None:
                closed = chosen.procedure.closed
                of_r = closed.of_r(a, n, self.confidence_level)
                of_difference = closed.of_difference(a, b, between, n, self.confidence_level)
                for q, (lower, upper) in enumerate((of_r, of_difference)):
                    rows[:, q, k, 0], rows[:, q, k, 1] = lower, upper
                    rows[:, q, k, 2] = (lower > 0) | (upper < 0)


def _of_nested_samples(studies: tuple[_Study, ...], start: int, stop: int) -> Floats:
    """Rows of studies that differ only in the number of systems, one study after another.

    Scores are keyed by their position, system by system, so a smaller sample is exactly the
    beginning of a larger one, and is not drawn again.
    """
    largest = max((study.setting for study in studies), key=lambda setting: setting.systems)
    sizes = largest.systems, largest.segments
    step = max(1, _AT_ONCE // (math.prod(sizes) * 3))
    found: list[list[tuple[Floats, Floats]]] = [[] for _ in studies]
    for first in range(start, stop, step):
        numbers = np.arange(first, min(first + step, stop), dtype=np.uint64)
        drawn = largest.population.draw(studies[0].seed, numbers, *sizes)
        for number, sample in enumerate(drawn, start=first):
            for study, of_study in zip(studies, found, strict=True):
                of_study.append(study.of_sample(sample, number))
    rows = []
    for study, of_study in zip(studies, found, strict=True):
        of_samples, matrices = (np.stack(parts) for parts in zip(*of_study, strict=True))
        study.fill_closed(of_samples, matrices)
        rows.append(of_samples.reshape(stop - start, -1))
    return np.concatenate(rows, axis=1)


def _summary(rows: Floats, study: _Study) -> xr.Dataset:
    """Shares and means over samples (sample, quantity, procedure, column)."""
    setting = study.setting
    values = estimand_values(setting.population, setting.systems, setting.segments, study.seed)
    estimand = np.array([values[chosen.estimand] for chosen in study.procedures]).T
    lower, upper, rejected = np.moveaxis(rows, -1, 0)
    samples = rows.shape[0]
    is_test = np.array([isinstance(chosen, DependentTest) for chosen in study.procedures])
    covered = ((lower <= estimand) & (estimand <= upper)).mean(axis=0)
    covered = np.where(is_test, np.nan, covered)
    undefined = np.isnan(lower).sum(axis=0)
    width = upper - lower
    defined = np.maximum(samples - undefined, 1)
    mean_width = np.where(undefined < samples, np.nansum(width, axis=0) / defined, np.nan)
    spread = np.sqrt(np.nansum((width - mean_width) ** 2, axis=0) / np.maximum(defined - 1, 1))
    share = np.nansum(rejected, axis=0) / samples
    share[QUANTITIES.index("r"), is_test] = np.nan
    names = ("quantity", "procedure")
    return xr.Dataset(
        {
            "estimand": (names, estimand),
            "coverage": (names, covered),
            "coverage_error": (names, np.sqrt(covered * (1 - covered) / samples)),
            "below": (names, np.where(is_test, np.nan, (upper < estimand).mean(axis=0))),
            "above": (names, np.where(is_test, np.nan, (lower > estimand).mean(axis=0))),
            "width": (names, mean_width),
            "width_error": (names, np.where(is_test, np.nan, spread / np.sqrt(defined))),
            "rejected": (names, share),
            "rejected_error": (names, np.sqrt(share * (1 - share) / samples)),
            "undefined": (names, np.where(is_test, 0, undefined)),
        }
    )


def _rows(
    studies: tuple[_Study, ...], samples: int, client: Client, progress: bool
) -> list[Floats]:
    """Limits and rejections of nested studies, each (samples, quantity, procedure, column)."""
    shape = studies[0].shape
    settings = [study.setting for study in studies]
    scores = sum(setting.systems * setting.segments * 3 for setting in settings)
    rows = compute_rows(
        partial(_of_nested_samples, studies),
        samples,
        len(studies) * math.prod(shape),
        workers=client,
        progress=f"samples of {settings[0].segments} segments" if progress else None,
        # at least a tenth of a second of work, quick to interrupt, and enough tasks to share
        chunk=max(1, min(100, -(-samples // 8), _A_TASK // scores)),
    )
    return list(rows.reshape(samples, len(studies), *shape).swapaxes(0, 1))


def _nested(studies: Iterable[_Study]) -> Iterator[tuple[_Study, ...]]:
    """Group neighbours with one population and number of segments, whose samples are shared."""
    for _, same in groupby(studies, lambda s: (id(s.setting.population), s.setting.segments)):
        yield tuple(same)


def _check(settings: Mapping[str, Setting], names: list[str], sizes: Mapping[str, int]) -> None:
    if not settings or not names:
        raise InputError("coverage needs at least one setting and one procedure")
    if len(set(names)) < len(names):
        raise InputError(f"two procedures are equal: {', '.join(names)}")
    for what, number in sizes.items():
        least = 4 if what == "hybrids" else 1
        if number < least:
            raise InputError(f"{what} must be at least {least}, not {number}")
