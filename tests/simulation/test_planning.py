import numpy as np
import pytest

import supersample as ss
from supersample.inference.one_correlation import interval_of_r
from supersample.inference.systems_needed import systems_for_width

APART = ss.simulation.Population([[1, 0.95, 0.7], [0.95, 1, 0.7], [0.7, 0.7, 1]])


def test_more_systems_detect_more():
    found = ss.simulation.plan(APART, systems=[6, 12, 40], segments=[100, 1000], replicates=200)
    power = found["power"].transpose("segments", "systems").values
    assert (np.diff(power, axis=1) > 0).all()
    assert (power[1] > power[0]).all()
    assert 12 < found["systems_needed"].sel(segments=1000) <= 40


def shown_by_compare(population, systems, segments, samples, comparisons=1):
    """Share of samples of segments' scores in which two metrics differ, by the verb itself."""
    numbers = np.arange(samples, dtype=np.uint64)
    scores = population.draw(99, numbers, systems, segments).mean(axis=2)
    found = []
    for human, *metrics in np.swapaxes(scores, 1, 2):
        others = [f"other-{i}" for i in range(comparisons - 1)]
        names = ["a", *others, "b"]
        rows = np.stack([metrics[0], *np.repeat(metrics[:1], comparisons - 1, axis=0), metrics[1]])
        one = ss.make_system_scores(
            human, rows, systems=list(map(str, range(systems))), metrics=names
        )
        compared = ss.correlations.compare_correlations(one, method="fisher-jackknife")
        found.append(ss.compare_to_baseline(compared, "b")["differs"].sel(metric="a").item())
    return np.mean(found)


@pytest.mark.parametrize(("systems", "comparisons"), [(14, 1), (20, 3)])
def test_power_is_how_often_compare_shows_the_difference(systems, comparisons):
    matrix = [[1, 0.96, 0.6], [0.96, 1, 0.65], [0.6, 0.65, 1]]
    population = ss.simulation.Population(matrix, segment_deviation=1.0)
    sizes = {"systems": [systems], "segments": [20], "comparisons": comparisons}
    planned = ss.simulation.plan(population, **sizes)["power"].item()
    assert 0.2 < planned < 0.95
    shown = shown_by_compare(population, systems, 20, 60, comparisons)
    assert shown == pytest.approx(planned, abs=4 * np.sqrt(planned * (1 - planned) * 1.06 / 60))


def test_power_of_a_normal_population_is_about_what_the_large_sample_formula_says():
    """Fisher's z of 100 systems by its standard error reaches the normal quantile of the level."""
    from scipy.stats import norm

    quiet = ss.simulation.Population(np.asarray(APART.correlation), segment_deviation=0)
    wide = 0.45
    close = ss.simulation.Population([[1, 0.6, wide], [0.6, 1, 0.5], [wide, 0.5, 1]], 0)
    sure = ss.simulation.plan(quiet, systems=[100], segments=[2], replicates=50)
    assert sure["power"].item() == 1
    found = ss.simulation.plan(close, systems=[100], segments=[2], replicates=2_000)["power"].item()
    a, b, ab = 0.6, wide, 0.5
    numerator = (ab - a * b / 2) * (1 - a**2 - b**2 - ab**2) + ab**3
    c = numerator / ((1 - a**2) * (1 - b**2))
    shift = (np.arctanh(a) - np.arctanh(b)) / np.sqrt((2 - 2 * c) / 97)
    assert found == pytest.approx(norm.cdf(shift - norm.ppf(0.975)), abs=0.05)


def test_the_smallest_size_is_a_bound():
    found = ss.simulation.plan(APART, systems=[60], segments=[1000], replicates=50)
    assert found["systems_needed"].item() == 60
    assert np.isnan(found["systems_of_sets"]).all()
    assert (
        ", at most 60 systems in all, with 1,000 segments, would show it "
        in ss.show(found).answer[0]
    )


def test_a_fitted_population_has_the_parameters_of_the_simulation():
    """Means over 40 simulated sets of 60 systems, within 4 standard errors and the small bias that
    correlations of few systems have."""
    kept = []
    for seed in range(40):
        scores = ss.simulate_scores(
            systems=60,
            segments=80,
            correlations={"a": 0.9, "b": 0.5},
            shared_noise=0.3,
            document_length=1,
            seed=seed,
        )
        own = ss.simulation.fit_population(scores, metrics=["a", "b"])
        kept.append(
            [
                np.asarray(own.correlation)[0, 1],
                np.asarray(own.correlation)[0, 2],
                np.asarray(own.segment_deviation)[0],
                np.asarray(own.shared_noise)[0, 1],
            ]
        )
    error = np.std(kept, axis=0) / np.sqrt(40)
    expected = [0.9, 0.5, 3.0, 0.3]
    assert (np.abs(np.mean(kept, axis=0) - expected) < 4 * error + 0.01).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 1}, "power"),
        ({"systems": []}, "numbers of systems"),
        ({"systems": [4]}, "at least 5 systems"),
        ({"segments": [1]}, "2 segments"),
        ({"comparisons": 0}, "comparisons are counted from 1"),
        ({"comparisons": 1.5}, "a whole number as comparisons, not 1.5"),
        ({"replicates": 0}, "replicates are counted from 1"),
        (
            {"population": ss.simulation.Population([[1, 0.9, 0.9], [0.9, 1, 0.8], [0.9, 0.8, 1]])},
            "choose two that differ",
        ),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.simulation.plan(
            **{"population": APART, "systems": [5], "segments": [5], "replicates": 2, **options}
        )


def test_nothing_to_fit():
    scores = ss.load_example()
    with pytest.raises(ss.InputError, match="no metric 'COMET'"):
        ss.simulation.fit_population(scores, metrics=["COMET", "good-90"])
    with pytest.raises(ss.InputError, match="each metric once, not good-90, good-90"):
        ss.simulation.fit_population(scores, metrics=["good-90", "good-90"])
    noise = ss.simulate_scores(
        systems=4, segments=20, correlations={"a": 0.1, "b": 0.1}, segment_deviation=50, seed=2
    )
    with pytest.raises(ss.InputError, match="no population can be fitted"):
        ss.simulation.fit_population(noise, metrics=["a", "b"])


def test_too_little_to_take_the_noise_off():
    few = ss.simulate_scores(
        systems=5, segments=10, correlations={"a": 0.95, "b": 0.9}, segment_deviation=2, seed=1
    )
    with pytest.raises(ss.InputError, match="covariances exceed what the variances allow"):
        ss.simulation.fit_population(few, metrics=["a", "b"])


def test_more_sets_need_fewer_systems_in_each():
    options = {"systems": [6, 12, 40], "segments": [1000], "replicates": 200}
    found = ss.simulation.plan(APART, sets=[4, 1, 2], **options)
    needed = found["systems_needed"].item()
    assert found["sets"].values.tolist() == [1, 2, 4]
    of_sets = found["systems_of_sets"][0].values
    assert of_sets[0] == needed
    # more than by the variance alone, because fewer systems have fewer degrees of freedom
    share = (1 + (np.array([2, 4]) - 1) * 0.16**2) / [2, 4]
    assert (of_sets[1:] > np.ceil(3 + (needed - 3) * share)).all()
    assert (np.diff(of_sets) < 0).all()
    quiet = ss.simulation.Population(np.asarray(APART.correlation), segment_deviation=0)
    options["systems"] = [6, 12, 16, 20, 40]
    alike = ss.simulation.plan(quiet, sets=[1, 8], error_correlation=1.0, **options)
    one, eight = alike["systems_of_sets"].values[0]
    assert eight == pytest.approx(one, abs=2)
    for wrong in ([0], [], [1.5], [2, 0]):
        with pytest.raises(ss.InputError, match="sets are counted from 1"):
            ss.simulation.plan(APART, sets=wrong, **options)
    with pytest.raises(ss.InputError, match="must be from 0 to 1, not 2"):
        ss.simulation.plan(APART, error_correlation=2.0, **options)


@pytest.mark.parametrize(("r", "width"), [(0.6, 0.4), (0.9, 0.15)])
def test_samples_of_the_planned_number_of_systems_have_the_width(r, width):
    n = int(systems_for_width(r, width))
    rng = np.random.default_rng(1)
    quality, noise = rng.standard_normal((2, 300, n))
    scores = np.stack([quality, r * quality + np.sqrt(1 - r * r) * noise], axis=2)
    widths = [np.diff(interval_of_r(each), axis=0).item() for each in scores]
    assert np.mean(widths) == pytest.approx(width, rel=0.1)


@pytest.mark.parametrize("width", [0, 1, np.nan])
def test_a_width_is_a_number_between_0_and_1(width):
    with pytest.raises(ss.InputError, match="a width is a number between 0 and 1"):
        ss.simulation.plan_width(ss.load_example(), "strong-95", width=width)
