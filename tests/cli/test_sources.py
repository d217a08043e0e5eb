"""Sources of scores on the command line, metrics of one's own, convert and inspect."""

import pytest

import supersample as ss
from supersample import cli

EXAMPLE = ss.load_example()


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder of its own: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return command


@pytest.fixture
def mine(tmp_path):
    """Write scores of a metric that points downwards: lines of a system and a score."""
    own = -EXAMPLE["score"].sel(metric="good-90").values
    rows = zip(EXAMPLE["system"].values, own, strict=True)
    path = tmp_path / "mine.seg.score"
    path.write_text("".join(f"{system}\t{x!r}\n" for system, row in rows for x in row.tolist()))
    return path


SYSTEM_LEVEL = "METRIC LP DATA SYSTEM SCORE HUMAN\n" + "".join(
    f"{metric} xx-yy set {system} 0.{(i * 7 + 3 * j) % 10} {i}\n"
    for j, metric in enumerate(["m", "n"])
    for i, system in enumerate("ABCDEF")
)


@pytest.mark.parametrize("name", ["rank", "compare", "intervals", "influence"])
def test_a_metric_is_added_in_every_command(command, mine, name):
    options = ["-n", "50"] if name == "rank" else ["--resamples", "50"] * (name == "intervals")
    status, out, err = command(
        name, "--example", "--add-metric", f"mine={mine}", "--lower-is-better", "mine", *options
    )
    assert status == 0
    assert "warning" not in err
    assert name == "influence" or "mine ★" in out
    assert "★ added to the set" in out or name == "intervals"


def test_added_metrics_may_be_named_among_those_to_keep(command, mine):
    added = ["inspect", "--example", "--add-metric", f"mine={mine}", "--lower-is-better", "mine"]
    status, out, err = command(*added, "--metrics", "mine,fair-70")
    assert (status, "fair-70" in out, "mine ★" in out, "good-90" in out) == (0, True, True, False)
    status, out, _ = command(*added, "--metrics", "mine")
    assert (status, "fair-70" in out, "mine ★" in out) == (0, False, True)
    status, out, _ = command("rank", *added[1:], "--metrics", "mine", "-n", "50")
    assert "\nmine ★ agrees with people by r = " in out
    assert "no other metric to compare it with" in out
    assert (status, "best?" in out, "wins" in out) == (0, False, False)
    status, _, err = command(*added, "--metrics", "mine,fare-70")
    assert (status, "did you mean 'fair-70'?" in err) == (2, True)


def test_an_undeclared_orientation_is_inferred_with_a_printed_warning(command, mine):
    status, out, err = command("compare", "--example", "--add-metric", f"mine={mine}", "-q")
    assert status == 0
    assert "warning: 'mine' was taken to be lower-is-better, since r" in err
    assert "★ added to the set" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--add-metric", "mine"], "--add-metric takes NAME=FILE, not 'mine'"),
        (["--add-metric", "a=x", "--add-metric", "a=y"], "names 'a' twice"),
        (["--higher-is-better", "a"], "--higher-is-better is of added metrics; 'a' is none"),
        (
            ["--add-metric", "a=x", "--lower-is-better", "a", "--higher-is-better", "a"],
            "'a' cannot be lower-is-better and higher-is-better",
        ),
        (["--add-metric", "a=nowhere.csv"], "there is no file nowhere.csv"),
        (["--wmt", "x"], "name one source of scores"),
    ],
)
def test_mistakes_end_in_one_line(command, options, message):
    status, _, err = command("compare", "--example", *options)
    assert status == 2
    [line] = err.splitlines()
    assert line.startswith("error: ")
    assert message in line


def test_system_level_scores_are_compared_and_make_no_hybrids(command, tmp_path):
    path = tmp_path / "systems.csv"
    path.write_text(SYSTEM_LEVEL)
    for name in ("compare", "inspect", "influence"):
        assert command(name, "--system-scores", path)[0] == 0
    status, out, _ = command("intervals", "--system-scores", path, "--resamples", "50")
    assert status == 0
    assert "plus-minus" not in out
    status, _, err = command("rank", "--system-scores", path)
    assert status == 2
    assert err.startswith("error: these are system-level scores without segments")
    status, _, err = command("spa", "--system-scores", path)
    assert status == 2
    assert err.startswith("error: these are system-level scores without segments")
    for name in ("compare", "influence", "intervals"):
        status, _, err = command(name, "--system-scores", path, "--mask", "all")
        assert status == 2
        assert err.startswith("error: mask and human mean (--mask, --human-mean) are of segments")


def test_scores_are_converted_and_inspected(command, mine):
    status, _, err = command("convert", "--example", "--to", "scores.nc")
    assert (status, err) == (0, "written to scores.nc: 12 systems, 500 segments, 8 metrics\n")
    status, out, _ = command("inspect", "scores.nc", "--add-metric", f"mine={mine}")
    assert status == 0
    assert "mask: common 463/500" in out
    assert "mine ★" in out
    status, _, err = command("convert", "scores.nc", "--to", "scores.csv")
    assert err.endswith(
        "not in the file, to be repeated when it is read: --lower-is-better errors-85\n"
    )
    assert command("convert", "--example", "--to", "scores.csv")[0] == 2
    assert command("inspect", "scores.nc", "--human", "x")[0] == 2


def test_files_of_the_metrics_task_need_human_scores(command, tmp_path):
    path = tmp_path / "m.seg.score"
    rows = (
        f"{metric}\txx-yy\tset\t{system}\t{segment}\t{(i * 3 + segment * j) % 7}\n"
        for j, metric in enumerate(["people", "m", "n"], start=1)
        for i, system in enumerate("ABCDE")
        for segment in range(1, 9)
    )
    path.write_text("".join(rows))
    status, _, err = command("compare", "--wmt", path)
    assert (status, "--wmt also needs --human" in err) == (2, True)
    status, out, _ = command("rank", "--wmt", path, "--human", "people", "-n", "40")
    assert status == 0
    assert "40 hybrids: " in out
