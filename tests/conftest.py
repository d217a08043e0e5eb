"""Where the public evaluation data is, and that no test of it is skipped where it is there."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# a busy machine is no failure; on CI hypothesis loads its own profile, which this one keeps
settings.register_profile(
    "supersample", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("supersample")

DATA_ROOT = Path(
    os.environ.get("SUPERSAMPLE_DATA", Path(__file__).parents[2] / "shared" / "data")
).absolute()


@pytest.fixture(scope="session")
def data_root():
    if not DATA_ROOT.is_dir():
        pytest.skip(f"no evaluation data at {DATA_ROOT}: set SUPERSAMPLE_DATA to their folder")
    return DATA_ROOT


def fail_skipped(report, data_root):
    """Turn a skipped test of the real data into a failed one where the data is there."""
    if report.skipped and "real_data" in report.keywords and data_root.is_dir():
        report.outcome = "failed"
        report.longrepr = f"skipped, although the data is at {data_root}: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    fail_skipped(report, DATA_ROOT)
    return report
