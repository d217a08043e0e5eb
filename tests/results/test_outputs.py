"""What is written to a folder, and what is never written over."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample import InputError
from supersample.presentation.figures import style
from supersample.results import outputs
from supersample.results.outputs import (
    Figures,
    check_folder,
    replace_zarr,
    results_of,
    write_results,
)
from tests.rankings import sample_and_ranking

NONE = Figures("none")
SAMPLE, RANKING = sample_and_ranking(["a", "b"], lower_is_better=("b",))
HYBRIDS = SAMPLE.assign_attrs(kind="hybrids")
MAIN = ["forest", "differences", "significance-systems"]
FIGURES = [*MAIN, "scatter", "correlations"]
FILES = {
    "hybrids.zarr",
    "ranking.zarr",
    *(f"{name}.{suffix}" for name in ("ranking", "comparisons", "summary")
      for suffix in ("csv", "json")),
    *(f"{name}.{suffix}" for name in ("ranking", "summary") for suffix in ("md", "tex")),
    "ranking-notes.tex",
}  # fmt: skip


def figures_in(folder):
    return {path.stem for path in folder.iterdir() if path.suffix in (".png", ".pdf")}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "deep" / "er"
    return folder, write_results(folder, results_of(RANKING, HYBRIDS), figures=NONE)


def test_everything_is_written_and_named(written):
    folder, names = written
    assert set(names) == {path.name for path in folder.iterdir()} == FILES
    assert len(names) == len(FILES)


def test_figures_are_the_main_ones_unless_others_are_asked_for(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(style, "save", lambda figure, folder, name: drawn.append(name))
    monkeypatch.setattr(outputs, "replace_zarr", lambda folder, name, *others: name)
    cases = {"main": MAIN, "all": FIGURES, "scatter": ["scatter"], "none": []}
    cases["significance,forest"] = ["forest", "significance-systems"]
    for names, expected in cases.items():
        drawn.clear()
        write_results(tmp_path, results_of(RANKING, HYBRIDS), figures=Figures(names))
        assert set(drawn) == set(expected)
        assert len(drawn) == len(expected)


def test_figures_are_written_in_two_forms(tmp_path, full_figures):
    names = write_results(tmp_path, results_of(RANKING), figures=Figures("forest", "acl1"))
    assert {"forest.png", "forest.pdf"} < set(names)
    assert figures_in(tmp_path) == {"forest"}
    assert (tmp_path / "forest.pdf").read_bytes().startswith(b"%PDF")


def test_what_is_read_back_is_what_was_made(written):
    folder, _ = written
    for name, dataset in (("hybrids", SAMPLE), ("ranking", RANKING)):
        with xr.open_zarr(folder / f"{name}.zarr") as read:
            xr.testing.assert_equal(read.load(), dataset)
            assert (dataset.attrs | {"supersample_format": 1}).items() <= read.attrs.items()


def test_tables_hold_numbers_and_facts(written):
    folder, _ = written
    with (folder / "ranking.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    np.testing.assert_array_equal(
        [float(row["value_hybrids"]) for row in rows],
        RANKING["value"].sel(basis="hybrids").squeeze(),
    )
    facts = json.loads((folder / "comparisons.json").read_text(encoding="utf-8"))
    assert facts["signature"] == RANKING.attrs["signature"]
    assert len(facts["rows"]) == 2


def test_a_lazy_sample_is_written_with_the_same_values(tmp_path):
    replace_zarr(tmp_path, "hybrids.zarr", SAMPLE.chunk(hybrid=7), "synchronous")
    with xr.open_zarr(tmp_path / "hybrids.zarr") as read:
        np.testing.assert_array_equal(read["score"], SAMPLE["score"])


def test_writing_again_replaces_results_and_leaves_other_files(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".hybrids.zarr.partial").mkdir()  # left by a run that was stopped
    longer, _ = sample_and_ranking(["a", "b"], n=90)
    replace_zarr(tmp_path, "hybrids.zarr", longer, "synchronous")
    (tmp_path / "ranking.csv").write_text("an earlier ranking")
    folder = check_folder(tmp_path, overwrite=True)
    write_results(folder, results_of(RANKING, HYBRIDS), figures=NONE)
    with xr.open_zarr(tmp_path / "hybrids.zarr") as read:
        assert read.sizes["hybrid"] == 60
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (tmp_path / "ranking.csv").read_text().startswith("metric,")
    assert {path.name for path in tmp_path.iterdir()} == FILES | {"notes.txt"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_new_or_empty_folder_is_fine_and_checking_makes_nothing(tmp_path, overwrite):
    assert check_folder(tmp_path, overwrite=overwrite) == tmp_path
    new = tmp_path / "new" / "er"
    assert check_folder(str(new), overwrite=overwrite) == new
    assert list(tmp_path.iterdir()) == []


def test_a_relative_folder_is_checked_where_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_folder("out").name == "out"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").touch()
    with pytest.raises(InputError, match="the folder out is not empty"):
        check_folder("out")
    with pytest.raises(InputError, match=r"the folder \. is not empty"):
        check_folder(".")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc, which nobody may write to")
def test_a_folder_that_may_not_be_written_to_is_refused():
    with pytest.raises(InputError, match="may not be written to"):
        check_folder("/proc/new")


@pytest.mark.parametrize(
    ("name", "make"),
    [("ranking.csv", "mkdir"), ("forest.png", "mkdir"), ("hybrids.zarr", "touch")],
)
def test_what_stands_in_the_way_is_said_in_one_line(tmp_path, name, make):
    getattr(tmp_path / name, make)()
    with pytest.raises(InputError, match=rf"{name} cannot be written: ") as caught:
        write_results(tmp_path, results_of(RANKING, HYBRIDS))
    assert "\n" not in str(caught.value)


def test_groups_with_names_that_files_cannot_tell_apart_have_files_of_their_own():
    groups = ["news/1", "news-1", "News 1", "news-1-2"]
    scores = ss.load_example().isel(metric=slice(2))
    scores = scores.assign_coords(domain=("segment", np.resize(groups, 500)))
    ranking = ss.rank(ss.compare(scores, "PA", by="domain", resamples=9))
    ends = [name for name in results_of(ranking).figures if name.startswith("significance")]
    assert len({name.casefold() for name in ends}) == len(groups) + 1
