"""Every public function refuses a first argument of a wrong type in one line.

The functions are those that the stubs of the package and of its rooms name.
"""

import ast
import inspect
import pickle
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import get_args, get_origin

import numpy as np
import pandas as pd
import pytest

import supersample as ss
from supersample.errors import _with_checked_arguments

ROOT = Path(ss.__file__).parent
WRONG = [None, pd.DataFrame({"a": [1]}), 3.5, "\ud800" * 99, object(), ss.load_example()]


def public_functions():
    """Functions that a stub names and that take an argument by place."""
    for stub in sorted(ROOT.rglob("__init__.pyi")):
        package = ".".join(["supersample", *stub.parent.relative_to(ROOT).parts])
        for node in ast.parse(stub.read_text()).body:
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                function = getattr(import_module(package), alias.name)
                if inspect.isfunction(function):
                    first = next(iter(inspect.signature(function).parameters.values()), None)
                    if first is not None and first.kind is first.POSITIONAL_OR_KEYWORD:
                        yield pytest.param(function, first, id=f"{package}.{alias.name}")


FUNCTIONS = list(public_functions())


def fits(value, annotation):
    """Whether a value may be what is asked for: of the type, or an array of anything."""
    if "_array_like" in str(annotation) or str(annotation) == "ArrayLike":  # from NumPy 2.5 on
        return not isinstance(value, str | None)
    union = str(annotation).startswith("typing.Union") or isinstance(annotation, UnionType)
    kinds = get_args(annotation) if union else [annotation]
    types = [np.ndarray if "NDArray" in str(kind) else get_origin(kind) or kind for kind in kinds]
    return isinstance(value, tuple(types))


@pytest.mark.parametrize(("function", "first"), FUNCTIONS)
def test_first_arguments_of_wrong_types_are_refused(function, first):
    parameters = inspect.signature(function).parameters.values()
    named = [each for each in parameters if "VAR" not in each.kind.name]
    others = {each.name: None for each in named if each.default is each.empty}
    refused = 0
    for value in WRONG:
        if fits(value, first.annotation) or value is first.default:
            continue
        with pytest.raises(ss.InputError) as told:
            function(**{**others, first.name: value})
        text = str(told.value)
        assert f" as {first.name}, not " in text
        assert "\n" not in text
        assert len(text) < 250
        refused += 1
    assert refused or "object" in str(first.annotation)


def test_an_alias_of_arrays_takes_arrays():
    """NumPy 2.5 has a `type ArrayLike`, which Python 3.11 cannot write."""
    alias = type("Alias", (), {"__name__": "ArrayLike"})()

    def total(numbers):
        return sum(numbers)

    total.__annotations__["numbers"] = alias
    checked = _with_checked_arguments(total)
    assert checked([1, 2]) == 3
    with pytest.raises(ss.InputError, match="total takes numbers as numbers, not None"):
        checked(None)


def test_there_are_many():
    assert len(FUNCTIONS) > 90


def test_advice_names_what_makes_the_right_type():
    with pytest.raises(ss.InputError) as told:
        ss.rank(pd.DataFrame())
    assert str(told.value) == (
        "rank takes a Dataset or Mapping as data, not a DataFrame; read_table makes Scores "
        "from a data frame"
    )
    with pytest.raises(ss.InputError) as told:
        ss.sampling.sampling_distribution(ss.load_example(), 5)
    assert str(told.value) == (
        "sampling_distribution takes a Population as population, not a Dataset; FinitePopulation "
        "and fit_population make one from data"
    )


def test_functions_are_the_same_after_pickle():
    for parameters in FUNCTIONS:
        function = parameters.values[0]
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series])
def test_sequences_may_be_arrays_and_columns(kind):
    names = [kind(["A", "B"]), kind(["B", "C"]), kind(["1", "2"]), kind(["A", "tie"])]
    assert ss.raters.make_preferences(*names).outcome.tolist() == [1.0, 0.5]
