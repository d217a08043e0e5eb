"""Tables 2 and 3 and Figure 3: intervals of WMT15's system-level correlations."""

import numpy as np
import xarray as xr

import supersample as ss
from experiments.common import Check, Part, out_of_order, pairs, reported
from experiments.naacl16.conclusions import apart, by_zou, panels, wins_of
from supersample.inference.one_correlation import fisher_interval
from supersample.presentation import rankings
from supersample.presentation.table import Column, Table, Value
from supersample.results.outputs import Results

AXES = [
    "upf-cobalt",
    "DPMFcomb",
    "DPMF",
    "UoW-LSTM",
    "RATATOUILLE",
    "chrF3",
    "METEOR-WSD",
    "BEER_Treepel",
    "BEER",
    "VERTa-70Adeq30Flu",
    "chrF",
    "VERTa-W",
    "LeBLEU-optimized",
    "LeBLEU-default",
    "VERTa-EQ",
    "NIST",
    "CDER",
    "TER",
    "Dreem",
    "WER",
    "BS",
    "BLEU",
    "PER",
]
"""The metrics in the order of Figure 3's axes."""
COBALT = {
    "VERTa-70Adeq30Flu": (-0.01, 0.011),
    "BEER_Treepel": (-0.009, 0.016),
    "DPMFcomb": (-0.008, 0.017),
    "VERTa-EQ": (-0.007, 0.02),
    "VERTa-W": (-0.005, 0.025),
    "Dreem": (-0.002, 0.032),
    "DPMF": (-0.001, 0.036),
    "METEOR-WSD": (-0.001, 0.04),
    "BEER": (-0.001, 0.041),
    "UoW-LSTM": (-0.001, 0.041),
    "chrF": (0.001, 0.044),
    "BS": (0.003, 0.061),
    "LeBLEU-optimized": (0.003, 0.062),
    "NIST": (0.005, 0.07),
    "chrF3": (0.01, 0.083),
    "PER": (0.009, 0.098),
    "RATATOUILLE": (0.011, 0.103),
    "CDER": (0.011, 0.105),
    "BLEU": (0.013, 0.114),
    "LeBLEU-default": (0.016, 0.14),
    "TER": (0.03, 0.243),
    "WER": (0.037, 0.291),
}
"""Zou's intervals of UPF-COBALT less each other metric, cs-en: the first row of
wmt15-data/diff-dep/r-ci.cs-en.csv in the authors' repository ygraham/MT-metric-confidence-intervals
(the paper's footnote 3)."""


def table_2(scores: xr.Dataset) -> Part:
    """Fisher's intervals on en-cs, and how far below r their lower limits lie."""
    correlations = ss.correlations.correlate(scores).isel(measure=0, basis=0, group=0)
    limits = fisher_interval(correlations["value"], int(correlations["n"]))
    correlations = correlations.assign(
        {name: ("metric", limit) for name, limit in limits._asdict().items()}
    )
    correlations = correlations.sortby(correlations["value"], ascending=False)
    columns = [Column("metric", "metric")]
    columns += [Column(x, x, ".3f") for x in ("r", "lower", "upper", "below", "above")]
    rows = [
        (str(x["metric"].item()), *(float(x[name]) for name in ("value", "lower", "upper")))
        for x in (correlations.sel(metric=metric) for metric in correlations["metric"].values)
    ]
    table = Table(
        tuple(columns),
        tuple((*row, row[1] - row[2], row[3] - row[1]) for row in rows),
        caption="WMT15 en-cs, 15 systems: r with Fisher's 95 % limits, and their distances from r",
    )
    dreem = correlations.sel(metric="Dreem")
    below = float(dreem["value"] - dreem["lower"])
    checks = [
        Check("Table 2", "r of DREEM, en-cs", 0.883, float(dreem["value"]), 3),
        Check("section 2.2", "Fisher's lower limit below it", 0.206, below, 3),
        reported("section 2.2", "WMT's lower limit below it", 0.006, None, 3),
        reported("section 2.2", "ratio to WMT's printed 0.006 (more than)", 34, below / 0.006),
    ]
    return Part(checks, Results(numbers={"table-2": table}, pages={"table-2": table}))


def table_3(scores: xr.Dataset) -> Part:
    """Zou's intervals for differences of the seven best metrics on de-en."""
    ranking = by_zou(scores)
    seven = ranking.sel(metric=AXES[:7], other_metric=AXES[:7])
    pair = seven.isel(measure=0, basis=0, group=0).sel(
        metric="upf-cobalt", other_metric="METEOR-WSD"
    )
    r = seven["value"].isel(measure=0, basis=0, group=0)
    checks = [
        Check("Table 3", "metrics out of order, de-en", 0, out_of_order(ranking, AXES)),
        Check("section 2.3", "r of UPF-COBALT", 0.981, float(r.sel(metric="upf-cobalt")), 3),
        Check("section 2.3", "r of METEOR-WSD", 0.953, float(r.sel(metric="METEOR-WSD")), 3),
        Check("section 2.3", "their difference from", 0.005, float(pair["difference_lower"]), 3),
        Check("section 2.3", "their difference to", 0.123, float(pair["difference_upper"]), 3),
    ]
    results = Results(
        numbers={"table-3": rankings.comparisons_table(seven)},
        pages={"table-3": _matrix(seven)},
        facts={"": seven.attrs},
    )
    return Part(checks, results)


def _matrix(ranking: xr.Dataset) -> Table:
    """Intervals of the row's r less the column's; a star where they exclude zero."""
    of_systems = ranking.isel(measure=0, basis=0, group=0)
    names = [str(name) for name in of_systems["metric"].values]
    rows: list[tuple[Value, ...]] = []
    for i, name in enumerate(names):
        cells = ["" for _ in range(i + 1)]
        for j in range(i + 1, len(names)):
            lower, upper = (float(of_systems[f"difference_{x}"][i, j]) for x in ("lower", "upper"))
            star = "*" if lower > 0 or upper < 0 else ""
            cells.append(f"[{lower:.3f}, {upper:.3f}]{star}")
        rows.append((name, f"{float(of_systems['value'][i]):.3f}", *cells))
    return Table(
        tuple(Column(name, name) for name in ("metric", "r", *names)),
        tuple(rows),
        caption="WMT15 de-en, 13 systems: Zou's 95 % intervals of the row's r less the column's",
        notes=("* excludes zero.",),
    )


def figure_3(scores: xr.Dataset) -> Part:
    """Conclusions from Zou's intervals beside those from the overlap of Fisher's, on de-en."""
    ranking = by_zou(scores)
    zou, fisher = wins_of(ranking), apart(ranking)
    cobalt = int(zou.sel(metric="upf-cobalt").sum())
    count = pairs(ranking.sizes["metric"])
    checks = [
        Check("section 2.3", "of 22, how many UPF-COBALT beats (1 + 4 not)", 17, cobalt),
        Check("counted by hand", f"Figure 3b, differences of {count}", 65, int(zou.sum())),
        Check("counted by hand", "the same by Fisher's intervals apart", 0, int(fisher.sum())),
        reported("section 2.3", "by WMT's intervals apart, not by Zou's", 91, None),
    ]
    title = (
        f"WMT15 de-en, 13 systems: significant wins of the row over the column, of {count} pairs"
    )
    figure = panels(
        {"Fisher's intervals apart": fisher, "Zou's without zero (Figure 3b)": zou}, AXES, title
    )
    return Part(checks, Results(figures={"figure-3": figure}))


def intervals_of_cs_en(scores: xr.Dataset) -> Part:
    """Compare Zou's intervals on cs-en with those in the authors' repository."""
    compared = (
        by_zou(scores)
        .isel(measure=0, basis=0, group=0)
        .sel(metric="upf-cobalt", other_metric=list(COBALT))
    )
    ours = np.stack([compared["difference_lower"], compared["difference_upper"]], axis=1)
    farthest = float(np.abs(ours - np.array(list(COBALT.values()))).max())
    what = "largest difference of 22 intervals, cs-en"
    return Part([Check("authors' software", what, 0.0, farthest, 3)])
