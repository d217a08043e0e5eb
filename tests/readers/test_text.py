"""Files that are no files, or unpack to far more than tables do."""

import gzip
import json
import os
import zipfile

import pyarrow as pa
import pytest

import supersample as ss
from supersample.execution import limits
from supersample.readers import text


def test_what_unpacks_to_far_more_than_tables_do_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "SURELY_UNPACKED", 2**20)
    monkeypatch.setattr(text, "_AT_ONCE", 2**16)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(bytes(2**22)))
    with pytest.raises(ss.InputError, match="unpacks to more than 200 times its size"):
        text.read_raw(path)
    path.write_bytes(gzip.compress(bytes(2**20)))
    assert text.read_raw(path)[1] == bytes(2**20)


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_workbooks_that_unpack_to_far_more_are_refused(tmp_path, monkeypatch, suffix):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    monkeypatch.setattr(text, "SURELY_UNPACKED", 2**20)
    path = tmp_path / f"bomb{suffix}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", bytes(2**22))
    with pytest.raises(ss.InputError, match="unpacks to more than 200 times its size"):
        ss.read_table(path)


def test_zstd_is_limited_as_gzip_is(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "SURELY_UNPACKED", 2**20)
    path = tmp_path / "bomb.jsonl.zst"
    path.write_bytes(pa.compress(bytes(2**22), "zstd", asbytes=True))
    with pytest.raises(ss.InputError, match="unpacks to more than 200 times its size"):
        ss.read_table(path)


def test_json_beyond_memory_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "usable_memory", lambda: 1_000)
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"system": "a"}] * 9))
    with pytest.raises(ss.InputError, match=r"x\.json: objects of so much JSON take .* as CSV"):
        ss.read_table(path)


@pytest.mark.posix("named pipes")
@pytest.mark.parametrize("name", ["x.csv", "x.zarr", "x.parquet", "x.csv.gz"])
def test_pipes_are_no_files(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ss.InputError, match="there is no f"):
        ss.read_scores(tmp_path / name)
