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


def test_a_sampling_distribution_of_hypothetical_systems(command):
    result = command(
        "simulate", "--r", "1", "--systems", "4", "--replicates", "50", "--population", "100", "-q"
    )
    assert result.status == 0
    assert "no skew" in result.out
    assert "population:100 systems,without replacement" in result.out


def test_exact_numbers_are_said_to_be_of_an_infinite_population(command):
    few = ("simulate", "--r", "0.9", "--systems", "8", "--replicates", "2000", "--population", "20")
    lines = command(*few).out.splitlines()
    simulated = next(line for line in lines if line.startswith("r of samples    simulated"))
    lower, upper = (float(x) for x in simulated.split()[4:6])
    said = f"95 % of samples of 8 systems have r of {lower:.3f} to {upper:.3f}."
    assert lines[0].endswith(said)
    assert lower > 0.7  # 0.611 where the population is infinite
    assert any(line.startswith("r of samples    exact if infinite  0.6108") for line in lines)
    assert "drawn without replacement from 20 systems" in "\n".join(lines)
    assert " exact, " not in "\n".join(lines)


def test_r_near_one_has_its_limits(command):
    status, out, err = command("simulate", "--r", 0.99999999, "--systems", 12, "--replicates", 200)
    assert status == 0, err
    assert "exact" in out
