"""Figures say what they draw, given another Dataset."""

import inspect

import pytest

import supersample as ss

SCORES = ss.load_example()
FIGURES = [name for name in dir(ss.figures) if name != "plot_sets"]  # which has its own message


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(
    "given",
    [SCORES, ss.inspect_scores(SCORES), ss.correlations.compare_overlapping(0.9, 0.8, 0.8, 12)],
    ids=["scores", "inspection", "test"],
)
def test_another_result_is_refused_in_one_line(name, given):
    figure = getattr(ss.figures, name)
    others = list(inspect.signature(figure).parameters.values())[1:]
    needed = [each for each in others if each.default is each.empty and "VAR" not in each.kind.name]
    with pytest.raises(ss.InputError) as told:
        figure(given, *["x" for _ in needed])
    text = str(told.value)
    assert text.startswith(f"{name} draws a result of ")
    assert "and this one has no " in text
    assert "\n" not in text
