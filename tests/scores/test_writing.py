import signal

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from tests.stores import forked

SCORES = ss.simulate_scores(
    systems=4, segments=5, correlations={"m": 0.9, "ter": 0.5}, lower_is_better=["ter"],
    missing_ratings=0.1, seed=3,
)  # fmt: skip


def same(read, scores=SCORES):
    np.testing.assert_array_equal(read["human"], scores["human"])
    np.testing.assert_array_equal(read["score"], scores["score"])
    for label in ("system", "metric", "document"):
        assert list(read[label].values) == list(scores[label].values)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_long_tables_are_read_back(tmp_path, suffix):
    path = tmp_path / f"scores{suffix}"
    assert ss.write_scores(SCORES, path) == "--human simulated, --lower-is-better ter"
    same(ss.read_table(path, human="simulated", lower_is_better=["ter"]))


def test_stores_of_zarr_are_read_back_whole(tmp_path):
    counted = SCORES.assign(human_count=SCORES["human"].notnull().astype(float) * 2)
    path = tmp_path / "scores.zarr"
    assert ss.write_scores(counted, path) == ""
    read = ss.read_dataset(path)
    xr.testing.assert_equal(read, counted)
    assert read["higher_is_better"].dtype == bool
    assert read.attrs["human"] == "simulated"


def test_system_level_scores_too(tmp_path):
    data = ss.make_system_scores([1, 2, 3], [[1, 3, 2]], systems=list("ABC"), metrics=["m"])
    ss.write_scores(data, tmp_path / "s.zarr")
    xr.testing.assert_equal(ss.read_dataset(tmp_path / "s.zarr"), data)
    with pytest.raises(ss.InputError, match="system-level scores can only be written to"):
        ss.write_scores(data, tmp_path / "s.csv")


def test_what_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "x.csv").touch()
    with pytest.raises(ss.InputError, match="already exists"):
        ss.write_scores(SCORES, tmp_path / "x.csv")
    with pytest.raises(ss.InputError, match=r"written to \.csv, \.parquet"):
        ss.write_scores(SCORES, tmp_path / "x.xlsx")


@pytest.mark.real_data
def test_wmt23_is_read_back_from_every_layout(data_root, tmp_path):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de", metrics="reference")
    for name in ("s.parquet", "s.zarr"):
        ss.write_scores(scores, tmp_path / name)
    read = ss.read_dataset(tmp_path / "s.zarr")
    xr.testing.assert_equal(read, scores)
    same(ss.read_table(tmp_path / "s.parquet", human="mqm"), scores)


def write_on_a_full_disk(names, telling):
    """Files of more than 2 KB cannot be written, as on a disk that is full."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
    for name in names:
        with pytest.raises(ss.InputError) as refused:
            ss.write_scores(ss.load_example(), name)
        telling.send(str(refused.value))


@pytest.mark.posix("limits of processes")
def test_a_full_disk_leaves_nothing(tmp_path):
    names = [str(tmp_path / f"s.{suffix}") for suffix in ("csv", "parquet", "zarr")]
    told, telling = forked().Pipe()
    process = forked().Process(target=write_on_a_full_disk, args=(names, telling))
    process.start()
    process.join()
    for name in names:
        assert told.poll()
        assert told.recv().startswith(f"{name} cannot be written: ")
    assert list(tmp_path.iterdir()) == []


def test_scores_of_no_metric_with_references_are_read_again(tmp_path):
    """A store does not keep the kind of an empty array of texts."""
    people = ss.load_example().isel(metric=[])
    none = people.assign_coords(reference=("metric", np.array([], "U1")))
    ss.write_scores(none, tmp_path / "people.zarr")
    assert ss.read_scores(tmp_path / "people.zarr").sizes["metric"] == 0
