"""A reader of another package: one function and one registration, nothing patched."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr

import supersample as ss
from supersample.cli import main
from supersample.readers import ScoreReader
from supersample.readers.registry import _READERS, read_scores, reader_of, register_reader

LEVELS = {
    system: {"people": [i, i + 1, i + 3.5], "m": [i, 2 * i, i]} for i, system in enumerate("ABCD")
}


def read_toy(file, *, human="people", lower_is_better=()):
    """Read a JSON file of systems, scorers and lists of scores."""
    try:
        data = json.loads(Path(file).read_text())
    except ValueError as error:
        raise ss.InputError(f"{file}: {error}") from None
    metrics = [name for name in next(iter(data.values())) if name != human]
    return ss.make_scores(
        [of_system[human] for of_system in data.values()],
        [[of_system[metric] for of_system in data.values()] for metric in metrics],
        systems=list(data),
        metrics=metrics,
        higher_is_better=[metric not in lower_is_better for metric in metrics],
        attrs={"source": "toy"},
    )


@pytest.fixture
def toy(tmp_path):
    register_reader(
        ScoreReader("toy_json", read_toy, ("human", "lower_is_better"), suffixes=(".toy",))
    )
    path = tmp_path / "scores.toy"
    path.write_text(json.dumps(LEVELS))
    yield path
    del _READERS["toy_json"]


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return end.value.code or 0, printed.out, printed.err


def test_python_reads_with_it_by_suffix_and_by_name(toy):
    ss.testing.check_reader("toy_json", toy)
    expected = read_toy(toy)
    assert reader_of(toy).name == "toy_json"
    xr.testing.assert_identical(read_scores(toy), expected)
    xr.testing.assert_identical(read_scores(toy, reader="toy_json", human="people"), expected)


def test_every_command_takes_it_by_its_suffix_and_by_name(capsys, toy):
    status, out, err = _run(capsys, "compare", toy, "--lower-is-better", "m")
    assert status == 0, err
    assert out.startswith("m agrees with people here by r = -1.000 (4 systems).\nNothing is known")
    named = f"{toy.rename(toy.with_suffix('.other'))}:reader=toy_json"
    assert _run(capsys, "compare", named, "--lower-is-better", "m")[1] == out
    toy.with_suffix(".other").rename(toy)
    status, out, err = _run(capsys, "rank", toy, "-n", 6, "--exclude", "D", "--metrics", "m")
    assert (status, "3 systems" in out + err) == (0, True), err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (":test_set=x", "test_set does not go with"),
        (":include=A", "include does not go with"),
        (":colour=red", "no option 'colour'"),
        (":reader=none", "no reader 'none'"),
    ],
)
def test_options_that_it_does_not_take_are_refused(capsys, toy, options, message):
    status, _, err = _run(capsys, "rank", f"{toy}{options}")
    assert (status, err.count("\n")) == (2, 1)
    assert message in err


def test_a_sweep_takes_it(toy, tmp_path):
    inputs = [{"source": str(toy), "human": ["people", "m"]}, "example"]
    result = ss.simulation.sweep({"inputs": inputs, "n": [10]}, tmp_path / "out")
    assert list(result["input"].values) == [f"{toy} people", f"{toy} m", "example"]
    with pytest.raises(ss.InputError, match="no option 'metrics' in an input by toy_json"):
        ss.simulation.sweep({"inputs": [{"source": str(toy), "metrics": "m"}]}, tmp_path / "out")


def test_readers_that_do_not_fit_are_refused(toy):
    with pytest.raises(ss.InputError, match=r"files that end in \.zarr are read by xarray"):
        register_reader(ScoreReader("other", read_toy, suffixes=(".zarr",)))
    with pytest.raises(ss.InputError, match="'human' cannot be the name of a reader"):
        register_reader(ScoreReader("human", read_toy))
    with pytest.raises(ss.InputError, match="no option 'colour'; there are test_set"):
        ScoreReader("other", read_toy, ("colour",))
    with pytest.raises(ss.InputError, match="no reader 'nothing'; there are table, xarray"):
        read_scores(toy, reader="nothing")


def test_importing_the_registry_loads_no_arrays():
    code = "import sys, supersample.readers.registry; print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
