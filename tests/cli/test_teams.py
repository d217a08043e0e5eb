"""``--team`` in every form, and what is said of teams."""

import pytest
import xarray as xr

import supersample as ss
from tests.toy_sets import write_test_set

NORTH, SOUTH = "north=system-01,system-02", "south=system-05,system-06,system-07"
TOLD = "12 systems in 9 teams: north has 2, south has 3"


@pytest.mark.parametrize("words", [["rank", "-n", "50"], ["compare"], ["rank", "-m", "SPA"]])
def test_teams_are_said(command, words):
    status, out, err = command(*words, "example", "--team", NORTH, "--team", SOUTH)
    assert status == 0
    assert TOLD in err
    if words[-1] != "SPA":
        assert "teams are independent" in out.replace("\n", " ")
    plain = command(*words, "example")
    assert "teams" not in plain.err


def test_numbers_of_systems_are_of_independent_ones(command):
    two, sizes = ("strong-95", "strong-98"), ("--systems", "10", "--replicates", "20")
    needed = command("compare", "example", "--team", NORTH, "--metrics", ",".join(two)).out
    assert "independent systems in all (there are " in needed
    words = ("plan", "example", "--first", two[0], "--second", two[1], *sizes)
    said = "there are 12 systems in 11 teams: north has 2."
    assert said in command(*words, "--team", NORTH).out
    assert "independent" not in command(*words).out


def test_teams_of_several_sets(command, tmp_path):
    example = ss.load_example()
    ss.write_scores(example, tmp_path / "a.zarr")
    ss.write_scores(example.isel(system=slice(1, None)), tmp_path / "b.zarr")
    status, out, err = command("compare", "a.zarr", "b.zarr", "--team", NORTH, "--team", SOUTH)
    assert (status, TOLD in err, "11 systems in 9 teams: south has 3" in err) == (0, True, True)
    assert command("compare", "a.zarr", "b.zarr").out != out


def test_a_page_says_teams(command, tmp_path):
    command("rank", "example", "-n", "50", "--team", NORTH, "--out", "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "12 systems in 11 teams: north has 2" in page


@pytest.mark.parametrize(
    ("team", "message"),
    [
        ("system-01", "--team takes NAME=SYSTEM,SYSTEM, not 'system-01'"),
        ("north=system-1", "no system 'system-1'"),
    ],
)
def test_wrong_teams(command, team, message):
    status, _, err = command("rank", "example", "--team", team)
    assert (status, message in err) == (2, True)


def test_a_column_of_teams(command, tmp_path):
    rows = [f"s{i},{'A' if i < 3 else ''},{i},{i * i % 7}" for i in range(9)]
    (tmp_path / "systems.csv").write_text("\n".join(["system,team,human,m", *rows]))
    scores = ss.read_system_scores(tmp_path / "systems.csv")
    assert scores.attrs["teams"] == "9 systems in 7 teams: A has 3"
    assert scores["metric"].values.tolist() == ["m"]


def test_teams_that_are_known_of_a_public_set(command, tmp_path):
    folder = write_test_set(tmp_path, ["en-de"])
    for file in folder.rglob("*.score"):
        text = file.read_text().replace("A\t", "NLLB_Greedy\t")
        file.write_text(text.replace("F\t", "NLLB_MBR_BLEU\t"))
    told = "6 systems in 5 teams: NLLB has 2 (as listed for wmt23)"
    for level in ("segment", "system"):
        assert ss.read_mtme(folder, "wmt23", "en-de", level=level).attrs["teams"] == told
    one = ss.read_mtme(folder, "wmt23", "en-de", exclude=["NLLB_Greedy"])
    assert "team" not in one.coords
    ask = ("compare", folder / "wmt23" / "en-de", "--method", "williams1959")
    refused = command(*ask)
    assert refused.status == 2
    assert f"there are {told}" in refused.err
    alone = command(*ask, "--team", "NLLB_Greedy=NLLB_Greedy")
    assert (alone.status, "teams" in alone.err) == (0, False)


def test_near_copies_are_named_with_the_option(command, tmp_path):
    example = ss.load_example()
    again = example.isel(system=slice(3)).assign_coords(system=["tune-a", "tune-b", "tune-c"])
    again["human"] = again["human"] * 0 + example["human"][0] + 0.01 * again["human"]
    again["score"] = again["score"] * 0 + example["score"][:, :1].values + 0.01 * again["score"]
    names = [f"{letter}-{i}" for i, letter in enumerate("ABCDEFGHIJKL")]
    both = xr.concat([example.assign_coords(system=names), again], "system", data_vars="minimal")
    ss.write_scores(both, tmp_path / "scores.zarr")
    option = "--team tune=tune-a,tune-b,tune-c"
    assert option in command("compare", "scores.zarr").err
    assert "similar names" not in command("compare", "scores.zarr", *option.split()).err
    assert "similar names" not in command("compare", "example").err
    assert "similar names" not in command("systems", "scores.zarr").err  # it refuses --team
    ss.write_scores(ss.system_level_scores(both), tmp_path / "systems.zarr")
    assert option in command("compare", "systems.zarr").err  # by scores of systems alone
