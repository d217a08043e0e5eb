"""The study of averages over sets on a few small samples, and what its results must say."""

import numpy as np
import pytest

from experiments.committed import rows_of
from experiments.sets import study
from experiments.sets.plan import COUNTS, FULL, OVERLAPS, SMOKE
from experiments.sets.settings import drawn_sets
from experiments.sets.spread import errors_table, spread_table
from supersample.scores.system_level import make_system_scores

RESULTS = "sets/results"


def test_the_study_runs_writes_and_resumes(monkeypatch, tmp_path, capsys):
    draw = study.drawn_sets

    def few(*arguments, **options):
        drawn = draw(*arguments, **options)
        return {name: drawn[name] for name in list(drawn)[:7:3]}

    monkeypatch.setattr(study, "drawn_sets", few)
    monkeypatch.setattr(study, "POWER", study.POWER[:1])
    arguments = ["--smoke", "--out", str(tmp_path / "out")]
    assert study.main(arguments) == 0
    first = capsys.readouterr().out
    assert "chosen by the rule" in first
    for name in ("choosing", "confirming-settings", "candidates", "new-settings", "power"):
        assert (tmp_path / "out" / f"{name}.csv").exists()
    for name in ("candidates", "library", "new_sets"):
        monkeypatch.setattr(study, f"measure_{name}", None)  # computing anew would fail
    assert study.main(arguments) == 0
    assert capsys.readouterr().out == first


def test_a_population_has_the_correlations_that_it_names():
    settings = drawn_sets(SMOKE.confirming, 1)
    assert len(settings) == 3 * (1 + (len(COUNTS) - 1) * len(OVERLAPS))
    setting = settings["graded, 4 sets, systems shared: by chance, 1"]
    drawn = setting.draw(np.random.default_rng(0), 6_000)
    for of, scores in zip(setting.z, drawn, strict=True):
        r = np.corrcoef(scores.reshape(-1, scores.shape[-1]).T)[0, 1:]
        np.testing.assert_allclose(r, np.tanh(of), atol=0.03)


def test_the_spread_between_sets_is_found():
    rng = np.random.default_rng(5)
    sets = {}
    for of in range(12):
        quality = rng.standard_normal(400)
        r = np.tanh(1 + 0.4 * rng.standard_normal(8))
        noise = rng.standard_normal((8, 400)) * np.sqrt(1 / r**2 - 1)[:, np.newaxis]
        alike = noise / noise.std(axis=1, keepdims=True)
        for name, errors in (("WMT15", noise), ("WMT23", alike)):
            sets[f"{name} {of}"] = make_system_scores(
                quality, quality + errors, systems=[*map(str, range(400))], metrics=[*"abcdefgh"]
            )
    apart, equal = spread_table(sets).rows
    assert apart[-1] == pytest.approx(0.4, abs=0.1)
    assert equal[-1] < 0.05


def test_the_correlation_of_errors_is_found():
    rng = np.random.default_rng(6)
    common = rng.standard_normal((4, 500))
    sets = {}
    for name, systems in (
        ("WMT23 a", range(500)),
        ("WMT23 b", range(100, 600)),
        ("WMT15", range(500)),
    ):
        noise = np.sqrt(0.3) * common + np.sqrt(0.7) * rng.standard_normal((4, 500))
        errors = np.roll(noise, -100, axis=1) if name == "WMT23 b" else noise
        quality = rng.standard_normal(500)
        sets[name] = make_system_scores(
            quality, 3 * quality + errors, systems=[*map(str, systems)], metrics=[*"abcd"]
        )
    [row] = errors_table(sets).rows
    assert row[:3] == ("WMT23 a, WMT23 b", 400, 4)
    # The 400 shared systems have the errors in common; common[:, 100:] are theirs.
    assert row[3] == pytest.approx(0.3, abs=0.05)


def test_what_was_committed_keeps_the_bounds():
    [row] = rows_of(f"{RESULTS}/confirming.csv")
    assert float(row["level_most"]) <= 0.07
    for key in ("best_out", "false_pair"):
        assert float(row[key]) <= 0.05
        assert float(row[f"{key}_95"]) <= 0.07
    assert float(row["covered_95"]) >= 0.93
    new = rows_of(f"{RESULTS}/new.csv")[0]
    assert max(float(new[key]) for key in ("best_out_95", "false_pair_95")) <= 0.05
    assert (
        len(rows_of(f"{RESULTS}/confirming-settings.csv")) == 3 * (1 + 4 * 4) * FULL.confirming_each
    )
    assert all(
        float(row["left"]) <= 1.2 * float(row["aim"]) for row in rows_of(f"{RESULTS}/power.csv")
    )
