"""``supersample qe`` as a newcomer uses it: what works, and one line where it cannot."""

import json
from functools import partial

import pytest
import xarray as xr

import supersample as ss
from tests.long_tables import rows_of

WMT = "METRIC\tSID\tSCORE\tRANK\tHUMAN\n"
GOLD = [0.1, 0.5, 0.3, 0.9, 0.2, 0.6]
SYSTEMS = {"plus-one": [1.1, 1.5, 1.3, 1.9, 1.2, 1.6], "fair": [0.2, 0.3, 0.3, 0.5, 0.4, 0.4]}
TABLE = WMT + "".join(
    f"{name}\t{i}\t{value}\t0\t{GOLD[i]}\n"
    for name, values in SYSTEMS.items()
    for i, value in enumerate(values)
)
TIMES = "system,segment,score,trained_on\n" + "".join(
    f"{name},{i},{value},{'PET' if name == 'timed' else ''}\n"
    for name, values in {
        "PET": [30, 50, 20, 80, 40],
        "HTER": GOLD[:5],
        "words": [10, 20, 10, 10, 40],
        "timed": [20, 60, 10, 70, 30],
    }.items()
    for i, value in enumerate(values)
)
FILES = {
    "report.html",
    "evaluation.zarr", "rescaling.zarr", "evaluation.csv", "evaluation.json", "rescaling.csv",
    "rescaling.json", "differences.csv", "differences.json", "rescaling.md", "rescaling.tex",
    "evaluation.md", "evaluation.tex", "evaluation-notes.tex", "rescaling-notes.tex",
    *(f"{name}.{suffix}" for name in ("significance", "predictions", "densities", "scatter")
      for suffix in ("png", "pdf")),
}  # fmt: skip


@pytest.fixture
def qe(command):
    """Run ``supersample qe`` in an empty folder: its status, output and errors."""
    return partial(command, "qe")


def test_everything_is_said_and_written(qe, tmp_path):
    (tmp_path / "t.tsv").write_text(TABLE)
    status, out, err = qe("t.tsv", "--gold", "HTER", "--out", "out")
    assert status == 0
    assert "t.tsv: 2 systems, 6 segments; judged by HTER 6/6" in err
    assert "1.000 [1.000, 1.000]" in out
    assert "plus-one has r = 1 with HTER: its predictions differ from it only in location" in out
    assert ("MAE 1.000" in out, "less variation can have lower MAE" in out) == (True, True)
    method = "(williams1959, one-sided for the better of a pair, p ≤ 0.05)"
    assert f"HTER: 1 of 1 pairs differ significantly, unadjusted {method}" in out
    first, second = out.splitlines()[-2:]
    assert first.startswith("statistic:difference of pearson|method:williams1959")
    assert second.startswith("statistic:mae, rmse and pearson|method:rescaling(0.5 sd)")
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    rows = rows_of(tmp_path / "out" / "evaluation.csv")
    assert [row["system"] for row in rows] == ["plus-one", "fair"]
    facts = json.loads((tmp_path / "out" / "differences.json").read_text(encoding="utf-8"))
    assert facts["signature"] == first
    expected = ss.quality_estimation.evaluate_predictions(
        ss.read_predictions("t.tsv", gold=["HTER"])
    )
    with xr.open_zarr(tmp_path / "out" / "evaluation.zarr") as read:
        xr.testing.assert_equal(read.load(), expected)


def test_post_edit_rates(qe, tmp_path):
    named = ["--gold", "HTER", "--gold", "PET", "--time", "PET", "--length", "words"]
    status, out, err = qe(
        "-",
        *named,
        "--out",
        "out",
        "--confidence-level",
        "0.9",
        "--figures",
        "significance",
        stdin=TIMES,
    )
    assert status == 0
    assert "judged by HTER 5/5, PER 5/5" in err
    assert "90 % intervals" in out
    rows = {row["gold"]: row for row in rows_of(tmp_path / "out" / "evaluation.csv")}
    assert float(rows["PER"]["mae"]) == pytest.approx((1 + 0.5 + 1 + 1 + 0.25) / 5)
    assert rows["HTER"]["mae"] == ""
    assert (rows["PER"]["trained_on"], rows["PER"]["predicts"]) == ("PET", "PER")
    assert (tmp_path / "out" / "significance-2.png").exists()


def test_a_name_in_other_capitals_is_refused(qe):
    named = ["--gold", "PET", "--gold", "HTER", "--time", "PET", "--length", "words"]
    status, _, err = qe("-", *named, stdin=TIMES.replace(",PET\n", ",pet\n"))
    assert status == 2
    assert "trained_on has 'pet', and the gold standard is 'PET'; write both in the same way" in err


def test_constant_predictions_warn_once(qe):
    flat = TABLE + "".join(f"flat\t{i}\t0.3\t0\t{GOLD[i]}\n" for i in range(6))
    status, out, err = qe("-", "-q", stdin=flat)
    assert status == 0
    assert err == "warning: predictions do not vary: r with human is NaN for flat\n"
    assert "undefined" in out


@pytest.mark.real_data
def test_wmt14(qe, data_root):
    status, out, _ = qe(data_root / "wmt14-qe" / "task-1.2.csv", "--gold", "HTER")
    assert status == 0
    assert " 1  DCU-rtm-svr         0.550 [0.447, 0.638]   0.134 " in out
    assert "HTER: 32 of 55 pairs differ significantly" in out
