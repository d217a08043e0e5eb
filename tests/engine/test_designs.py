from collections import Counter

import numpy as np
import pytest

from supersample import InputError, PairHybrids
from supersample.engine.hybrid_designs import HybridBlock
from tests.engine import reference


def _draw(design, n, systems=5, seed=0):
    return design.pairs_of(HybridBlock(seed, np.arange(n, dtype=np.uint64), systems, units=1))


@pytest.mark.parametrize(
    "design",
    [
        PairHybrids(),
        PairHybrids(pairs="random"),
        PairHybrids(share=0.2),
        PairHybrids(pairs="random", share=0.2),
        PairHybrids(share="uniform"),
    ],
)
def test_draws_equal_the_reference(design):
    draw = _draw(design, 60, seed=9)
    expected = [reference.pair_of(design, 9, i, 5) for i in range(60)]
    assert list(zip(*(part.tolist() for part in draw), strict=True)) == expected


def test_balanced_pairs_are_used_equally_often():
    draw = _draw(PairHybrids(), 10 * 10)
    counts = Counter(zip(draw.first.tolist(), draw.second.tolist(), strict=True))
    assert set(counts.values()) == {10}
    assert len(counts) == 10


def test_either_system_gets_the_larger_share_equally_often():
    draw = _draw(PairHybrids(share=0.25), 40)
    assert Counter(draw.thresholds.tolist()) == {2**30: 20, 3 * 2**30: 20}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0.0}, "both excluded, not 0.0"),
        ({"share": 1.0}, "both excluded, not 1.0"),
        ({"share": "half"}, "not 'half'"),
        ({"pairs": "all"}, "'all'; there are balanced, random"),
        ({"unit": "word"}, "no unit 'word'; there are segment, document"),
    ],
)
def test_unknown_options_are_named(options, message):
    with pytest.raises(InputError, match=message):
        PairHybrids(**options)
