import numpy as np
import pytest
import xarray as xr

from supersample import InputError
from supersample.scores.schema import EXAMPLE_CORRELATIONS, load_example, simulate_scores


def _correlations(scores):
    """Return r of each metric's system means with the human ones."""
    human = scores["human"].mean("segment").values
    return [np.corrcoef(human, score)[0, 1] for score in scores["score"].mean("segment").values]


# r of n true pairs has the standard error (1 - rho^2) / sqrt(n), 0.016 at most for n = 4,000; with
# no segment deviation system means are the true scores. Five standard errors each.
def test_population_correlations_are_those_asked_for():
    asked = {"a": 0.95, "b": 0.5, "c": 0.0, "d": -0.7}
    scores = simulate_scores(
        systems=4000, segments=2, correlations=asked, segment_deviation=0.0, seed=1
    )
    for r, rho in zip(_correlations(scores), asked.values(), strict=True):
        assert abs(r - rho) < 5 * (1 - rho**2) / np.sqrt(4000)


# Two scores of one system share difficulty (1) and k of the deviation: correlation (1 + k) / 2.
@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_segment_scores_share_noise_as_asked(shared):
    scores = simulate_scores(
        systems=10, segments=5000, correlations={"m": 0.5}, shared_noise=shared, seed=3
    )
    own = [
        np.corrcoef(scores["human"][s], scores["score"][0, s])[0, 1]
        for s in range(scores.sizes["system"])
    ]
    assert np.mean(own) == pytest.approx((1 + shared) / 2, abs=0.03)


def test_lower_is_better_negates_and_declares():
    plain = simulate_scores(correlations={"a": 0.9, "b": 0.8}, seed=4)
    turned = simulate_scores(correlations={"a": 0.9, "b": 0.8}, lower_is_better=("b",), seed=4)
    assert list(turned["higher_is_better"].values) == [True, False]
    np.testing.assert_allclose(turned["score"][1] - 50, -(plain["score"][1] - 50), atol=1e-12)
    np.testing.assert_array_equal(turned["score"][0], plain["score"][0])


def test_missing_ratings_are_missing_in_the_shares_asked_for():
    scores = simulate_scores(
        systems=20, segments=2000, unrated_segments=0.2, missing_ratings=0.1, seed=5
    )
    nobody = scores["human"].isnull().all("system")
    assert nobody.mean() == pytest.approx(0.2, abs=0.04)
    rest = scores["human"].isel(segment=~nobody.values)
    assert rest.isnull().mean() == pytest.approx(0.1, abs=0.01)
    assert scores["score"].notnull().all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": 1}, "at least 2 systems"),
        ({"segments": 1}, "at least 2 systems, 2 segments"),
        ({"document_length": 0}, "documents of 1 segment"),
        ({"correlations": {"m": 1.2}}, r"lie in \[-1, 1\]"),
        ({"correlations": {"m": np.nan}}, r"lie in \[-1, 1\]"),
        ({"correlations": {}}, "at least 1 metric"),
        ({"shared_noise": -2.0}, r"lie in \[-1, 1\]"),
        ({"unrated_segments": 1.0}, "shares"),
        ({"missing_ratings": -0.1}, "shares"),
        ({"lower_is_better": ("zzz",)}, "no metric 'zzz'; there are "),
        ({"seed": -1}, "seed"),
    ],
)
def test_parameters_out_of_range_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        simulate_scores(**options)


def test_the_example_is_what_it_says():
    example = load_example()
    assert dict(example.sizes) == {"metric": 8, "system": 12, "segment": 500}
    assert list(example["metric"].values) == list(EXAMPLE_CORRELATIONS)
    lowered = example["metric"].values[~example["higher_is_better"].values]
    assert list(lowered) == ["errors-85"]
    assert 0 < example["human"].isnull().sum() < example["human"].size / 10
    assert len(set(example["document"].values)) == 50
    assert example.attrs["source"] == "embedded example"
    xr.testing.assert_identical(example, load_example())
