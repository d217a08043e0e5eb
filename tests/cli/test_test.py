"""``supersample test``: correlations entered as numbers."""

import pytest


def test_given_correlations_are_compared_by_every_test(command):
    asked = ("test", "overlapping", "0.9", "0.8", "0.7", "--systems", "20")
    result = command(*asked, "--full")
    assert result.status == 0
    assert "Each r alone, 95 % by Fisher: r12 0.760 to 0.960, r13 0.553 to 0.918. " in result.out
    rows = [line.split() for line in result.out.splitlines() if line]
    assert [row[-1] for row in rows if row[0] in ("zou2007", "meng1992")] == ["z", "r"]
    brief = command(*asked).out
    assert len(brief.splitlines()) <= 15
    assert [x in brief for x in ("zou2007 ", "meng1992 ", "version:")] == [True, False, False]
    crossed = command(
        "test", "non-overlapping", "0.9", "0.7", "0.5", "0.4", "0.4", "0.5", "--systems", "20"
    )
    assert "raghunathan1996" in crossed.out
    apart = command("test", "independent", "--n1", "12", "--n2", "15", "--", "0.9", "-0.7")
    assert "fisher1925" in apart.out


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("overlapping 0.9 0.8 nan --systems 12", "r23"),
        ("overlapping NaN 0.8 0.7 --systems 12", "r12"),
        ("non-overlapping 0.9 0.8 0.7 0.7 0.7 nan --systems 12", "r24"),
        ("independent 0.9 nan --n1 9 --n2 9", "r2"),
    ],
)
def test_what_is_no_number_is_refused(command, arguments, name):
    result = command("test", *arguments.split())
    message = f"error: {name} must be a number, such as 0.9, not nan\n"
    assert (result.status, result.out, result.err) == (2, "", message)


def test_a_test_without_a_value_says_why(command):
    result = command("test", "overlapping", 0.99, 0.1, 0.05, "--systems", 20, "--full")
    told = [line for line in result.out.splitlines() if "has no value" in line]
    assert told == [
        "hittner2003 has no value: the variance in its formula is negative or undefined for these "
        "correlations."
    ]
    assert "no value" not in command("test", "overlapping", 0.9, 0.8, 0.8, "--systems", 20).out


def test_one_of_the_overlapping_tests_is_recommended(command):
    told = command("test", "overlapping", "0.9", "0.8", "0.7", "--systems", "20").out
    assert told.startswith(
        "Undecided whether metric a or metric b agrees better with people (r = 0.900 and "
    )
    assert "\nRecommended: williams1959, which " in told
    shown = command("test", "overlapping", "0.8", "0.9", "0.9", "--systems", "40").out
    assert shown.startswith("Metric a agrees worse with people than metric b (r = 0.800 and 0.900")
    others = command("test", "independent", "--n1", "12", "--n2", "15", "0.9", "0.7").out
    assert "Recommended" not in others


def test_numbers_of_systems_that_are_missing_are_shown_in_an_example(command):
    err = command("test", "independent", "0.9", "0.8").err
    assert err.endswith("as in test independent 0.9 0.8 --n1 12 --n2 15.\n")
    err = command("test", "0.95", "0.9", "0.93", "14").err
    assert err.endswith(". Type, for example, test overlapping 0.95 0.9 0.93 --systems 14\n")
    assert command("test", "overlapping", ".95", ".9", ".93", "-n", "14").status == 0
