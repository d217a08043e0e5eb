import numpy as np

import supersample as ss
from supersample.presentation.answer import exact_line
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
    assert exact_line(EXACT).endswith(f"2,000 hybrids has a standard error of at most {error:.4f}.")
    nothing = EXACT.assign(r=EXACT["r"] * np.nan)
    assert exact_line(nothing) == "No metric has an r over infinitely many hybrids."
