"""What first screens say is true, and cannot be read as something else."""

import numpy as np
import pandas as pd
import pytest

import supersample as ss


@pytest.fixture
def mine(tmp_path):
    """Scores of an added metric."""
    example = ss.load_example()
    own = example["score"].sel(metric="good-90").values
    rows = zip(example["system"].values, own, strict=True)
    path = tmp_path / "mine.seg.score"
    path.write_text("".join(f"{system}\t{x!r}\n" for system, row in rows for x in row.tolist()))
    return f"mine={path}"


@pytest.mark.parametrize(
    ("verb", "name"), [("segments", "acc_eq/item"), ("spa", "SPA"), ("rank", "r")]
)
def test_the_rank_of_an_added_metric_is_by_the_measure_that_orders_the_table(
    command, mine, verb, name
):
    added = ("--add-metric", mine, "--higher-is-better", "mine", "--metrics", "strong-95,weak-40")
    few = {"rank": ("-n", "50")}.get(verb, ("--resamples", "99"))
    out = " ".join(command(verb, "example", *added, *few, "-q").out.split())
    assert f"mine ◀ has rank 2 of 3 by {name}; on " in out


def test_conclusions_count_metrics_and_limits_are_of_one_side(command):
    out = command("rank", "example", "-n", "50", "-q").out
    assert "\n  new systems, same segments    the best is one of 6 of 8 metrics (95 % sure)" in out
    assert "  0.716 to 0.983" in out
    assert "alone may be, if systems are independent (no near-copies); two such" in out
    assert "For r below 0.7, the method for new systems was not tried" in out
    ss.write_scores(ss.load_example().isel(segment=slice(80)), "few.zarr")
    lines = command("rank", "few.zarr", "-n", "50", "-q", "--by", "document").out.splitlines()
    assert any(line.startswith("  new documents ") for line in lines)
    heading = next(k for k, line in enumerate(lines) if line.startswith("#  metric"))
    assert lines[heading].split()[-2:] == ["new", "documents?"]


def _write(**scores):
    """Write a table with a column for each scorer, six segments of each system."""
    table = pd.DataFrame({name: np.repeat(values, 6) for name, values in scores.items()})
    count = len(table) // 6
    table.insert(0, "system", np.repeat([f"s{i}" for i in range(count)], 6))
    table.insert(1, "segment", np.tile(range(6), count))
    for name in scores:
        table[name] += np.tile(0.1 * np.arange(6), count)
    table.to_csv("scores.csv", index=False)


def test_a_negative_r_is_no_reason_to_turn_a_metric(command):
    table = ss.load_example()
    turned = table.assign(score=-table["score"]).isel(metric=[0, 1])
    ss.write_scores(turned, "turned.csv")
    out = " ".join(command("inspect", "turned.csv", "--human", "simulated").out.split())
    assert "missing metric scores: none (each metric: 6000 in all)" in out
    assert "it agrees badly, or its orientation is wrong; if it counts errors" in out


def test_of_predictions_the_highest_r_is_not_called_the_best_predictor(command):
    drawn = np.random.default_rng(1)
    gold = drawn.normal(size=60)
    near, far = gold + drawn.normal(size=60), gold + 9 * drawn.normal(size=60)
    alone, tied = {"human": gold, "near": near, "far": far}, {"copy": near}
    wins = "), and wins over 1 of 1 others.\n"
    for scores, first in ((alone, "near has"), (alone | tied, "near, copy have")):
        rows = pd.DataFrame(scores).melt(None, None, "system", "score", ignore_index=False)
        rows.to_csv("predictions.csv", index_label="segment")
        out = command("qe", "predictions.csv").out
        assert out.startswith(f"{first} the highest r with human (0.")
        assert (wins in out) == (scores is alone)


def test_one_star_stands_for_stars_that_do_not_fit_and_is_in_the_legend():
    drawn = np.random.default_rng(2)
    quality = drawn.normal(size=(14, 1))
    noise = np.linspace(0.05, 3, 30)[:, np.newaxis, np.newaxis]
    scores = ss.make_scores(
        quality + 0.1 * drawn.normal(size=(14, 5)),
        quality + noise * drawn.normal(size=(30, 14, 1)) + 0.1 * drawn.normal(size=(30, 14, 5)),
        metrics=[f"m{i}" for i in range(30)],
        systems=[f"s{i}" for i in range(14)],
    )
    ranking = ss.rank(ss.system_level_scores(scores))
    for width, narrow in (("acl1", True), (60.0, False)):
        axes = ss.figures.plot_significance(ranking, width=width)
        marks = {line.get_gid() for line in axes.lines if line.get_gid()}
        text = " ".join(axes.get_xlabel().split())
        assert "*" in marks
        assert ("***" in marks) != narrow
        assert ("* p ≤ 0.05, corrected" in text) == narrow
        assert ("*** 0.001" in text) != narrow
