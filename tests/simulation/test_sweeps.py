import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.simulation.sweeps import read_sweep
from tests.long_tables import rows_of

GRID = {
    "inputs": ["example"],
    "n": [500, 1_000],
    "seeds": [0, 3],
    "designs": ["pairs", "pairs:pairs=random,share=0.3"],
}
TOML = """
n = [500]
seeds = [0, 1]
inputs = ["example"]
"""


def test_the_grid_is_ranked_and_gathered(tmp_path):
    result = ss.simulation.sweep(GRID, tmp_path / "s")
    assert result.attrs == {"kind": "sweep", "computed": 8, "combinations": 8}
    design = ss.PairHybrids("random", 0.3)
    expected = ss.rank(ss.load_example(), n=500, seed=3, design=design)
    own = result.sel(input="example", n=500, seed=3, comparison="zou2007")
    own = own.sel(design="PairHybrids(random,0.3,segment)")
    for name in ("value", "lower", "wins", "cluster"):
        wanted = expected[name].squeeze().sel(metric=own["metric"], basis=own["basis"])
        np.testing.assert_allclose(own[name], wanted, atol=1e-12)
    rows = rows_of(tmp_path / "s" / "result.csv")
    assert len(rows) == 8 * 2 * 8
    stored = xr.open_zarr(tmp_path / "s" / "result.zarr")
    np.testing.assert_array_equal(stored["value"], result["value"])


def test_what_is_there_is_not_computed_again(tmp_path):
    first = ss.simulation.sweep(GRID, tmp_path / "s")
    again = ss.simulation.sweep(GRID, tmp_path / "s")
    assert again.attrs["computed"] == 0
    assert again["value"].equals(first["value"])
    damaged, missing, *_ = sorted((tmp_path / "s" / "kept").glob("*"))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    missing.unlink()
    mended = ss.simulation.sweep(GRID, tmp_path / "s")
    assert mended.attrs["computed"] == 2
    assert mended["value"].equals(first["value"])


def test_a_longer_grid_adds_and_a_shorter_one_keeps(tmp_path):
    ss.simulation.sweep({**GRID, "seeds": [0]}, tmp_path / "s")
    assert ss.simulation.sweep(GRID, tmp_path / "s").attrs["computed"] == 4
    ss.simulation.sweep({**GRID, "n": [500]}, tmp_path / "s")
    assert ss.simulation.sweep(GRID, tmp_path / "s").attrs["computed"] == 0


def test_hybrids_are_streamed_once_for_all_methods(monkeypatch, tmp_path):
    streamed = []

    def counted(scores, **options):
        streamed.append((options["n"], options["seed"]))
        return ss.correlations.stream_correlations(scores, **options)

    monkeypatch.setattr("supersample.simulation.sweeps.stream_correlations", counted)
    grid = {**GRID, "designs": ["pairs"], "methods": ["zou2007", "williams1959", "steiger1980"]}
    together = ss.simulation.sweep(grid, tmp_path / "s")
    assert streamed == [(500, 0), (500, 3), (1_000, 0), (1_000, 3)]
    alone = ss.simulation.sweep({**grid, "methods": ["williams1959"]}, tmp_path / "t")
    assert together.sel(comparison=["williams1959"]).drop_attrs().identical(alone.drop_attrs())


def test_a_changed_input_is_computed_anew(tmp_path):
    table = tmp_path / "scores.csv"
    header = "system,segment,scorer,score\n"
    rng = np.random.default_rng(0)

    def write():
        rows = [
            f"s{s},{seg},{scorer},{s + rng.normal():.6f}"
            for s in range(5)
            for seg in range(9)
            for scorer in ("human", "m")
        ]
        table.write_text(header + "\n".join(rows) + "\n")

    write()
    grid = {"inputs": [str(table)], "n": [100]}
    ss.simulation.sweep(grid, tmp_path / "s")
    assert ss.simulation.sweep(grid, tmp_path / "s").attrs["computed"] == 0
    write()
    assert ss.simulation.sweep(grid, tmp_path / "s").attrs["computed"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"input": []}, "no entry of a sweep 'input'"),
        ({"inputs": []}, "list of at least one"),
        ({"inputs": [{"source": "example", "human": "x"}]}, "no option 'human'"),
        ({"inputs": [{"file": "x"}]}, "a table with a source"),
        ({"inputs": ["example", "example"]}, "are equal"),
        ({"inputs": [{"source": "x", "reader": "mtme"}]}, "test_set"),
        ({"inputs": [{"source": "x", "reader": "y"}]}, "no reader 'y'"),
        ({"n": [0]}, "whole numbers from 1"),
        ({"seeds": [-1]}, "whole numbers from 0"),
        ({"seeds": 3}, "list"),
        ({"designs": ["trios"]}, "design"),
        ({"designs": ["pairs:share=2"]}, "share"),
        ({"designs": [{"share": 2}]}, "'designs' must be a text or a list of texts"),
        ({"methods": ["magic"]}, "no method 'magic'"),
    ],
)
def test_bad_grids(change, message):
    with pytest.raises(ss.InputError, match=message):
        read_sweep({**GRID, **change})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("a.toml", "n = [", "not valid TOML: "), ("a.txt", "a,b", "not valid TOML: ")],
)
def test_bad_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ss.InputError, match=message):
        read_sweep(tmp_path / name)


def test_the_command(command, tmp_path):
    (tmp_path / "grid.toml").write_text(TOML)
    asked = ["sweep", "grid.toml", "--out", "s"]
    status, out, err = command(*asked)
    assert status == 0, err
    assert "2 combinations computed, 0 finished before" in err
    assert (tmp_path / "s" / "result.csv").exists()
    assert "0 combinations computed" in command(*asked).err
    status, out, err = command("sweep", "nothing.toml", "--out", "t")
    assert (status, out) == (2, "")
    assert not (tmp_path / "t").exists()


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ss.InputError, match="is no sweep of supersample; name another"):
        ss.simulation.sweep(GRID, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
