"""The declaration of Predictions is what is accepted, and nothing else."""

import numpy as np
import pytest

from supersample import InputError
from supersample.scores.schema import make_predictions, validate_predictions

GOOD = {"systems": ["A", "B"], "gold": ["HTER"]}
NUMBERS = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.5]]
LABELS = [[0.2, np.nan, 0.4]]


def test_what_is_given_is_what_is_there():
    data = make_predictions(NUMBERS, LABELS, **GOOD, length=[3, 4, 5], attrs={"source": "here"})
    np.testing.assert_array_equal(data["prediction"], NUMBERS)
    np.testing.assert_array_equal(data["label"], LABELS)
    assert list(data["segment"].values) == ["0", "1", "2"]
    assert list(data["predicts"].values) == ["HTER", "HTER"]
    assert "trained_on" not in data.coords
    assert data.attrs == {"source": "here", "kind": "predictions"}
    assert data["length"].attrs["units"] == "words"


def test_units_are_those_of_the_labels_a_system_was_trained_on():
    two = make_predictions(NUMBERS, LABELS * 2, systems=["A", "B"], gold=["HTER", "PET"])
    assert list(two["predicts"].values) == ["", ""]
    told = make_predictions(NUMBERS, LABELS, **GOOD, trained_on=["HTER", "PET"])
    assert list(told["predicts"].values) == list(told["trained_on"].values) == ["HTER", "PET"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prediction": NUMBERS[0]}, "do not fit together"),
        ({"label": [[1, 2]]}, "do not fit together"),
        ({"prediction": [["x", 1, 2], [1, 2, 3]]}, "not numbers in a rectangular array"),
        ({"systems": ["A", "A"]}, "the system 'A' occurs more than once"),
        ({"gold": ["HTER", "HTER"], "label": LABELS * 2}, "the gold standard 'HTER' occurs more"),
        (
            {"prediction": [[np.inf, 1, 2], [1, 2, 3]]},
            "an infinite value in the system 'A': segment '0'",
        ),
        ({"label": [[np.nan] * 3]}, "there is no number in the gold standard 'HTER'"),
        ({"prediction": np.ones((2, 1)), "label": [[1.0]]}, "at least 2 segments are needed"),
        ({"prediction": np.ones((0, 3)), "systems": []}, "at least 1 systems are needed"),
        ({"length": [1, 0, 2]}, "the length of segment '1' is 0; a length must be a positive"),
        ({"length": [1, 2]}, "do not fit together"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    arguments = {"prediction": NUMBERS, "label": LABELS, **GOOD, **change}
    with pytest.raises(InputError, match=message) as caught:
        make_predictions(arguments.pop("prediction"), arguments.pop("label"), **arguments)
    assert "\n" not in str(caught.value)


def test_a_dataset_that_lacks_something_is_refused():
    data = make_predictions(NUMBERS, LABELS, **GOOD)
    for change, message in (
        (data.drop_vars("label"), "Predictions lack 'label'"),
        (data.drop_vars("predicts"), "Predictions lack 'predicts'"),
        (data.drop_vars("segment"), "lack labels for the dimension 'segment'"),
        (data.assign(prediction=data["prediction"].astype(int)), "dtype int64"),
        (data.assign(label=data["label"].isel(gold=0)), "has dimensions"),
    ):
        with pytest.raises(InputError, match=message):
            validate_predictions(change)
