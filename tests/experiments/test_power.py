"""Level and power of tests at one true difference."""

from itertools import islice

import numpy as np
import pytest
from scipy.special import ndtri

from experiments.committed import rows_of
from experiments.power import study
from experiments.power.plan import ALPHA, GAP, IDEAL, SMOKE


def test_a_test_that_knows_the_deviation_has_the_ideal_power():
    assert pytest.approx(ndtri(1 - ALPHA / 2) + ndtri(IDEAL), abs=1e-4) == GAP


def test_rates_are_those_of_a_test_whose_p_is_too_small():
    p = np.linspace(0, 1, 1001)
    [row] = study.rates("half", {"liberal": p / 2}, {"liberal": p / 4})
    assert (row["level"], row["power"]) == (0.1009, 0.2008)
    assert row["at_level"] == pytest.approx(0.1, abs=0.01)


def test_every_test_has_a_level_and_less_power_than_one_that_knows_the_deviation():
    for part in study.PARTS:
        for row in rows_of(f"power/results/{part}.csv"):
            assert float(row["level"]) <= float(row["level_worst"]) < float(row["at_level"]) < 0.95


@pytest.mark.real_data
def test_smoke(data_root, monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.best.documents.DATA", data_root)
    monkeypatch.setattr(study, "MEASURES", ["SPA"])
    monkeypatch.setattr("experiments.best.documents.HALVINGS", 3)
    monkeypatch.setattr("experiments.best.documents.REDRAWN", 2)
    for module in ("tests_of_spa", "populations"):
        monkeypatch.setattr(f"experiments.retrospective.{module}.RESAMPLES", 19)
    drawn = study.drawn_sets

    def few(*arguments, **options):
        return dict(islice(drawn(*arguments, **options).items(), 2))

    monkeypatch.setattr(study, "drawn_sets", few)
    assert SMOKE.samples < 50
    assert study.main(["--smoke", "--to", str(tmp_path)]) == 0
    assert {path.stem.removesuffix("-settings") for path in tmp_path.iterdir()} == set(study.PARTS)
