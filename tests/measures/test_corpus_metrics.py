"""Measures of corpus metrics: every permutation, swap and draw scored as its own text would be."""

import numpy as np
import pytest

import supersample as ss
from supersample.engine.swaps import swap_masks
from supersample.resampling import RANDOM
from tests.corpora import mean_as_corpus_metric
from tests.sign_masks import sign_masks

sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree", ".", "!", "it"]
B = 25
METHODS = ("inputs", "systems", "both")
P_VALUES = [
    ss.measures.PValues(unit="document"),
    ss.measures.PValues("monte_carlo", permutations=50),
    ss.measures.PValues("monte_carlo", "at_least", unit="document", permutations=50),
]
SPA, PA = {"measure": "SPA"}, {"measure": "PA"}


def _scored(seed=0, systems="ABCD", segments=30):
    rng = np.random.default_rng(seed)

    def lines():
        return [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(segments)]

    texts = ss.corpus.Texts({name: lines() for name in systems}, [lines()])
    human = rng.normal(size=(len(systems), segments))
    scores = ss.make_scores(
        human,
        [human + rng.normal(size=human.shape)],
        systems=list(systems),
        metrics=["m"],
        document=[f"d{i // 3}" for i in range(segments)],
    )
    metrics = ["chrf", "bleu:max_order=2", "ter"]
    return ss.corpus.add_corpus_metrics(scores, texts, metrics), texts


SCORED, TEXTS = _scored()


def test_every_permutation_is_sacrebleus_of_its_text():
    how = ss.measures.PValues("monte_carlo", permutations=B)
    components = ss.measures.accuracy_components(SCORED, p_values=how, seed=7)
    masks = sign_masks(30, seed=7, replicates=np.arange(B, dtype=np.uint64)) > 0
    names = [str(name) for name in components["system"].values]
    for name, theirs, sign in (
        ("chrF", sacrebleu.metrics.CHRF(), 1),
        ("BLEU", sacrebleu.metrics.BLEU(max_ngram_order=2), 1),
        ("TER", sacrebleu.metrics.TER(), -1),
    ):

        def difference(first, second, theirs=theirs, sign=sign):
            scores = [theirs.corpus_score(own, TEXTS.references).score for own in (first, second)]
            return sign * (scores[0] - scores[1])

        for i, j in zip(*np.triu_indices(4, 1), strict=True):
            a, b = TEXTS.hypotheses[names[i]], TEXTS.hypotheses[names[j]]
            observed = difference(a, b)
            null = []
            for mask in masks:
                kept = [x if keep else y for x, y, keep in zip(a, b, mask, strict=True)]
                given = [y if keep else x for x, y, keep in zip(a, b, mask, strict=True)]
                null.append(difference(kept, given))
            above = np.array(null) - observed
            p = ((above > 1e-9).sum() + (np.abs(above) < 1e-9).sum() / 2) / B
            own = components["preference"].sel({**SPA, "metric": name})[i, j]
            assert own == pytest.approx(p)


@pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")
@pytest.mark.parametrize("how", [{"method": m} for m in METHODS] + [{"random": r} for r in RANDOM])
def test_a_mean_as_a_corpus_metric_is_that_metric(how):
    """The recomputing routes reduce to the sums of segment scores where a score is a mean."""
    plain = ss.load_example().isel(metric=slice(4), segment=slice(120), system=slice(6))
    both, own = mean_as_corpus_metric(plain, "good-90"), {"metric": "good-90"}
    values = both["score"].sel(own)
    both["score"].loc[own] = 100 * (values - values.min() + 1)  # as TER has it
    again, others = "good-90 again", ["strong-98", "strong-95"]
    routes = ["normal", *(P_VALUES if "method" in how else ())]
    accuracies = [ss.measures.SoftPairwiseAccuracy(p_values) for p_values in routes]
    for measure in (["pearson", "kendall", "PA", "MAE"], *accuracies):
        found = ss.compare(both, measure, resamples=60, seed=1, **how)
        found = found.sel(other_metric=others)
        for name in {"value", "lower", "upper", "difference", "p_value", "difference_lower"}:
            if name in found:
                expected = found[name].sel(metric="good-90")
                np.testing.assert_allclose(found[name].sel(metric=again), expected, atol=1e-9)


def test_ties_of_corpus_metrics_are_taken_as_those_of_others():
    plain, own = ss.load_example().isel(metric=slice(4), segment=slice(120)), {"metric": "good-90"}
    scores = plain["score"].loc[own]
    scores[:3] = scores[0]  # three systems of the same scores
    both, found = mean_as_corpus_metric(plain, "good-90"), []
    for ties in ("half", "up"):
        values = ss.agreement(both, ss.measures.PairwiseAccuracy(ties=ties))["value"]
        found.append(values.sel(own).item())
        assert values.sel(metric="good-90 again").item() == found[-1]
    assert found[0] != found[1]


@pytest.mark.parametrize(
    "p_values", ["normal", ss.measures.PValues("monte_carlo", permutations=50)]
)
@pytest.mark.parametrize("method", METHODS)
def test_corpus_metrics_alone_are_compared_as_beside_others(method, p_values):
    measures = [
        "pearson",
        "MAE",
        ss.measures.SoftPairwiseAccuracy(p_values),
        ss.measures.PairwiseAccuracy(p_values),
    ]
    options = {"method": method, "resamples": 20, "seed": 1}
    beside = ss.compare(SCORED, measures, **options)
    alone = ss.compare(SCORED.isel(metric=slice(0)), measures, **options)
    names = ["chrF", "BLEU", "TER"]
    assert sorted(alone["metric"].values) == sorted(names)
    for name in ("difference", "p_value"):
        own, others = (x[name].sel(metric=names, other_metric=names) for x in (alone, beside))
        np.testing.assert_allclose(own, others, atol=1e-12)


def test_swapped_halves_are_sacrebleus_of_their_texts():
    """PA after each swap of BLEU and TER, from the halves' own texts and their numbers of lines."""
    found = ss.compare(SCORED, "PA", resamples=B, seed=2)
    numbers = np.arange(B, dtype=np.uint64)
    masks = swap_masks("inputs", systems=4, segments=30, seed=2, replicates=numbers)[:, 0]
    bleu = _scaled(sacrebleu.metrics.BLEU(max_ngram_order=2), 1)
    ter = _scaled(sacrebleu.metrics.TER(), -1)
    human = SCORED["human"].mean("segment").values
    first, second = np.triu_indices(4, 1)

    def pa(scores):
        signs = np.sign(human[first] - human[second]), np.sign(scores[first] - scores[second])
        return 1 - np.abs(signs[0] - signs[1]).mean() / 2

    everything = np.ones(30, bool)
    observed = pa(bleu(everything)) - pa(ter(everything))
    null = [pa(bleu(~w) + ter(w)) - pa(ter(~w) + bleu(w)) for w in masks]
    p = (1 + (np.abs(null) >= abs(observed) - 1e-9).sum()) / (B + 1)
    own = found["p_value"].sel({**PA, "metric": "BLEU", "other_metric": "TER"})
    assert own.item() == pytest.approx(p)


def _scaled(theirs, sign):
    """Sums of z-scores of the parts of all systems, by sacrebleu on the texts of the parts."""
    outputs, [reference] = list(TEXTS.hypotheses.values()), TEXTS.references

    def score(lines, chosen):
        own = [[text[i] for i in np.flatnonzero(chosen)] for text in (lines, reference)]
        return sign * theirs.corpus_score(own[0], [own[1]]).score

    whole = np.ones(30, bool)
    left_out = ~np.eye(30, dtype=bool)
    pseudo = []
    for lines in outputs:
        all_, left = score(lines, whole), np.array([score(lines, own) for own in left_out])
        values = 30 * all_ - 29 * left
        pseudo.append(values + all_ - values.mean())
    mean, sd = np.mean(pseudo), np.std(pseudo)
    return lambda chosen: np.array(
        [chosen.sum() * (score(x, chosen) - mean) / sd if chosen.any() else 0 for x in outputs]
    )


def test_normal_p_values_are_the_limit_of_recomputed_ones():
    scored, _ = _scored(seed=3, segments=600)
    normal, drawn = (
        ss.measures.accuracy_components(scored, p_values=how)["preference"].sel(SPA)
        for how in ("normal", ss.measures.PValues("monte_carlo", permutations=20_000))
    )
    gap = np.abs(normal - drawn).max(("system", "other_system"))
    # the metric of segments, whose variance is exact, is no closer
    assert (gap < 0.015).all(), gap.values


def test_accuracies_are_means_of_agreement():
    found = ss.agreement(SCORED, "PA")["value"][0]
    scores = ss.hybrid_supersample(SCORED, n=1)
    human = scores["system_human"].values
    ter = -scores["system_score"].sel(metric="TER").values
    first, second = np.triu_indices(4, 1)
    # two of the systems have the same TER: a tie agrees with a preference by half
    assert (ter[first] == ter[second]).sum() == 1
    signs = np.sign(human[first] - human[second]) - np.sign(ter[first] - ter[second])
    assert found.sel(metric="TER").item() == pytest.approx((1 - np.abs(signs) / 2).mean())


@pytest.mark.parametrize("how", ["normal", ss.measures.PValues("monte_carlo", masks="independent")])
def test_a_system_against_itself_is_a_tie(how):
    texts = ss.corpus.Texts({**TEXTS.hypotheses, "B": TEXTS.hypotheses["A"]}, TEXTS.references)
    plain = SCORED[["human", "score", "higher_is_better"]]
    scored = ss.corpus.add_corpus_metrics(plain, texts, ["chrf"])
    components = ss.measures.accuracy_components(scored, p_values=how)
    pair = {"metric": "chrF", "system": ["A", "B"], "other_system": ["A", "B"]}
    own = components["preference"].sel(pair).values
    assert np.nanmax(own[:, ~np.isnan(own[0])]) == 0.5


def test_masks_of_their_own_differ_from_shared_ones():
    shared, own = (
        ss.agreement(
            SCORED,
            ss.measures.SoftPairwiseAccuracy(ss.measures.PValues("monte_carlo", masks=masks)),
        )
        for masks in ("shared", "independent")
    )
    gap = np.abs(shared["value"] - own["value"])
    assert (gap > 0).all()
    assert (gap < 0.05).all()


def test_groups_take_them():
    both = ss.compare({"x": SCORED, "y": _scored(seed=5)[0]}, ["PA", "SPA"], resamples=20)
    assert list(both["metric"].values) == ["m", "chrF", "BLEU", "TER"]
    no_ter = SCORED.drop_vars("TER_statistics")
    common = ss.compare({"x": SCORED, "y": no_ter}, ["PA", "SPA"], resamples=5)
    assert list(common["metric"].values) == ["m", "chrF", "BLEU"]
    assert common.attrs["metrics_left_out"] == "TER (not in all)"


def test_measures_of_translations_leave_them_out():
    measures = ["pearson", "pdp"]
    for how in ({}, {"random": "segments"}):
        found = ss.compare(SCORED, measures, resamples=20, **how)
        assert list(found["metric"].values) == ["m", "chrF", "BLEU", "TER"]
        assert found["value"].sel(measure="pearson").notnull().all()
        of_pdp = found.sel(measure="pdp/item")
        assert of_pdp["value"].notnull().values.tolist() == [True, False, False, False]
        for name in {"p_value", "difference", "difference_lower", "p_best"} & set(found):
            assert of_pdp[name].sel(metric="BLEU").isnull().all(), name
        assert not of_pdp["significant"].any()
    alone = ss.agreement(SCORED, "pdp")
    assert "BLEU (a corpus metric)" in alone.attrs["metrics_left_out"]
    with pytest.raises(ss.InputError, match="no scores of segments: chrF, BLEU, TER"):
        ss.agreement(SCORED.isel(metric=slice(0)), "pdp")
