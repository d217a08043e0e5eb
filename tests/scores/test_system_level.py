import numpy as np
import pytest

import supersample as ss
from supersample.comparisons.correlations.by_formula import bases_of
from supersample.scores.system_level import system_level_scores

EXAMPLE = ss.load_example()


def _systems(**options):
    return ss.make_system_scores(
        [1.0, 2.0, 4.0, 3.0],
        [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 1.0, 2.0]],
        systems=list("ABCD"),
        metrics=["up", "down"],
        **options,
    )


def test_scores_and_their_sample_have_the_same_systems():
    sample = ss.hybrid_supersample(EXAMPLE, n=10)
    by_scores, by_sample = system_level_scores(EXAMPLE), system_level_scores(sample)
    np.testing.assert_allclose(by_scores["system_human"], by_sample["system_human"], rtol=1e-14)
    np.testing.assert_allclose(by_scores["system_score"], by_sample["system_score"], rtol=1e-14)


def test_lower_is_better_is_negated_in_bases_alone():
    systems = _systems(higher_is_better=[True, False], human_higher_is_better=False)
    [basis] = bases_of(systems)
    np.testing.assert_array_equal(basis.scores[:, 0], [-1, -2, -4, -3])
    np.testing.assert_array_equal(basis.scores[:, 2], [-4, -3, -1, -2])
    np.testing.assert_array_equal(systems["system_score"].sel(metric="down"), [4, 3, 1, 2])


def test_outliers_leave_their_basis():
    human = [1.0, 1.2, 0.9, 1.1, 1.05, -9.0]
    systems = ss.make_system_scores(human, [human], systems=list("ABCDEF"), metrics=["m"])
    found = ss.outlier_systems(systems)
    assert found["system"].values[found["outlier"].values].tolist() == ["F"]
    # median 1.025, deviations .025 .175 .125 .075 .025 10.025: MAD .1
    assert found["distance"].values[-1] == pytest.approx(10.025 / (1.483 * 0.1))
    counted = [(b.counted, len(b.scores)) for b in bases_of(systems, ["systems without outliers"])]
    assert counted == [("systems without outliers", 5)]
    # a stricter cutoff than the farthest system has flags nobody
    assert not ss.outlier_systems(systems, cutoff=100)["outlier"].any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"human": [1.0, 2.0]}, "do not fit together"),
        ({"score": [[1.0, 2.0]]}, "do not fit together"),
        ({"systems": list("AAB")}, "the system 'A' occurs more than once"),
        ({"human": [1.0, np.nan, 2.0]}, "finite"),
    ],
)
def test_system_scores_must_fit(change, message):
    fit = {"human": [1, 2, 3], "score": [[1, 2, 3]], "systems": list("ABC"), "metrics": ["m"]}
    with pytest.raises(ss.InputError, match=message):
        ss.make_system_scores(**{**fit, **change})


def test_what_is_no_scores_is_refused():
    with pytest.raises(ss.InputError, match="expected a sample"):
        ss.correlations.correlate(EXAMPLE.drop_dims("segment"))
    with pytest.raises(ss.InputError, match="no basis 'hybrids'"):
        ss.correlations.correlate(EXAMPLE, bases=["hybrids"])
    with pytest.raises(ss.InputError, match="cutoff"):
        ss.outlier_systems(EXAMPLE, cutoff=0)


def test_masks_and_means_are_chosen_and_said():
    gappy = ss.make_scores(
        [[1.0, 2.0, np.nan], [3.0, 7.0, np.nan], [np.nan, 1.0, np.nan]],
        [[[1.0, 2.0, 6.0], [2.0, 3.0, 7.0], [3.0, 4.0, 8.0]]],
        systems=list("ABC"),
        metrics=["m"],
        human_count=[[1, 3, 0], [1, 1, 0], [0, 1, 0]],
    )
    whole = ss.system_level_scores(gappy, mask="all")
    np.testing.assert_allclose(whole["system_human"], [7 / 4, 5, 1])
    np.testing.assert_allclose(whole["system_score"][:, 0], [3, 4, 5])
    assert whole.attrs["mask"] == "all 3/3, human 1-2"
    segments = ss.system_level_scores(gappy, mask="all", human_mean="segments")
    np.testing.assert_allclose(segments["system_human"], [1.5, 5, 1])
    assert "human_mean:segments" in ss.correlations.correlate(segments).attrs["signature"]
    assert ss.correlations.correlate(whole).attrs["signature"].count("mask:all 3/3, human 1-2") == 1
    with pytest.raises(ss.InputError, match="no mask 'some'; there are common, complete, all"):
        ss.system_level_scores(gappy, mask="some")


def test_swapping_heeds_the_mask():
    scores = ss.load_example().isel(segment=slice(80))
    unrated = scores.copy(deep=True)
    unrated["human"][0, :20] = np.nan
    common = ss.compare(unrated, method="inputs", resamples=50)
    whole = ss.compare(unrated, method="inputs", resamples=50, mask="all")
    assert common.attrs["mask"].startswith("common")
    assert whole.attrs["mask"].startswith("all")
    systems = ss.system_level_scores(unrated, mask="all")
    r = ss.correlations.correlate(systems)["value"]
    np.testing.assert_allclose(whole["value"], r)
