import numpy as np
import pytest

import supersample as ss
from supersample.inference.two_correlations import (
    INDEPENDENT,
    NON_OVERLAPPING,
    OVERLAPPING,
)


def test_every_method_is_there_with_its_own_numbers():
    result = ss.correlations.compare_overlapping(0.9, 0.8, 0.7, 20, alternative="greater")
    assert list(result["test"].values) == list(OVERLAPPING)
    for name, method in OVERLAPPING.items():
        statistic, p = method.test(0.9, 0.8, 0.7, 20, alternative="greater")
        own = result.sel(test=name)
        assert (float(own["statistic"]), float(own["p_value"])) == (statistic, p)
        assert np.isnan(own["lower"]) == (method.interval is None)
    non_overlapping = ss.correlations.compare_non_overlapping(0.9, 0.7, 0.5, 0.4, 0.4, 0.5, 20)
    assert list(non_overlapping["test"].values) == list(NON_OVERLAPPING)
    independent = ss.correlations.compare_independent(0.9, 0.7, 12, 15)
    assert list(independent["test"].values) == list(INDEPENDENT)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.correlations.compare_overlapping(1.2, 0.8, 0.7, 20), "r12"),
        (lambda: ss.correlations.compare_overlapping(0.9, -0.9, 0.9, 20), "r12"),
        (lambda: ss.correlations.compare_overlapping(0.9, 0.8, 0.7, 3), "n of at least 4"),
        (
            lambda: ss.correlations.compare_overlapping(0.9, 0.8, 0.7, 20, alternative="more"),
            "alternative",
        ),
        (lambda: ss.correlations.compare_independent(0.9, 0.8, 20, 3), "n"),
        (lambda: ss.correlations.compare_overlapping(np.nan, 0.8, 0.7, 20), "r12 must be a number"),
        (lambda: ss.correlations.compare_overlapping(0.9, 0.8, np.nan, 20), "r23 must be a number"),
        (lambda: ss.correlations.compare_overlapping(0.9, 0.8, [0.7, 0.6], 20), "a number as r23"),
        (lambda: ss.correlations.compare_overlapping(0.9, "0.8", 0.7, 20), "a number as r13"),
        (lambda: ss.correlations.compare_overlapping(0.9, 0.8, 0.7, 12.5), "a whole number as n"),
        (
            lambda: ss.correlations.compare_overlapping(0.9, 0.8, 0.7, "12"),
            "whole number as n, not '12'",
        ),
        (lambda: ss.correlations.compare_overlapping(0.9, 0.8, 0.7, np.inf), "a whole number as n"),
        (lambda: ss.correlations.compare_overlapping(0.9, 0.8, None, 12), "a number as r23"),
        (lambda: ss.correlations.compare_independent(0.9, np.ma.masked, 9, 9), "r2 must be a"),
        (lambda: ss.correlations.compare_independent(0.9, 0.8, 9, np.nan), "a whole number as n2"),
        (
            lambda: ss.correlations.compare_non_overlapping(0.9, 0.7, 0.5, 0.4, np.nan, 0.5, 20),
            "r23 must be a number",
        ),
    ],
)
def test_impossible_numbers_are_named(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()
