"""Rankings in groups, drawn at random, are written whole, and name whatever is left out."""

import random
import shutil

import pandas as pd
import pytest

from tests.faults.test_fuzzed_commands import STUCK, called
from tests.long_tables import rows_of

pytestmark = pytest.mark.posix("alarms end commands that are stuck")

MEASURES = [
    *("pearson", "spearman", "kendall", "PA", "SPA", "MAE", "RMSE"),
    *("acc_eq/item", "acc_eq/none", "pdp/item", "pearson/none", "pearson/item", "kendall/system"),
]
ROUNDS = [5, *(pytest.param(100 + i, marks=pytest.mark.faults) for i in range(4))]


def generated(rng, systems, metrics, domains):
    """Rows of a table of scores with domains, documents, gaps and ties."""
    rows, ability = [], {name: rng.gauss(0, 1) for name in systems}
    noise = {name: rng.choice([0.2, 1.0, 3.0]) for name in metrics}
    silent = rng.choice([None, *metrics]), rng.choice([None, *domains])
    for segment in range(rng.choice([12, 24, 40])):
        domain = domains[segment * len(domains) // 40]
        for system in systems:
            base = ability[system] + rng.gauss(0, 1)
            row = {"system": system, "segment": segment, "domain": domain}
            row |= {"document": f"{domain}-{segment // 4}"}
            row["human"] = None if rng.random() < 0.05 else round(base)
            for name in metrics:
                score = base + rng.gauss(0, noise[name])
                row[name] = None if (name, domain) == silent or rng.random() < 0.01 else score
            rows.append(row)
    return rows


def write_tables(folder, rng):
    """Tables of three sets, which share some systems and metrics, and one with all of them."""
    systems, metrics = [f"s{i}" for i in range(9)], ["good", "fair", "m,1", "poor"]
    every = []
    for name in ("a", "b", "c"):
        some = rng.sample(systems, rng.randint(5, 9)), rng.sample(metrics, rng.randint(3, 4))
        rows = generated(rng, *some, ["news", "speech", "chat"][: rng.randint(1, 3)])
        pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False)
        every += [{"language_pair": f"xx-{name}", **row} for row in rows]
    pd.DataFrame(every).to_csv(folder / "every.csv", index=False)


def grouping(rng, sets):
    """A source in groups, as arguments."""
    of_table = ["--human", "human"]
    ways = [
        ["a.csv", *of_table, "--by", rng.choice(["domain", "document"])],
        ["a.csv", *of_table, "b.csv"],
        ["a.csv", *of_table, "b.csv", "c.csv"],
        ["every.csv", *of_table, "--language-pair", rng.choice(["all", "xx-a,xx-c"])],
    ]
    if sets is not None:
        where = f"{sets}/wmt23"
        kept = ["--metrics", rng.choice(["COMET,BLEU,chrF,XCOMET-XL", "primary"])]
        ways += [
            [f"{where}/en-de", *kept, "--by", "domain"],
            [where, "--language-pair", "all", *kept],
            [f"{where}/en-de", f"{where}/zh-en", *kept],
            ["example", "--by", "document"],  # many groups
        ]
    return rng.choice(ways)


def drawn_command(rng, sets):
    """A command that ranks in groups and writes a folder."""
    name = rng.choice(["rank", "rank", "rank", "spa", "segments"])
    arguments = [name, *grouping(rng, sets), "--out", "out"]
    some = rng.sample(MEASURES, rng.randint(1, 3))
    if name == "rank" and rng.random() < 0.7:
        arguments += ["--measure", ",".join(some), "--resamples", "19"]
        arguments += rng.choice([[], [], ["--random", "segments"], ["--random", "systems"]])
    elif name == "rank":
        averaged = rng.choice([[], [], ["--in-at-least", "2"]])
        arguments += ["-n", "60", *averaged]
    else:
        arguments += ["--resamples", "19"]
    if name == "segments" and rng.random() < 0.5:
        arguments += ["--measure", rng.choice(["acc_eq/none,pdp/item", "kendall/item"])]
    best = "strong-95" if "example" in arguments else "COMET" if "wmt23" in arguments[1] else "fair"
    for more in (["--full"], ["--all"], ["--seed", "7"], ["--baseline", best]):
        arguments += more if rng.random() < 0.15 else []
    return [*arguments, "--figures", rng.choice(["none", "none", "none", "main", "all"])]


def named(folder, dim):
    """Labels along a dimension in the written ranking."""
    rows = rows_of(folder / "ranking.csv")
    return [row[dim] for row in rows], rows


def scored(path, arguments):
    """Columns of a table that have something in the language pairs that are ranked."""
    table = pd.read_csv(path)
    if "xx-a,xx-c" in arguments:
        table = table[table["language_pair"] != "xx-b"]
    return table.dropna(axis=1, how="all").columns


def check_whole(arguments, out, err, folder):
    """Everything is written, and what the source has is in the files or named."""
    [line] = [x for x in err.splitlines() if x.startswith("written to ")]
    first, _, more = line.partition(": ")[2].partition(", and ")
    assert int(more.split()[0]) == len([*folder.iterdir()]) - len(first.split(", "))
    groups, rows = named(folder, "group")
    metrics = {row["metric"] for row in rows}
    assert set(groups) > {"average"} or "not known" in out
    if ".csv" in arguments[1]:
        read = [x for name in arguments if name.endswith(".csv") for x in name.split(",")]
        columns = {x for name in read for x in scored(folder.parent / name, arguments)}
        known = {"system", "segment", "domain", "document", "human", "language_pair"}
        for name in columns - known - metrics:
            assert name in err + out
        if "--by" in arguments:
            label = arguments[arguments.index("--by") + 1]
            labels = set(pd.read_csv(folder.parent / arguments[1])[label])
            for name in labels - set(groups):
                assert name in err + out
    for row in rows:
        values = [value for key, value in row.items() if key.startswith("value_")]
        if "" in values and "in-at-least" not in str(arguments):
            assert row["metric"] in err


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("count", ROUNDS)
def test_rankings_in_groups_are_whole(tmp_path, monkeypatch, count, request):
    monkeypatch.chdir(tmp_path)
    long, rng = count > 12, random.Random(count)
    sets = request.getfixturevalue("data_root") / "mt-metrics-eval-v2" if long else None
    done = 0
    for number in range(count):
        if number % 20 == 0:
            write_tables(tmp_path, rng)
        arguments = drawn_command(rng, sets)
        shutil.rmtree("out", ignore_errors=True)
        status, out, err = called(arguments, STUCK)
        told = f"{' '.join(arguments)}\n{err}"
        assert "unexpected" not in err, told
        if status:
            assert status == 2, told
            *others, last = err.splitlines()
            assert last.startswith("error: "), told
            assert not any(each.startswith("error: ") for each in others), told
            continue
        done += 1
        try:
            check_whole(arguments, out, err, tmp_path / "out")
        except AssertionError as error:
            raise AssertionError(told) from error
    assert done > count / 2
