"""Workers on this machine: all do the same, and heed errors, interruptions and deaths."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import supersample as ss
from supersample.execution.workers import one_thread_each

ITEMS = list(range(10))


def double(item):
    return 2 * item


def failing(item):
    if item == 3:
        raise ss.InputError(f"no such luck with {item}")
    time.sleep(0.01)
    return item


def slow_first(item):
    time.sleep(0.05 if item == 0 else 0)
    return 2 * item


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_map_gives_results_in_order_as_the_built_in_map(clients, name):
    for items in (ITEMS, ITEMS[:1], []):
        expected = [2 * item for item in items]
        assert [*clients[name].map(slow_first, iter(items))] == expected
        assert dict(clients[name].completed(double, items)) == dict(
            zip(items, expected, strict=True)
        )


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_errors_come_through_and_who_stops_listening_ends_the_work(clients, name):
    compute = clients[name].map  # which passes on what `completed` gives
    with pytest.raises(ss.InputError, match="no such luck with 3"):
        list(compute(failing, range(200)))
    results = compute(double, range(10**5))
    next(results)
    results.close()
    assert len([*compute(double, [1])]) == 1


def test_threads_work_at_the_same_time():
    both = threading.Barrier(2, timeout=30)
    with ss.connect(ss.Workers("threads", 2)) as client:
        assert len(dict(client.completed(lambda item: both.wait(), [0, 1]))) == 2


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("count", [1, 2])
def test_what_has_not_begun_when_a_task_fails_is_left(error, count):
    begun = []

    def fails_first(item):
        begun.append(item)
        if item == 0:
            raise error("no such luck")
        time.sleep(0.01)

    with ss.connect(ss.Workers("threads", count)) as client:
        with pytest.raises(error, match="no such luck"):
            list(client.completed(fails_first, range(1000)))
        assert len(begun) < 1000
        so_far = len(begun)
        time.sleep(0.05)
        assert len(begun) == so_far


class Loads:
    """A task that counts how often it is read."""

    reads = 0

    def __setstate__(self, _):
        Loads.reads += 1

    def __getstate__(self):
        return {"some": "state"}

    def __call__(self, item):
        return os.getpid(), Loads.reads


def test_processes_live_across_tasks_and_read_each_once(clients):
    first = {seen for _, seen in clients["processes"].completed(Loads(), range(20))}
    second = {seen for _, seen in clients["processes"].completed(Loads(), range(20))}
    assert len({process for process, _ in first | second}) <= 2
    assert {reads for _, reads in first} == {1}
    assert {reads for _, reads in second} <= {1, 2}


def environment(names):
    return {name: os.environ.get(name) for name in names}


def test_worker_processes_start_no_threads_of_libraries(clients):
    before = environment(one_thread_each())
    [(_, inside)] = clients["processes"].completed(environment, [tuple(one_thread_each())])
    assert inside == one_thread_each()
    assert environment(one_thread_each()) == before


def handlers(item):
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


class Unsendable:
    def __reduce__(self):
        raise TypeError("not to be sent")


def gives_unsendable(item):
    return Unsendable()


def test_what_cannot_be_sent_is_an_error_of_the_task(clients):
    with pytest.raises(TypeError, match="not to be sent"):
        list(clients["processes"].completed(gives_unsendable, [1]))


def test_errors_of_worker_processes_say_where_they_arose(clients):
    with pytest.raises(ss.InputError) as raised:
        list(clients["processes"].completed(failing, [3]))
    assert "in failing" in str(raised.value.__cause__)


FAILS = """
import threading

import supersample as ss


class Lost(Exception):
    def __init__(self, what, where):
        super().__init__(f"{what} is not in {where}")
        self.held = threading.Lock()


class Refused(ss.InputError):
    def __init__(self, what, where):
        super().__init__(f"{what} is not for {where}")
        self.held = threading.Lock()


def fails(item):
    raise {0: Lost, 1: Refused}[item % 2]("my metric", "these scores")


if __name__ == "__main__":
    with ss.connect(ss.Workers("processes", 1)) as client:
        for item in range(2):
            try:
                list(client.completed(fails, [item] * 8))
            except (RuntimeError, ss.InputError) as error:
                assert "in fails" in str(error.__cause__)
                print(f"{type(error).__name__}: {error}")
        print(dict(client.completed(abs, [-3])))
"""


def ran(script, folder):
    """Run a script as people do: its output and errors."""
    file = folder / "script.py"
    file.write_text(script)
    root = str(Path(ss.__file__).parents[1])
    return subprocess.run(
        [sys.executable, file],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("extras", ["", 'sys.modules["tblib"] = sys.modules["distributed"] = None'])
def test_errors_of_worker_processes_that_cannot_be_read_again_come_as_text(tmp_path, extras):
    ended = ran(f"import sys\n{extras}\n{FAILS}", tmp_path)
    assert ended.stdout.splitlines() == [
        "RuntimeError: Lost: my metric is not in these scores",
        "InputError: my metric is not for these scores",
        "{-3: 3}",
    ], ended.stderr


def test_a_script_whose_work_is_not_guarded_is_told_so(tmp_path):
    ended = ran(
        "import supersample as ss\n"
        'ss.hybrid_supersample(ss.load_example(), n=100, workers=ss.Workers("processes", 1))\n',
        tmp_path,
    )
    assert ended.returncode == 1
    assert ended.stderr.count("Traceback") == 1  # of the script, and none of its processes
    assert ended.stderr.endswith('above the line if __name__ == "__main__":\n')


def test_what_another_thread_sets_in_the_environment_stays(monkeypatch):
    monkeypatch.setenv("SET_BY_ANOTHER_THREAD", "0")
    started, undone = threading.Event(), []

    def sets_and_looks():
        for number in itertools.count(1):
            os.environ["SET_BY_ANOTHER_THREAD"] = str(number)
            time.sleep(1e-4)
            if os.environ["SET_BY_ANOTHER_THREAD"] != str(number):
                undone.append(number)
            if started.is_set():
                return

    other = threading.Thread(target=sets_and_looks)
    other.start()
    try:
        with ss.connect(ss.Workers("processes", 2)) as client:
            list(client.completed(double, range(9)))
    finally:
        started.set()
        other.join()
    assert not undone


def test_worker_processes_ignore_signals_of_the_terminal(clients):
    assert dict(clients["processes"].completed(handlers, [0])) == {0: [signal.SIG_IGN] * 2}


def die(item):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.posix("processes are killed by signals")
def test_a_killed_process_is_told_and_others_take_further_work():
    with ss.connect(ss.Workers("processes", 1)) as client:
        with pytest.raises(ss.InputError, match="a worker process ended; perhaps there is too"):
            list(client.completed(die, [1]))
        assert dict(client.completed(double, [1])) == {1: 2}


@pytest.mark.parametrize("count", [2.5, 0, -1])
def test_workers_are_counted_in_whole_numbers(count):
    with pytest.raises(ss.InputError, match=f"workers are counted from 1 in whole .*, not {count}"):
        ss.Workers("threads", count)
