from importlib.metadata import version

from supersample.engine.hybrid_designs import PairHybrids
from supersample.results.variables import describe, signature


def test_facts_stand_in_a_fixed_order_and_others_are_passed_over():
    expected = f"statistic:mean|n:5 hybrids|seed:0|version:{version('supersample')}"
    assert signature(seed=0, n="5 hybrids", statistic="mean", colour="red") == expected


def test_designs_are_described_with_their_options():
    assert describe(PairHybrids("random", "uniform", "document")) == (
        "PairHybrids(random,uniform,document)"
    )
