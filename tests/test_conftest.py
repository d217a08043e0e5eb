"""Tests draw the same examples everywhere, and tests of the real data are not skipped with it."""

from types import SimpleNamespace

import pytest

from tests.conftest import fail_skipped


@pytest.mark.parametrize(
    ("skipped", "keywords", "data_exists", "outcome"),
    [
        (True, {"real_data": 1}, True, "failed"),
        (True, {"real_data": 1}, False, "skipped"),
        (True, {}, True, "skipped"),
        (False, {"real_data": 1}, True, "passed"),
    ],
)
def test_a_skipped_test_of_real_data_fails_if_the_data_exists(
    tmp_path, skipped, keywords, data_exists, outcome
):
    before = "skipped" if skipped else "passed"
    report = SimpleNamespace(skipped=skipped, keywords=keywords, outcome=before, longrepr="why")
    fail_skipped(report, tmp_path if data_exists else tmp_path / "nowhere")
    assert report.outcome == outcome
