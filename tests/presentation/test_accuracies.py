"""Tables of accuracies: every number where it belongs."""

from functools import cache

import pytest

import supersample as ss
from supersample.presentation import answer as sentences
from supersample.presentation import notes, rankings
from supersample.presentation.labels import shown_groups
from tests.toy_scores import scores_of, small

HUMAN, SCORE = small(segments=60, metrics=4)
SCORE[1] = SCORE[0]
SCORE[2] = -HUMAN + 0.1 * SCORE[2]
OPTIONS = {
    "metrics": ["best_1", "twin", "worst", "other"],
    "higher_is_better": [True] * 3 + [False],
}
LABELLED = scores_of(HUMAN, SCORE, domain=["a"] * 30 + ["b"] * 30, **OPTIONS)


@cache
def ranked(**options):
    with pytest.warns(ss.OrientationWarning, match="worst"):
        return ss.rank(ss.compare(LABELLED, ["SPA", "PA"], resamples=99, **options))


def by_field(table):
    names = [column.field for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_the_summary_counts_significant_pairs_and_the_most_among_all_metrics():
    for row in by_field(rankings.summary_table(ranked())):
        own = ranked().sel(measure=row["measure"])
        counts = (row["metrics"], row["distinct_metrics"], row["most_pairs"], row["systems"])
        assert counts == (4, 3, 6, 6)
        for name in ("distinct_values", "significant_pairs", "clusters"):
            assert row[name] == own[name].item()
    assert len(rankings.summary_table(ranked(by="domain")).rows) == 6
    lines = sentences.counts_of(ranked())
    assert lines[0].startswith("SPA: ")
    assert " of 6 pairs differ significantly, unadjusted (perm-inputs, p ≤ 0.05), " in lines[0]
    [same] = sentences.identical_lines(ranked())
    assert same == "best_1 and twin: the same scores, perhaps in other units"


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")
@pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")
def test_the_page_shows_groups_beside_their_average_if_they_are_few():
    columns = [column.field for column in rankings.ranking_table(ranked(by="domain")).columns]
    assert columns[-4:] == ["value_SPA_a", "value_PA_a", "value_SPA_b", "value_PA_b"]
    row = by_field(rankings.ranking_table(ranked(by="domain")))[0]
    first = ranked(by="domain").isel(metric=0)
    assert row["value_SPA"] == first["value"].sel(measure="SPA", group="average").item()
    assert row["value_PA_b"] == first["value"].sel(measure="PA", group="b").item()
    many = scores_of(HUMAN, SCORE, document=[str(i // 2) for i in range(60)])
    ranking = ss.rank(ss.compare(many, ["SPA", "PA"], by="document", resamples=9))
    assert shown_groups(ranking) == ["average"]
    assert len(rankings.ranking_table(ranking).columns) == 11
    assert "the average of 30 documents" in notes.caption_of(ranking)
