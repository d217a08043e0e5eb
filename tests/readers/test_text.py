"""Files that are no files, or unpack to far more than tables do."""

import gzip
import io
import json
import os
import zipfile

import pyarrow as pa
import pytest

import supersample as ss
from supersample.execution import limits
from supersample.readers import text


def book(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", content)
    return packed.getvalue()


PACKED = {
    ".csv.gz": gzip.compress,
    ".jsonl.zst": lambda content: pa.compress(content, "zstd", asbytes=True),
    ".xlsx": book,
    ".ods": book,
}


@pytest.mark.parametrize("suffix", PACKED)
def test_what_unpacks_to_far_more_than_tables_do_is_refused(tmp_path, monkeypatch, suffix):
    if PACKED[suffix] is book:
        pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    monkeypatch.setattr(text, "SURELY_UNPACKED", 2**20)
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(PACKED[suffix](bytes(2**22)))
    with pytest.raises(ss.InputError, match="unpacks to more than 200 times its size"):
        ss.read_table(path)
    path.write_bytes(PACKED[suffix](bytes(2**20)))  # as much as any file may
    with pytest.raises(ss.InputError) as told:
        ss.read_table(path)
    assert "200 times" not in str(told.value)


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
