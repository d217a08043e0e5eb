import numpy as np
import pytest

import supersample as ss

EXAMPLE = ss.load_example()


@pytest.mark.parametrize("measure", ["pearson", "kendall", "MAE", "SPA", "pdp"])
def test_each_row_is_the_ranking_without_that_system(measure):
    influence = ss.leave_one_out(EXAMPLE, measure, mask="complete").isel(measure=0)
    scores = ss.select_segments(EXAMPLE, "complete")
    metrics = influence["metric"].values
    sign = 1 if measure == "MAE" else -1
    whole = ss.agreement(EXAMPLE, measure, mask="complete")["value"].squeeze().sel(metric=metrics)
    np.testing.assert_allclose(influence["value"], whole)
    assert (sign * whole.diff("metric") >= 0).all()
    for i in (0, 8):
        fewer = scores.isel(system=np.arange(12) != i)
        expected = (
            ss.agreement(fewer, measure, mask="complete")["value"].squeeze().sel(metric=metrics)
        )
        own = influence.isel(system=i)
        np.testing.assert_allclose(own["value_without"], expected, rtol=1e-10)
        order = np.argsort(own["rank_without"].values, kind="stable")
        assert (np.diff(sign * expected.values[order]) >= -1e-10).all()


def test_its_table_has_a_row_for_each_system_and_metric():
    influence = ss.leave_one_out(EXAMPLE, "SPA")
    row = ss.to_frame(influence).iloc[9]
    own = influence.sel(measure="SPA", system=row["system"], metric=row["metric"])
    assert (row["system"], row["value_without"]) == ("system-02", own["value_without"].item())
