"""What every registered measure must be, with everything random and every swap that it has."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.engine.swaps import swap_masks
from supersample.inference.p_values import may_be_best, step_down_p_values
from supersample.measures.base import SCHEMES
from supersample.resampling import RANDOM, samplers
from supersample.scores.selection import group_seed
from tests.measures.definitions import of_translations, thresholds_of, values
from tests.toy_scores import lattice, oriented, scores_of

pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")

NAMES = ss.measures.measure_names()
SWAPS = [(n, s) for n in NAMES for s in SCHEMES if s in ss.measures.as_measure(n).schemes]
FEW = ["pearson", "kendall", "MAE", "PA", "SPA", "acc_eq/item", "pdp/item", "pearson/none"]
"""One of each kind, where nothing depends on which it is."""
SEED, DRAWN = 4, 2
CLOSE = {"rtol": 0, "atol": 1e-11}


def made(seed=2):
    """Six systems, documents of two segments, ties, a metric of errors, and gaps.

    No two systems have the same mean score, of which swapped z-scores would make a tie or not.
    """
    rng = np.random.default_rng(seed)
    human = 20.0 * rng.integers(0, 5, (6, 12)) + 10 * rng.normal(size=(6, 1)).round()
    score = human + 30 * rng.normal(size=(4, 6, 12))
    score[0] = (score[0] / 20).round()
    score[3] *= -0.01
    human[2, 3] = human[1:, 4] = score[1, 3, 0] = np.nan
    return scores_of(
        human,
        score,
        metrics=["coarse", "fine", "other", "error"],
        higher_is_better=[True, True, True, False],
        human_count=np.where(np.isnan(human), 0, rng.integers(1, 4, human.shape)),
        document=[f"d{i // 2}" for i in range(12)],
        domain=[f"x{i // 2 % 2}" for i in range(12)],
    )


SCORES = made()


@cache
def measured(name, complete=False):
    measure = ss.measures.as_measure(name)
    selected = measure.select(SCORES, measure.mask, complete=complete)
    return measure.on(measure.prepare(selected, SEED))


@cache
def thresholds(name):
    return thresholds_of(name, SCORES)


def defined(name, found, draws, replicate):
    """The definition on the systems and segments of a replicate."""
    drawn = {"thresholds": thresholds(name)}
    if draws.systems is not None:
        drawn["rows"] = places(draws.systems[replicate])
    if draws.units is not None:
        drawn["columns"] = places(np.append(np.asarray(draws.units)[replicate], 0.0)[draws.unit_of])
    return values(name, found.scores, **drawn)


def places(counts):
    return np.repeat(np.arange(counts.size), counts.astype(int))


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_keeps_what_is_promised(name):
    ss.testing.check_measure(name)


@pytest.mark.filterwarnings("ignore::supersample.errors.DegenerateScoreWarning")
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_the_definition(name):
    measure, with_constant = ss.measures.as_measure(name), lattice(seed=1, systems=7)
    with_constant["human"] *= 25
    for scores in (SCORES, with_constant.assign(human_count=with_constant["human"].notnull() * 1)):
        found = ss.agreement(scores, name).squeeze()
        limits = thresholds_of(name, scores)
        selected = measure.select(scores, measure.mask, complete=False)
        expected = values(name, selected, thresholds=limits)
        np.testing.assert_allclose(found["value"], expected, **CLOSE)
        if measure.level == "translations":
            np.testing.assert_array_equal(found["threshold"], limits)
            human, metrics, keep = oriented(scores)
            whole = [np.arange(size) for size in human.shape]
            for k, (metric, limit) in enumerate(zip(metrics, limits, strict=True)):
                undefined = of_translations(name, human, metric, keep, *whole, limit)[1]
                assert undefined in (None, int(found["undefined_groups"][k]))


@pytest.mark.parametrize("random", RANDOM)
@pytest.mark.parametrize("name", NAMES)
def test_resamples_are_scores_that_are_drawn(name, random):
    found = measured(name)
    [drawing] = samplers(random, [found.labels(random)], [SEED], seed=SEED)
    for draws in (drawing.bootstrap(0, DRAWN), *(drawing.left_out(x, 0, 2) for x in drawing.kinds)):
        expected = [defined(name, found, draws, r) for r in range(draws.replicates)]
        np.testing.assert_allclose(found.resampled(draws), expected, **CLOSE)


def exchanged(name, scheme, number):
    """Differences of every two metrics whose standardised scores are exchanged: the definition."""
    measure, scores = ss.measures.as_measure(name), measured(name, complete=True).scores
    human, metrics, keep = oriented(scores)
    sizes = {"systems": len(human), "segments": human.shape[1]}
    [mask] = swap_masks(scheme, seed=SEED, replicates=np.array([number], np.uint64), **sizes)
    of_parts = scheme == "inputs" and name.endswith("/item") and name != "pdp/item"
    if not of_parts and measure.free_of_scale:
        kept = [x[keep] for x in metrics]
        metrics = [(x - k.mean()) / k.std() for x, k in zip(metrics, kept, strict=True)]
    own = thresholds(name) if of_parts else [0.0] * len(metrics)
    null = []
    for a, b in combinations(range(len(metrics)), 2):
        both = [np.where(mask, metrics[y], metrics[x]) for x, y in ((a, b), (b, a))]
        ties = [np.where(mask, own[y], own[x]) for x, y in ((a, b), (b, a))]
        first, second = values(name, scores, metrics=np.array(both), thresholds=ties)
        null.append(np.nan_to_num(first) - np.nan_to_num(second))
    return null


@pytest.mark.parametrize(("name", "scheme"), SWAPS)
def test_swaps_are_scores_that_are_exchanged(name, scheme):
    found = measured(name, complete=True)
    null = found.null_differences(scheme, DRAWN, map)
    np.testing.assert_allclose(null[-1], exchanged(name, scheme, DRAWN - 1), **CLOSE)


HOW = [*({"method": scheme} for scheme in SCHEMES), *({"random": each} for each in RANDOM)]
of_every_kind = pytest.mark.parametrize("how", HOW, ids=lambda how: next(iter(how.values())))


def compare(how, scores=SCORES, names=NAMES, **options):
    """Compare metrics by all measures that have this kind of swap."""
    if how == {"random": "systems"}:
        how = {**how, "method": "percentile"}  # by default Pearson's r is bounded by formula
    if "random" not in how:
        names = [name for name in names if how["method"] in ss.measures.as_measure(name).schemes]
    return ss.compare(scores, names, **{"seed": SEED, "resamples": 39, **how, **options})


def assert_same(found, expected, exact=("p_value", "significant", "identical"), **selected):
    """Hold what both have to the same values."""
    for name in set(found.data_vars) & set(expected.data_vars):
        one, other = (each[name].sel({k: v for k, v in selected.items() if k in each[name].dims})
                      for each in (found, expected))  # fmt: skip
        close = {} if name in exact else {"atol": 1e-11}
        np.testing.assert_allclose(one, other, rtol=0, **close, err_msg=name)


@of_every_kind
def test_metrics_are_compared_as_among_others_by_any_workers_and_measures(how):
    whole = compare(how)
    names = ["other", "error", "fine"]
    few = compare(how, SCORES.sel(metric=names)).drop_vars(["p_simultaneous", "p_best"])
    adjusted = ("p_holm", "behind_lower", "behind_upper")
    adjusted = [name for name in adjusted if name in few]
    assert_same(few.drop_vars(adjusted), whole, metric=names, other_metric=names)
    if "method" in how:
        threads = compare(how, workers=ss.Workers("threads", 3))
        xr.testing.assert_identical(threads, whole)
    last = str(whole["measure"].values[-1])
    assert_same(compare(how, names=[last]), whole, measure=[last])


@of_every_kind
def test_p_values_are_counts_and_of_all_pairs_no_smaller(how):
    found = compare(how).isel(basis=0, group=0)
    p, own = found["p_simultaneous"].values, np.eye(4, dtype=bool)
    goodness = found["value"].values * np.where(found["larger_is_better"], 1, -1)[:, None]
    first = found["p_best"].values[np.arange(len(p)), goodness.argmax(axis=1)]
    np.testing.assert_allclose(first, 1)
    if "random" not in how:
        np.testing.assert_array_equal(found["p_best"], may_be_best(goodness, p))
    else:
        out = found["p_best"].values <= 0.05
        np.testing.assert_array_equal(found["behind_lower"].values > 0, out)
        assert not (found["behind_upper"] < found["behind_lower"]).any()
        lacking = found["undefined"].values > 0  # without all replicates nothing is told
        unknown = (lacking[:, :, None] | lacking[:, None]) & ~own
        np.testing.assert_array_equal((p > 0) & (p <= 1), ~unknown)
        lower, upper = (found[f"difference_{limit}"].values for limit in ("lower", "upper"))
        np.testing.assert_array_equal(lower, -upper.swapaxes(1, 2))
        assert (lower <= upper).all()
        np.testing.assert_array_equal(found["significant"], (lower > 0) | (upper < 0))
        return
    assert ((p > 0) & (p <= 1)).all()
    counts = 40 * found["p_value"].values
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)
    assert (counts >= 1 - 1e-9).all()
    assert (counts[:, own] == 40).all()
    assert (p >= found["p_value"].values).all()
    two = compare(how, SCORES.sel(metric=["coarse", "error"]))
    np.testing.assert_array_equal(two["p_simultaneous"], two["p_value"])


def with_copies(scores):
    """Put in "fine" again, bit for bit; shifted and scaled; and turned round, declared so."""
    fine = scores.sel(metric=["fine"])
    copies = [
        fine.assign(score=a * fine["score"] + b, higher_is_better=("metric", [a > 0]))
        .assign_coords(metric=[name])
        for name, a, b in (("same", 1, 0), ("scaled", 9.0618, 29.632), ("turned", -3, 1))
    ]  # fmt: skip
    return xr.concat([scores, *copies], "metric", data_vars="minimal")


@of_every_kind
def test_copies_are_identical_tied_and_never_significant(how):
    both = with_copies(SCORES)
    of_scale = [name for name in NAMES if not ss.measures.as_measure(name).free_of_scale]
    free = [name for name in NAMES if name not in of_scale]
    for names, copies in ((free, ["same", "scaled", "turned"]), (of_scale, ["same"])):
        few = [name for name in names if name in FEW]
        for ties, of in (("exact", names), ("floating_point", few)):
            copies = copies if ties == "exact" else ["same"]
            found = compare(how, both, of, ties=ties, confidence_level=0.1)
            pair = found.sel(metric=["fine", *copies], other_metric=["fine", *copies])
            assert pair["identical"].all()
            assert np.abs(pair["difference"]).max() < 1e-12
            assert not pair["significant"].any()
            assert (pair["p_simultaneous"] == 1).all()
            for name, value in (("difference_lower", 0), ("difference_upper", 0), ("p_value", 1)):
                assert (pair[name] == value).all() if name in pair else True
            others = ["coarse", "other", "error"]
            assert not found["identical"].sel(metric="fine", other_metric=others).any()
            ranking = ss.rank(found)
            assert ranking["distinct_metrics"] == (4 if names == free else 6)
            ranks = ranking["rank"].sel(metric=["fine", *copies])
            assert (ranks == ranks.isel(metric=0)).all()
    few = [name for name in free if name in FEW]  # a copy is no metric of its own to adjust for
    alone, at = compare(how, SCORES, few), list(SCORES["metric"].values)
    adjusted = compare(how, both.drop_sel(metric="same"), few)
    assert_same(adjusted[["p_simultaneous", "p_best"]], alone, metric=at, other_metric=at)


@of_every_kind
@pytest.mark.parametrize("constant", ["fine", "human"])
def test_constant_scorers_are_named(how, constant):
    human, score = SCORES["human"], SCORES["score"]
    flat = {"fine": {"score": score.where(score["metric"] != "fine", 2.0)}}
    flat["human"] = {"human": human.where(human.isnull(), 2.0)}
    scores = SCORES.assign(flat[constant])
    for name in ("pearson", "SPA", "tau_b/item", "pdp/item"):
        if how.get("method", "inputs") not in ss.measures.as_measure(name).schemes:
            continue
        what = "r" if name == "pearson" else name
        said = f"prefer no system: .*{constant}" if name == "SPA" else f"no {what} of .*fine"
        with pytest.warns(ss.DegenerateScoreWarning, match=said) as warned:
            found = compare(how, scores, [name])
        assert sum(one.category is ss.DegenerateScoreWarning for one in warned) == 1
        if name != "SPA":
            undefined = found["value"].isnull().isel(measure=0)
            assert undefined.sel(metric="fine")
            assert undefined.all() == (constant == "human")
            assert not found["significant"].sel(metric="fine").any()


def in_groups(name, part, group):
    measure = ss.measures.as_measure(name)
    selected = measure.select(part, measure.mask, complete=True)
    return measure.on(measure.prepare(selected, group_seed(SEED, group)))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_average_is_tested_by_the_mean_of_its_groups_swaps(scheme):
    parts = {"aa-bb": SCORES, "cc-dd": made(8).isel(system=slice(5))}
    found = compare({"method": scheme}, parts)
    assert list(found["group"].values) == ["average", *parts]
    groups = found.sel(group=list(parts))
    np.testing.assert_allclose(found["value"].sel(group="average"), groups["value"].mean("group"))
    upper = np.triu_indices(4, 1)
    for name in found["measure"].values:
        nulls = [in_groups(name, part, group).null_differences(scheme, 39, map)
                 for group, part in parts.items()]  # fmt: skip
        for k, null in enumerate([np.mean(nulls, axis=0), *nulls]):
            own = found.sel(measure=name).isel(basis=0, group=k)
            observed = own["difference"].values[upper]
            extreme = (np.abs(null) >= np.abs(observed) - 1e-10).sum(axis=0)
            np.testing.assert_allclose(own["p_value"].values[upper], (extreme + 1) / 40)
            adjusted = step_down_p_values(observed, null)
            np.testing.assert_allclose(own["p_simultaneous"].values[upper], adjusted)
    swapped = compare({"method": scheme}, {name: parts[name] for name in reversed(parts)})
    assert_same(swapped.sel(group=found["group"]), found)


@pytest.mark.parametrize("random", RANDOM)
def test_what_groups_of_one_set_share_is_drawn_once(random):
    half = SCORES.isel(segment=slice(2, 12))
    labels = [half.assign_coords(domain=("segment", [name] * 10)) for name in "xy"]
    twice = xr.concat(labels, "segment", data_vars="minimal").assign_coords(segment=range(20))
    names = ["lower", "upper", "difference_lower", "difference_upper"]
    how = {"random": random, "method": "percentile"}
    # Two domains with the same scores, and documents: their average is each of them.
    found = compare(how, twice, FEW, by="domain")[names]
    alike = [
        np.abs(found.sel(group=group) - found.sel(group="average")).max() < 1e-11 for group in "xy"
    ]
    shared = random in ("systems", "documents", "systems+documents")
    assert all(bool(each.to_array().all()) == shared for each in alike)
    # One file under two names is one set: its systems and texts are drawn once.
    sets = compare(how, {"x": half, "y": half}, FEW)[names]
    differ = np.abs(sets.sel(group="x") - sets.sel(group="y")).max().to_array() > 1e-11
    assert not differ.any()
    renamed = half.assign_coords(system=[f"{name} of y" for name in half["system"].values])
    apart = compare(how, {"x": half, "y": renamed}, FEW)[names]
    differ = (apart.sel(group="x") != apart.sel(group="y")).to_array().any()
    assert bool(differ) == ("systems" in random)


def test_averages_over_groups_are_weighted_as_asked():
    other = SCORES.isel(segment=slice(6, 16))
    sets = {"x": SCORES.isel(segment=slice(2, 12)), "y": other}
    how = {"random": "systems", "method": "percentile", "weights": {"x": 3}}
    found = compare(how, sets, FEW)
    for name in ("value", "difference"):
        one, two = (found[name].sel(group=group) for group in "xy")
        own = found[name].sel(group="average")
        np.testing.assert_allclose(own, (3 * one + two) / 4, atol=1e-12)
    assert found.attrs["weights"] == "x 3"


@of_every_kind
def test_the_seed_is_all_that_is_random(how):
    zero, again, one = (compare(how, names=FEW, seed=seed) for seed in (0, 0, 1))
    xr.testing.assert_identical(zero, again)
    kinds = ["p_value"] if "method" in how else ["lower", "upper"]
    assert all((zero[name] != one[name]).any() for name in kinds)
