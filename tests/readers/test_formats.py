"""Formats of other tools, as ``formats.toml`` declares them."""

import json

import pytest

import supersample as ss


def task(system, segment, **ratings):
    """Write a task of Label Studio that one person annotated."""
    result = [{"from_name": name, "value": value} for name, value in ratings.items()]
    annotations = [{"completed_by": 7, "result": result}]
    return {"data": {"system": system, "segment": segment}, "annotations": annotations}


def test_several_questions_are_several_scorers(tmp_path):
    file = tmp_path / "export.json"
    tasks = [
        task(system, segment, fluency={"rating": k}, adequacy={"choices": [str(k + 1)]})
        for k, (system, segment) in enumerate([("A", "1"), ("A", "2"), ("B", "1"), ("B", "2")])
    ]
    file.write_text(json.dumps(tasks))
    scores = ss.read_table(file, human="fluency")
    assert scores["human"].values.tolist() == [[0, 1], [2, 3]]
    assert scores["score"].sel(metric="adequacy").values.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (task("A", "1", why={"text": ["well"]}), "export.json has no scores"),
        ({"data": {}, "annotations": "x"}, "item 1: expected a list or an object, not 'x'"),
        ({"doc_id": "d", "scores": {"A": 3}}, "item 1: expected a list or an object, not '3'"),
        ({"doc_id": "d_#_1", "scores": {"A": {"human1": "x"}}}, "the score 'x' is not a number"),
    ],
)
def test_what_a_tool_does_not_write_is_refused(tmp_path, record, message):
    file = tmp_path / "export.json"
    file.write_text(json.dumps([record]))
    with pytest.raises(ss.InputError, match=message):
        ss.read_table(file)
