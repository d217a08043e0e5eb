"""``supersample run``, and commands that take a run."""

import xarray as xr

import supersample as ss
from supersample.hybrids.resuming import run_options
from tests.long_tables import check_refused, table_text

SMALL = ["-n", "300", "--chunk", "100"]


def test_a_run_is_begun_made_longer_and_ranked(command):
    status, out, err = command("run", "example", "--out", "run.zarr", *SMALL, "--seed", "5")
    assert (status, out) == (0, "")
    assert "chunks: 3 computed" in err
    assert "run.zarr: 300 of 300 hybrids, 3 of 3 chunks\n" in err
    status, _, err = command("run", "--resume", "run.zarr", "-n", "400", "--workers", "1")
    assert "chunks: 1 computed, 3 kept" in err
    status, out, _ = command("run", "--status", "run.zarr")
    assert "400 of 400 hybrids" in out
    with xr.open_zarr("run.zarr") as stored:
        assert stored.attrs["signature"].startswith("statistic:mean|n:400 hybrids")
    from_run = command("rank", "run.zarr/")
    in_memory = command("rank", "example", "-n", "400", "--seed", "5")
    assert from_run[:2] == in_memory[:2]
    of_scores = command("rank", "run.zarr", "--random", "systems")
    assert of_scores[:2] == command("rank", "example", "--random", "systems")[:2]


def test_a_reversed_metric_is_warned_of_before_the_run(command, tmp_path):
    scores = ss.load_example().isel(segment=slice(40)).sel(metric=["errors-85"])
    (tmp_path / "scores.csv").write_text(table_text(scores))
    status, _, err = command("run", "scores.csv", "--human", "people", "--out", "run.zarr", *SMALL)
    assert status == 0
    assert err.startswith("warning: clearly negative r over the 12 systems: errors-85 (r = -0.")
    assert err.count("clearly negative") == 1


def test_parts_by_the_command_line(command):
    begin = ["run", "example", "--out", "run.zarr", *SMALL]
    assert "2 of 3 chunks" in command(*begin, "--part", "1/2")[2]
    status, out, _ = command("run", "--status", "run.zarr")
    assert out.endswith("go on with: supersample run --resume run.zarr\n")
    status, _, err = command("rank", "run.zarr")
    assert status == 2
    assert err.splitlines()[-1] == (
        "error: run.zarr has 2 of 3 chunks; finish it: supersample run --resume run.zarr"
    )
    assert "3 of 3 chunks" in command("run", "--resume", "run.zarr", "--part", "2/2")[2]


def test_every_option_reaches_the_run(command):
    status, _, err = command(
        "run", "example", "--out", "a.zarr", *SMALL, "--design", "mix:unit=document",
        "--mask", "all", "--human-mean", "segments", "--scheduler", "synchronous", "-q",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert run_options("a.zarr") == {
        "n": 300, "design": ss.MixHybrids("document"), "mask": "all", "human_mean": "segments",
    }  # fmt: skip


def test_a_run_learns_afterwards_that_lower_is_better(command, tmp_path):
    errors = {"systems": 8, "segments": 20, "lower_is_better": ("ter",), "seed": 1}
    scores = ss.simulate_scores(correlations={"good": 0.9, "ter": 0.99}, **errors)
    (tmp_path / "table.csv").write_text(table_text(scores))
    options = ("--human", "people", "-n", "200")
    assert command("run", "table.csv", *options, "--out", "blind.zarr", "-q").status == 0
    lower = ("--lower-is-better", "ter")
    assert command("run", "table.csv", *options, *lower, "--out", "told.zarr", "-q").status == 0
    blind = command("rank", "blind.zarr")
    assert "clearly negative r over the 8 systems: ter" in blind.err
    told = command("rank", "told.zarr")
    later = command("rank", "blind.zarr", *lower)
    assert later.status == 0
    assert later.out.replace("blind", "told") == told.out
    assert later.out != blind.out
    result = command("rank", "blind.zarr", "--lower-is-better", "bleu")
    check_refused(result, "no metric 'bleu' in blind.zarr; there are good, ter")
