"""The kernel against the reference, and the promise that replicate i is the same bits anywhere."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supersample import MixHybrids, PairHybrids
from supersample.engine.additive import combine, mean_columns
from supersample.engine.hybrid_designs import (
    hybrid_scores,
    hybrid_source,
    hybrid_totals,
    system_scores,
)
from tests.engine import reference

DESIGNS = [
    PairHybrids(),
    PairHybrids(pairs="random"),
    PairHybrids(share=0.3),
    PairHybrids(pairs="random", share="uniform"),
    MixHybrids(),
]
designs = st.sampled_from(DESIGNS)


def _scores(systems, units, scorers, seed=0):
    """Scores with gaps and very different magnitudes, so that the order of summation shows."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(scorers, systems, units)) * 10.0 ** rng.integers(
        -6, 7, (scorers, 1, 1)
    )
    scores[0][rng.random((systems, units)) < 0.1] = np.nan
    return scores


def _source(scores, design, seed):
    return hybrid_source(combine([mean_columns(own) for own in scores]), design, seed)


@settings(max_examples=25, deadline=None)
@given(
    design=designs,
    systems=st.integers(2, 5),
    units=st.integers(2, 150),
    scorers=st.integers(1, 20),
    seed=st.integers(0, 2**64 - 1),
    start=st.sampled_from([0, 1, 10**6, 2**40]),
)
def test_totals_equal_the_reference_to_the_last_bit(design, systems, units, scorers, seed, start):
    source = _source(_scores(systems, units, scorers), design, seed)
    totals = hybrid_totals(source, start, start + 7)
    values = source.statistics.values
    numbers = range(start, start + 7)
    if isinstance(design, MixHybrids):
        expected = [reference.mix_total(values, seed, i) for i in numbers]
    else:
        expected = [reference.hybrid_total(values, design, seed, i) for i in numbers]
    np.testing.assert_array_equal(totals, expected)


@settings(max_examples=20, deadline=None)
@given(design=designs, cuts=st.lists(st.integers(1, 1199), max_size=6), seed=st.integers(0, 9))
def test_blocks_do_not_change_a_bit(design, cuts, seed):
    source = _source(_scores(4, 70, 18), design, seed)
    edges = sorted({0, 1200, *cuts})
    parts = [hybrid_scores(source, a, b) for a, b in pairwise(edges)]
    np.testing.assert_array_equal(np.concatenate(parts), hybrid_scores(source, 0, 1200))


def test_batches_of_one_pair_equal_the_reference_to_the_last_bit():
    # With two systems all replicates are one pair's, which go by 1,024.
    source = _source(_scores(2, 40, 17), PairHybrids(share=0.3), 5)
    totals = hybrid_totals(source, 0, 2100)
    for i in (0, 1023, 1024, 2047, 2048, 2099):
        expected = reference.hybrid_total(source.statistics.values, source.design, 5, i)
        np.testing.assert_array_equal(totals[i], expected)


def test_neighbouring_columns_do_not_change_a_bit():
    scores = _scores(4, 90, 33)
    together = hybrid_scores(_source(scores, PairHybrids(), 1), 0, 300)
    for k in (0, 15, 16, 32):
        alone = hybrid_scores(_source(scores[[k]], PairHybrids(), 1), 0, 300)
        np.testing.assert_array_equal(together[:, k], alone[:, 0])


def test_missing_scores_are_exact():
    # With shares of nearly all, a hybrid is its first system, whose mean leaves the gap out.
    scores = np.array([[[1.0, np.nan, 4.0], [0.0, 0.0, 0.0]]])
    source = _source(scores, PairHybrids(share=1 - 2**-32), 0)
    assert hybrid_scores(source, 0, 1)[0, 0] == 2.5
    assert system_scores(source)[0, 0] == 2.5


def test_a_hybrid_of_nothing_but_gaps_has_no_score():
    scores = np.array([[[np.nan, np.nan], [1.0, 1.0]]])
    source = _source(scores, PairHybrids(share=1 - 2**-32), 0)
    assert np.isnan(hybrid_scores(source, 0, 1)).all()
