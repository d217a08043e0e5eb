"""Runs survive what happens to long runs: kills, damaged files, full disks, signals."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import supersample as ss
from tests.stores import MANY, SCORES, contents, finished, forked, run_many

pytestmark = pytest.mark.posix("processes are forked, killed and signalled")

COMMAND = [sys.executable, "-m", "supersample"]
PATIENCE = 60.0  # seconds until something that must happen has happened


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "run.zarr"
    run_many(path)
    return contents(path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.zarr"


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def recorded(path):
    folder = Path(path) / "kept" / "finished"
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_kills_at_random_moments_change_nothing_and_lose_no_chunk(path, undisturbed):
    moments = random.Random(0)
    killed = 0
    before = {}
    while killed < 8:
        process = forked().Process(target=run_many, args=(path,))
        process.start()
        process.join(moments.uniform(0.02, 0.4))
        if process.exitcode is None:
            process.kill()
            killed += 1
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        if not path.exists():
            continue
        after = finished(path)
        assert before.items() <= after.items()
        before = after
        if recorded(path) > 50:  # nearly done: what is killed from here on begins anew
            assert ss.hybrids.resume_run(path).became["kept"] >= len(before) // 5
            assert contents(path) == undisturbed
            path.rename(path.with_name(f"done-{killed}"))
            before = {}
    run_many(path)
    assert before.items() <= finished(path).items()
    assert contents(path) == undisturbed
    assert list((path / "kept" / "partial").iterdir()) == []


@pytest.mark.parametrize("harm", ["truncate", "flip", "remove", "record"])
def test_damaged_chunks_are_found_and_mended(path, undisturbed, harm):
    run_many(path)
    victim = path / "score" / "7.0"
    if harm == "truncate":
        os.truncate(victim, victim.stat().st_size // 2)
    elif harm == "flip":
        content = bytearray(victim.read_bytes())
        content[100] ^= 1
        victim.write_bytes(content)
    elif harm == "remove":
        victim.unlink()
    else:
        (path / "kept" / "finished" / "00000007").write_text('{"rows": 5')
    assert contents(path) != undisturbed
    status = ss.hybrids.resume_run(path)
    assert status.became == {"kept": 58, "computed" if harm == "record" else "mended": 1}
    assert contents(path) == undisturbed


def test_a_killed_worker_process_is_replaced(path, undisturbed):
    import multiprocessing

    before = set(multiprocessing.active_children())
    run = threading.Thread(
        target=ss.hybrids.run_hybrids,
        args=(SCORES, path),
        kwargs={**MANY, "workers": ss.Workers("processes", 2)},
    )
    run.start()
    wait_for(lambda: recorded(path) > 1)
    victim = next(iter(set(multiprocessing.active_children()) - before))
    os.kill(victim.pid, signal.SIGKILL)
    run.join(PATIENCE)
    assert contents(path) == undisturbed


def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_room(tmp_path, undisturbed):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted: {mounted.stderr.decode().strip()}")
    try:
        (disk / "ballast").write_bytes(bytes(300_000))
        path = disk / "run.zarr"
        with pytest.raises(ss.InputError) as refused:
            run_many(path)
        assert "No space left on device; finished chunks are kept" in str(refused.value)
        assert "\n" not in str(refused.value)
        there = recorded(path)
        assert 0 < there < 59
        (disk / "ballast").unlink()
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        assert ss.hybrids.resume_run(path).became == {"kept": there, "computed": 59 - there}
        assert contents(path) == undisturbed
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize(
    ("number", "status", "scheduler"),
    [(signal.SIGINT, 130, "threads"), (signal.SIGTERM, 143, "processes")],
)
def test_signals_leave_a_run_that_goes_on(path, number, status, scheduler):
    options = ["-n", "4000000", "--chunk", "1000", "--scheduler", scheduler]
    process = subprocess.Popen(
        [*COMMAND, "run", "example", "--out", path, *options], stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: recorded(path) > 2)
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    *progress, last = said.splitlines()  # a slow machine also says how far it is
    assert last == f"stopped; continue with: supersample run --resume {path}"
    assert all(line.startswith("hybrids: ") for line in progress)
    there = recorded(path)
    assert 2 < there < 4000
    part = (1, 1000)  # a part is enough to see that it goes on
    assert ss.hybrids.resume_run(path, part=part).became["computed"] >= 1
    assert list((path / "kept" / "partial").iterdir()) == []


def run_by_processes(path):
    ss.hybrids.run_hybrids(SCORES, path, n=10**5, chunk=100, workers=ss.Workers("processes", 2))


def test_worker_processes_end_with_a_killed_main_process(path):
    psutil = pytest.importorskip("psutil")
    main = forked().Process(target=run_by_processes, args=(path,))
    main.start()
    wait_for(lambda: recorded(path) > 2)
    workers = psutil.Process(main.pid).children(recursive=True)
    assert len(workers) >= 2
    main.kill()
    main.join()
    _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
    assert alive == []


def run_long(path):
    ss.hybrids.run_hybrids(SCORES, path, n=10**6, chunk=100)


def test_a_second_process_is_refused_and_may_begin_when_the_first_was_killed(path):
    first = forked().Process(target=run_long, args=(path,))
    first.start()
    wait_for(lambda: recorded(path) > 0)
    with pytest.raises(ss.InputError, match=r"another process .* is at work on"):
        ss.hybrids.resume_run(path)
    first.kill()
    first.join()
    there = recorded(path)
    assert ss.hybrids.resume_run(path, part=(1, 1_000)).became["computed"] >= 9
    assert recorded(path) > there


def run_part(path, part):
    ss.hybrids.run_hybrids(SCORES, path, **MANY, part=part)


def test_parts_at_once_fill_one_store(path, undisturbed):
    parts = [forked().Process(target=run_part, args=(path, (k, 4))) for k in (1, 2, 3, 4)]
    for process in parts:
        process.start()
    for process in parts:
        process.join(PATIENCE)
    assert [process.exitcode for process in parts] == [0] * 4
    assert contents(path) == undisturbed
