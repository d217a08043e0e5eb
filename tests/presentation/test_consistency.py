"""No row of a table, and no number of a file, contradicts a sentence."""

import re
import warnings

import numpy as np
import pytest

import supersample as ss
from supersample.presentation import labels, rankings
from supersample.presentation.answer import MOST_ROWS, answer_table, scopes_of, verdict
from supersample.presentation.screen import screen_of

NO = "ruled out"
EACH = [3, pytest.param(100, marks=pytest.mark.faults)]
"""Tables of each of eight kinds."""


def scores_of(rng, systems=None, texts=12):
    """Segment-level scores: metrics of unequal quality, in documents or without them."""
    systems, count = systems or int(rng.integers(4, 13)), int(rng.integers(2, 8))
    documents = int(rng.choice([0, 3, 6]))
    quality = rng.normal(size=(systems, 1)) * rng.uniform(0.2, 2.0)
    people = quality + rng.normal(size=(systems, texts))
    own = rng.uniform(0.1, 3.0, (count, 1, 1)) * rng.normal(size=(count, systems, texts))
    of = {"document": [f"d{i % documents}" for i in range(texts)]} if documents else {}
    scores = ss.make_scores(
        people,
        people + own + rng.normal(size=(count, systems, 1)) * rng.choice([0.1, 1.0]),
        metrics=[f"m{i}" for i in range(count)],
        systems=[f"s{i}" for i in range(systems)],
    )
    return scores.assign_coords({name: ("segment", labels) for name, labels in of.items()})


def of_systems(rng):
    scores = scores_of(rng)
    return ss.rank(ss.system_level_scores(scores))


def of_groups(rng):
    scores, others = (scores_of(rng, int(rng.integers(5, 12))) for _ in range(2))
    most = min(scores.sizes["metric"], others.sizes["metric"])
    pair = {"u": scores.isel(metric=slice(most)), "v": others.isel(metric=slice(most))}
    return ss.rank(pair, n=20)


KINDS = {
    "rank": lambda rng: ss.rank(scores_of(rng), n=20),
    "compare": lambda rng: ss.rank(scores_of(rng), n=0),
    "system-level": of_systems,
    "spa": lambda rng: ss.rank(scores_of(rng), ["SPA", "PA"], resamples=99),
    "segments": lambda rng: ss.rank(scores_of(rng), ["pdp", "acc_eq"], resamples=99),
    "drawn": lambda rng: ss.rank(scores_of(rng), "SPA", random="segments", resamples=99),
    "averages": of_groups,
    "one pair": lambda rng: ss.rank(scores_of(rng).isel(metric=slice(2)), n=0),
}


def check_scopes(ranking):
    """Compare what sentences, the table and the p-values say of each scope."""
    told, scopes = verdict(ranking), scopes_of(ranking)
    table, more = answer_table(ranking, most=None)
    assert more == []
    fields = [column.field for column in table.columns]
    for scope in scopes:
        cells = [cell for cell in scope.cells() if cell]
        kept, count = sum(cell != NO for cell in cells), len(cells)
        [line] = [line for line in told if line.startswith(f"  {scope.words}")]
        assert cells[0] != NO  # the first metric is never ruled out
        assert (" metrics could be the best (" in line) == (kept == count)
        assert (f"the best is one of {kept} of {count} metrics" in line) == (1 < kept < count)
        assert (f"the best is {labels.marked_labels(scope.part)[0]} (" in line) == (kept == 1)
        out = np.array(scope.cells()) == NO
        np.testing.assert_array_equal(scope.part["p_best"].values <= 0.05, out)
        if "behind_lower" in scope.part and scope.part["behind_upper"].notnull().any():
            np.testing.assert_array_equal(scope.part["behind_lower"].values > 0, out)
        if scope.field in fields:
            assert [row[fields.index(scope.field)] for row in table.rows] == scope.cells()
        if "differs_adjusted" in scope.part:
            better = scope.part["differs_adjusted"].values & (scope.part["difference"].values < 0)
            assert not better.any(axis=1)[~out & scope.known].any()
    missing = [line for line in told if "not known: " in line]
    assert bool(missing) >= (not scopes and len(told) > 1)


def check_baseline(ranking):
    """Compare the sentences of a comparison with a baseline with its rows."""
    against = ss.compare_to_baseline(ranking, str(ranking["metric"].values[-1]))
    lines = screen_of(ranking, against).answer
    average = labels.on_average(against)
    for part in labels.leading_parts(average, "systems"):
        differs, p = part["differs"].values, part["p_baseline"].values
        np.testing.assert_array_equal(differs, p <= 0.05)
        if "difference_lower" in part:
            limits = part["difference_lower"].values, part["difference_upper"].values
            assert not (differs & (limits[0] < 0) & (limits[1] > 0)).any()
    if average.sizes["metric"] > 1:
        shown = re.findall(r"^(\w+) of \d+ (?:metrics? .* )?by ", "\n".join(lines), re.MULTILINE)
        parts = labels.leading_parts(average, "systems")
        tested = [part["differs"] for part in parts if part["difference"].notnull().any()]
        assert shown == [str(differs.values.sum() or "None") for differs in tested]
        return
    for line in lines:
        found = re.search(
            r"interval (?:above )?(-?[\d.]+) to (?:below )?(-?[\d.]+), (?:test: )?p = ([\d.e-]+)",
            line,
        )
        if found:
            low, high, p = map(float, found.groups())
            told = "the interval holds 0" in line
            positive = line.startswith("Yes: ")
            assert (low >= 0 and p <= 0.05) if positive else (low <= 0 <= high)
            assert positive or p > 0.05 or told


def check_files(ranking):
    """See that a file's p and its column of what may be best agree."""
    table = rankings.plain_ranking_table(ranking)
    fields = [column.field for column in table.columns]
    for name in (name for name in fields if name.startswith("p_best")):
        end = name.removeprefix("p_best")
        kept, p = fields.index(f"may_be_best{end}"), fields.index(name)
        for row in table.rows:
            if row[p] == row[p]:
                assert row[kept] == (row[p] > 0.05)


@pytest.mark.parametrize("count", EACH)
@pytest.mark.parametrize("kind", KINDS)
def test_no_row_contradicts_a_sentence(kind, count):
    """Count what tables, sentences and files say of generated sets of scores of each kind."""
    for seed in range(count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ranking = KINDS[kind](np.random.default_rng([7, seed]))
        check_scopes(ranking)
        check_files(ranking)
        if "p_value" in ranking:
            check_baseline(ranking)
        assert len(screen_of(ranking).tables[0].rows) <= MOST_ROWS
