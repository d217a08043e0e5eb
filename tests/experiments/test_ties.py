"""What the figure of significant pairs says: labels, marks and numbers."""

from functools import cache

import numpy as np
import pytest

import supersample as ss
from experiments.spa24.ties import plot_ties
from supersample.presentation.figures.style import figure_of, styled
from tests.toy_scores import scores_of, small

MANY = [f"metric-with-a-long-name-{i:02d}" for i in range(25)]
HUMAN, SCORE = small(segments=60, metrics=25, systems=5)
SCORES = scores_of(HUMAN, SCORE, metrics=MANY)
ranked = cache(lambda: ss.rank(ss.compare(SCORES, ["SPA", "PA"], resamples=99)))


def texts(labels):
    return [label.get_text() for label in labels]


def drawn(figure):
    with styled():
        figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize("kind", ["SPA", "PA"])
def test_significant_pairs_are_marked_above_the_diagonal(kind):
    axes = plot_ties(ranked(), measure=kind)
    drawn(figure_of(axes))
    order = np.argsort(-ranked()["value"].sel(measure=kind).values.ravel(), kind="stable")
    names = list(ranked()["metric"].values[order])
    assert texts(axes.get_xticklabels()) == names
    shown = axes.images[0].get_array()
    significant = ranked()["significant"].sel(measure=kind).values.squeeze()[np.ix_(order, order)]
    upper = np.triu_indices(25, 1)
    np.testing.assert_array_equal(shown[upper], significant[upper])
    assert np.ma.getmaskarray(np.ma.masked_invalid(shown))[np.tril_indices(25)].all()
    clusters = ranked()["clusters"].sel(measure=kind).item()
    assert len(axes.lines) == 2 * (clusters - 1)
    pairs = ranked()["significant_pairs"].sel(measure=kind).item()
    assert f"{pairs} pairs" in axes.get_xlabel()
    assert f"{clusters} clusters" in axes.get_xlabel()
