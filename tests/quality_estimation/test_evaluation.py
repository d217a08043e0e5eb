"""Predictions judged: against one pair at a time, at the edges, and as published."""

import numpy as np
import pytest
import scipy.stats
import xarray as xr

import supersample as ss
from supersample import DegenerateScoreWarning, InputError
from supersample.inference.two_correlations.overlapping import williams1959, zou2007
from supersample.quality_estimation.evaluation import RESCALINGS, rescaled_predictions

RNG = np.random.default_rng(4)
LABELS = np.stack([RNG.random(40), RNG.gamma(2.0, 30.0, 40)])
PREDICTIONS = np.stack([0.5 * LABELS[0] + RNG.normal(0, s, 40) for s in (0.1, 0.2, 0.4)])


def data_of(prediction=PREDICTIONS, label=LABELS[:1], gold=("HTER",), **options):
    names = [f"s{i}" for i in range(len(prediction))]
    return ss.make_predictions(prediction, label, systems=names, gold=list(gold), **options)


def test_each_pair_is_as_by_itself():
    result = ss.quality_estimation.evaluate_predictions(data_of(label=LABELS, gold=("HTER", "PET")))
    assert list(result["n"].values) == [40, 40]
    for g in range(2):
        r = [scipy.stats.pearsonr(own, LABELS[g]).statistic for own in PREDICTIONS]
        np.testing.assert_allclose(result["value"][g], r, rtol=1e-12)
        for i, own in enumerate(PREDICTIONS):
            limits = scipy.stats.pearsonr(own, LABELS[g]).confidence_interval(0.95)
            np.testing.assert_allclose([result["lower"][g, i], result["upper"][g, i]], limits)
            error = own - LABELS[g]
            assert result["mae"][g, i].item() == pytest.approx(np.mean(np.abs(error)))
            assert result["rmse"][g, i].item() == pytest.approx(np.sqrt(np.mean(error**2)))
            for j in set(range(3)) - {i}:
                between = scipy.stats.pearsonr(own, PREDICTIONS[j]).statistic
                one = result.isel(gold=g, system=i, other_system=j)
                assert one["prediction_r"].item() == pytest.approx(between)
                t, p = williams1959(r[i], r[j], between, 40, alternative="greater")
                assert one["statistic"].item() == pytest.approx(float(t))
                assert one["p_value"].item() == pytest.approx(float(p))
                lower, upper = zou2007(r[i], r[j], between, 40)
                assert one["difference_lower"].item() == pytest.approx(float(lower))
                assert one["difference_upper"].item() == pytest.approx(float(upper))
                assert one["wins_over"].item() == (p < 0.05)
                assert one["p_holm"].item() >= one["p_value"].item()


def test_ranks_clusters_and_the_signature():
    result = ss.quality_estimation.evaluate_predictions(data_of(), confidence_level=0.9)
    assert list(result["rank"].values[0]) == [1, 2, 3]
    assert result["cluster"].values[0, 0] == 1
    np.testing.assert_array_equal(result["wins"], result["wins_over"].sum("other_system"))
    np.testing.assert_array_equal(result["wins_over"], result["p_value"] < 1 - 0.9)
    assert result.attrs["signature"].startswith(
        "statistic:difference of pearson|method:williams1959|confidence_level:0.9|"
        "alternative:greater|"
        "n:40 segments of HTER|mask:HTER 40/40"
    )


@pytest.mark.parametrize("constant", [1.0, -3.7, 1e6, 1e-9])
@pytest.mark.parametrize("n", [5, 208, 10_000])
def test_gold_plus_a_constant_has_an_r_of_exactly_one(n, constant):
    gold = np.random.default_rng(n).random(n)
    data = data_of([gold + constant, 3 * gold + constant, -gold, gold**3], [gold])
    result = ss.quality_estimation.evaluate_predictions(data).isel(gold=0)
    assert list(result["value"].values[:3]) == [1, 1, -1]
    assert result["value"].values[3] < 1
    assert list(result["rank"].values) == [1, 1, 4, 3]
    assert result["mae"].values[0] == pytest.approx(abs(constant))
    same = result.isel(system=0, other_system=1)
    assert [same[x].item() for x in ("difference", "statistic", "p_value")] == [0, 0, 1]
    assert same["difference_lower"].item() == same["difference_upper"].item() == 0
    assert not same["wins_over"].item()


def test_constant_predictions_have_no_r_and_are_named():
    data = data_of(np.vstack([PREDICTIONS, np.full(40, 0.3)]))
    with pytest.warns(DegenerateScoreWarning, match="r with HTER is NaN for s3$"):
        result = ss.quality_estimation.evaluate_predictions(data)
    own = result.sel(system="s3", gold="HTER")
    assert all(np.isnan(own[x]) for x in ("value", "lower", "upper", "rank", "cluster"))
    assert own["mae"].item() == pytest.approx(np.mean(np.abs(0.3 - LABELS[0])))
    assert not result["wins_over"].sel(system="s3").any()
    assert not result["wins_over"].sel(other_system="s3").any()
    rest = ss.quality_estimation.evaluate_predictions(data_of())
    np.testing.assert_allclose(result["p_holm"][0, :3, :3], rest["p_holm"][0])
    with pytest.warns(DegenerateScoreWarning, match="NaN for s3$"):
        study = ss.quality_estimation.rescaling_study(data)
    assert np.isnan(study["mae"].sel(rescaling="to gold", system="s3"))


def test_segments_that_miss_a_number_are_left_out_for_all():
    label, prediction = LABELS[:1].copy(), PREDICTIONS.copy()
    label[0, 3] = prediction[1, 7] = np.nan
    result = ss.quality_estimation.evaluate_predictions(data_of(prediction, label))
    kept = np.delete(np.arange(40), [3, 7])
    expected = ss.quality_estimation.evaluate_predictions(
        data_of(PREDICTIONS[:, kept], LABELS[:1, kept])
    )
    assert result.attrs["mask"] == "HTER 38/40"
    xr.testing.assert_identical(result.drop_attrs(), expected.drop_attrs())


def test_too_few_segments():
    prediction = PREDICTIONS.copy()
    prediction[1, 1:] = np.nan
    with pytest.raises(InputError, match=r"only 1 segments have both a label of 'HTER' .* 's1'"):
        ss.quality_estimation.evaluate_predictions(data_of(prediction))
    few = ss.quality_estimation.evaluate_predictions(data_of(PREDICTIONS[:, :3], LABELS[:1, :3]))
    assert few["value"].notnull().all()
    assert few["lower"].isnull().all()
    assert few["p_value"].isnull().all()
    assert not few["wins_over"].any()
    with pytest.raises(InputError, match="confidence level must be between 0 and 1"):
        ss.quality_estimation.evaluate_predictions(data_of(), confidence_level=1)


def test_no_errors_in_other_units():
    data = data_of(label=LABELS, gold=("HTER", "PET"), trained_on=["HTER", "PET", ""])
    result, study = (
        ss.quality_estimation.evaluate_predictions(data),
        ss.quality_estimation.rescaling_study(data),
    )
    expected = [[False, True, False], [True, False, False]]
    for measure in ("mae", "rmse"):
        np.testing.assert_array_equal(result[measure].isnull(), expected)
        for rescaling in ("original", "to own"):
            np.testing.assert_array_equal(
                study[measure].sel(rescaling=rescaling).isnull(), expected
            )
        assert study[measure].sel(rescaling="to gold").notnull().all()
    assert result["value"].notnull().all()


def test_post_edit_rates():
    length = RNG.integers(3, 40, 40).astype(float)
    length[5] = np.nan
    data = data_of(
        label=LABELS, gold=("HTER", "PET"), length=length, trained_on=["HTER", "PET", "PET"]
    )
    before = data.copy(deep=True)
    rates = ss.quality_estimation.to_post_edit_rates(data)
    xr.testing.assert_identical(data, before)
    assert list(rates["gold"].values) == ["HTER", "PER"]
    np.testing.assert_array_equal(rates["label"], [LABELS[0], LABELS[1] / length])
    expected = [PREDICTIONS[0], PREDICTIONS[1] / length, PREDICTIONS[2] / length]
    np.testing.assert_array_equal(rates["prediction"], expected)
    assert list(rates["predicts"].values) == ["HTER", "PER", "PER"]
    assert list(rates["trained_on"].values) == ["HTER", "PET", "PET"]
    judged = ss.quality_estimation.evaluate_predictions(rates)
    assert judged["mae"].sel(gold="PER").notnull().values.tolist() == [False, True, True]
    assert judged.attrs["mask"] == "HTER 39/40, PER 39/40"


def test_predictions_are_divided_with_their_gold_standard_or_refused():
    length = RNG.integers(3, 40, 40).astype(float)
    alone = data_of(label=LABELS[1:], gold=["PET"], length=length)
    rates = ss.quality_estimation.to_post_edit_rates(alone)
    np.testing.assert_array_equal(rates["prediction"], PREDICTIONS / length)
    np.testing.assert_array_equal(
        ss.quality_estimation.evaluate_predictions(rates)["mae"].sel(gold="PER"),
        np.abs(PREDICTIONS / length - LABELS[1] / length).mean(axis=1)[:],
    )
    both = data_of(label=LABELS, gold=["HTER", "PET"], length=length)
    with pytest.raises(InputError, match="it is unknown whether this predicts 'PET'"):
        ss.quality_estimation.to_post_edit_rates(both)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": "HTER"}, "need the lengths of translations"),
        ({"time": "PET"}, "no gold standard 'PET'; there are HTER"),
        ({"time": "HTER", "rate": "HTER"}, "a gold standard 'HTER' already exists"),
    ],
)
def test_rates_need_times_and_lengths(options, message):
    with pytest.raises(InputError, match=message):
        ss.quality_estimation.to_post_edit_rates(data_of(), **options)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_rescaling_changes_errors_and_not_r(share):
    study = ss.quality_estimation.rescaling_study(data_of(), share=share)
    np.testing.assert_allclose(study["r"], np.broadcast_to(study["r"][0], study["r"].shape))
    assert list(study["rescaling"].values) == list(RESCALINGS)
    gold = LABELS[0]
    for s, own in enumerate(PREDICTIONS):
        z = (own - own.mean()) / own.std(ddof=1)
        for name, rescaled in (
            ("original", own),
            ("to gold", z * gold.std(ddof=1) * share + gold.mean()),
            ("to own", own.mean() + share * (own - own.mean())),
        ):
            one = study.sel(rescaling=name, gold="HTER").isel(system=s)
            assert one["mae"].item() == pytest.approx(np.mean(np.abs(rescaled - gold)))
            assert one["rmse"].item() == pytest.approx(np.sqrt(np.mean((rescaled - gold) ** 2)))


def test_rescaled_predictions_are_those_that_the_study_measures():
    data = data_of()
    study = ss.quality_estimation.rescaling_study(data)
    rescaled = rescaled_predictions(data, "HTER", systems=["s2", "s0"])
    assert list(rescaled["system"].values) == ["s2", "s0"]
    for name in ("mae", "r"):
        ours = study[name].sel(gold="HTER", system=["s2", "s0"])
        expected = ours if name == "mae" else ours[0]
        np.testing.assert_allclose(rescaled[name], expected)
    error = np.abs(rescaled["prediction"] - rescaled["label"]).mean("segment")
    np.testing.assert_allclose(error, rescaled["mae"])
    with pytest.raises(InputError, match="no gold standard 'PET'"):
        rescaled_predictions(data, "PET")
    with pytest.raises(InputError, match="no system 'x'"):
        rescaled_predictions(data, "HTER", systems=["x"])
    with pytest.raises(InputError, match="share of a standard deviation"):
        ss.quality_estimation.rescaling_study(data, share=0)


@pytest.mark.real_data
def test_wmt14_as_checked_by_hand(data_root):
    data = ss.read_predictions(data_root / "wmt14-qe" / "task-1.2.csv", gold=["HTER"])
    result, study = (
        ss.quality_estimation.evaluate_predictions(data),
        ss.quality_estimation.rescaling_study(data),
    )
    own = result.sel(gold="HTER", system="Multilizer")
    assert [round(own[x].item(), 3) for x in ("value", "mae", "rmse")] == [0.409, 0.150, 0.209]
    mae = study["mae"].sel(gold="HTER", system="Multilizer")
    assert [round(x, 4) for x in mae.values.tolist()] == [0.1504, 0.1351, 0.1416]
    assert float(np.abs(study["r"] - study["r"][0]).max()) < 1e-15
