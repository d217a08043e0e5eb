"""Testing for significance of increased correlation with human judgment (EMNLP 2014)."""

from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import t as student

import supersample as ss
from experiments.common import Check, Part, out_of_order, pairs, reported
from experiments.wins import draw_wins, plot_wins
from experiments.wmt import (
    absolute_r,
    published_correlations,
    read_wmt12,
    read_wmt15,
    wmt15_pairs,
)
from supersample.presentation import rankings
from supersample.presentation.figures.rankings import plot_correlations
from supersample.presentation.figures.style import BLUE, GREY, LABEL_SIZE, styled
from supersample.presentation.table import Column, Table
from supersample.results.outputs import Results

NEEDS = ("wmt12", "wmt15")

BLEU = "BLEU_4_closest_cased"
AXES = (
    "TerrorCat Meteor SAGAN_STS SEMPOS posF XEnErrCats WordBlockErrCats AMBER BlockErrCats "
    f"SIMPBLEU {BLEU} TER"
).split()
"""The metrics in the order of Figure 2's axes, by their names in the data."""
EXAMPLE = 0.0114079074943561
"""Example output in the authors' repository ygraham/significance-williams."""


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """Figures 1 and 2 on WMT12 es-en, the public part of 3 on en-fr, and its form on WMT15."""
    es_en = read_wmt12(data, "es-en")
    ranking = compare(es_en)
    language_pairs = wmt15_pairs(data)[: 1 if smoke else None]
    return [
        figure_1(es_en),
        figure_2(ranking),
        one_pair_of_figure_3(compare(read_wmt12(data, "en-fr"))),
        form_of_figure_3({pair: compare(read_wmt15(data, pair)) for pair in language_pairs}, data),
    ]


def compare(scores: xr.Dataset) -> xr.Dataset:
    """Rank by absolute r and one-sided Williams tests, as the paper does."""
    options = {"method": "williams1959", "alternative": "greater"}
    return ss.rank(ss.correlations.compare_correlations(absolute_r(scores), **options))


def figure_1(scores: xr.Dataset) -> Part:
    """AMBER and TerrorCat: one rank correlation, two of Pearson's, and the system behind it."""
    two = ["AMBER", "TerrorCat"]
    r = ss.correlations.correlate(scores)["value"].isel(measure=0, basis=0, group=0)
    rho = ss.agreement(scores, "spearman")["value"].isel(measure=0, basis=0, group=0)
    without = _r_without_each_system(scores).sel(metric=two)
    gap = without.sel(metric="TerrorCat") - without.sel(metric="AMBER")
    least = str(gap.idxmin("system").item())
    lowest = str(scores["system_human"].idxmin("system").item())
    better = int((rho.round(12) > rho.sel(metric="AMBER").round(12)).sum())
    checks = [
        *(
            Check("Figure 1", f"{name} of {metric}", published, float(values.sel(metric=metric)), 3)
            for name, values, figures in (("r", r, (0.881, 0.971)), ("rho", rho, (0.965, 0.965)))
            for metric, published in zip(two, figures, strict=True)
        ),
        Check("section 2", "metrics with a higher rho than these two", 0, better),
        Check("section 2", "system without which the two r differ least", lowest, least),
    ]
    for metric in two:
        left = float(without.sel(system=lowest, metric=metric))
        checks.append(reported("section 2", f"r of {metric} without {lowest}", None, left, 3))
    return Part(checks, Results(figures={"figure-1": scatter(scores.sel(metric=two), r, rho)}))


def _r_without_each_system(scores: xr.Dataset) -> xr.DataArray:
    fewer = [scores.drop_sel(system=name) for name in scores["system"].values]
    r = [ss.correlations.correlate(each)["value"].squeeze() for each in fewer]
    return xr.concat(r, scores["system"])


def figure_2(ranking: xr.Dataset) -> Part:
    """Correlations between metrics, and which are significantly better than which."""
    older = with_older_degrees_of_freedom(ranking)
    results = Results(
        figures={
            "figure-2a": plot_correlations(ranking, basis="systems"),
            "figure-2b": plot_wins(ranking, basis="systems"),
            "figure-2b-older": plot_wins(older, basis="systems"),
        },
        numbers={"williams-es-en": rankings.comparisons_table(ranking)},
        pages={"ranking-es-en": rankings.ranking_table(ranking)},
        facts={"": ranking.attrs},
    )
    return Part([*order_and_matrix(ranking), *significance(ranking, older)], results)


def with_older_degrees_of_freedom(ranking: xr.Dataset) -> xr.Dataset:
    """Refer Williams' t to n - 2 degrees of freedom, as the paper's software did in its day.

    The paper prints t(n - 3), which is right, and used `r.test` of the R package psych, which took
    n - 2 until its authors changed it on 30 November 2014, a month after the paper.
    """
    freedom = ranking["n"] - 2
    p = xr.apply_ufunc(student.sf, ranking["statistic"], freedom)
    name = f"{ranking.attrs['method']}, n - 2 degrees of freedom"
    return ss.rank(ranking.assign(p_value=p, significant=p < 0.05).assign_attrs(method=name))


def order_and_matrix(ranking: xr.Dataset) -> list[Check]:
    """Check the order of the axes, and Figure 2a against what the text says of it."""
    between_metrics = ranking["metric_r"].isel(measure=0, basis=0, group=0)
    mean = between_metrics.mean("other_metric")
    exceptions = ", ".join(sorted(mean["metric"].values[mean.argsort()[:2]]))
    high = float((between_metrics.to_numpy()[np.triu_indices(len(AXES), 1)] > 0.9).mean())
    return [
        Check("Figure 2", "metrics out of the order of the axes", 0, out_of_order(ranking, AXES)),
        Check("section 4", "least correlated with others", "SAGAN_STS, TerrorCat", exceptions),
        reported("section 4", "share of pairs of metrics with r > 0.9", None, high, 2),
    ]


def significance(ranking: xr.Dataset, older: xr.Dataset) -> list[Check]:
    """Check what is significant: by n - 2 degrees of freedom as the paper, and by n - 3."""
    amber = {"metric": "AMBER", "other_metric": BLEU}
    fifth = {"metric": "TerrorCat", "other_metric": "XEnErrCats"}
    next_four = ", ".join(AXES[1:5])
    checks = []
    for freedom, of_systems in (
        ("df n-2", older.isel(measure=0, basis=0, group=0)),
        ("df n-3", ranking.isel(measure=0, basis=0, group=0)),
    ):
        check = Check if freedom == "df n-2" else reported
        p, wins = of_systems["p_value"], of_systems["wins_over"]
        beaten = wins.sel(metric="TerrorCat", other_metric=AXES[1:])
        unbeaten = ", ".join(beaten["other_metric"].values[~beaten.to_numpy()])
        share, beat_bleu = int(wins.sum()) / pairs(12), int(wins.sel(other_metric=BLEU).sum())
        example = float(p.sel(amber))
        checks += [
            check("authors' software", f"p, AMBER over BLEU, {freedom}", EXAMPLE, example, 12),
            check("section 4", f"TerrorCat does not beat, {freedom}", next_four, unbeaten),
            reported("section 4", f"share of significant pairs, {freedom}", 0.6, share, 1),
            reported("section 4", f"metrics that beat BLEU, {freedom}", None, beat_bleu),
        ]
    fifth_p = float(p.sel(fifth))
    return [
        *checks,
        Check("counted by hand", "p, TerrorCat over XEnErrCats, df n-3", 0.0506, fifth_p, 4),
        Check("counted by hand", "significant pairs of 66, df n-3", 36, int(wins.sum())),
    ]


def one_pair_of_figure_3(ranking: xr.Dataset) -> Part:
    """AMBER and BLEU on en-fr, the only public data of Figure 3."""
    p = float(
        ranking["p_value"].isel(measure=0, basis=0, group=0).sel(metric="AMBER", other_metric=BLEU)
    )
    behind = out_of_order(ranking, ["AMBER", BLEU])
    return Part(
        [
            Check("Figure 3e", "of AMBER and BLEU out of order, en-fr", 0, behind),
            reported("Figure 3e", "p, AMBER over BLEU, en-fr, df n-3", None, p, 4),
        ]
    )


def form_of_figure_3(rankings: dict[str, xr.Dataset], data: Path) -> Part:
    """Significant differences on language pairs of WMT15, in the form of the paper's Figure 3."""
    checks = []
    where = "authors' software"
    for pair, ranking in rankings.items():
        r = ranking["value"].isel(measure=0, basis=0, group=0)
        published = published_correlations(data, pair)
        gap = max(abs(float(r.sel(metric=metric)) - x) for metric, x in published.items())
        checks.append(Check(where, f"largest difference of r, WMT15 {pair}", 0.0, gap, 8))
    table = Table(
        (
            Column("pair", "language pair"),
            Column("systems", "systems"),
            Column("metrics", "metrics"),
            Column("significant", "significant pairs"),
            Column("share", "share", ".2f"),
            Column("beat_bleu", "beat BLEU"),
            Column("best", "highest r"),
            Column("not_beaten", "not beaten by it"),
        ),
        tuple(_summary(pair, ranking) for pair, ranking in rankings.items()),
        caption="WMT15: one-sided Williams tests on absolute r, p < 0.05",
    )
    return Part(
        checks,
        Results(
            figures={"figure-3-wmt15": heatmaps(rankings)},
            numbers={"figure-3-wmt15": table},
            pages={"figure-3-wmt15": table},
        ),
    )


def _summary(pair: str, ranking: xr.Dataset) -> tuple[str | int | float, ...]:
    of_systems = ranking.isel(measure=0, basis=0, group=0)
    count = of_systems.sizes["metric"]
    wins = of_systems["wins_over"]
    return (
        pair,
        int(of_systems["n"]),
        count,
        int(wins.sum()),
        int(wins.sum()) / pairs(count),
        int(wins.sel(other_metric="BLEU").sum()),
        str(of_systems["metric"].values[0]),
        count - 1 - int(of_systems["wins"][0]),
    )


def scatter(scores: xr.Dataset, r: xr.DataArray, rho: xr.DataArray) -> Figure:
    """Draw standardised metric scores against standardised human ones, a panel a metric."""
    human = _standard(scores["system_human"])
    with styled():
        figure = Figure(figsize=(6.4, 3.5), layout="constrained")
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, name in zip(panels, scores["metric"].values, strict=True):
            axes.plot((-3, 3), (-3, 3), color=GREY, linewidth=0.8)
            metric = _standard(scores["system_score"].sel(metric=name))
            axes.plot(human, metric, "o", color=BLUE, ms=5)
            axes.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal", xlabel="human", ylabel=str(name))
            axes.set_title(
                f"{name}\nSpearman {float(rho.sel(metric=name)):.3f}, "
                f"Pearson {float(r.sel(metric=name)):.3f}"
            )
        figure.suptitle("WMT12 es-en, standardised scores of 12 systems", fontsize=LABEL_SIZE)
    return figure


def heatmaps(rankings: dict[str, xr.Dataset]) -> Figure:
    """Draw a panel of significant wins for each language pair."""
    with styled():
        figure = Figure(figsize=(9.5, 10.2), layout="constrained")
        panels = figure.subplots(2, 2).ravel()
        for axes in panels[len(rankings) :]:
            axes.set_visible(False)
        for axes, (pair, ranking) in zip(panels, rankings.items(), strict=False):
            wins = ranking["wins_over"].isel(measure=0, basis=0, group=0).to_numpy()
            draw_wins(axes, wins, [str(name) for name in ranking["metric"].values])
            axes.set_title(f"{pair}, {ranking['n'].item()} systems")
        figure.suptitle(
            "WMT15: blue where |r| of the row is significantly higher than of the column\n"
            "(one-sided Williams, p < 0.05)"
        )
    return figure


def _standard(scores: xr.DataArray) -> np.ndarray:
    values = scores.to_numpy()
    return (values - values.mean()) / values.std(ddof=1)
