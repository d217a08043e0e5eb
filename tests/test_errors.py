"""What a misspelt name is answered with."""

import pytest

from supersample import InputError
from supersample.errors import check_choice, check_names

NAMES = ["bleu", "chrf", "ter", "comet", "bleurt"]


@pytest.mark.parametrize(
    "check",
    [
        lambda name: check_names("metric", [name], NAMES),
        lambda name: check_choice("metric", name, NAMES),
    ],
)
def test_the_closest_name_is_suggested(check):
    message = "no metric 'Comet': did you mean 'comet'\\? There are also [a-z, ]*bleu"
    with pytest.raises(InputError, match=message):
        check("Comet")
    with pytest.raises(InputError, match="no metric 'xyz'; there are bleu, chrf, ter, comet"):
        check("xyz")
    check("comet")


def test_many_names_are_shortened_beside_a_suggestion():
    names = [f"metric-{i:03d}" for i in range(60)]
    with pytest.raises(InputError, match=r"did you mean 'metric-007'.* and 49 more$"):
        check_names("metric", ["metric_007"], names)


def test_a_few_names_are_listed_as_they_are():
    with pytest.raises(InputError, match=r"no scorer 'Bleu' in file; there are ter, bleu$"):
        check_names("scorer", ["Bleu"], ["ter", "bleu"], "file")
    with pytest.raises(InputError, match=r"there are none$"):
        check_names("scorer", ["Bleu"], [])
