"""PA and SPA of corpus metrics: every permutation scored as its own text would be."""

import numpy as np
import pytest
import sacrebleu.metrics

import supersample as ss
from supersample.engine.corpus_permutations import permuted_score_differences
from supersample.engine.finalizers import Mean
from supersample.engine.permutations import permuted_totals, sign_masks
from supersample.engine.statistics import mean_statistics
from supersample.inference.monte_carlo import monte_carlo_p_values

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree", ".", "!", "it"]
B = 25


def _scored(seed=0, systems="ABCD", segments=30):
    rng = np.random.default_rng(seed)

    def lines():
        return [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(segments)]

    texts = ss.Texts({name: lines() for name in systems}, [lines()])
    human = rng.normal(size=(len(systems), segments))
    scores = ss.make_scores(human, [human], systems=list(systems), metrics=["m"])
    metrics = ["chrf", "bleu:max_order=2", "ter"]
    return ss.add_corpus_metrics(scores, texts, metrics, cache=None), texts


SCORED, TEXTS = _scored()


def test_every_permutation_is_sacrebleus_of_its_text():
    accuracies = ss.corpus_accuracy(SCORED, permutations=B, seed=7)
    masks = sign_masks(30, seed=7, replicates=np.arange(B, dtype=np.uint64)) > 0
    outputs = list(TEXTS.hypotheses.values())
    for name, theirs, sign in (
        ("chrF", sacrebleu.metrics.CHRF(), 1),
        ("BLEU", sacrebleu.metrics.BLEU(max_ngram_order=2), 1),
        ("TER", sacrebleu.metrics.TER(), -1),
    ):

        def difference(first, second, theirs=theirs, sign=sign):
            scores = [theirs.corpus_score(own, TEXTS.references).score for own in (first, second)]
            return sign * (scores[0] - scores[1])

        for pair, (i, j) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
            a, b = outputs[i], outputs[j]
            observed = difference(a, b)
            null = []
            for mask in masks:
                kept = [x if keep else y for x, y, keep in zip(a, b, mask, strict=True)]
                given = [y if keep else x for x, y, keep in zip(a, b, mask, strict=True)]
                null.append(difference(kept, given))
            null = np.array(null)
            equal = np.abs(null - observed) < 1e-9
            p = ((null > observed) & ~equal).sum() + equal.sum() / 2
            assert accuracies["p_value"].sel(scorer=name).values[pair] == pytest.approx(p / B)


def test_means_are_permuted_as_ever():
    values, mean = mean_statistics(SCORED["human"].values)
    null, observed = permuted_score_differences(values, mean, seed=3, replicates=200)
    assert isinstance(mean, Mean)
    scores = SCORED["human"].values[:, :, None]
    totals = permuted_totals(scores, seed=3, replicates=200)
    first, second = np.triu_indices(4, 1)
    np.testing.assert_allclose(
        null * 30, (totals[:, first] - totals[:, second])[..., 0], atol=1e-12
    )
    np.testing.assert_allclose(observed * 30, (scores[first] - scores[second]).sum(axis=1)[:, 0])
    accuracies = ss.corpus_accuracy(SCORED, permutations=200, seed=3)
    expected = monte_carlo_p_values(totals, scores)
    np.testing.assert_array_equal(accuracies["p_value"].sel(scorer="human"), np.ravel(expected))


def test_accuracies_are_means_of_agreement():
    found = ss.corpus_accuracy(SCORED, permutations=100)
    p = found["p_value"]
    spa = 1 - np.abs(p.sel(scorer="TER") - p.sel(scorer="human")).mean("pair")
    own = found["accuracy"].sel(metric="TER")
    assert own.sel(meta_metric="SPA").item() == pytest.approx(spa.item())
    scores = ss.hybrid_supersample(SCORED, n=1)
    human = scores["system_human"].values
    ter = -scores["system_score"].sel(metric="TER").values
    first, second = np.triu_indices(4, 1)
    # two of the systems have the same TER: a tie agrees with a preference by half
    assert (ter[first] == ter[second]).sum() == 1
    signs = np.sign(human[first] - human[second]) - np.sign(ter[first] - ter[second])
    agree = 1 - np.abs(signs) / 2
    assert own.sel(meta_metric="PA").item() == pytest.approx(agree.mean())
    assert "resamples:100" in found.attrs["signature"]


def test_a_system_against_itself_is_a_tie():
    texts = ss.Texts({**TEXTS.hypotheses, "B": TEXTS.hypotheses["A"]}, TEXTS.references)
    plain = SCORED[["human", "score", "higher_is_better"]]
    scored = ss.add_corpus_metrics(plain, texts, ["chrf"], cache=None)
    found = ss.corpus_accuracy(scored, permutations=50)
    assert found["p_value"].sel(scorer="chrF").values[0] == 0.5


def test_what_is_needed_is_said():
    with pytest.raises(ss.InputError, match="no corpus metrics"):
        ss.corpus_accuracy(ss.load_example())
    with pytest.raises(ss.InputError, match="at least one permutation"):
        ss.corpus_accuracy(SCORED, permutations=0)
