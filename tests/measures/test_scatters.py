"""Scores of translations for pictures, held to a loop over what is rated and scored."""

import numpy as np

import supersample as ss
from tests.toy_scores import lattice


def test_they_are_the_rated_and_scored_translations_as_they_were_given():
    given = lattice()
    [found] = ss.measures.translation_scores(given).values()
    human, score = given["human"].values, given["score"].values
    expected, means = [], {}
    for i, system in enumerate(given["system"].values):
        kept = [
            (human[i, j], *score[:, i, j])
            for j in range(given.sizes["segment"])
            if not np.isnan([human[i, j], *score[:, i, j]]).any()
        ]
        expected += kept
        means[system] = np.mean(kept, axis=0)
    drawn = np.column_stack([found["human"], found["score"]])
    np.testing.assert_allclose(drawn, expected)
    of_systems = np.column_stack([found["system_human"], found["system_score"]])
    np.testing.assert_allclose(of_systems, list(means.values()))
    assert list(found["system"].values) == list(means)


def test_groups_are_those_that_are_compared():
    example = ss.load_example().isel(segment=slice(60), metric=slice(2))
    for options in ({"by": "document"}, {"mask": "common"}):
        drawn = ss.measures.translation_scores(example, **options)
        compared = ss.compare(example, "acc_eq", resamples=2, **options)
        counts = compared["translations"].values.ravel()
        assert [each.sizes["translation"] for each in drawn.values()] == list(counts)[-len(drawn) :]
        if "by" in options:
            assert list(drawn) == list(compared["group"].values[1:])
