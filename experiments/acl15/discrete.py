"""Figure 1 by simulation: continuous predictions of discrete labels gain in MAE, not in r."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.acl15.published import FIGURE_1
from experiments.common import Part, reported
from supersample.inference.coefficients import pearson
from supersample.presentation.figures.studies import density
from supersample.presentation.figures.style import BLUE, GREY, ORANGE, styled
from supersample.results.outputs import Results

SEGMENTS = 600
LEVELS = np.array([1.0, 2.0, 3.0])
CUTS = np.array([-0.5244, 0.5244])
"""30, 40 and 30 % of standard normal quality to the levels."""
CORRELATION = {"A": 0.30, "B": 0.22}
"""Of what each system sees with true quality."""
SPREAD = 0.25
"""Standard deviation of continuous predictions, about the middle level."""
KINDS = {"A": "discrete", "B": "continuous", "A unrounded": "what A saw, continuous"}


def simulate(test_sets: int, seed: int = 2015) -> xr.Dataset:
    """Simulate test sets of labels 1, 2, 3 and two systems.

    True quality is standard normal; 30, 40 and 30 % of it are labelled 1, 2 and 3. System A sees z,
    standard normal and correlated 0.30 with quality, and answers with the label whose share z lies
    in: discrete, and distributed as the labels. System B knows less, its z correlates 0.22, and
    answers 2 + 0.25 z: continuous, and conservative. "A unrounded" is what A saw in B's manner.
    Drawn from NumPy's PCG64 of the seed.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(test_sets, SEGMENTS))
    seen = {
        name: rho * quality + np.sqrt(1 - rho**2) * rng.normal(size=quality.shape)
        for name, rho in CORRELATION.items()
    }
    arrays = {
        "label": labels_of(quality),
        "A": labels_of(seen["A"]),
        "B": 2.0 + SPREAD * seen["B"],
        "A unrounded": 2.0 + SPREAD * seen["A"],
    }
    return xr.Dataset({name: (("test_set", "segment"), values) for name, values in arrays.items()})


def figure_1(*, test_sets: int) -> Part:
    """Compare the two systems by MAE and r over simulated test sets."""
    sets = simulate(test_sets)
    label = sets["label"].to_numpy()
    mae = {name: np.abs(sets[name].to_numpy() - label).mean(axis=-1) for name in KINDS}
    r = {name: _correlations(sets[name].to_numpy(), label) for name in KINDS}
    where = "Figure 1, simulated"
    published = {"A": FIGURE_1[0], "B": FIGURE_1[1]}
    checks = []
    for name, kind in KINDS.items():
        label = f"{name} ({kind})"
        means = float(mae[name].mean()), float(r[name].mean())
        checks.append(reported(where, f"mean MAE of {label}", published.get(name), means[0], 3))
        checks.append(reported(where, f"mean r of {label}", None, means[1], 3))
    wrong = (mae["B"] < mae["A"]).mean(), (r["B"] > r["A"]).mean()
    for measure, share in zip(("MAE", "r"), wrong, strict=True):
        what = f"share of {test_sets} test sets where {measure} prefers B, which knows less"
        checks.append(reported(where, what, None, float(share), 3))
    drawn = draw(sets.isel(test_set=0), {name: (mae[name][0], r[name][0]) for name in "AB"})
    return Part(checks, Results(figures={"figure-1": drawn}))


def draw(one: xr.Dataset, measured: dict[str, tuple[float, float]]) -> Figure:
    """Shares of the gold labels and of system A's, and the density of system B's predictions."""
    with styled():
        figure = Figure(figsize=(6.5, 2.4), layout="constrained")
        panels = figure.subplots(1, 3, sharex=True, sharey=True)
        for axes, name, colour in zip(panels, ("label", "A"), (ORANGE, BLUE), strict=False):
            values = one[name].to_numpy()
            axes.bar(LEVELS, [(values == level).mean() for level in LEVELS], 0.35, color=colour)
        grid = np.linspace(0.4, 3.6, 300)
        panels[2].plot(grid, density(one["B"].to_numpy(), grid), color=BLUE)
        panels[0].set_title("Gold labels")
        for axes, (name, (mae, r)) in zip(panels[1:], measured.items(), strict=True):
            axes.set_title(f"System {name}\nMAE {mae:.3f}, r {r:.3f}")
        for axes in panels:
            axes.set_xticks(LEVELS)
            axes.grid(axis="y", color=GREY, linewidth=0.4)
            axes.set_axisbelow(True)
        panels[0].set_ylabel("share, density")
        figure.supxlabel("label, prediction (simulated)", fontsize=9)
    return figure


def labels_of(quality: NDArray[np.float64]) -> NDArray[np.float64]:
    return LEVELS[np.searchsorted(CUTS, quality)]


def _correlations(
    predictions: NDArray[np.float64], labels: NDArray[np.float64]
) -> NDArray[np.float64]:
    return pearson(np.stack([predictions, labels], axis=-1))[..., 0, 1]
