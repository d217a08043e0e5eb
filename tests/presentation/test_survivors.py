import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.presentation import labels, notes, numbers, printed, sentences
from supersample.presentation.sentences import (
    added_lines,
    conclusion_line,
    on_systems,
    survivors_line,
)


def part(p_best, beaten=(), n=12):
    """One basis of a ranking: p-values in the set, and pairs (better, worse) that differ."""
    count = len(p_best)
    p = np.ones((count, count))
    for better, worse in beaten:
        p[better, worse] = p[worse, better] = 0.01
    r = np.linspace(0.9, 0.5, count)
    pair = ("metric", "other_metric")
    return xr.Dataset(
        {
            "n": n,
            "p_best": ("metric", np.array(p_best)),
            "p_simultaneous": (pair, p),
            "may_be_best": ("metric", np.array(p_best) > 0.05),
            "differs_adjusted": (pair, p <= 0.05),
            "difference": (pair, r[:, np.newaxis] - r),
        },
        coords={"metric": [f"m{i}" for i in range(count)]},
        attrs={"confidence_level": 0.95},
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            part([1, 0.5, 0.06]),
            "12 are no evidence, adjusted for all metrics, which is the best; no pair",
        ),
        (
            part([1, 0.5, 0.05], [(0, 2)]),
            "that 2 of the 3 may be the best (m0, m1); 1 of 3 pairs differ, m0 from 1 of the 2",
        ),
        (
            part([1, 0.5, 0.05], [(1, 2)]),
            "2 of the 3 may be the best (m0, m1); 1 of 3 pairs differ, m0 from none of the 2",
        ),
        (
            part([1, 0.01, 0.01], [(0, 1), (0, 2)]),
            "that m0 is the best of the 3; 2 of 3 pairs differ, m0 from 2 of the 2",
        ),
        (part([1] * 8 + [0.01]), "8 of the 9 may be the best (m0, m1, m2, m3, m4, m5 and 2 more)"),
        (part([1, 0.01], [(0, 1)]), "12 are evidence that m0 agrees better than m1"),
        (part([1, 0.3]), "12 are no evidence that m0 agrees better than m1"),
        (part([1, 0.3, 0.3], n=4), "4 are too few to say anything"),
        (part([np.nan] * 3), "nothing can be said: fewer than two metrics have an r"),
    ],
)
def test_what_is_concluded(found, expected):
    assert expected in on_systems(found)


def test_what_is_told_of_an_added_metric():
    found = part([1, 0.5, 0.05], [(0, 1), (0, 2)]).assign(rank=("metric", [1, 2, 3]))
    found.attrs["added_metrics"] = "m1"
    [line] = added_lines(found)
    assert line.startswith("m1 ★, 2 of 3 by r: better than none of the 2 others, worse than 1, adj")
    found.attrs["added_metrics"] = "m0"
    assert "better than 2 of the 2 others, worse than none, adjusted" in added_lines(found)[0]
    equal = part([1, 0.5, 0.06]).assign(rank=found["rank"]).assign_attrs(added_metrics="m2")
    assert "m2 ★, 3 of 3 by r: no other differs from it, adjusted" in added_lines(equal)[0]
    assert added_lines(found.isel(metric=[0, 1], other_metric=[0, 1])) == []


def test_of_an_added_metric_that_does_not_vary_is_told_that_it_has_no_r():
    scores = ss.load_example().isel(metric=slice(3))
    scores["score"][2] = 1.0
    with pytest.warns(ss.DegenerateScoreWarning):
        found = ss.rank(
            ss.correlations.compare_correlations(scores, method="williams-jackknife")
        ).sel(basis="systems")
    name = scores["metric"].values[2]
    found.attrs["added_metrics"] = name
    assert added_lines(found) == [f"{name} ★: no r, for it does not vary or misses a score"]


@pytest.fixture(scope="module")
def ranking():
    sample = ss.hybrid_supersample(ss.load_example(), n=200)
    return ss.rank(sample)


def test_a_ranking_ends_with_what_survives(ranking):
    line = conclusion_line(ranking)
    order = ranking["metric"][np.argsort(-ranking["value"].sel(basis="hybrids").values)].values
    named_first = ranking.sel(metric=order, other_metric=order)
    assert f" {order[0]} agrees best with people" in line
    assert on_systems(named_first.sel(basis="systems")) in line
    assert sentences.lines_of(ranking)[-1] == line
    assert "after adjustment for all metrics" in sentences.count_line(labels.part_of(ranking))
    assert "after Holm" in sentences.count_line(labels.part_of(ranking, {"basis": "hybrids"}))


def test_the_systems_column_has_the_interval_of_the_difference(ranking):
    table = printed.ranking_table(ranking)
    at = [column.field for column in table.columns].index("less_first_systems")
    cells = [row[at] for row in table.cells()]
    part = labels.part_of(ranking)
    assert (np.diff(part["value"]) <= 0).all()
    limits = [float(part[name][1, 0]) for name in numbers.DIFFERENCES]
    assert cells[0] == ""
    assert cells[1] == "{:.3f} [{:.3f}, {:.3f}]".format(*limits)


def test_what_lies_outside_the_measured_range_is_said(ranking):
    assert "r below 0.7" in notes.notes_of(ranking)[-1]


def test_a_ranking_over_systems_alone_ends_so_too():
    found = ss.rank(
        ss.correlations.compare_correlations(ss.load_example(), method="williams-jackknife")
    )
    assert sentences.lines_of(found)[-1] == survivors_line(labels.part_of(found))


def test_a_single_metric_is_compared_with_none():
    alone = ss.rank(
        ss.correlations.compare_correlations(
            ss.load_example().sel(metric=["strong-98"]), method="williams-jackknife"
        )
    )
    assert all("new systems" not in line for line in sentences.lines_of(alone))


def test_every_seed_names_the_metric_that_infinitely_many_hybrids_do():
    """With 100 hybrids of the example, some of these seeds draw another metric's r highest."""
    scores = ss.load_example()
    exact = ss.exact_hybrid_correlations(scores, n=100)
    best = str(exact["metric"].values[exact["r"].values.argmax()])
    drawn = []
    for seed in range(20):
        found = ss.rank(
            ss.correlations.compare_correlations(ss.hybrid_supersample(scores, n=100, seed=seed))
        )
        drawn.append(
            str(found["metric"].values[found["value"].sel(basis="hybrids").values.argmax()])
        )
        line = sentences.lines_of(found, exact)[-1]
        assert line.startswith(f"Of these systems on these segments, {best} agrees best")
    assert set(drawn) > {best}
