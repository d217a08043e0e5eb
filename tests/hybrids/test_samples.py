"""The verb: what a sample is, that it is the same bits whoever computes it, and exact moments."""

import tracemalloc
from functools import cache

import dask
import numpy as np
import pytest
from dask.base import tokenize
from hypothesis import given, settings
from hypothesis import strategies as st

import supersample as ss
from supersample import PairHybrids

EXAMPLE = ss.load_example()


def _values(sample):
    return np.column_stack([sample["human"].values, sample["score"].values])


@cache
def longest(seed):
    return _values(ss.hybrid_supersample(EXAMPLE, n=400, seed=seed))


@settings(max_examples=12, deadline=None)
@given(
    n=st.integers(1, 400),
    chunks=st.integers(1, 500),
    workers=st.integers(1, 4),
    scheduler=st.sampled_from(["threads", "synchronous"]),
    seed=st.integers(0, 3),
)
def test_neither_n_nor_chunks_nor_threads_change_a_bit(n, chunks, workers, scheduler, seed):
    lazy = ss.hybrid_supersample(EXAMPLE, n=n, seed=seed, chunks=chunks)
    with dask.config.set(scheduler=scheduler, num_workers=workers):
        values = _values(lazy)
    np.testing.assert_array_equal(values, longest(seed)[:n])


def test_nothing_is_computed_before_it_is_asked_for():
    def refuse(*_, **__):
        raise AssertionError("a hidden compute")

    with dask.config.set(scheduler=refuse):
        lazy = ss.hybrid_supersample(EXAMPLE, n=10_000, chunks=2_000)
        assert lazy["score"].chunks is not None
        with pytest.raises(AssertionError, match="hidden"):
            lazy["score"].values  # noqa: B018


def names_of_graphs(path):
    lazy = ss.hybrid_supersample(ss.load_example(), n=3_000_000, seed=4, chunks="auto")
    opened = ss.hybrids.open_run(path)
    names = ("score", "human", "share")
    return [tokenize(each[name].data) for each in (lazy, opened) for name in names]


def test_the_same_call_gives_the_same_graphs_in_any_process(tmp_path, clients):
    path = tmp_path / "run.zarr"
    ss.hybrids.run_hybrids(EXAMPLE, path, n=100)
    here = names_of_graphs(path)
    [(_, there)] = clients["processes"].completed(names_of_graphs, [path])
    assert here == there
    assert len(set(here)) == 6


def test_other_samples_are_other_graphs():
    options = {"n": 50, "chunks": 20}
    others = [{"seed": 1}, {"n": 51}, {"chunks": 21}, {"mask": "all"}, {"design": ss.MixHybrids()}]
    names = {
        ss.hybrid_supersample(EXAMPLE, **{**options, **other})["score"].data.name
        for other in [{}, {}, *others]
    }
    assert len(names) == 1 + len(others)


def test_pairs_group_a_lazy_sample_in_little_memory():
    lazy = ss.hybrid_supersample(EXAMPLE, n=100_000, chunks=5_000)
    assert isinstance(lazy["first_system"].data, np.ndarray)
    assert lazy.indexes["hybrid"].size == 100_000
    tracemalloc.start()
    try:
        grouped = lazy["human"].groupby("first_system").mean().compute()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60e6
    assert grouped.sizes == {"first_system": 11}  # the last is second in all its pairs
    names = lazy["system"][lazy["first_system"]].rename("name")
    by_name = lazy["human"].groupby(names).mean()
    assert set(by_name["name"].values) == set(EXAMPLE["system"].values[:-1])


def test_documents_are_taken_whole():
    # powers of ten tell which documents a total is of
    documents = ["a", "b", "a", "c", "b", "c"]
    weights = [1.0, 10.0, 1.0, 100.0, 10.0, 100.0]
    scores = ss.make_scores(
        [weights, [0.0] * 6],
        [[weights, [0.0] * 6]],
        systems=["A", "B"],
        metrics=["m"],
        document=documents,
    )
    sample = ss.hybrid_supersample(scores, n=200, design=PairHybrids(unit="document"))
    totals = {round(6 * float(value)) for value in sample["human"].values}
    assert totals == {2 * (i + 10 * j + 100 * k) for i in (0, 1) for j in (0, 1) for k in (0, 1)}


def test_human_mean_over_ratings_or_segments():
    scores = ss.make_scores(
        [[1.0, 5.0], [0.0, 0.0]],
        [[[1.0, 5.0], [0.0, 0.0]]],
        systems=["A", "B"],
        metrics=["m"],
        human_count=[[3, 1], [1, 1]],
    )
    by_ratings = ss.hybrid_supersample(scores, n=1)
    by_segments = ss.hybrid_supersample(scores, n=1, human_mean="segments")
    assert by_ratings["system_human"].values[0] == 2.0
    assert by_segments["system_human"].values[0] == 3.0
    assert by_ratings["system_score"].values[0, 0] == 3.0


def test_a_sample_says_how_it_was_made():
    sample = ss.hybrid_supersample(EXAMPLE, n=10, seed=0)
    assert "seed:0|mask:common 463/500" in sample.attrs["signature"]
    assert sample.attrs["signature"].startswith("statistic:mean|n:10 hybrids|design:PairHybrids")
    assert set(sample["share"].values) == {0.5}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "counted from 1"),
        ({"chunks": 0}, "counted from 1"),
        ({"mask": "some"}, "there are common, complete, all"),
        ({"human_mean": "median"}, "there are ratings, segments"),
        ({"workers": "cluster"}, "threads, processes"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.hybrid_supersample(EXAMPLE, **options)


@pytest.mark.real_data
@pytest.mark.parametrize("language_pair", ["en-de", "zh-en"])
@pytest.mark.parametrize("pairs", ["balanced", "random"])
def test_wmt23_agrees_with_exact_moments(data_root, language_pair, pairs):
    folder = data_root / "mt-metrics-eval-v2"
    scores = ss.read_mtme(folder, "wmt23", language_pair, metrics="reference")
    n = 10_000
    sample = ss.hybrid_supersample(scores, n=n, seed=0, design=PairHybrids(pairs=pairs))
    values = _values(sample)
    exact = ss.exact_hybrid_correlations(scores)["r"].to_numpy()
    r = np.corrcoef(values, rowvar=False)[0, 1:]
    if pairs == "balanced":
        assert np.abs(r - exact).max() < 0.003
    else:
        x = (values - values.mean(axis=0)) / values.std(axis=0)
        influence = x[:, :1] * x[:, 1:] - exact * (x[:, :1] ** 2 + x[:, 1:] ** 2) / 2
        assert (np.abs(r - exact) < 5 * influence.std(axis=0) / np.sqrt(n)).all()
