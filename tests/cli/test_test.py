"""``supersample test``: correlations entered as numbers."""


def test_given_correlations_are_compared_by_every_test(command):
    result = command("test", "overlapping", "0.9", "0.8", "0.7", "--systems", "20")
    assert result.status == 0
    assert "williams1959" in result.out
    rows = [line.split() for line in result.out.splitlines()]
    assert [row[-1] for row in rows if row[0] in ("zou2007", "meng1992")] == ["z", "r"]
    crossed = command(
        "test", "non-overlapping", "0.9", "0.7", "0.5", "0.4", "0.4", "0.5", "--systems", "20"
    )
    assert "raghunathan1996" in crossed.out
    apart = command("test", "independent", "--n1", "12", "--n2", "15", "--", "0.9", "-0.7")
    assert "fisher1925" in apart.out


def test_a_test_without_a_value_says_why(command):
    result = command("test", "overlapping", 0.99, 0.1, 0.05, "--systems", 20)
    told = [line for line in result.out.splitlines() if "has no value" in line]
    assert told == [
        "hittner2003 has no value: the variance in its formula is negative or undefined for these "
        "correlations."
    ]
    assert "no value" not in command("test", "overlapping", 0.9, 0.8, 0.8, "--systems", 20).out
