import numpy as np
import pytest

import supersample as ss
from supersample.presentation.rankings import deciding_table

SCORES = ss.load_example()
PAIR = "strong-95", "good-90"


def apart(scores, measure):
    found = ss.agreement(ss.keep_metrics(scores, list(PAIR)), measure)["value"].squeeze("measure")
    return (found.sel(metric=PAIR[0]) - found.sel(metric=PAIR[1])).item()


@pytest.mark.parametrize("measure", ["pearson", "SPA", "pdp/item", "pearson/item"])
@pytest.mark.parametrize("unit", ["segments", "documents"])
def test_influence_is_what_goes_with_the_unit(measure, unit):
    few = SCORES.isel(segment=slice(60))
    found = ss.deciding_segments(few, *PAIR, measure, unit=unit)
    dim = unit.removesuffix("s")
    assert (np.diff(np.abs(found["influence"])) <= 1e-12).all()
    for label in found[dim].values[[0, -1]]:
        without = few.isel(segment=few[dim].values != label)
        expected = found["difference"] - apart(without, measure)
        np.testing.assert_allclose(found["influence"].sel({dim: label}), expected, atol=1e-9)
    np.testing.assert_allclose(found["difference"], apart(few, measure), atol=1e-12)


def test_errors_are_better_when_smaller():
    found = ss.deciding_segments(SCORES, *PAIR, "MAE")
    assert found["difference"] == pytest.approx(-apart(SCORES, "MAE"))


def test_one_segment_that_a_metric_gets_wrong_decides():
    scores = SCORES.copy(deep=True)
    human = scores["human"].sum("segment")
    wrong = {"metric": PAIR[0], "segment": "segment-007"}
    scores["score"].loc[wrong] = -1000 * (human - human.mean()) / human.std()
    found = ss.deciding_segments(scores, *PAIR)
    assert found["segment"].values[0] == "segment-007"
    assert found["influence"].values[0] < 0
    table = deciding_table(found)
    row = dict(zip([column.field for column in table.columns], table.rows[0], strict=True))
    assert row["favours"] == PAIR[1]
    standard = found["standard_score"].sel(system=row["system"], segment="segment-007")
    assert row["strong-95"] == standard.sel(scorer="strong-95").item()
    largest = abs(
        found["standard_score"].sel(scorer="strong-95", segment="segment-007")
        - found["standard_score"].sel(scorer="good-90", segment="segment-007")
    ).max()
    assert abs(row["strong-95"] - row["good-90"]) == largest


def test_texts_stand_beside_their_segment():
    found = ss.deciding_segments(SCORES, *PAIR)
    texts = [[f"{x} {y}" for y in found["segment"].values] for x in found["system"].values]
    table = deciding_table(found.assign(text=(("system", "segment"), texts)))
    names = [column.field for column in table.columns]
    for row in table.rows[:5]:
        cells = dict(zip(names, row, strict=True))
        assert cells["text"] == f"{cells['system']} {cells['segment']}"


def test_lower_is_better_is_turned():
    found = ss.deciding_segments(SCORES, "errors-85", "good-90")
    own = found["standard_score"].sel(scorer="errors-85").mean("segment")
    raw = SCORES["score"].sel(metric="errors-85", segment=found["segment"].values).mean("segment")
    assert np.corrcoef(own, raw)[0, 1] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": "COMET"}, "no metric 'COMET'"),
        ({"second": "strong-95"}, "named twice"),
        ({"unit": "systems"}, "no unit 'systems'"),
        ({"measure": "magic"}, "magic"),
    ],
)
def test_mistakes_are_refused(options, message):
    chosen = {"first": PAIR[0], "second": PAIR[1], **options}
    with pytest.raises(ss.InputError, match=message):
        ss.deciding_segments(SCORES, **chosen)


def test_documents_are_needed_to_leave_them_out():
    with pytest.raises(ss.InputError, match="have no documents"):
        ss.deciding_segments(SCORES.drop_vars("document"), *PAIR, unit="documents")
