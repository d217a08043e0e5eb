import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.presentation.sentences import conclusion_line, exact_line
from supersample.presentation.studies import exact_table

EXACT = ss.exact_hybrid_correlations(ss.load_example(), n=2_000)


def test_rows_are_ordered_by_r_and_parts_add_up():
    table = exact_table(EXACT)
    fields = [column.field for column in table.columns]
    rows = [dict(zip(fields, row, strict=True)) for row in table.rows]
    r = [row["r"] for row in rows]
    assert r == sorted(r, reverse=True)
    for row in rows:
        parts = row["between_part"] + row["share_part"] + row["within_part"]
        assert np.isclose(parts, row["r"])
        assert np.isclose(row["moved"], row["r"] - row["systems_r"])


def test_one_line_says_how_far_and_how_precise():
    error = float(EXACT["standard_error"].max())
    assert exact_line(EXACT).endswith(f"2,000 leave a standard error of at most {error:.4f}")
    nothing = EXACT.assign(r=EXACT["r"] * np.nan)
    assert exact_line(nothing) == "no metric has an r over infinitely many hybrids"


@pytest.mark.parametrize(
    ("metrics", "systems", "wins", "expected"),
    [
        (4, 12, 3, "12 are evidence that it agrees better than all of the 3 other metrics"),
        (4, 12, 2, "12 are evidence that it agrees better than 2 of the 3 other metrics"),
        (4, 12, 0, "12 are evidence that it agrees better than none of the 3 other metrics"),
        (2, 12, 1, "12 are evidence that it agrees better than the other metric"),
        (2, 12, 0, "12 are no evidence that it agrees better than the other metric"),
        (2, 3, 0, "of new systems, 3 are too few to say anything"),
    ],
)
def test_the_conclusion_in_one_sentence(metrics, systems, wins, expected):
    ranking = xr.Dataset(
        {
            "value": (("basis", "metric"), np.full((2, metrics), 0.9)),
            "n": ("basis", [100, systems]),
            "wins": (("basis", "metric"), [[0] * metrics, [wins] + [0] * (metrics - 1)]),
        },
        coords={
            "basis": ["hybrids", "systems"],
            "metric": [f"m{i}" for i in range(metrics)],
            "other_metric": [f"m{i}" for i in range(metrics)],
        },
        attrs={"confidence_level": 0.95, "method": "zou2007"},
    )
    line = conclusion_line(ranking)
    assert line.startswith("Of these systems on these segments, m0 agrees best")
    assert expected in line
