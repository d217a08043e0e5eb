"""``supersample plan`` and ``sweep``."""

import pandas as pd

from supersample import load_example


def test_plan_of_a_chosen_and_of_a_fitted_population(command, tmp_path):
    sizes = ["--systems", 5, "--systems", 60, "--segments", 50, "--replicates", 40]
    out = command("plan", "--r", 0.95, "--other-r", 0.5, "--metric-r", 0.5, *sizes).done.out
    assert out.startswith("If one true r is 0.45 above the other (0.95 and 0.5 with people), ")
    assert "with 50 segments, scores of systems are noisier than in real test sets. Oth" in out
    assert "in all, with 50 segments, would show it (80 % probability, by simulation)." in out
    assert "systems needed" not in out
    assert out.splitlines()[-1] == "All numbers: --full."
    more = ("--segments", 20, "--full")
    out = command("plan", "--r", 0.95, "--other-r", 0.5, "--metric-r", 0.5, *sizes, *more).out
    assert "systems needed" in out
    assert "\nWith 20 segments: " in out
    fitted = ["example", "--first", "strong-95", "--second", "weak-40"]
    out = command("plan", *fitted, *sizes, "--out", tmp_path / "o").done.out
    assert "If strong-95's r is 0." in out
    turned = ["example", "--first", "weak-40", "--second", "strong-95"]
    out = command("plan", *turned, *sizes, "--comparisons", 3).out
    assert "If strong-95's r is 0." in out
    assert "(80 % probability, by simulation, corrected for 3 comparisons (Holm))." in out
    assert (tmp_path / "o" / "plan.png").exists()


def test_a_sweep_says_how_many_rankings_its_super_samples_give(command, tmp_path):
    grid = "n = [300, 100000]\nseeds = [0,1,2,3,4,5,6,7,8,9]\ninputs = ['example']\n"
    (tmp_path / "ten.toml").write_text(grid)
    out = command("sweep", tmp_path / "ten.toml", "--out", tmp_path / "o", "-q").done.out
    few, many, path = out.splitlines()
    design = "PairHybrids(balanced,0.5,segment)"
    swaps = "strong-95 and errors-85, strong-98 and errors-85"
    assert few == (
        f"example, 300 hybrids, {design}: 3 rankings in 10 super-samples; these pairs swap places: "
        f"{swaps}"
    )
    counted = "1 ranking in 10 super-samples; no pair swaps places"
    assert many == f"example, 100,000 hybrids, {design}: {counted}"
    assert path.endswith("result.csv")


def test_copies_of_a_metric_share_a_rank_in_a_sweep(command, tmp_path):
    scores = load_example()
    wide = scores["human"].to_dataframe()[["human"]]
    good = scores["score"].sel(metric="good-90").to_dataframe()["score"]
    for k in range(5):
        wide[f"copy-{k}"] = good * (0.37 + k) + 100 / 3 * k
    wide.to_csv("copies.csv")
    grid = "n = [300]\nseeds = [0,1,2,3,4,5]\ninputs = ['copies.csv']\n"
    (tmp_path / "six.toml").write_text(grid)
    out = command("sweep", tmp_path / "six.toml", "--out", tmp_path / "o", "-q").done.out
    assert "1 ranking in 6 super-samples; no pair swaps places" in out


def test_plan_of_a_judge_says_how_many_items(command):
    items = range(60)
    table = pd.DataFrame({f"p{k}": [(i + (i % 7 == k)) % 4 for i in items] for k in range(3)})
    table.assign(gpt=[(i + (i % 5 == 0)) % 4 for i in items]).to_csv("t.csv")
    of = ("plan", "t.csv", "--judge", "gpt", "--rater", "p0,p1,p2")
    first, second, third, fourth, *_ = command(*of, "--width", 0.1, "--out", "o").out.splitlines()
    assert first.startswith("About ")
    assert " items in all (there are 60), judged by gpt and 3 people each, are needed " in first
    assert second.startswith("With 1 person: about ")
    assert third.startswith("Assumed: items are independent, and ratings vary as in these 60 items")
    assert " off by up to " in third
    of_one = command(*of[:4], "--rater", "p0", "--width", 0.1).out
    assert "Leave --width out" in fourth
    assert "Leave --width out" not in of_one
    assert len(pd.read_csv("o/judge-plan.csv")) == 3
    pd.read_csv("t.csv").assign(system=[*"ab"] * 30, segment=table.index // 2).to_csv("s.csv")
    first, *_ = command("plan", "s.csv", *of[2:], "--width", 0.1).out.splitlines()
    assert " items; there are 30 segments), judged" in first
    first, *_ = command(*of, "--power", 0.9).out.splitlines()
    assert "if gpt agrees better with people than people do with each other, by as " in first
    assert first.endswith(" would show it (90 % probability).")
    same = pd.read_csv("t.csv").assign(gpt=lambda x: x["p0"], p1=lambda x: x["p0"])
    same.to_csv("same.csv")
    judges = ("plan", "same.csv", "--judge", "gpt", "--rater", "p0,p1")
    assert "exactly as people do with each other: no number" in command(*judges).out
    assert "do not show how much gpt's agreement varies" in command(*judges, "--width", 0.1).out
    for options, message in (
        (("--width", 0.1, "--power", 0.9), "--power does not go with --width"),
        (("--first", "gpt"), "--first does not go with --judge"),
        (("--raters", 2), "--raters goes with --width"),
    ):
        status, out, err = command(*of, *options)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_plan_of_one_metric_says_how_many_systems(command):
    of = ("plan", "example", "--first", "strong-95", "--width", 0.1)
    first, second, *_ = command(*of).out.splitlines()
    assert first == (
        "About 45 systems in all are needed for a 95 % interval of width 0.1 of strong-95's r "
        "(here r = 0.928, 0.716 to 0.983, 12 systems)."
    )
    assert second.startswith("Assumed: independent systems with normal scores, r as here")
    teams = command(*of, "--team", "twins=system-01,system-02").out.splitlines()
    assert teams[1].startswith("Assumed: independent systems (there are 12 systems in 11 teams")
    status, out, err = command(*of, "--second", "weak-40")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--second does not go with --width" in err
    assert "--width needs a metric" in command("plan", "example", "--width", 0.1).err
