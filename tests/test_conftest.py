"""The rule that tests of the real data are not skipped where the data is there."""

from types import SimpleNamespace

import pytest

from tests.conftest import fail_skipped


@pytest.mark.parametrize(
    ("skipped", "keywords", "there", "outcome"),
    [
        (True, {"real_data": 1}, True, "failed"),
        (True, {"real_data": 1}, False, "skipped"),
        (True, {}, True, "skipped"),
        (False, {"real_data": 1}, True, "passed"),
    ],
)
def test_a_skipped_test_of_real_data_fails_where_the_data_is(
    tmp_path, skipped, keywords, there, outcome
):
    before = "skipped" if skipped else "passed"
    report = SimpleNamespace(skipped=skipped, keywords=keywords, outcome=before, longrepr="why")
    fail_skipped(report, tmp_path if there else tmp_path / "nowhere")
    assert report.outcome == outcome
