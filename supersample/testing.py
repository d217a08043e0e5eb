"""Checks that a measure, a reader or a design keeps what the package promises of it.

They are for tests of packages that add one, as ``check_estimator`` of scikit-learn is. A check
returns nothing, or raises an AssertionError that says which promise is broken.
"""

import pickle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.compare import agreement
from supersample.comparisons.correlations.by_formula import correlate
from supersample.engine.hybrid_designs import Design, HybridBlock
from supersample.errors import TOLD, InputError, told_elsewhere
from supersample.hybrids.exact import exact_hybrid_correlations
from supersample.hybrids.samples import hybrid_supersample
from supersample.measures.base import Measure
from supersample.measures.registry import as_measure
from supersample.measures.systems import SystemMeasure
from supersample.readers.registry import ScoreReader, registered_readers
from supersample.resampling import RANDOM, samplers
from supersample.scores.schema import load_example, validate_scores

__all__ = ["check_design", "check_measure", "check_reader"]

CLOSE = 1e-9
"""Largest difference, also relative, of values that two routes compute."""
MOST_ERRORS = 5.0
"""Largest difference of what is drawn from what is expected, in standard errors."""
DRAWN = 20_000
_PART = {"system": slice(0, 12, 2), "segment": slice(30), "metric": [1, 3, 4, 7]}


def _keeps(kept: Any, promise: str) -> None:
    if not np.all(kept):
        raise AssertionError(promise)


def _agree(found: Any, expected: Any, promise: str, most: float = CLOSE) -> None:
    """Hold an array to the shape and values of another one; NaN stands where it has NaN."""
    np.testing.assert_allclose(found, expected, rtol=most, atol=most, strict=True, err_msg=promise)


def check_measure(measure: str | Measure, scores: xr.Dataset | None = None) -> None:
    """Check a measure: values, orientation, order of metrics, resamples, and swaps.

    Parameters
    ----------
    measure : str or Measure
        A registered name, or a measure.
    scores : xarray.Dataset, optional
        Scores to try it on, with documents; by default a part of the embedded example.

    Raises
    ------
    AssertionError
        With the promise that is broken.

    Examples
    --------
    >>> check_measure("pearson")
    """
    checked = as_measure(measure)
    data = load_example().isel(_PART) if scores is None else scores
    _keeps(pickle.loads(pickle.dumps(checked)) == checked, "workers can pickle the measure")
    with told_elsewhere(*TOLD):  # of few data, and of scores that are all equal
        _check_values(checked, data)
        _check_replicates(checked, data)


def _check_values(measure: Measure, data: xr.Dataset) -> None:
    def values(of: xr.Dataset) -> Any:
        return agreement(of, measure)["value"].to_numpy().ravel()

    found, score, higher = values(data), data["score"], data["higher_is_better"]
    within = (found >= measure.lowest) & (found <= measure.highest) | np.isnan(found)
    _keeps(within, "values are between `lowest` and `highest`, or NaN")
    alone = [values(data.isel(metric=[k]))[0] for k in range(found.size)]
    _agree(alone, found, "the value of a metric does not depend on other metrics")
    backwards = data.isel(system=slice(None, None, -1))
    _agree(values(backwards), found, "values do not depend on the order of systems")
    if measure.free_of_scale:
        turned = data.assign(score=1 - 3 * score, higher_is_better=~higher)
        _agree(values(turned), found, "shifted, scaled and turned scores have the same values")
    sign = 1 if measure.larger_is_better else -1
    people = data.assign(score=0 * score + data["human"], higher_is_better=higher | True)
    best = np.nanmax(sign * found) - CLOSE
    _keeps(sign * values(people) >= best, "no metric is better than people's own scores")
    flat = values(data.assign(score=0 * score))
    _keeps(flat.shape == found.shape, "scores that are all equal have a value, or NaN")


def _check_replicates(measure: Measure, data: xr.Dataset) -> None:
    selected = measure.select(data, measure.mask, complete=True)
    measured = measure.on(measure.prepare(selected, 1))
    metrics = measured.names.size
    for random in RANDOM:
        [drawing] = samplers(random, [measured.labels(random)], [1], seed=1)
        whole = measured.resampled(drawing.bootstrap(0, 5))
        _keeps(whole.shape == (5, metrics), f"resamples of {random} are (replicates, metrics)")
        later = measured.resampled(drawing.bootstrap(3, 5))
        _agree(later, whole[3:], f"resamples of {random} depend on their numbers alone", 0)
    for scheme in measure.schemes:
        null = measured.null_differences(scheme, 70, map)
        few = measured.null_differences(scheme, 9, map)
        _agree(few, null[:9], f"swaps of {scheme} depend on their numbers alone", 0)
    if isinstance(measure, SystemMeasure):
        rng = np.random.default_rng(1)
        rows, counts = rng.normal(size=(1, 7, 4)), rng.multinomial(7, [1 / 7] * 7, 5)
        counted = measure.of_systems(rows, counts.astype(float))
        repeated = [measure.of_systems(np.repeat(rows, each, axis=1))[0] for each in counts]
        _agree(counted, repeated, "a system that counts twice is two systems")


def check_design(design: Design) -> None:
    """Check a design of hybrids: what it draws is what its components describe.

    Parameters
    ----------
    design : Design
        With its options.

    Raises
    ------
    AssertionError
        With the promise that is broken.

    Examples
    --------
    >>> from supersample.engine.hybrid_designs import MixHybrids
    >>> check_design(MixHybrids())
    """
    _keeps(pickle.loads(pickle.dumps(design)) == design, "workers can pickle the design")
    some = [70, 3, 1000]
    block = HybridBlock(1, np.arange(DRAWN, dtype=np.uint64), systems=5, units=2)
    origins = design.origins(block)
    _keeps(origins.shape == (DRAWN, 2), "`origins` are (replicates, units)")
    few = design.origins(block._replace(replicates=block.replicates[some]))
    _agree(few, origins[some], "a hybrid depends on the seed and its number alone", 0)
    _keeps((design.origins(block._replace(seed=2)) != origins).any(), "the seed has an effect")
    weights, probabilities = design.components(block.systems)
    sums = np.append(probabilities.sum(axis=1), weights.sum())
    _agree(sums, np.ones(weights.size + 1), "weights and probabilities have the sum 1")
    expected = np.einsum("c,ci,cj", weights, probabilities, probabilities).ravel()
    drawn = np.bincount(origins @ [5, 1], minlength=25) / DRAWN
    errors = np.sqrt(expected * (1 - expected) / DRAWN) + CLOSE
    _keeps(np.abs(drawn - expected) <= MOST_ERRORS * errors, "`components` is what is drawn")
    data = load_example()
    sample = hybrid_supersample(data, n=DRAWN, design=design)
    lazy = hybrid_supersample(data, n=DRAWN, design=design, chunks=6000)
    _keeps(sample.equals(lazy.compute()), "samples have the same bits in any chunks")
    exact = exact_hybrid_correlations(data, n=DRAWN, design=design)
    apart = correlate(sample, bases=["hybrids"])["value"] - exact["r"]
    close = np.abs(apart) <= MOST_ERRORS * exact["standard_error"]
    _keeps(close, "r over hybrids agrees with exact moments")


def check_reader(reader: str | ScoreReader, source: Any = None, **options: Any) -> None:
    """Check a reader: it gives Scores, the same each time, and refuses files in one line.

    Parameters
    ----------
    reader : str or ScoreReader
        A registered name, or a reader.
    source : path, paths or None
        Argument of the reader: something that it can read.
    **options
        Options of the reader that the source needs.

    Raises
    ------
    AssertionError
        With the promise that is broken.
    InputError
        If it gives no Scores; or as the reader itself.

    Examples
    --------
    >>> check_reader("example")
    """
    read = registered_readers()[reader] if isinstance(reader, str) else reader
    scores = read(source, **options)
    validate_scores(scores)
    _keeps(read(source, **options).identical(scores), "a source is read alike each time")
    if "lower_is_better" in read.takes:
        names = [str(name) for name in scores["metric"].to_numpy()]
        turned = read(source, **options | {"lower_is_better": names})
        _keeps(~turned["higher_is_better"], "`lower_is_better` names metrics of errors")
    if "exclude" in read.takes:
        fewer = read(source, **options | {"exclude": [str(scores["system"][0].item())]})
        _keeps(fewer.equals(scores.isel(system=slice(1, None))), "`exclude` leaves systems out")
    if not isinstance(source, str | Path):
        return
    with TemporaryDirectory() as folder:
        for name, content in (("empty", b""), ("damaged", b"\x00\xff" * 99)):
            file, told = Path(folder, f"{name}{Path(source).suffix}"), ""
            file.write_bytes(content)
            try:
                read(file, **options)
            except InputError as error:
                told = str(error)
            kept = file.name in told and "\n" not in told
            _keeps(kept, f"a file that is {name} is an InputError of one line, which names it")
