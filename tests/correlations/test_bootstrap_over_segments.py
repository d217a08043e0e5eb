"""Bootstrap over segments and documents: corpora drawn by hand, and other routes to the same."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.engine.resamples import bootstrap_counts
from tests.scores.corpus.test_adding import SCORES, TEXTS

sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")

SCORED = ss.add_corpus_metrics(SCORES, TEXTS, ["bleu", "ter"], cache=None)
EXAMPLE = ss.load_example()
B = 12


def _lines(unit, replicate):
    """Lines of the texts that a replicate draws, those of documents of four lines together."""
    units = {"segment": 40, "document": 10}[unit]
    numbers = np.array([replicate], np.uint64)
    [counts] = bootstrap_counts(units, seed=3, replicates=numbers, purpose=f"bootstrap of {unit}s")
    if unit == "segment":
        return np.repeat(np.arange(40), counts.astype(int))
    # in the order of their labels, as text: d0, d1, d2, ...
    return np.concatenate(
        [np.arange(4 * d, 4 * d + 4) for d in np.repeat(np.arange(10), counts.astype(int))]
    )


@pytest.mark.parametrize("unit", ["segment", "document"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_limits_are_quantiles_of_scores_of_drawn_texts(unit, coefficient):
    scored = SCORED.isel(system=[0, 1, 2, 2]).assign_coords(system=list("ABCD"))
    scored["human"][3] += np.linspace(-1, 1, 40)  # D has C's texts and people of its own
    outputs = [TEXTS.hypotheses[name] for name in "ABCC"]
    r = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[coefficient]
    expected = {"BLEU": [], "TER": [], "BLEU (segment mean)": []}
    for replicate in range(B):
        lines = _lines(unit, replicate)
        human = scored["human"].values[:, lines].mean(axis=1)
        references = [[own[i] for i in lines] for own in TEXTS.references]
        for name, theirs, sign in (
            ("BLEU", sacrebleu.metrics.BLEU(), 1),
            ("TER", sacrebleu.metrics.TER(), -1),
        ):
            texts = [[own[i] for i in lines] for own in outputs]
            scores = [sign * theirs.corpus_score(own, references).score for own in texts]
            expected[name].append(r(human, scores)[0])
        means = scored["score"].values[0][:, lines].mean(axis=1)
        expected["BLEU (segment mean)"].append(r(human, means)[0])
    found = ss.bootstrap_intervals(
        scored, unit=unit, coefficient=coefficient, method="percentile", resamples=B, seed=3
    )
    for name, values in expected.items():
        own = found.sel(metric=name).isel(basis=0)
        limits = [float(own["lower"]), float(own["upper"])]
        np.testing.assert_allclose(limits, np.quantile(values, [0.025, 0.975]), atol=1e-9)
    assert found.attrs["interval"] == f"bootstrap-percentile over {unit}s"
    assert f"method:bootstrap-percentile over {unit}s" in found.attrs["signature"]
    assert "n:4 systems" in found.attrs["signature"]


def test_spread_over_segments_is_that_of_the_delta_method():
    """The standard deviation of replicates of r against its linearisation over segments."""
    found = ss.bootstrap_intervals(
        EXAMPLE, unit="segment", method="percentile", confidence_level=0.6827, resamples=1_500
    )
    complete = ss.select_segments(EXAMPLE)
    human = complete["human"].values
    sizes = []
    for metric in ("strong-95", "weak-40"):
        scores = complete["score"].sel(metric=metric).values

        def r(weights, human=human, scores=scores):
            return stats.pearsonr(human @ weights, scores @ weights)[0]

        count = human.shape[1]
        ones = np.full(count, 1 / count)
        step = 1e-6
        slopes = [
            (r(ones + step * np.eye(count)[segment]) - r(ones - step * np.eye(count)[segment]))
            / (2 * step)
            for segment in range(count)
        ]
        slopes = np.array(slopes) - np.mean(slopes)
        expected = np.sqrt((slopes**2).sum()) / count
        own = found.sel(metric=metric).isel(basis=0)
        sizes.append(float(own["upper"] - own["lower"]) / 2 / expected)
    np.testing.assert_allclose(sizes, 1, atol=0.1)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_differences_of_corpus_and_averaged_metrics(method):
    d = ss.compare_by_bootstrap(EXAMPLE, unit="segment", method=method, resamples=300)
    assert d.attrs["method"] == f"bootstrap-{method} over segments"
    lower = d["difference_lower"].values[0]
    np.testing.assert_array_equal(lower, -d["difference_upper"].values[0].T)
    assert bool(d["significant"].sel(metric="strong-95", other_metric="weak-40").item())
    assert not bool(d["significant"].sel(metric="strong-95", other_metric="strong-95").item())
    ranking = ss.rank(d)
    assert ranking.attrs["interval"] == f"bootstrap-{method} over segments"


def test_missing_scores_count_nothing():
    holed = EXAMPLE.copy(deep=True)
    holed["score"][0, :, ::2] = np.nan
    found = ss.bootstrap_intervals(holed, unit="segment", resamples=99)
    assert np.isfinite(found["lower"]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.bootstrap_intervals(EXAMPLE, unit="word"), "no unit of the bootstrap 'word'"),
        (
            lambda: ss.bootstrap_intervals(EXAMPLE.drop_vars("document"), unit="document"),
            "name no documents",
        ),
        (
            lambda: ss.bootstrap_intervals(ss.hybrid_supersample(EXAMPLE, n=9), unit="segment"),
            "over segments takes Scores with segments",
        ),
    ],
)
def test_what_cannot_be_drawn_is_named(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()
