"""Measures of agreement by name: one registration each."""

from collections.abc import Callable, Sequence
from typing import Any

from supersample.errors import InputError, check_choice
from supersample.inference.one_correlation.coefficients import COEFFICIENTS
from supersample.measures.base import Measure
from supersample.measures.pairs import PairwiseAccuracy, SoftPairwiseAccuracy
from supersample.measures.systems import Correlation, MeanError
from supersample.measures.translations import KINDS, TranslationMeasure

Factory = Callable[[], Measure]
Measures = str | Measure | Sequence[str | Measure]
"""A measure or its name, or several of them."""

_REGISTERED: dict[str, Factory] = {
    "PA": PairwiseAccuracy,
    "SPA": SoftPairwiseAccuracy,
    "MAE": MeanError,
    "RMSE": lambda: MeanError(power=2),
    "MAE-rescaled": lambda: MeanError(rescaled=True),
    "RMSE-rescaled": lambda: MeanError(power=2, rescaled=True),
}


def register_measure(name: str, factory: Factory) -> None:
    """Add a measure to those that can be chosen by name.

    Parameters
    ----------
    name : str
        Equal to `Measure.name`.
    factory : callable
        Makes the measure with its default options, such as its class.

    Raises
    ------
    InputError
        If the name is taken.
    """
    if name in measure_names():
        raise InputError(f"the measure '{name}' is already registered")
    _REGISTERED[name] = factory


def measure_names() -> list[str]:
    """Names of all measures: of systems, then of translations with their groupings.

    Examples
    --------
    >>> measure_names()[:5]
    ['pearson', 'spearman', 'kendall', 'PA', 'SPA']
    """
    of_groups = [
        f"{name}/{grouping}" for name, kind in KINDS.items() for grouping in kind.groupings
    ]
    return [*COEFFICIENTS, *_REGISTERED, *of_groups]


def as_measure(measure: str | Measure, **options: Any) -> Measure:
    """Convert a name to a measure.

    Parameters
    ----------
    measure : str or Measure
        "pearson", "spearman", "kendall" (over systems); "PA", "SPA"; "MAE", "RMSE" and their
        rescaled forms; ``STATISTIC/GROUPING`` over translations, such as "acc_eq/item" (see
        `TranslationMeasure`; default grouping "item"); or a registered measure. A Measure is
        returned unchanged.
    **options
        Options of the measure's class.

    Raises
    ------
    InputError
        If there is no measure of this name.

    Examples
    --------
    >>> as_measure("acc_eq").name
    'acc_eq/item'
    """
    if isinstance(measure, Measure):
        return measure
    if measure in COEFFICIENTS:
        return Correlation(coefficient=measure, **options)
    if measure in _REGISTERED:
        return _REGISTERED[measure](**options)
    if measure.partition("/")[0] not in KINDS:
        check_choice("measure", measure, dict.fromkeys([*measure_names(), *KINDS]))
    return TranslationMeasure.parse(measure, **options)


def as_measures(measures: Measures) -> list[Measure]:
    """Convert names to a list of measures; raise InputError for none, or one named twice."""
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    chosen = [as_measure(each) for each in given]
    names = [each.name for each in chosen]
    if not names or len(set(names)) < len(names):
        raise InputError("name the measures, each once: pearson, SPA, acc_eq/item")
    return chosen
