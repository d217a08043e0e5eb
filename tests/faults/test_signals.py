"""Ctrl-C and SIGTERM at any time end a run soon, leave no process, and lose nothing."""

import os
import random
import signal
import time
import weakref

import pytest

import supersample as ss
from supersample.cli.app import Stopped, heeding_signals
from tests.faults.runs import RUN, STARTED, begin, left, wait_for, wait_for_moment
from tests.stores import contents

pytestmark = pytest.mark.posix("signals and groups of processes")

INT, TERM = signal.SIGINT, signal.SIGTERM
SEQUENCES = [(INT,), (TERM,), (INT, INT), (TERM, TERM), (INT, TERM), (TERM, INT), (INT, INT, INT)]
LONG = pytest.mark.faults
AT_ONE_PRESS, AT_TWO = 3.0, 1.0  # seconds until all has ended, on a machine with nothing else


def slowness():
    """How many times longer work takes than alone on this machine, at least 1."""
    wall, work = time.monotonic(), time.process_time()
    while time.process_time() - work < 0.1:
        pass
    return max(1.0, (time.monotonic() - wall) / 0.1)


def disturb(process, numbers, rng):
    """Send signals as a terminal does, or to the process alone; when each was sent."""
    to = rng.choice([os.kill, os.killpg])
    sent = []
    for number in numbers:
        try:
            to(process.pid, number)
        except ProcessLookupError:
            break
        sent.append(time.monotonic())
        if len(numbers) > 1:
            time.sleep(rng.uniform(0.05, 0.8))
    return sent


@pytest.fixture
def within_limits(record_property, pytestconfig):
    """Record how long it took until all had ended, and check it in the long rounds alone."""

    def check(sent, ended, slow):
        record_property("seconds", [round(ended - at, 2) for at in sent[:2]])
        record_property("slowness", round(slow, 2))
        due = [sent[0] + 2 * slow * AT_ONE_PRESS, *(at + 2 * slow * AT_TWO for at in sent[1:2])]
        if pytestconfig.getoption("--hypothesis-profile") == "faults":
            assert ended < min(due), (sent, ended, slow)

    return check


def check_disturbed(path, scheduler, seed, undisturbed, within_limits):
    rng = random.Random(f"{seed} {scheduler.partition(':')[0]}")
    process = begin(path, scheduler)
    wait_for_moment(process, path, rng)
    before = slowness()
    sent = disturb(process, rng.choice(SEQUENCES), rng)
    _, said = process.communicate(timeout=STARTED)
    wait_for(lambda: left(process.pid) == [])
    ended = time.monotonic()
    within_limits(sent, ended, max(before, slowness()))
    assert process.returncode in (0, 130, 143, -INT, -TERM)
    assert "Traceback" not in said or process.returncode == -INT  # Python itself was starting
    ss.hybrids.run_hybrids(ss.load_example(), path, **RUN)
    assert contents(path) == undisturbed


@LONG
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_signals_on_this_machine(tmp_path, undisturbed, scheduler, seed, within_limits):
    check_disturbed(tmp_path / "run.zarr", scheduler, seed, undisturbed, within_limits)


@LONG
@pytest.mark.parametrize("seed", range(30))
def test_signals_of_a_client_of_a_cluster(tmp_path, undisturbed, address, seed, within_limits):
    check_disturbed(tmp_path / "run.zarr", address, seed, undisturbed, within_limits)


def test_a_signal_within_a_callback_is_raised_at_the_end(capsys):
    """Python swallows what callbacks of weak references raise, and would print it."""

    class Dying:
        pass

    dying = Dying()
    reference = weakref.ref(dying, lambda _: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(Stopped), heeding_signals():
        del dying
    assert reference() is None
    assert capsys.readouterr().err == ""
