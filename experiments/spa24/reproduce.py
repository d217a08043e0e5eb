"""Improving statistical significance via soft pairwise accuracy (WMT 2024)."""

import time
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import permutation_test

import supersample as ss
from experiments.common import Check, Part, reported
from experiments.spa24.ablations import (
    ablate_segments,
    ablate_systems,
    component_panels,
    plot_segments_ablation,
    plot_systems_ablation,
)
from experiments.spa24.components import accuracy_components
from experiments.spa24.corpus import recomputed
from experiments.spa24.published import SPEED_UP, TABLE_1
from experiments.spa24.table1 import compute, figure_4, gains, named, table_1
from experiments.wmt import mqm_pairs, read_mqm
from supersample.measures.soft_pairwise_accuracy import system_p_values
from supersample.presentation.figures import style
from supersample.results.outputs import Results

NEEDS = ("mt-metrics-eval-v2",)

FIGURE_1 = ("en-de", "prismRef")
FIGURE_3 = ["MetricX-23", "XCOMET-Ensemble"]
TIMED = 5  # pairs of systems that scipy is timed on


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """Table 1, Figures 1 to 4 and the speed-up, on every set of Table 1 that is present."""
    sets = present(data)[: 1 if smoke else None]
    scores = {named(*of): read_mqm(data, *of) for of in sets}
    campaigns = [compute(of, scores[named(*of)], smoke=smoke) for of in sets]
    texts = [pair for test_set, pair in sets if test_set == "wmt23"]
    return [
        table_1(campaigns, smoke=smoke),
        gains(campaigns),
        figure_1(scores),
        *(figure_2(name, of_set, smoke=smoke) for name, of_set in scores.items()),
        *(figure_3(name, of_set, smoke=smoke) for name, of_set in scores.items()),
        figure_4(campaigns),
        *(recomputed(pair, scores[pair], data, smoke=smoke) for pair in texts),
        speed_up(list(scores.values())[-1], list(scores)[-1]),
    ]


def present(data: Path) -> list[tuple[str, str]]:
    """Test sets and language pairs of Table 1 that are present."""
    return [of for of in TABLE_1 if of[1] in mqm_pairs(data, of[0])]


def figure_1(scores: dict[str, xr.Dataset]) -> Part:
    """Draw the components of PA and SPA; the paper prints no number of them."""
    pair, metric = FIGURE_1
    if pair not in scores:
        return Part([])
    components = accuracy_components(scores[pair])
    return Part([], Results(figures={"figure-1": component_panels(components, metric)}))


def figure_2(pair: str, scores: xr.Dataset, *, smoke: bool) -> Part:
    """Ablate systems: SPA's ranking is the more stable one in all cases, says the paper."""
    ablation = ablate_systems(scores, resamples=50 if smoke else 1000)
    checks = []
    for coefficient, of in (("pearson", "accuracies"), ("spearman", "ranks")):
        r = ablation["r"].sel(coefficient=coefficient)
        above = int((r.sel(measure="SPA") > r.sel(measure="PA")).sum())
        what = f"numbers of systems at which SPA is more stable, Pearson's r of {of}"
        checks.append(reported(f"Figure 2, {pair}", what, r.sizes["size"], above))
    half = ablation["r"].sel(size=slice(scores.sizes["system"] // 2, None))
    stable = bool((half.sel(measure="SPA") > half.sel(measure="PA")).all())
    held = reported if smoke else Check
    what = "SPA more stable for half the systems or more"
    checks.append(held(f"Figure 2, {pair}", what, "yes", "yes" if stable else "no"))
    drawn = {
        f"figure-2-{pair}-{coefficient}": plot_systems_ablation(ablation, coefficient=coefficient)
        for coefficient in ("pearson", "spearman")
    }
    return Part(checks, Results(datasets={f"figure-2-{pair}": ablation}, figures=drawn))


def figure_3(pair: str, scores: xr.Dataset, *, smoke: bool) -> Part:
    """Ablate segments: SPA has the tighter intervals."""
    ablation = ablate_segments(scores, metrics=FIGURE_3, resamples=50 if smoke else 1000)
    width = ablation["upper"] - ablation["lower"]
    tighter = width.sel(measure="SPA") < width.sel(measure="PA")
    held = reported if smoke else Check
    checks = [
        held(
            f"Figure 3, {pair}",
            f"numbers of segments at which SPA's interval is tighter, {metric}",
            tighter.sizes["size"],
            int(tighter.sel(metric=metric).sum()),
        )
        for metric in FIGURE_3
    ]
    drawn = {f"figure-3-{pair}": segments_ablation(ablation)}
    return Part(checks, Results(datasets={f"figure-3-{pair}": ablation}, figures=drawn))


@style.styled()
def segments_ablation(ablation: xr.Dataset) -> Figure:
    """Draw `plot_segments_ablation` of each metric in a panel of one figure."""
    names = [str(name) for name in ablation["metric"].to_numpy()]
    size = style.inches("acl1"), 0.6 + 2.2 * len(names)
    figure, panels = style.panel_rows(len(names), 1, *size, sharex=True, sharey=True)
    for axes, name in zip(panels, names, strict=True):
        plot_segments_ablation(ablation, name, ax=axes)
    for axes in panels[:-1]:
        axes.set_xlabel("")
    return figure


def speed_up(scores: xr.Dataset, pair: str) -> Part:
    """Time scipy on a few pairs of systems, and all p-values of all scorers as done here."""
    measure = ss.measures.SoftPairwiseAccuracy()
    group = measure.prepare(measure.select(scores, measure.mask, complete=True), seed=0)
    scorers, options = group.scorers(), ss.measures.PValues("monte_carlo")
    p = system_p_values(scorers, options, seed=0)  # compiles
    start = time.perf_counter()
    system_p_values(scorers, options, seed=0)
    ours = (time.perf_counter() - start) / p.size
    start = time.perf_counter()
    with np.errstate(over="ignore"):  # scipy 1.15 counts all permutations as a float
        for other in range(1, TIMED + 1):
            permutation_test(
                (group.human[0], group.human[other]),
                lambda x, y: np.mean(x) - np.mean(y),
                permutation_type="samples",
                n_resamples=1000,
                alternative="greater",
            )
    theirs = (time.perf_counter() - start) / TIMED
    ratio = theirs / ours
    return Part(
        [
            Check("section 3.3", f"more than {SPEED_UP} times scipy's speed, 1,000 permutations",
                  "yes", "yes" if ratio > SPEED_UP else "no"),
            reported("section 3.3", f"speed-up over scipy, {pair}", SPEED_UP, round(ratio)),
        ]
    )  # fmt: skip
