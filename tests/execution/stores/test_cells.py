import json

import pytest

from supersample.errors import InputError
from supersample.execution.stores.cells import cell_key, is_kind, open_cells


def test_cells_come_back_and_damage_is_seen(tmp_path):
    cells = open_cells(tmp_path / "c", "study")
    key = cell_key(seed=1)
    assert cells.read(key) is None
    cells.write(key, b"numbers")
    assert open_cells(tmp_path / "c", "study").read(key) == b"numbers"
    file = tmp_path / "c" / "cells" / key
    stored = file.read_bytes()
    for broken in (stored[:-1], stored[:20], b"", stored[:-1] + b"?"):
        file.write_bytes(broken)
        assert cells.read(key) is None


def test_keys_tell_parameters_apart():
    assert len({cell_key(a=1), cell_key(a=2), cell_key(b=1), cell_key(a="1")}) == 4


def test_another_kind_or_format_is_refused(tmp_path):
    open_cells(tmp_path / "c", "study")
    assert is_kind(tmp_path / "c", "study")
    with pytest.raises(InputError, match="holds a study, not a sweep"):
        open_cells(tmp_path / "c", "sweep")
    said = {"format": 99, "kind": "study"}
    (tmp_path / "c" / "study.json").write_text(json.dumps(said))
    with pytest.raises(InputError, match="format 99"):
        open_cells(tmp_path / "c", "study")
    with pytest.raises(InputError, match="is no study"):
        open_cells(tmp_path / "nothing", "study", create=False)


def test_two_processes_do_not_share_them(tmp_path):
    cells = open_cells(tmp_path / "c", "study")
    with cells.alone(), pytest.raises(InputError, match="at work"), cells.alone():
        pass
