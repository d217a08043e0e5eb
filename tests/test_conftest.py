"""Tests draw the same examples everywhere, and tests of the real data are not skipped with it."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import fail_skipped


def _examples(profile):
    drawn = []

    @settings(settings.get_profile(profile), max_examples=20)
    @given(st.integers())
    def draw(number):
        drawn.append(number)

    draw()
    return drawn


def test_examples_are_the_same_in_every_run():
    assert _examples("supersample") == _examples("supersample")


def test_examples_of_make_faults_differ():
    assert _examples("faults") != _examples("faults")


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
