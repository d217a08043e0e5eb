import numpy as np
import pytest

import supersample as ss
from supersample.readers.ratings import penalty


@pytest.mark.parametrize(
    ("severity", "category", "points"),
    [
        ("major", "accuracy/mistranslation", 5),
        ("major", "accuracy/source language fragment", 5),
        ("minor", "accuracy/mistranslation", 1),
        ("minor", "fluency/punctuation", 0.1),
        ("major", "fluency/punctuation", 5),
        ("major", "non-translation!", 25),
        ("major", "source issue", 0),
        ("minor", "accuracy/creative reinterpretation", 0),
        ("neutral", "other", 0),
        ("Major", None, 5),
    ],
)
def test_the_standard_weights(severity, category, points):
    assert penalty("", severity, category) == points


def test_errors_add_up_and_none_is_missing(tmp_path):
    path = tmp_path / "x.seg.rating"
    error = '{"severity": "minor", "category": "style/awkward"}'
    path.write_text(f'A\t{{"errors": [{error}, {error}]}}\nA\tNone\nB\t{{"errors": []}}\nB\tNone\n')
    scores = ss.read_mqm(path)
    np.testing.assert_array_equal(scores["A"], [-2, np.nan])
    np.testing.assert_array_equal(scores["B"], [0, np.nan])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("A\n", "line 1: expected a system, a tab and its errors"),
        ("A\t{\n", "line 1: not JSON"),
        ("A\t" + "[" * 100000, "line 1: not JSON"),
        ("A\t[]\n", "line 1: expected"),
        ('A\t{"errors": [3]}\n', "line 1: an error without a severity"),
        ('A\t{"errors": [{"severity": "huge"}]}', "line 1: the severity 'huge' is neither"),
        ("A\tNone\nA\tNone\nB\tNone\n", "line 3: 'B' has 1 scores, 2 are expected"),
    ],
)
def test_bad_files_are_refused_with_file_and_line(tmp_path, text, message):
    (tmp_path / "x.seg.rating").write_text(text)
    with pytest.raises(ss.InputError, match=message):
        ss.read_mqm(tmp_path / "x.seg.rating")
