import pytest

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
