"""Teams of systems: one unit of every statement over systems, by two routes and on every door."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import supersample as ss
from supersample.comparisons.correlations import compare_correlations, correlate
from supersample.comparisons.correlations.by_formula import compare_on_bases
from supersample.comparisons.correlations.streaming import stream_correlations

EXAMPLE = ss.load_example()
NAMES = EXAMPLE["system"].values.tolist()
TEAMS = {"north": NAMES[:3], "south": NAMES[5:9]}
IN_TEAMS = ss.declare_teams(EXAMPLE, TEAMS)
FEW = {"north": NAMES[:5], "south": NAMES[5:]}


def twice(scores):
    """Scores with a copy of each system, and the teams that they form."""
    again = scores.assign_coords(system=[f"{name} again" for name in NAMES])
    both = xr.concat([scores, again], "system", data_vars="minimal").transpose(
        *scores["score"].dims
    )
    return ss.declare_teams(both, {f"{x} too": [x, f"{x} again"] for x in NAMES})


def z_of(rows):
    return np.arctanh(np.corrcoef(rows.T)[0, 1:])


def normal_variance(rows, count):
    """Variance of the difference of two z of as many normal systems (Olkin and Siotani 1964)."""
    between = np.corrcoef(rows.T)
    a, b, ab = np.expand_dims(between[0, 1:], 1), between[0, 1:], between[1:, 1:]
    c = (ab - a * b / 2) * (1 - a * a - b * b - ab * ab) + ab**3
    return 2 * (1 - c / ((1 - a * a) * (1 - b * b))) / (count - 3)


def alike(values, same):
    """Correlation of centred values (systems, ...) of two systems of one team, at least 0."""
    products = np.einsum("i...,k...->ik...", values, values)
    within = products[same & ~np.eye(len(same), dtype=bool)].mean(axis=0)
    return np.clip(within / np.maximum((values**2).mean(axis=0), 1e-300), 0, 1)


def test_the_jackknife_deletes_a_team():
    systems = ss.system_level_scores(IN_TEAMS)
    signs = np.where(systems["higher_is_better"], 1, -1)
    rows = np.column_stack([systems["system_human"], systems["system_score"] * signs])
    teams = systems["team"].values
    names, sizes = np.unique(teams, return_counts=True)
    n, count = len(teams), len(names)
    whole = np.subtract.outer(z_of(rows), z_of(rows))
    without = [np.subtract.outer(z, z) for z in (z_of(rows[teams != name]) for name in names)]
    pseudo = [n / m * whole - (n / m - 1) * x for m, x in zip(sizes, without, strict=True)]
    mean = count * whole - sum((1 - m / n) * x for m, x in zip(sizes, without, strict=True))
    variance = (
        sum((p - mean) ** 2 / (n / m - 1) for m, p in zip(sizes, pseudo, strict=True)) / count
    )
    found = compare_correlations(IN_TEAMS, method="fisher-jackknife").squeeze()
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    r = np.corrcoef(rows.T)[0, 1:]
    a, b = z[:, 1:, np.newaxis], z[:, np.newaxis, 1:]
    below = 2 * z[:, :1, np.newaxis] - (r[:, np.newaxis] + r) / 2 * (a + b)
    ordered, same = (sizes * (sizes - 1)).sum() / n, teams[:, np.newaxis] == teams
    added = ordered * (alike(a - b, same) * alike(below, same))
    normal = np.maximum(normal_variance(rows, n) * (1 + added), 1e-9)
    units = n / (1 + added)
    variance = normal * np.maximum(1, variance / normal) ** (units / (units + 6))
    t = whole / np.sqrt(variance)
    others = ~np.eye(len(r), dtype=bool)
    np.testing.assert_allclose(found["statistic"].values[others], t[others], rtol=1e-6)
    p = 2 * stats.t.sf(np.abs(t), units - 2)
    np.testing.assert_allclose(found["p_value"].values[others], p[others], rtol=1e-6)
    left_out = np.array([z_of(rows[teams != name]) for name in names])
    h = (n / sizes)[:, np.newaxis]
    own = count * z_of(rows) - ((1 - 1 / h) * left_out).sum(axis=0)
    apart = ((h * z_of(rows) - (h - 1) * left_out - own) ** 2 / (h - 1)).mean(axis=0)
    squares = [alike(x, same) ** 2 for x in (z[:, :1] + z[:, 1:], z[:, :1] - z[:, 1:])]
    added = ordered * np.mean(squares, axis=0)
    normal, units = (1 + added) / (n - 3), n / (1 + added)
    raised = normal * np.maximum(1, apart / normal) ** (units / (units + 6))
    arm = stats.t.ppf(0.975, units - 2) * np.sqrt(raised)
    np.testing.assert_allclose(found["lower"], np.tanh(z_of(rows) - arm), rtol=1e-9)
    leaves_out = (found["difference_lower"] > 0) | (found["difference_upper"] < 0)
    np.testing.assert_array_equal(leaves_out, found["p_value"] < 0.05)


@pytest.mark.parametrize(
    "ask",
    [
        lambda scores: ss.rank(scores, n=100),
        lambda scores: ss.compare(scores, ["pearson", "SPA"], random="systems", resamples=49),
        lambda scores: ss.compare(scores, "spearman", method="systems", resamples=49),
        lambda scores: ss.rank({"a": scores, "b": scores.isel(system=slice(9))}, n=100),
    ],
)
def test_teams_of_one_system_change_no_bit(ask):
    alone = ss.declare_teams(EXAMPLE, {name: [name] for name in NAMES[:4]})
    plain, same = ask(EXAMPLE), ask(alone)
    xr.testing.assert_identical(plain.drop_attrs(), same.drop_attrs())
    assert "teams" not in same.attrs


@pytest.mark.parametrize("measure", ["pearson", "spearman", "PA"])
@pytest.mark.parametrize("random", ["systems", "systems+documents"])
def test_copies_in_teams_are_drawn_as_one_system(measure, random):
    options = {"random": random, "resamples": 49, "method": "percentile"}
    if measure == "PA" and random != "systems":
        options["resamples"] = 19
    one, both = (ss.compare(x, measure, **options) for x in (EXAMPLE, twice(EXAMPLE)))
    if measure == "PA":  # copies of a system are a tied pair
        np.testing.assert_array_equal(both["units"], one["units"])
        return
    for name in ("lower", "upper", "difference_lower", "p_simultaneous"):
        np.testing.assert_allclose(both[name], one[name], atol=1e-9)


@pytest.mark.parametrize("measure", ["spearman", "pearson/none"])
def test_a_team_is_swapped_as_a_whole(measure):
    few = EXAMPLE.isel(segment=slice(60), metric=slice(3))
    options = {"method": "systems", "resamples": 99}
    one, both = (ss.compare(x, measure, **options) for x in (few, twice(few)))
    np.testing.assert_allclose(both["p_value"], one["p_value"])


def test_a_set_twice_is_one_set_and_a_team_in_two_sets_is_one_cluster():
    sets = {"a": IN_TEAMS, "b": IN_TEAMS}
    alone, average = ss.compare(IN_TEAMS), ss.compare(sets).isel(group=[0])
    for name in ("p_value", "difference_lower", "upper", "p_best", "p_simultaneous"):
        np.testing.assert_allclose(average[name], alone[name], rtol=1e-6, atol=1e-9)
    other = EXAMPLE.assign_coords(system=[f"other-{name}" for name in NAMES])
    pair = {name: [name, f"other-{name}"] for name in NAMES}
    joined = ss.declare_teams({"a": EXAMPLE, "b": other}, {f"{x} too": pair[x] for x in NAMES})
    as_one, plain = ss.compare(joined).isel(group=[0]), ss.compare(EXAMPLE)
    np.testing.assert_allclose(as_one["p_value"], plain["p_value"], rtol=1e-6)
    by_jackknife = ss.rank({"a": IN_TEAMS, "b": IN_TEAMS}, "spearman", resamples=19)
    assert np.isfinite(by_jackknife["p_value"].sel(basis="systems")).all()


def test_limits_of_r_know_teams():
    for scores, known in ((IN_TEAMS, True), (ss.declare_teams(EXAMPLE, FEW), False)):
        assert (correlate(scores)["lower"].notnull() == known).all()
    level = {"confidence_level": 0.9}
    streamed = stream_correlations(IN_TEAMS, n=50, **level)
    moved = compare_on_bases(streamed, ss.hybrid_supersample(IN_TEAMS, n=50), "zou2007")
    of_systems = correlate(IN_TEAMS, **level)["upper"].sel(basis="systems")
    np.testing.assert_allclose(moved["upper"].sel(basis="systems"), of_systems, rtol=1e-9)


def test_fewer_than_five_teams_give_no_conclusion_on_new_systems():
    scores = ss.declare_teams(EXAMPLE, FEW)
    ranking = ss.rank(scores, n=100)
    assert ranking["p_value"].sel(basis="systems").where(~np.eye(8, dtype=bool)).isnull().all()
    assert "new systems" in str(ss.show(ranking))
    assert "not known: 2 teams; at least 5 are needed" in str(ss.show(ranking))
    with pytest.raises(ss.InputError, match="no systems can be drawn: 2 teams; at least 5"):
        ss.compare(scores, "SPA", random="systems")
    assert ss.compare(scores, "SPA", random="documents", resamples=19)["lower"].notnull().all()
    one = ss.declare_teams(EXAMPLE, {"all": EXAMPLE["system"].values.tolist()})
    assert "not known: 1 team; at least" in str(ss.show(ss.rank(one, n=0)))  # without a warning


def test_a_test_of_independent_systems_is_refused():
    for ask in (
        lambda: ss.compare(IN_TEAMS, method="williams1959"),
        lambda: compare_correlations(IN_TEAMS, method="zou2007"),
        lambda: ss.rank(ss.system_level_scores(IN_TEAMS), method="steiger1980"),
    ):
        with pytest.raises(ss.InputError, match="takes systems as independent"):
            ask()


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        ({"north": ["system-00"]}, "no system 'system-00'"),
        ({"north": NAMES[:2], "south": NAMES[1:3]}, "'system-02' is named twice"),
        ({"system-01": NAMES[1:3]}, "the team 'system-01' has the name of a system"),
    ],
)
def test_wrong_teams_are_refused(teams, message):
    with pytest.raises(ss.InputError, match=message):
        ss.declare_teams(EXAMPLE, teams)


def test_teams_stay_with_their_systems(tmp_path):
    assert IN_TEAMS.attrs["teams"] == "12 systems in 7 teams: north has 3, south has 4"
    left = ss.keep_systems(IN_TEAMS, exclude=NAMES[1:3])
    assert left.attrs["teams"] == "10 systems in 7 teams: south has 4"
    assert "teams" not in ss.keep_systems(left, exclude=NAMES[5:8]).attrs
    for name in ("scores.csv", "scores.zarr"):
        ss.write_scores(IN_TEAMS, tmp_path / name)
        again = ss.read_scores(tmp_path / name, **({"human": "simulated"} if "csv" in name else {}))
        assert again["team"].values.tolist() == IN_TEAMS["team"].values.tolist()
        assert again.attrs["teams"] == IN_TEAMS.attrs["teams"]
    ranking = ss.rank(IN_TEAMS, n=100)
    assert "|teams:12 systems in 7 teams: north has 3, south has 4|" in ranking.attrs["signature"]
