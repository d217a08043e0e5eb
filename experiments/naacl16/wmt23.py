"""Figure 3's point on WMT23: what the overlap of human-only intervals implies."""

import xarray as xr

from experiments.common import Part, pairs, reported
from experiments.naacl16.conclusions import apart, by_zou, panels, wins_of
from experiments.naacl16.human_only import human_only_intervals
from supersample.presentation.table import Column, Table
from supersample.results.outputs import Results


def figure_3(scores: xr.Dataset, pair: str, resamples: int) -> Part:
    """Conclusions from human-only, from Fisher's and from Zou's intervals."""
    human = human_only_intervals(scores, resamples=resamples)
    wider = human_only_intervals(scores, resamples=resamples, confidence_level=0.99)
    ranking = by_zou(scores)
    zou = wins_of(ranking)
    alone, fisher = apart(human), apart(ranking)
    implied = alone.sel(metric=zou["metric"], other_metric=zou["other_metric"])
    count, where = pairs(zou.sizes["metric"]), f"WMT23 {pair}"
    ratio = (ranking["upper"] - ranking["lower"]) / (human["upper"] - human["lower"])
    printed = apart(human, "symmetric_lower", "symmetric_upper")
    checks = [
        reported(where, text, None, value, 2)
        for text, value in (
            (f"differences of {count}, human-only intervals apart", int(alone.sum())),
            ("the same, symmetric human-only intervals apart", int(printed.sum())),
            ("Fisher's intervals apart", int(fisher.sum())),
            ("Zou's intervals without zero", int(zou.sum())),
            ("human-only apart, but not by Zou's", int((implied & ~zou).sum())),
            ("Fisher's width over human-only's, median", float(ratio.median())),
            ("highest symmetric upper limit, 95 %", float(human["symmetric_upper"].max())),
            ("highest symmetric upper limit, 99 %", float(wider["symmetric_upper"].max())),
        )
    ]
    names = [str(name) for name in ranking["metric"].values]
    title = f"{where}, {ranking['n'].item()} systems: significant wins of {count} pairs"
    figure = panels(
        {"human-only apart": alone, "Fisher's apart": fisher, "Zou's without zero": zou},
        names,
        title,
    )
    table = _intervals(human, ranking, where)
    name = f"figure-3-wmt23-{pair}"
    return Part(checks, Results(figures={name: figure}, numbers={name: table}, pages={name: table}))


def _intervals(human: xr.Dataset, ranking: xr.Dataset, where: str) -> Table:
    """Each metric's human-only and Fisher's limits."""
    names = ("lower", "upper", "plus_minus", "symmetric_upper")
    rows = []
    for metric in ranking["metric"].values:
        human_only, fisher = (
            x.isel(measure=0, basis=0, group=0).sel(metric=metric) for x in (human, ranking)
        )
        limits = [float(human_only[name]) for name in names]
        rows.append(
            (
                str(metric),
                float(human_only["value"]),
                *limits,
                float(fisher["lower"]),
                float(fisher["upper"]),
            )
        )
    headings = (
        "r",
        *(f"human-only {x}" for x in ("from", "to", "±", "r +")),
        "Fisher from",
        "Fisher to",
    )
    fields = ("r", *(f"human_only_{name}" for name in names), "fisher_lower", "fisher_upper")
    columns = [Column(f, h, ".3f") for f, h in zip(fields, headings, strict=True)]
    return Table(
        (Column("metric", "metric"), *columns), tuple(rows), caption=f"{where}: 95 % intervals of r"
    )
