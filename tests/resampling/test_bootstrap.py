"""Bootstrap intervals against formulas, binomial counts and corpora drawn by hand."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.engine.bootstrap import bootstrap_counts
from supersample.resampling import Replicates, samplers
from tests.scores.corpus.test_adding import SCORES, TEXTS
from tests.toy_scores import lattice

EXAMPLE = ss.load_example()
B = 12


def drawn(scores, measure="pearson", random="systems", **options):
    return ss.compare(scores, measure, random=random, **options)


def normal_systems(n, seed=0):
    """Many systems with r = 0.6 and 0.6 between human and two metrics, normal."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=n)
    scores = 0.6 * human + 0.8 * rng.normal(size=(2, n))
    names = [str(i) for i in range(n)]
    return ss.make_system_scores(human, scores, systems=names, metrics=["a", "b"])


def test_bootstrap_of_many_normal_systems_agrees_with_fisher_and_zou():
    systems = normal_systems(400)
    formula = ss.correlations.compare_correlations(systems)
    ours = drawn(systems, method="bca", resamples=4_999)
    # two routes to the same interval: limits agree within a tenth of its width
    width = float((formula["upper"] - formula["lower"]).max())
    pair = {"metric": "a", "other_metric": "b"}
    for limit in ("lower", "upper"):
        np.testing.assert_allclose(ours[limit], formula[limit], atol=width / 10)
        zou = float(formula[f"difference_{limit}"].sel(pair).item())
        assert float(ours[f"difference_{limit}"].sel(pair).item()) == pytest.approx(zou, abs=0.015)


def test_percentile_limits_are_quantiles_of_scipys_bootstrap():
    systems = normal_systems(30)
    ours = drawn(systems, method="percentile", resamples=5_000)
    pair = systems["system_human"].values, systems["system_score"].values[:, 0]
    how = {"paired": True, "vectorized": False, "method": "percentile", "n_resamples": 2_000}
    how["rng"] = np.random.default_rng(0)
    theirs = stats.bootstrap(pair, lambda x, y: stats.pearsonr(x, y)[0], **how)
    limits = [ours[name].values.flat[0] for name in ("lower", "upper")]
    # each limit is a quantile of a few thousand draws of standard deviation about 0.12
    assert limits == pytest.approx([*theirs.confidence_interval], abs=0.03)


def test_undefined_replicates_are_counted():
    scores = [[1, 2, 3, 4]]
    systems = ss.make_system_scores([1, 1, 1, 2], scores, systems=list("ABCD"), metrics=["m"])
    undefined = int(drawn(systems, method="bca", resamples=2_000)["undefined"].item())
    # no r when D is not drawn, or nothing but D: (3/4)^4 + (1/4)^4 = 0.3203
    assert stats.binomtest(undefined, 2_000, 0.3203).pvalue > 1e-4


def lines(random, replicate):
    """Lines of the texts that a replicate draws, those of documents of four lines together."""
    units = {"segments": 40, "documents": 10}[random]
    numbers = np.array([replicate], np.uint64)
    [counts] = bootstrap_counts(units, seed=3, replicates=numbers, purpose=f"bootstrap of {random}")
    chosen = np.repeat(np.arange(units), counts.astype(int))
    if random == "segments":
        return chosen
    # in the order of their labels, as text: d0, d1, d2, ...
    return np.concatenate([np.arange(4 * d, 4 * d + 4) for d in chosen])


@pytest.mark.parametrize("random", ["segments", "documents"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_limits_are_quantiles_of_scores_of_drawn_texts(random, coefficient):
    sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    scored = ss.corpus.add_corpus_metrics(SCORES, TEXTS, ["bleu", "ter"])
    scored = scored.isel(system=[0, 1, 2, 2]).assign_coords(system=list("ABCD"))
    scored["human"][3] += np.linspace(-1, 1, 40)  # D has C's texts and people of its own
    outputs = [TEXTS.hypotheses[name] for name in "ABCC"]
    r = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[coefficient]
    expected = {"BLEU": [], "TER": [], "BLEU (segment mean)": []}
    for replicate in range(B):
        chosen = lines(random, replicate)
        human = scored["human"].values[:, chosen].mean(axis=1).round(10)  # C and D may tie
        references = [[own[i] for i in chosen] for own in TEXTS.references]
        for name, theirs, sign in (
            ("BLEU", sacrebleu.metrics.BLEU(), 1),
            ("TER", sacrebleu.metrics.TER(), -1),
        ):
            texts = [[own[i] for i in chosen] for own in outputs]
            scores = [sign * theirs.corpus_score(own, references).score for own in texts]
            expected[name].append(r(human, scores)[0])
        means = scored["score"].values[0][:, chosen].mean(axis=1)
        expected["BLEU (segment mean)"].append(r(human, means)[0])
    found = drawn(scored, coefficient, random, method="percentile", resamples=B, seed=3)
    for name, values in expected.items():
        limits = [found[limit].sel(metric=name).item() for limit in ("lower", "upper")]
        np.testing.assert_allclose(limits, np.quantile(values, [0.025, 0.975]), atol=1e-9)
    assert f"method:bootstrap-percentile over {random}" in found.attrs["signature"]
    assert "n:4 systems" in found.attrs["signature"]


def test_spread_over_segments_is_that_of_the_delta_method():
    """The standard deviation of replicates of r against its linearisation over segments."""
    options = {"method": "percentile", "confidence_level": 0.6827, "resamples": 1_500}
    found = drawn(EXAMPLE, random="segments", **options)
    complete = ss.select_segments(EXAMPLE)
    human, count, step = complete["human"].values, complete.sizes["segment"], 1e-6
    sizes = []
    for metric in ("strong-95", "weak-40"):
        scores = complete["score"].sel(metric=metric).values
        ones, moves = np.full(count, 1 / count), step * np.eye(count)
        r = [
            [stats.pearsonr(human @ w, scores @ w)[0] for w in (ones + move, ones - move)]
            for move in moves
        ]
        slopes = -np.diff(r)[:, 0] / (2 * step)
        expected = np.sqrt(np.square(slopes - slopes.mean()).sum()) / count
        own = found.sel(metric=metric).squeeze()
        sizes.append(float(own["upper"] - own["lower"]) / 2 / expected)
    np.testing.assert_allclose(sizes, 1, atol=0.1)


@pytest.mark.parametrize("method", ["student", "percentile", "bca"])
def test_good_metrics_are_told_from_bad_ones_over_segments(method):
    measures = ["pearson", "SPA", "pdp", "acc_eq"]
    found = drawn(EXAMPLE, measures, "segments", method=method, resamples=300)
    assert found.attrs["method"] == f"bootstrap-{method} over segments"
    assert ((found["lower"] < found["value"]) & (found["value"] < found["upper"])).all()
    assert found["significant"].sel(metric="strong-95", other_metric="weak-40").all()
    assert ss.rank(found)["metric"].values[0] == "strong-95"


@pytest.mark.parametrize("name", ["pdp", "acc_23", "SPA", "pearson"])
def test_students_interval_lies_on_fishers_scale(name):
    measure = ss.measures.as_measure(name)
    found = drawn(EXAMPLE, name, "segments", resamples=99, confidence_level=0.9).isel(measure=0)
    measured = measure.on(measure.prepare(measure.select(EXAMPLE, measure.mask, complete=False), 0))
    labels = [measured.labels("segments")]
    [drawing] = samplers("segments", labels, [0], seed=0)
    replicates = measured.resampled(drawing.bootstrap(0, 99))
    # An accuracy a is as the correlation 2 a - 1, the share of right pairs less that of wrong ones.
    low = measure.lowest
    z = [np.arctanh((2 * x - 1 - low) / (1 - low)) for x in (found["value"], replicates)]
    n = drawing.units
    arm = stats.t.ppf(0.95, n - 1) * z[1].std(axis=0, ddof=1) * np.sqrt(n / (n - 1))
    for limit, sign in (("lower", -1), ("upper", 1)):
        expected = (np.tanh(z[0] + sign * arm) * (1 - low) + 1 + low) / 2
        np.testing.assert_allclose(found[limit], expected)


def test_values_without_bounds_have_students_interval_as_they_are():
    rng = np.random.default_rng(0)
    replicates = Replicates(rng.normal(size=(99, 1)), np.zeros(1), np.zeros((9, 1)), 9, 0, np.inf)
    lower, upper = replicates.of_values("student", 0.9)
    arm = stats.t.ppf(0.95, 8) * replicates.drawn.std(ddof=1) * np.sqrt(9 / 8)
    np.testing.assert_allclose([lower[0], upper[0]], [-arm, arm])


def test_of_translations_of_drawn_systems_percentiles_are_the_default():
    # draws of two systems alone have r of 1 or -1, which have no standard deviation as z
    scores = lattice(systems=5, seed=4, constant=False)
    found = drawn(scores, "pearson/item", resamples=99)
    assert found.attrs["method"] == "bootstrap-percentile over systems"
    assert (found["upper"] - found["lower"]).max() < 1.9
    assert drawn(scores, "spearman", resamples=9).attrs["method"] == "bootstrap-bca over systems"


def test_a_perfect_metric_has_no_interval():
    perfect = lattice(systems=5, seed=4, constant=False)
    perfect["score"][0] = perfect["human"]
    found = drawn(perfect, "pdp", "segments", resamples=19).isel(metric=0).squeeze()
    assert np.isnan([found["lower"], found["upper"]]).all()


def test_few_units_have_no_interval_nor_has_their_average():
    scores = lattice(segments=12, gaps=0, document=list("aaaabbbbcccc"), constant=False)
    with pytest.warns(UserWarning, match="at least 4 documents: there are 3"):
        found = drawn(scores, "pdp", "documents", resamples=9)
    assert found["lower"].isnull().all()
    assert not found["significant"].any()
    three = ss.make_system_scores([1, 2, 3], [[1, 3, 2]], systems=list("ABC"), metrics=["m"])
    with pytest.warns(UserWarning, match="at least 4 systems: there are 3"):
        assert drawn(three, method="bca", resamples=9)["lower"].isnull().all()
    two = lattice(segments=20, gaps=0, domain=["a"] * 3 + ["b"] * 17, constant=False)
    with pytest.warns(UserWarning, match="at least 4 segments: a has 2; so the average"):
        found = drawn(two, "pdp", "segments", by="domain", resamples=19)
    empty = found["lower"].isnull().all(["measure", "basis", "metric"])
    assert empty.sel(group=["average", "a", "b"]).values.tolist() == [True, True, False]
