"""Hypothesis profiles, the command line, shared workers, and where the public data is."""

import gc
import io
import os
import sys
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

# What is printed depends neither on the terminal that the tests run in, nor on a person's data.
for name in ("COLUMNS", "LINES", "SUPERSAMPLE_SETS"):
    os.environ.pop(name, None)

# Whether a busy machine is slow is no verdict, so no test has a deadline.
COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow],
}
# The default: the same examples, and so the same verdict, on every machine and in every run.
settings.register_profile("supersample", max_examples=30, derandomize=True, database=None, **COMMON)
# `make faults`: more and other examples in every run; failing ones are kept in .hypothesis and
# tried first.
settings.register_profile(
    "faults", settings.get_profile("default"), max_examples=200, derandomize=False, **COMMON
)
settings.load_profile("supersample")

DATA_ROOT = Path(
    os.environ.get("SUPERSAMPLE_DATA", Path(__file__).parents[2] / "shared" / "data")
).absolute()

# Examples in docstrings that need a package of an extra; tests say so with pytest.importorskip.
EXAMPLES_OF_EXTRAS = {
    "supersample.scores.corpus.metrics.add_corpus_metrics": ("sacrebleu", "text"),
}


# What is collected lives to the end, and is a million objects to look through again and again.
gc.disable()


def pytest_sessionstart(session):
    # not in the process that only hands out tests, for which the others wait
    if not session.config.getoption("numprocesses", None):
        import experiments.error_tests.measures  # noqa: F401 - registers MAE and RMSE


def pytest_collection_finish():
    # no gc.freeze(): with the oldest versions of hypothesis two tests find other examples then
    gc.enable()


def pytest_collection_modifyitems(config, items):
    if config.getoption("--hypothesis-profile") != "faults":
        long = [item for item in items if item.get_closest_marker("faults")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    # Of two workers, one begins with the first test and one in the middle. Commands come before
    # that: they need what measures need, which the other worker has compiled by then.
    at = next((i for i, item in enumerate(items) if "tests/inference/" in item.nodeid), 0)
    cli = [item for item in items[:at] if "tests/cli/" in item.nodeid]
    items[:at] = [item for item in items[:at] if item not in cli] + cli
    for item in items:
        needs = item.get_closest_marker("posix")
        if needs is not None and os.name != "posix":
            item.add_marker(pytest.mark.skip(reason=f"needs POSIX: {needs.args[0]}"))
        package, extra = EXAMPLES_OF_EXTRAS.get(item.name, (None, None))
        if package is not None and find_spec(package) is None:
            item.add_marker(pytest.mark.skip(reason=f"the extra '{extra}' is not installed"))


@pytest.fixture(scope="session")
def clients():
    """Workers of each kind on this machine, started once; processes with their first task."""
    from supersample import Workers, connect

    with (
        connect(Workers("threads", 3)) as threads,
        connect(Workers("processes", 2)) as processes,
        connect("synchronous") as synchronous,
    ):
        yield {"threads": threads, "processes": processes, "synchronous": synchronous}


@pytest.fixture
def started(monkeypatch, clients):
    """Schedulers of the workers that verbs start, in order; threads stand in for clusters."""
    from supersample.execution import workers

    names = []

    def local(scheduler, count):
        names.append(scheduler)
        return nullcontext(clients[scheduler])

    def cluster(address):
        names.append("slurm" if isinstance(address, int) else address)
        return nullcontext(clients["threads"])

    monkeypatch.setattr(workers, "local_client", local)
    monkeypatch.setattr(workers, "slurm_client", cluster)
    monkeypatch.setattr(workers, "address_client", cluster)
    return names


class Result(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def done(self):
        """These results, of a command that must succeed."""
        assert self.status == 0, self.err
        return self


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder: its status, output and errors."""
    from supersample import cli

    monkeypatch.chdir(tmp_path)

    def command(*arguments, stdin=None):
        arguments = [str(argument) for argument in arguments]
        monkeypatch.setattr(sys, "argv", ["supersample", *arguments])
        if stdin is not None:
            raw = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        captured = capsys.readouterr()
        return Result(ended.value.code or 0, captured.out, captured.err)

    return command


def save_small(drawn, folder, name):
    """Draw a figure small and without a layout; its PDF says so."""
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from supersample.presentation.figures import style

    figure = style.figure_of(drawn) if isinstance(drawn, Axes) else drawn
    figure.set_dpi(20)
    figure.set_layout_engine("none")
    with style.styled():
        FigureCanvasAgg(figure).print_png(folder / f"{name}.png")
    (folder / f"{name}.pdf").write_bytes(b"not drawn in tests without full_figures")


@pytest.fixture(scope="session", autouse=True)
def small_figures():
    """Draw figures small: most time of a test that writes results goes into their layout."""
    from supersample.presentation.figures import style

    full, style.save = style.save, save_small
    yield full
    style.save = full


@pytest.fixture
def full_figures(monkeypatch, small_figures):
    """Figures as users get them."""
    monkeypatch.setattr("supersample.presentation.figures.style.save", small_figures)


@pytest.fixture(scope="session")
def data_root():
    if not DATA_ROOT.is_dir():
        pytest.skip(f"no evaluation data at {DATA_ROOT}: set SUPERSAMPLE_DATA to their folder")
    return DATA_ROOT


def fail_skipped(report, data_root):
    """Turn a skipped test of the real data into a failed one if the data exists."""
    if report.skipped and "real_data" in report.keywords and data_root.is_dir():
        report.outcome = "failed"
        report.longrepr = f"skipped, although the data is at {data_root}: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    fail_skipped(report, DATA_ROOT)
    return report
