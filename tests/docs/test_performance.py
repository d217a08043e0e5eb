"""The cost of a large run in docs/performance.md follows from the committed benchmarks."""

import csv

from experiments.committed import ROOT

PAIRS_HYBRIDS = 65_536 / 1_770  # of one pair in a block, for 60 systems
BLOCKS = 13  # of 16 columns, for 201 scorers


def measured(name):
    with (ROOT / "benchmarks" / "results" / f"{name}.csv").open() as file:
        return {row["what"]: float(row["value"]) for row in csv.DictReader(file)}


def test_the_parts_of_a_thousand_nodes_follow_from_the_benchmarks():
    hybrids, growth = measured("hybrids"), measured("growth")
    rows, bits = hybrids["table rows read"], hybrids["bits drawn"] / 2
    pair = (growth["48 systems"] - growth["24 systems"]) / (1_128 - 276)
    milliseconds = {
        f"{rows:.0f} GB/s of table rows": 2 * 3_125 * BLOCKS * 8 * 128 / rows / 1e6,
        f"{1e6 * pair:.0f} us a pair": 1e3 * pair * 100_000 / 3_003 * BLOCKS / PAIRS_HYBRIDS,
        "co-moments of 201 scorers": 0.01,
        f"{bits:.0f} Gbit/s a core": 1_563 * BLOCKS * 64 / bits / 1e6,
        "5 GB/s a core": 2 * 100_000 * 16 * BLOCKS * 8 / PAIRS_HYBRIDS / 5e6,
    }
    text = (ROOT / "docs" / "performance.md").read_text("utf-8")
    for what, of in milliseconds.items():
        assert [line for line in text.splitlines() if what in line and f"| {of:.2f} ms |" in line]
    *computed, memory = milliseconds.values()
    most = sum(computed) + memory
    assert f"The first four parts take {sum(computed):.2f} ms per hybrid." in text
    assert f"{memory:.1f} ms if it is read" in text
    assert f"{most:.1f} ms if not" in text
    hours = [round(of * 1e6 / 3_600, -1) for of in (memory, most)]
    assert "{:,.0f},000 to {:,.0f},000 core-hours".format(*hours) in text
