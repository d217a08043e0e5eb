"""Measures of agreement by name: one registration each."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

from supersample.errors import InputError, check_choice, check_names, load_plugins, options_of
from supersample.inference.coefficients import COEFFICIENTS
from supersample.measures.base import Measure
from supersample.measures.segments import KINDS, TranslationMeasure
from supersample.measures.soft_pairwise_accuracy import (
    PairMeasure,
    PairwiseAccuracy,
    PValues,
    SoftPairwiseAccuracy,
)
from supersample.measures.systems import Correlation

Factory = Callable[..., Measure]
Measures = str | Measure | Sequence[str | Measure]
"""A measure or its name, or several of them."""

_NAMED = ("statistic", "grouping", "coefficient")
"""Options that the name of a measure says."""

_REGISTERED: dict[str, Factory] = {"PA": PairwiseAccuracy, "SPA": SoftPairwiseAccuracy}


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
    load_plugins()
    of_groups = [
        f"{name}/{grouping}" for name, kind in KINDS.items() for grouping in kind.groupings
    ]
    return [*COEFFICIENTS, *_REGISTERED, *of_groups]


def as_measure(measure: str | Measure, **options: Any) -> Measure:
    """Convert a name to a measure.

    Parameters
    ----------
    measure : str or Measure
        "pearson", "spearman", "kendall" (over systems); "PA", "SPA";
        ``STATISTIC/GROUPING`` over translations, such as "acc_eq/item" (see
        `TranslationMeasure`; default grouping "item"); or a registered measure. Options may follow,
        as in "SPA:p_values=monte_carlo,permutations=999". A Measure is returned unchanged.
    **options
        Options of the measure's class; for PA and SPA also those of `PValues`.

    Raises
    ------
    InputError
        If there is no measure of this name, or it has no such option.

    Examples
    --------
    >>> as_measure("acc_eq").name
    'acc_eq/item'
    """
    if isinstance(measure, Measure):
        return measure
    name, named = options_of(measure, "a measure")
    options = named | options
    statistic, _, grouping = name.partition("/")
    if name not in _REGISTERED and statistic not in (*COEFFICIENTS, *KINDS):
        load_plugins()
    if name in COEFFICIENTS:
        return _made(name, partial(Correlation, coefficient=name), options)
    if name in _REGISTERED:
        return _made(name, _REGISTERED[name], options)
    if statistic not in KINDS:
        check_choice("measure", name, dict.fromkeys([*measure_names(), *KINDS]))
    chosen: Any = grouping or "item"
    return _made(name, partial(TranslationMeasure, statistic, chosen), options)


def _made(name: str, factory: Callable[..., Measure], options: dict[str, Any]) -> Measure:
    """Make a measure with options; those of p-values of pairs are a class of their own."""
    plain = factory()
    if not options:
        return plain
    own = [field.name for field in fields(plain) if field.name not in _NAMED]
    if isinstance(plain, PairMeasure):
        named = [field.name for field in fields(PValues) if field.name != "method"]
        of_p = {option: options.pop(option) for option in named if option in options}
        own += named
        if of_p or isinstance(options.get("p_values"), str):
            options["p_values"] = PValues(options.pop("p_values", "normal"), **of_p)
            idle = [option for option in of_p if option in options["p_values"].unused]
            if idle:
                raise InputError(f"{name}: {idle[0]} goes with p_values=monte_carlo; leave it out")
    check_names("option", options, own, f"the measure {name}")
    return factory(**options)


def as_measures(measures: Measures) -> list[Measure]:
    """Convert names to a list of measures; raise InputError for none, or one named twice."""
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    chosen = [as_measure(each) for each in given]
    names = [each.name for each in chosen]
    if not names or len(set(names)) < len(names):
        raise InputError("name the measures, each once: pearson, SPA, acc_eq/item")
    return chosen
