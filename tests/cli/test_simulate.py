"""``supersample simulate``."""


def test_the_sampling_distribution_of_r_is_simulated(command, tmp_path):
    result = command(
        "simulate", "--r", "0.91", "--systems", "5", "--replicates", "2000", "--out", "out"
    )
    assert result.status == 0
    assert "r = 0.91 over n = 5 systems, 95 % intervals" in result.out
    for row in ("r of samples    exact      0.4253  0.9952", "Fisher     0.1407  0.9941"):
        assert row in result.out
    assert "skew -3.8425 exact, " in result.out
    assert "exceeds 1" in result.out
    assert "population:normal(0.91)|draws:2000|n:5 systems|seed:0" in result.out.splitlines()[-1]
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"sampling.zarr", "sampling.png", "sampling.pdf", "intervals.csv"} <= written


def test_r_near_one_has_its_limits(command):
    status, out, err = command("simulate", "--r", 0.99999999, "--systems", 12, "--replicates", 200)
    assert status == 0, err
    assert "exact" in out
