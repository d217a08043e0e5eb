"""Runs survive what happens to long runs: kills, damaged files, full disks, signals."""

import os
import random
import signal
import subprocess
import sys

import pytest

import supersample as ss
from tests.faults.runs import wait_for
from tests.stores import MANY, SCORES, contents, forked, recorded, run_many, written

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


def test_kills_at_random_moments_change_nothing_and_lose_no_chunk(path, undisturbed):
    moments = random.Random(0)
    killed, before = 0, 0
    while killed < 8:
        process = forked().Process(target=run_many, args=(path,))
        process.start()
        process.join(moments.uniform(0.02, 0.4))
        if process.exitcode is None:
            process.kill()
            killed += 1
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        assert recorded(path) >= before
        before = recorded(path)
        if before > 50:  # nearly done: what is killed from here on begins anew
            assert ss.hybrids.resume_run(path).became["kept"] >= before
            assert contents(path) == undisturbed
            path.rename(path.with_name(f"done-{killed}"))
            before = 0
    run_many(path)
    assert contents(path) == undisturbed
    for partial in path.rglob("*.partial"):
        os.utime(partial, (0, 0))  # of no process that is at work
    there = written(path)
    ss.hybrids.resume_run(path)
    assert written(path) == there
    assert list(path.rglob("*.partial")) == []


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
    options = ["-n", "4000000", "--chunk", "1000", "--scheduler", scheduler, "--workers", "1"]
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
    assert 2 < recorded(path) < 4000
    part = (1, 1000)  # a part is enough to see that it goes on
    assert ss.hybrids.resume_run(path, part=part).became["computed"] >= 1


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


def run_part(path, options):
    ss.hybrids.run_hybrids(SCORES, path, **{**MANY, **options})


@pytest.mark.parametrize(
    "shares",
    [
        [{"part": (k, 4)} for k in (1, 2, 3, 4)],
        [{}, {}, {"n": 1_000}],  # one begins a shorter run, unless others were faster
    ],
)
def test_processes_at_once_fill_one_store(path, undisturbed, shares):
    processes = [forked().Process(target=run_part, args=(path, share)) for share in shares]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
    assert [process.exitcode for process in processes[:2]] == [0, 0]
    assert contents(path) == undisturbed


def test_of_two_runs_at_once_in_one_place_one_is_refused(path):
    seeds = [forked().Process(target=run_part, args=(path, {"seed": seed})) for seed in (0, 1)]
    for process in seeds:
        process.start()
    for process in seeds:
        process.join(PATIENCE)
    assert sorted(process.exitcode for process in seeds) == [0, 1]
    seed = [process.exitcode for process in seeds].index(0)
    run = ss.hybrids.open_run(path).load().drop_attrs()
    assert run.identical(ss.hybrid_supersample(SCORES, n=2_950, seed=seed).drop_attrs())
