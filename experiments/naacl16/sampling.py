"""Figures 1 and 2: how r of five systems is distributed where r of the population is 0.91."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import hyp2f1
from scipy.stats import skew

from experiments.common import Check, Part, reported
from supersample.inference.coefficients import pearson
from supersample.presentation.figures.style import BLUE, GREY, LABEL_SIZE, ORANGE, styled
from supersample.results.outputs import Results

R, N, POPULATION = 0.91, 5, 10_000


def figures_1_and_2(samples: int) -> Part:
    """Draw the population, and r over samples of it with the 95 % interval and a symmetric one."""
    rng = np.random.default_rng(0)
    systems = population(rng)
    r = correlations_of_samples(systems, samples, rng)
    lower, upper = np.quantile(r, [0.025, 0.975])
    exact_lower, exact_upper = exact_limits()
    half = (upper - lower) / 2
    checks = [
        Check("Figure 1", "r of the population", R, float(pearson(systems)[0, 1]), 10),
        Check("Figure 2", "skew of r is negative", "yes", "yes" if skew(r) < 0 else "no"),
        Check(
            "Figure 2", "lower part is the wider", "yes", "yes" if R - lower > upper - R else "no"
        ),
        reported("Figure 2", "skew of r", None, float(skew(r)), 2),
        reported("Figure 2", "95 % of r from (exact beside)", exact_lower, float(lower), 2),
        reported("Figure 2", "95 % of r to (exact beside)", exact_upper, float(upper), 2),
        reported("Figure 2", "symmetric interval from", None, float(R - half), 2),
        reported("Figure 2", "symmetric interval to", None, float(R + half), 2),
    ]
    figures = {
        "figure-1": draw_population(systems),
        "figure-2": draw_distribution(r, (lower, upper), half),
    }
    return Part(checks, Results(figures=figures))


def population(rng: np.random.Generator) -> NDArray[np.float64]:
    """Human and metric scores (systems, 2) of a normal population, r exactly as wanted."""
    human, noise = rng.standard_normal((2, POPULATION))
    human = (human - human.mean()) / human.std()
    noise = noise - noise.mean() - human * (human @ noise) / POPULATION
    return np.stack([human, R * human + np.sqrt(1 - R**2) * noise / noise.std()], axis=1)


def correlations_of_samples(
    systems: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """R over samples of five distinct systems."""
    drawn = rng.integers(POPULATION, size=(samples, N))
    distinct = (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all(axis=1)
    return np.asarray(pearson(systems[drawn[distinct]])[:, 0, 1])


def exact_density(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Density of r of a normal sample but for a factor (Hotelling 1953, JRSS B 15, eq. 25)."""
    return np.asarray(
        (1 - r**2) ** ((N - 4) / 2)
        * (1 - R * r) ** (1.5 - N)
        * hyp2f1(0.5, 0.5, N - 0.5, (1 + R * r) / 2)
    )


def exact_limits() -> NDArray[np.float64]:
    """Quantiles 0.025 and 0.975 of the exact density, by the trapezoid rule."""
    r = np.linspace(-1, 1, 200_001)
    density = exact_density(r)
    cumulated = np.append(0, np.cumsum((density[1:] + density[:-1]) / 2))
    return np.interp([0.025, 0.975], cumulated / cumulated[-1], r)


def draw_population(systems: NDArray[np.float64]) -> Figure:
    """Draw human against metric scores."""
    with styled():
        figure = Figure(figsize=(4, 4), layout="constrained")
        axes = figure.subplots()
        axes.plot(*systems.T, ".", color=BLUE, ms=2, alpha=0.3, mew=0, rasterized=True)
        axes.set(xlabel="human (standardised)", ylabel="metric (standardised)", aspect="equal")
        axes.set_title(f"A population of {POPULATION:,} systems, r = {R}")
    return figure


def draw_distribution(r: NDArray[np.float64], limits: tuple[float, float], half: float) -> Figure:
    """Draw the histogram of r, the exact density, the 95 % interval and a symmetric one."""
    with styled():
        figure = Figure(figsize=(6, 3.8), layout="constrained")
        axes = figure.subplots()
        density, _, _ = axes.hist(r, bins=200, range=(-1, 1), density=True, color=GREY)
        grid = np.linspace(-1, 1, 2001)
        exact = exact_density(grid)
        axes.plot(grid, exact / np.trapezoid(exact, grid), color="black", lw=0.8, label="exact")
        top = float(density.max())
        for (lower, upper), height, colour, label in (
            (limits, 1.08, BLUE, "95 % of r"),
            ((R - half, R + half), 1.18, ORANGE, "as wide, symmetric"),
        ):
            text = f"{label} [{lower:.3f}, {upper:.3f}]"
            y = [top * height] * 2
            axes.plot([lower, upper], y, "|-", color=colour, lw=2, ms=8, label=text)
        axes.axvline(R, color="black", lw=0.8, ls=":")
        axes.axvline(1, color="black", lw=0.8)
        axes.set(
            xlim=(-0.6, 1.6), ylim=(0, top * 1.3), xlabel=f"r of {N} systems", ylabel="density"
        )
        axes.legend(loc="upper left", fontsize=LABEL_SIZE, frameon=False)
        axes.set_title(f"r of samples of {N} systems from a population with r = {R}")
    return figure
