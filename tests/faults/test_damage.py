"""A store with a byte changed anywhere gives the right answer, is mended, or is refused."""

import random
import shutil
import warnings
from pathlib import Path

import pytest
import xarray as xr

import supersample as ss
from tests.stores import SCORES, contents

RUN = {"n": 300, "chunk": 50, "seed": 4}
COUNTS = [12, pytest.param(200, marks=pytest.mark.faults)]


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory):
    """A finished run, and Scores that were written."""
    folder = tmp_path_factory.mktemp("undamaged")
    ss.hybrids.run_hybrids(SCORES, folder / "run.zarr", **RUN)
    ss.write_scores(SCORES, folder / "scores.zarr")
    return folder


def refused(work):
    """What the work gives, or None if one line refuses it; no check is left out in silence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ss.UncheckedWarning)
        try:
            return work()
        except ss.InputError as error:
            text = str(error)
    assert len(text) < 1000
    assert "\n" not in text
    return None


def changed(folder, rng):
    """Change a byte of a file in a folder; its path."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.stat().st_size]
    file = rng.choice(files)
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= rng.randrange(1, 256)
    file.write_bytes(content)
    return file


def same(first, second):
    return first is None or first.identical(second)


def sample_of(path):
    return ss.hybrids.open_run(path).load()


def hybrids_of(path):
    """Content of a run's store besides the Scores that it is computed from."""
    return {name: raw for name, raw in contents(path).items() if not name.startswith("scores/")}


@pytest.mark.parametrize("count", COUNTS)
def test_a_run_with_a_changed_byte_gives_no_wrong_number(undamaged, tmp_path, count):
    rng = random.Random(count)
    right, scores = sample_of(undamaged / "run.zarr"), ss.read_dataset(undamaged / "run.zarr")
    whole = hybrids_of(undamaged / "run.zarr")
    became = {"read": 0, "refused": 0, "mended": 0}
    for i in range(count):
        path = tmp_path / f"{i}.zarr"
        shutil.copytree(undamaged / "run.zarr", path)
        file = changed(path, rng)
        refused(lambda path=path: ss.hybrids.run_status(path))
        sample = refused(lambda path=path: sample_of(path))
        assert same(sample, right), file
        assert same(refused(lambda path=path: ss.read_dataset(path)), scores), file
        became["refused" if sample is None else "read"] += 1
        if refused(lambda path=path: ss.hybrids.resume_run(path)) is not None:
            assert hybrids_of(path) == whole, file
            became["mended"] += sample is None
        shutil.rmtree(path)
    assert became["read"] > 0
    assert became["refused"] >= became["mended"] > 0


@pytest.mark.parametrize("count", COUNTS)
def test_scores_with_a_changed_byte_are_right_or_refused(undamaged, tmp_path, count):
    rng = random.Random(count)
    right = ss.read_dataset(undamaged / "scores.zarr")
    for i in range(count):
        path = tmp_path / f"{i}.zarr"
        shutil.copytree(undamaged / "scores.zarr", path)
        file = changed(path, rng)
        read = refused(lambda path=path: ss.read_dataset(path))
        assert same(None if read is None else read.assign_attrs(right.attrs), right), file


def empty(file):
    file.write_bytes(b"")


def lengthen(file):
    file.write_bytes(file.read_bytes() + b"\0")


def halve(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def folder_instead(file):
    file.unlink()
    file.mkdir()


HARMS = [empty, lengthen, halve, folder_instead, Path.unlink]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize(
    "name", ["human/2", "score/0.0", ".zmetadata", "system/0", "scores/score/0.0.0"]
)
def test_harmed_files_of_a_run_are_refused_and_mended(undamaged, tmp_path, harm, name):
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    harm(path / name)
    if name.startswith("scores/"):
        assert refused(lambda: ss.read_dataset(path)) is None
        assert refused(lambda: ss.hybrids.resume_run(path)) is None
    else:
        assert refused(lambda: sample_of(path)) is None
        if harm is not folder_instead:
            ss.hybrids.resume_run(path)
            assert contents(path) == contents(undamaged / "run.zarr")


RECORDS = {
    "a name that is no number": lambda folder: (folder / "finished" / "²").touch(),
    "a number of many digits": lambda folder: (folder / "finished" / ("9" * 99)).touch(),
    "a session that is none": lambda folder: (folder / "sessions" / "x.json").write_text("[]"),
    "a folder in place of a session": lambda folder: (folder / "sessions" / "y.json").mkdir(),
}


@pytest.mark.parametrize("what", RECORDS)
def test_what_is_no_record_is_passed_over(undamaged, tmp_path, what):
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    RECORDS[what](path / "kept")
    assert ss.hybrids.run_status(path).complete
    assert sample_of(path).identical(sample_of(undamaged / "run.zarr"))
    assert ss.hybrids.resume_run(path).became == {"kept": 6}


def test_a_folder_in_place_of_a_record_is_mended(undamaged, tmp_path):
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    folder_instead(path / "kept" / "finished" / "00000001")
    assert ss.hybrids.run_status(path).finished == 5
    assert ss.hybrids.resume_run(path).became == {"kept": 5, "computed": 1}
    assert contents(path) == contents(undamaged / "run.zarr")


def test_foreign_stores_are_read_with_a_word(tmp_path):
    SCORES.to_zarr(tmp_path / "foreign.zarr", zarr_format=2)
    with pytest.warns(ss.UncheckedWarning, match=r"foreign\.zarr has no checksums"):
        read = ss.read_dataset(tmp_path / "foreign.zarr")
    xr.testing.assert_equal(read, SCORES)


@pytest.mark.parametrize(
    ("was", "now"), [('"seed": 4', '"seed": 5'), ('"n": 300', '"n": 200'), ('"n": 300', '"n": "x"')]
)
def test_other_facts_than_were_written_are_refused(undamaged, tmp_path, was, now):
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    file = path / "kept" / "store"
    text = file.read_text()
    assert was in text
    file.write_text(text.replace(was, now))
    for read in (ss.hybrids.run_status, ss.hybrids.open_run, ss.hybrids.resume_run):
        with pytest.raises(ss.InputError, match="kept/store is damaged"):
            read(path)


def test_the_record_of_another_chunk_is_of_no_finished_chunk(undamaged, tmp_path):
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    records = path / "kept" / "finished"
    shutil.copy(records / "00000003", records / "00000002")
    for name in ("human", "first_system", "second_system", "share"):
        shutil.copy(path / name / "3", path / name / "2")
    assert ss.hybrids.run_status(path).finished == 5
    assert ss.hybrids.resume_run(path).became == {"kept": 5, "computed": 1}
    assert contents(path) == contents(undamaged / "run.zarr")


@pytest.mark.parametrize("other", [{"seed": 5}, {"n": 280}])
def test_a_chunk_of_another_run_is_of_no_finished_chunk(undamaged, tmp_path, other):
    """Its files agree with its record, but it was kept under another key."""
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    ss.hybrids.run_hybrids(SCORES, tmp_path / "other.zarr", **{**RUN, **other})
    for name in ("human/5", "score/5.0", "share/5", "kept/finished/00000005"):
        shutil.copy(tmp_path / "other.zarr" / name, path / name)
    assert ss.hybrids.run_status(path).finished == 5
    assert ss.hybrids.resume_run(path).became == {"kept": 5, "computed": 1}
    assert contents(path) == contents(undamaged / "run.zarr")


def test_inputs_that_are_damaged_are_written_again_by_the_run(undamaged, tmp_path):
    path = tmp_path / "run.zarr"
    shutil.copytree(undamaged / "run.zarr", path)
    (path / "scores" / "human" / "0.0").write_bytes(b"damaged")
    with pytest.raises(ss.InputError, match=r"human/0\.0 is damaged"):
        ss.hybrids.resume_run(path)
    ss.hybrids.run_hybrids(SCORES, path, **RUN)
    assert contents(path) == contents(undamaged / "run.zarr")


@pytest.mark.parametrize("count", COUNTS)
def test_a_netcdf_file_with_a_changed_bit_is_refused_or_unchecked(undamaged, tmp_path, count):
    rng = random.Random(count)
    written = tmp_path / "scores.nc"
    ss.write_scores(SCORES, written)
    whole = written.read_bytes()
    assert ss.read_dataset(written).attrs == {**SCORES.attrs}
    for _ in range(4 * count):
        content = bytearray(whole)
        place = rng.randrange(len(content))
        content[place] ^= 1 << rng.randrange(8)
        written.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ss.UncheckedWarning)
            with pytest.raises((ss.InputError, ss.UncheckedWarning)):
                ss.read_dataset(written)
    SCORES.to_netcdf(tmp_path / "foreign.nc", engine="scipy")
    with pytest.warns(ss.UncheckedWarning, match=r"foreign\.nc has no checksum"):
        ss.read_dataset(tmp_path / "foreign.nc")


@pytest.mark.parametrize("count", COUNTS)
def test_kept_statistics_of_texts_are_right_after_any_change(tmp_path, count):
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    rng = random.Random(count)
    scores = SCORES.isel(segment=slice(4))
    names = [str(name) for name in scores["system"].values]
    texts = {name: [f"a {name} {i} b c d" for i in range(4)] for name in names}
    texts = ss.corpus.Texts(texts, [[f"a system {i} b c d" for i in range(4)]])
    cache = tmp_path / "cache"

    def counted():
        return ss.corpus.add_corpus_metrics(scores, texts, ["bleu"], cache=cache)

    right = counted()
    for _ in range(count):
        kept = [file for file in cache.rglob("*") if file.is_file() and "finished" in str(file)]
        first, second = rng.sample(sorted(kept), 2)
        if rng.random() < 0.5:
            changed(first.parent, rng)
        else:
            shutil.copy(first, second)
        assert counted().identical(right)
