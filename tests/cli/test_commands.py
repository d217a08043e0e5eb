"""The command line as a newcomer uses it: what works, and one line where it cannot."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample import cli
from supersample.presentation.rankings import PRECISION_NOTE

RUN = [sys.executable, "-c", "from supersample.cli import main; main()"]
HEADER = "system,segment,scorer,score\n"
QUICK = ["--hybrids", "60"]


def table_text(scores, delimiter=","):
    """Scores as a long table, text."""
    rows = ["system,segment,scorer,score"]
    for system in scores["system"].values:
        for segment in scores["segment"].values:
            place = {"system": system, "segment": segment}
            human = scores["human"].sel(place).item()
            rows.append(f"{system},{segment},people,{human!r}")
            for metric in scores["metric"].values:
                value = scores["score"].sel({**place, "metric": metric}).item()
                rows.append(f"{system},{segment},{metric},{value!r}")
    return "\n".join(rows).replace(",", delimiter) + "\n"


SCORES = ss.simulate_scores(
    systems=5, segments=6, correlations={"good": 0.9, "ter": 0.8}, lower_is_better=("ter",), seed=3
)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments, stdin=None):
        if stdin is not None:
            raw = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(ended.value.code or 0, captured.out, captured.err)

    return command


def test_the_example_is_ranked(command, tmp_path):
    result = command("rank", "--example", *QUICK, "--out", "out")
    assert result.status == 0
    assert (
        "embedded example: 12 systems, 8 metrics, human scores 'simulated', segments common 463/500"
    ) in result.err.splitlines()
    assert "written to out: " in result.err
    for metric in ss.load_example()["metric"].values:
        assert f" {metric} " in result.out
    assert PRECISION_NOTE in result.out.splitlines()
    assert "60 hybrids: " in result.out
    assert "12 systems: " in result.out
    assert result.out.splitlines()[-1].startswith("statistic:difference of pearson|method:zou2007")
    with xr.open_zarr(tmp_path / "out" / "hybrids.zarr") as sample:
        expected = ss.hybrid_supersample(ss.load_example(), n=60, seed=0)
        xr.testing.assert_equal(sample.load(), expected)
    with (tmp_path / "out" / "ranking.csv").open(newline="", encoding="utf-8") as file:
        ranked = [row["metric"] for row in csv.DictReader(file)]
    assert ranked == list(ss.rank(ss.compare_correlations(expected))["metric"].values)


def test_every_option_reaches_its_verb(command):
    result = command(
        "rank", "--example", "-n", "50", "--seed", "5", "--pairs", "random", "--share", "uniform",
        "--unit", "document", "--mask", "all", "--human-mean", "segments",
        "--method", "williams1959", "--confidence-level", "0.9", "--scheduler", "synchronous", "-q",
    )  # fmt: skip
    assert result.status == 0
    signature = result.out.splitlines()[-1]
    for fact in (
        "method:williams1959",
        "n:50 hybrids, 12 systems",
        "design:PairHybrids(random,uniform,document)",
        "seed:5",
        "mask:all 500/500, human 480-485",
        "human_mean:segments",
    ):
        assert fact in signature.split("|")
    assert "90 % intervals" in result.out
    assert result.err == ""


def test_a_table_is_ranked_from_standard_input(command):
    named = ["--human", "people", "--lower-is-better", "ter"]
    result = command("rank", "-", *named, *QUICK, stdin=table_text(SCORES, "\t"))
    assert result.status == 0
    assert result.err == (
        "standard input: 5 systems, 2 metrics, human scores 'people', segments common 6/6\n"
    )
    assert " ter ↓ " in result.out
    assert "lower is better; its scores were negated" in result.out


def test_a_table_and_its_systems_are_chosen(command, tmp_path):
    (tmp_path / "scores.csv").write_text(table_text(SCORES))
    chosen = ["--exclude", "system-1", "--only", "system-2", "--only", "system-3"]
    chosen += ["--metrics", "good"]
    result = command("rank", "scores.csv", "--human", "people", *chosen, *QUICK)
    assert result.status == 0
    assert "scores.csv: 2 systems, 1 metrics" in result.err
    left_out = "system-1, system-4 (not asked for), system-5 (not asked for)"
    assert f"systems left out: {left_out}" in result.err
    assert "No interval over 2 systems: at least 4 are needed." in result.out


def test_a_metric_without_variance_is_a_warning_and_no_failure(command):
    flat = SCORES.copy(deep=True)
    flat["score"].loc[{"metric": "good"}] = 1.0
    result = command("rank", "-", "--human", "people", *QUICK, stdin=table_text(flat))
    assert result.status == 0
    assert result.err.count("warning: no variance") == 2
    assert "undefined" in result.out


@pytest.mark.parametrize("n", [1, 3])
def test_few_hybrids_have_no_interval(command, n):
    result = command("rank", "--example", "--hybrids", n)
    assert result.status == 0
    assert f"No interval over {n} hybrids: at least 4 are needed." in result.out


def test_names_are_printed_as_they_are(command):
    text = table_text(SCORES).replace("good", "[/]").replace("ter", "[bold]x")
    result = command("rank", "-", "--human", "people", *QUICK, stdin=text)
    assert result.status == 0
    assert " [/] " in result.out
    assert " [bold]x " in result.out


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_the_commands(command, arguments):
    result = command(*arguments)
    assert result.status == 0
    assert "rank       Rank metrics on a hybrid super-sample." in result.out


def test_help_of_rank_names_every_option(command):
    result = command("rank", "--help")
    assert result.status == 0
    for option in ("--mtme", "--example", "--lower-is-better", "--hybrids", "--overwrite"):
        assert option in result.out


def test_the_version_is_said(command):
    assert command("--version").out.startswith("supersample ")


def good(text=""):
    return table_text(SCORES) + text


BAD = {
    "no source": ([], None, "name one source of scores"),
    "two sources": (["--example", "t.csv"], None, "name one source of scores"),
    "missing file": (["x.csv"], None, "there is no file x.csv"),
    "a folder": (["."], None, "is a folder"),
    "unknown kind": (["t.txt"], None, "no file"),
    "closed columns": (["-"], HEADER + "A,1,m\n", "standard input, line 2: 3 columns, the header"),
    "no number": (["-"], HEADER + "A,1,m,x\n", "standard input, line 2: the score 'x' is not a"),
    "infinite": (["-"], HEADER + "A,1,m,inf\n", "standard input, line 2: the score 'inf' is inf"),
    "not text": (["-"], b"\xff\xfe", "standard input, line 1: not UTF-8 text"),
    "empty": (["-"], "", "standard input, line 1: no column 'system'"),
    "lines in names": (["-"], HEADER + '"A\nB",1,m,x\n', "standard input, line 3: the score 'x'"),
    "lines in the message": (["-"], HEADER + '"A",1,"m\n",1\n', "there are m"),
    "duplicate": (
        ["-", "--human", "people"], good("system-1,segment-1,good,1\n"), "line 92: a second score",
    ),
    "no human": (["-", "--human", "mqm"], good(), "no scorer 'mqm' in standard input; there are"),
    "no scores": (["-", "--human", "people"], good("system-1,segment-1,m,\n"), "metric 'm'"),
    "unknown metric": (
        ["-", "--human", "people", "--lower-is-better", "x"], good(), "no scorer 'x'",
    ),
    "unknown system": (["-", "--human", "people", "--exclude", "x"], good(), "no system 'x'"),
    "one system": (
        ["-", "--human", "people", "--only", "system-1"], good(), "at least 2 systems are",
    ),
    "include": (
        ["-", "--human", "people", "--include", "system-1"], good(),
        "--include does not go with a table, which leaves no system out by itself; --only names",
    ),
    "no metric": (["-", "--human", "people", "--metrics", "x"], good(), "no metric 'x'; there are"),
    "twice": (["-", "--human", "people", "--metrics", "good,good"], good(), "is named twice"),
    "kind": (["-", "--metrics", "reference"], good(), "--metrics reference needs --mtme"),
    "one segment": (
        ["-"], HEADER + "A,1,human,1\nB,1,human,2\nA,1,m,1\nB,1,m,1\n", "at least 2 segments are",
    ),
    "no hybrids": (["--example", "--hybrids", "0"], None, "n is the number of hybrids, at least 1"),
    "too many": (["--example", "--hybrids", 10**20], None, "this machine has"),
    "hybrids in words": (["--example", "--hybrids", "abc"], None, "Invalid value for '--hybrids'"),
    "negative seed": (["--example", "--seed", "-1"], None, "a seed is an integer from 0"),
    "share": (["--example", "--share", "2"], None, "the share lies between 0 and 1"),
    "share in words": (["--example", "--share", "half"], None, "the share is a number or 'uni"),
    "documents": (
        ["-", "--human", "people", "--unit", "document"], good(), "name no documents",
    ),
    "level": (["--example", "--confidence-level", "95"], None, "--confidence-level"),
    "level of one": (["--example", "--confidence-level", "1"], None, "between 0 and 1"),
    "choice": (["--example", "--method", "x"], None, "Invalid value for '--method'"),
    "unknown option": (["--example", "--nonsense"], None, "No such option: --nonsense"),
    "no value": (["--example", "--seed"], None, "--seed"),
    "two tables": (["a.csv", "b.csv"], None, "unexpected extra argument"),
    "without effect": (["--example", "--reference", "x"], None, "--reference does not go with"),
    "of mtme": (["t.csv", "--reference", "refB"], None, "--reference does not go with a table"),
    "half of mtme": (["--mtme", "."], None, "--mtme also needs --test-set and --language-pair"),
    "no test set": (
        ["--mtme", ".", "--test-set", "x", "--language-pair", "y"], None, "no test set 'x'",
    ),
}  # fmt: skip


def check_refused(result, message):
    assert result.status == 2
    assert result.out == ""
    lines = result.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert message in lines[0]


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line_and_nothing_is_written(command, tmp_path, case):
    arguments, stdin, message = BAD[case]
    result = command("rank", *arguments, "--out", "out", stdin=stdin)
    check_refused(result, message)
    assert list(tmp_path.iterdir()) == []


def test_unknown_commands_get_one_line(command):
    check_refused(command("rnak"), "No such command 'rnak'")


def test_results_are_not_written_over_unasked(command, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ranking.csv").write_text("mine")
    arguments = ["rank", "-", "--human", "people", *QUICK, "--out", "out"]
    refused = command(*arguments, stdin=good())
    check_refused(refused, "the folder out is not empty; name another, or say --overwrite")
    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["mine"]
    assert command(*arguments, "--overwrite", stdin=good()).status == 0
    assert (tmp_path / "out" / "ranking.csv").read_text().startswith("metric,")


def test_a_file_in_place_of_the_folder_is_left_alone(command, tmp_path):
    (tmp_path / "out").write_text("mine")
    for out in ("out", "out/deeper"):
        result = command("rank", "--example", "--out", out, "--overwrite")
        check_refused(result, "is a file; name a folder")
    assert (tmp_path / "out").read_text() == "mine"


def test_what_the_system_refuses_gets_one_line(command):
    check_refused(command("rank", "x" * 300 + ".csv"), "File name too long")
    check_refused(command("rank", "--example", "--out", "x" * 300), "File name too long")


def test_too_little_memory_gets_one_line(command, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("supersample.hybrids.samples.compute_rows", exhausted)
    check_refused(command("rank", "--example"), "not enough memory for so much at once (Unable to")


@pytest.mark.parametrize(
    "arguments",
    [
        ["test", "overlapping", "2", "0.3", "0.3", "--n", "12"],
        ["test", "overlapping", "0.9", "0.1", "0.95", "--n", "12"],
        ["test", "overlapping", "0.9", "0.8", "0.9", "--n", "2"],
        ["test", "independent", "0.9", "0.8", "--n1", "3", "--n2", "1"],
        ["compare", "--example", "--resamples", "10"],
        ["compare", "--example", "--method", "perm-both", "--resamples", "0"],
        ["influence", "nowhere.csv"],
    ],
)
def test_other_commands_refuse_in_one_line_too(command, arguments):
    check_refused(command(*arguments), "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--language-pair", "de-en"], "no language pair 'de-en' in"),
        (["--human", "esa"], "there is da-sqm, mqm"),
        (["--reference", "refB"], "there is refA, synthetic_ref"),
        (["--metrics", "BLEU,nonsense"], "no metric 'nonsense'"),
        (["--exclude", "nobody"], "no system 'nobody'; there are"),
    ],
)
@pytest.mark.real_data
def test_unknown_names_of_real_data_are_refused_with_what_there_is(
    command, data_root, change, message
):
    source = ["--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23"]
    check_refused(command("rank", *source, "--language-pair", "en-de", *change), message)


@pytest.mark.real_data
def test_wmt23_is_ranked(command, data_root, tmp_path):
    result = command(
        "rank", "--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23",
        "--language-pair", "en-de", "--human", "mqm", "--reference", "refA",
        "--hybrids", "200", "--seed", "0", "--out", "out",
    )  # fmt: skip
    assert result.status == 0
    assert "wmt23 en-de: 12 systems, 25 metrics, human scores 'mqm', segments common 460/557" in (
        result.err
    )
    assert "systems left out: refA (a reference)" in result.err
    assert "metrics left out: HuaweiTSC_EE_Metric (no segment-level scores)" in result.err
    facts = json.loads((tmp_path / "out" / "ranking.json").read_text(encoding="utf-8"))
    r = {row["metric"]: row["r_systems"] for row in facts["rows"]}
    assert len(r) == 25
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de")
    rated = scores.isel(segment=scores["human"].notnull().all("system").values)
    means = rated.mean("segment")
    for metric, own in r.items():
        expected = np.corrcoef(means["human"], means["score"].sel(metric=metric))[0, 1]
        assert own == pytest.approx(expected, abs=1e-9)


@pytest.mark.real_data
def test_names_of_metrics_may_have_spaces_between(command, data_root):
    result = command(
        "rank", "--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23",
        "--language-pair", "en-de", "--metrics", "COMET, BLEU", *QUICK, "-q",
    )  # fmt: skip
    assert result.status == 0
    assert "of 1 pairs differ" in result.out


def run(*arguments, **options):
    return subprocess.run([*RUN, *arguments], capture_output=True, text=True, **options)


def test_help_is_quick_and_loads_nothing_heavy():
    code = (
        "import sys\nfrom supersample.cli import main\n"
        "try:\n    main(['rank', '--help'])\n"
        "except SystemExit:\n    print(*sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split("\n")[-2].split())
    assert "typer" in loaded
    assert not {"numpy", "xarray", "numba", "matplotlib", "dask"} & loaded


def test_a_pipe_is_read_and_terminals_without_the_characters_get_others():
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    named = ["--human", "people", "--lower-is-better", "ter"]
    result = run("rank", "-", *named, *QUICK, input=table_text(SCORES), env=env)
    assert result.returncode == 0
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("standard input: 5 systems, 2 metrics")
    assert "ter ?" in result.stdout


def test_a_reader_that_stops_reading_gets_no_traceback():
    process = subprocess.Popen(
        [*RUN, "rank", "--example", *QUICK], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in error
    assert "Exception" not in error


def test_an_interrupt_ends_quietly_with_its_own_status():
    # Standard input stays open, so that the command waits for it.
    code = "from supersample.cli import main; print('ready', flush=True); main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "rank", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == b"ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (out, err) == (b"", b"")


def test_compare_runs_every_kind_of_method(command):
    for method in ("steiger1980", "bootstrap-percentile", "perm-systems"):
        extra = [] if method == "steiger1980" else ["--resamples", "49"]
        result = command("compare", "--example", "--method", method, *extra)
        assert result.status == 0
        assert f"differ significantly ({method}, 95 %)" in result.out


def test_bootstrap_over_segments_and_documents(command):
    drawn = ["--method", "bootstrap-bca", "--resamples", "49", "--unit"]
    for unit in ("segment", "document"):
        result = command("compare", "--example", *drawn, unit)
        assert f"intervals (bootstrap-bca over {unit}s)" in result.out
        assert f"(bootstrap-bca over {unit}s, 95 %)" in result.out
        assert result.out.count(f"Bootstrap over {unit}s: how far these very systems' r") == 1
    result = command("intervals", "--example", "--resamples", "49", "--unit", "segment")
    assert result.status == 0
    assert "bootstrap-percentile over segments from" in result.out
    assert result.out.count("Bootstrap over segments: ") == 1


def test_compare_writes_what_rank_writes_but_hybrids(command):
    result = command("compare", "--example", "--out", "out")
    assert result.status == 0
    names = {path.name for path in Path("out").iterdir()}
    assert {"ranking.csv", "comparisons.json", "ranking.tex", "significance-systems.png"} < names
    assert "hybrids.zarr" not in names


def test_absolute_orientation_says_so(command):
    result = command("compare", "--example", "--orientation", "absolute")
    assert "Absolute values of correlations" in result.out
    assert "orientation:absolute" in result.out


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "zou2007", "--resamples", "9"],
        ["--method", "zou2007", "--coefficient", "kendall"],
        ["--method", "bootstrap-bca", "--alternative", "less"],
        ["--method", "zou2007", "--unit", "segment"],
        ["--method", "perm-both", "--orientation", "absolute"],
    ],
)
def test_options_without_effect_are_refused(command, options):
    result = command("compare", "--example", *options)
    assert result.status == 2
    assert result.err.startswith(f"error: {options[2]} does not go with --method {options[1]}")
    assert result.err.count("\n") == 1


def test_given_correlations_are_compared_by_every_test(command):
    result = command("test", "overlapping", "0.9", "0.8", "0.7", "--n", "20")
    assert result.status == 0
    assert "williams1959" in result.out
    assert "zou2007: interval of the difference of r." in result.out
    crossed = command(
        "test", "non-overlapping", "0.9", "0.7", "0.5", "0.4", "0.4", "0.5", "--n", "20"
    )
    assert "raghunathan1996" in crossed.out
    apart = command("test", "independent", "--n1", "12", "--n2", "15", "--", "0.9", "-0.7")
    assert "fisher1925" in apart.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["overlapping", "1.9", "0.8", "0.7", "--n", "20"],
        ["overlapping", "0.9", "0.8", "0.7", "--n", "3"],
        ["overlapping", "--n", "20", "--", "0.9", "-0.9", "0.9"],
        ["overlapping", "0.9", "0.8", "--n", "20"],
        ["independent", "0.9", "x", "--n1", "12", "--n2", "15"],
    ],
)
def test_impossible_correlations_end_in_one_line(command, arguments):
    result = command("test", *arguments)
    assert result.status == 2
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1


def test_influence_names_what_changes(command):
    result = command("influence", "--example", "--out", "out")
    assert result.status == 0
    assert "system-09" in result.out
    names = {path.name for path in Path("out").iterdir()}
    assert {"influence.csv", "left-out.csv", "influence.png", "influence.tex"} < names


def test_outliers_are_shown_and_left_out_beside(command):
    rows = ["system,segment,scorer,score"]
    for i, level in enumerate([1.0, 2.0, 3.0, 2.5, 1.5, -90.0]):
        for segment in range(4):
            for scorer in ("human", "m"):
                score = level + 0.1 * segment * (i % 2)
                rows.append(f"s{i},{segment},{scorer},{score}")
    Path("scores.csv").write_text("\n".join(rows))
    result = command("rank", "scores.csv", "-n", "100")
    assert "Outliers by human score (median and MAD): s5." in result.out
    assert "5 systems without outliers" in result.out


def test_intervals_stand_side_by_side(command):
    result = command("intervals", "--example", "--resamples", "99", "--out", "out")
    assert result.status == 0
    for name in ("Fisher", "bootstrap-bca", "human-only", "plus-minus"):
        assert name in result.out
    assert {path.name for path in Path("out").iterdir()} == {
        "intervals.csv",
        "intervals.json",
        "intervals.md",
        "intervals.tex",
    }


def test_spa_ranks_the_example_and_writes_everything(command, tmp_path):
    result = command("spa", "--example", "--resamples", 99, "--out", "out")
    assert result.status == 0
    lines = result.out.splitlines()
    assert "Pairwise accuracies over 12 systems, 463 segments" in lines[0]
    for kind in ("SPA", "PA"):
        assert any(line.startswith(f"{kind}: ") and "of 28 pairs" in line for line in lines)
    assert lines[-1].startswith("statistic:difference of SPA,PA|method:perm-inputs|")
    assert "|resamples:99|" in lines[-1]
    tables = {"accuracies", "comparisons", "summary", "triangle-SPA", "triangle-PA"}
    assert {path.stem for path in (tmp_path / "out").glob("*.csv")} == tables
    assert {path.stem for path in (tmp_path / "out").glob("*.json")} == tables
    for suffix in ("md", "tex"):
        assert {path.stem for path in (tmp_path / "out").glob(f"*.{suffix}")} == tables - {
            "comparisons"
        }
    figures = {"comparisons-SPA", "comparisons-PA", "components"}
    for suffix in ("png", "pdf"):
        assert {path.stem for path in (tmp_path / "out").glob(f"*.{suffix}")} == figures
    expected = ss.rank(ss.compare_accuracies(ss.load_example(), resamples=99))
    with xr.open_zarr(tmp_path / "out" / "accuracies.zarr") as read:
        xr.testing.assert_equal(read.load(), expected)
    with (tmp_path / "out" / "accuracies.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["metric"] for row in rows] == list(expected["metric"].values)


def test_every_option_of_spa_reaches_its_verb(command):
    result = command(
        "spa", "-", "--human", "people", "--lower-is-better", "ter", "--exclude", "system-5",
        "--p-values", "monte_carlo", "--permutations", 50, "--convention", "at_least",
        "--unit", 2, "--scheme", "both", "--alternative", "greater", "--resamples", 19,
        "--ties", "floating_point", "--significance-level", 0.2, "--seed", 5, "--metric", "ter",
        stdin=table_text(SCORES),
    )  # fmt: skip
    assert result.status == 0
    signature = result.out.splitlines()[-1]
    for part in (
        "method:perm-both", "alternative:greater", "resamples:19", "ties:floating_point",
        "n:4 systems", "PValues(monte_carlo,at_least,2,50,k/B,shared)", "seed:5",
    ):  # fmt: skip
        assert f"|{part}|" in signature.replace("design:", "")


def test_spa_groups_by_domain(command):
    text = table_text(SCORES).splitlines()
    labelled = [f"{text[0]},domain"]
    for line in text[1:]:
        segment = int(line.split(",")[1].rpartition("-")[2])
        labelled.append(f"{line},{'a' if segment <= 3 else 'b'}")
    result = command(
        "spa", "-", "--human", "people", "--by", "domain", "--resamples", 9, "--out", "out",
        stdin="\n".join(labelled) + "\n",
    )  # fmt: skip
    assert result.status == 0
    assert "average over 2 groups" in result.out
    assert "SPA, a" in result.out
    assert "|by:domain|" in result.out.splitlines()[-1]
    names = {path.name for path in Path("out").iterdir()}
    assert {"triangle-SPA-average.tex", "triangle-PA-b.tex", "components-b.png"} <= names


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--example", "--metric", "none"], "no metric 'none' to draw; there are "),
        (["--example", "--unit", "word"], "the unit is 'segment', 'document' or a number"),
        (["--example", "--unit", "500"], "only one window of 500 segments"),
        (["--example", "--by", "domain"], "these Scores name no domains to group by"),
        (["--example", "--resamples", "0"], "at least one resample is needed"),
        (["--example", "--permutations", "0"], "permutations are 1 to"),
        (["--example", "--significance-level", "0"], "the significance level lies between"),
        (["--example", "--seed", "-1"], "a seed is an integer"),
        (["--example", "--also", "en-de"], "--also does not go with --example"),
        (["--example", "--p-values", "exact"], "'exact' is not one of"),
        ([], "name one source of scores"),
    ],
)
def test_spa_refuses_in_one_line(command, tmp_path, options, said):
    result = command("spa", *options, "--out", "out")
    assert result.status == 2
    [line] = result.err.splitlines()
    assert line.startswith("error: ")
    assert said in line
    assert not (tmp_path / "out").exists()


@pytest.mark.real_data
def test_language_pairs_of_wmt23_are_averaged(command, data_root, tmp_path):
    mtme = ["--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23"]
    some = ["--language-pair", "en-de", "--metrics", "BLEU,COMET,XCOMET-XL", "--resamples", 99]
    result = command("spa", *mtme, *some, "--also", "zh-en", "--out", "out")
    assert result.status == 0
    assert "12 systems of wmt23 en-de, 15 systems of wmt23 zh-en" in result.out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"components-wmt23-en-de.png", "triangle-SPA-wmt23-zh-en.tex"} <= names
    twice = command("spa", *mtme, *some, "--also", "en-de")
    assert (twice.status, twice.err) == (2, "error: wmt23 en-de is named more than once\n")


def test_the_sampling_distribution_of_r_is_simulated(command, tmp_path):
    result = command("simulate", "--r", "0.91", "--n", "5", "--draws", "2000", "--out", "out")
    assert result.status == 0
    assert "r = 0.91 over n = 5 systems, 95 % intervals" in result.out
    for row in ("r of samples     exact       0.4253   0.9952", "Fisher      0.1407   0.9941"):
        assert row in result.out
    assert "skew -3.8425 exact, " in result.out
    assert "reaches beyond 1" in result.out
    assert "population:normal(0.91)|draws:2000|n:5 systems|seed:0" in result.out.splitlines()[-1]
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"sampling.zarr", "sampling.png", "sampling.pdf", "intervals.csv"} <= written


def test_a_sampling_distribution_of_hypothetical_systems(command):
    result = command("simulate", "--r", "1", "--n", "4", "--draws", "50", "--systems", "100", "-q")
    assert result.status == 0
    assert "no skew" in result.out
    assert "population:100 systems,without replacement" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--r", "0.91", "--n", "3"], "n, the systems of a sample, is at least 4 here, not 3"),
        (["--r", "1.5", "--n", "5"], "a correlation lies in [-1, 1], not 1.5"),
        (["--r", "nan", "--n", "5"], "a correlation lies in [-1, 1], not nan"),
        (["--r", "0.9", "--n", "5", "--draws", "0"], "draws is the number of samples"),
        (["--r", "0.9", "--n", "5", "--systems", "4"], "5 systems cannot be drawn"),
        (["--r", "0.9", "--n", "5", "--seed", "-1"], "a seed is an integer"),
        (["--r", "0.9", "--n", "5", "--confidence-level", "1"], "confidence level"),
        (["--r", "0.9"], "--n"),
    ],
)
def test_what_cannot_be_simulated_ends_with_one_line(command, arguments, message):
    result = command("simulate", *arguments)
    assert result.status == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1
    assert result.out == ""
