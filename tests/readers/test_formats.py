"""Formats of other tools, as ``formats.toml`` declares them."""

import json

import pytest

import supersample as ss


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"doc_id": "d", "scores": {"A": {}}}, "export.json has no scores"),
        ({"doc_id": "d", "scores": {"A": 3}}, "item 1: expected a list or an object, not '3'"),
        ({"doc_id": "d_#_1", "scores": {"A": {"human1": "x"}}}, "the score 'x' is not a number"),
    ],
)
def test_what_a_tool_does_not_write_is_refused(tmp_path, record, message):
    file = tmp_path / "export.json"
    file.write_text(json.dumps([record]))
    with pytest.raises(ss.InputError, match=message):
        ss.read_table(file)
