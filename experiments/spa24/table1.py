"""Table 1: distinct values, significant comparisons and clusters of PA and SPA."""

from dataclasses import dataclass, field

import numpy as np
import xarray as xr

import supersample as ss
from experiments.common import Check, Part, pairs, reported
from experiments.spa24.published import GAIN_CLUSTERS, GAIN_SIGNIFICANT, TABLE_1, Row
from experiments.spa24.ties import plot_ties
from supersample.presentation.table import Column, Table, Value
from supersample.results.outputs import Results

KINDS = ("PA", "SPA")
MEASURES = ("SPA", "PA")
"""SPA orders the metrics."""
PAPER = {"estimator": "k/B"}
"""The share of permutations as the paper takes it; everything else is the default."""


@dataclass
class Counts:
    """What Table 1 counts in one ranking, PA first."""

    distinct: list[int]
    significant: list[int]
    clusters: list[int]
    among_distinct: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, ranking: xr.Dataset) -> "Counts":
        """Count; significant pairs also among metrics of which no two have the same scores."""
        of_kinds = ranking.sel(measure=list(KINDS)).isel(basis=0, group=0)
        first = ~np.tril(of_kinds["identical"].to_numpy(), -1).any(axis=1)
        among = of_kinds["significant"].isel(metric=first, other_metric=first).to_numpy()
        names = ("distinct_values", "significant_pairs", "clusters")
        values = [of_kinds[name].to_numpy().tolist() for name in names]
        return cls(*values, np.triu(among, 1).sum(axis=(1, 2)).tolist())


@dataclass
class Campaign:
    """Everything that is computed of one language pair."""

    of: tuple[str, str]
    """Test set and language pair."""
    scores: xr.Dataset
    rankings: dict[str, xr.Dataset]
    """By treatment of ties and computation of p-values; seed 0."""
    seeds: dict[str, list[Counts]]
    """Counts over seeds, for exact ties and for ties as they fall."""

    @property
    def published(self) -> Row:
        """Return the row of Table 1."""
        return TABLE_1[self.of]

    @property
    def pair(self) -> str:
        """Return the name in tables and of files."""
        return named(*self.of)


def named(test_set: str, pair: str) -> str:
    """Name a language pair; that of WMT23 has its name alone."""
    return pair if test_set == "wmt23" else f"{test_set}-{pair}"


def compute(of: tuple[str, str], scores: xr.Dataset, *, smoke: bool) -> Campaign:
    """Compare the metrics with normal p-values over seeds, and with drawn ones."""
    seeds, resamples, permutations = (2, 20, 50) if smoke else (12, 1000, 1000)
    rankings: dict[str, xr.Dataset] = {}
    counts: dict[str, list[Counts]] = {}
    for ties in ("exact", "floating_point"):
        found = [
            ss.rank(ss.compare(scores, MEASURES, ties=ties, seed=s, resamples=resamples, **PAPER))
            for s in range(seeds)
        ]
        rankings[ties] = found[0]
        counts[ties] = [Counts.of(ranking) for ranking in found]
    for convention in ("mid", "at_least"):
        options = ss.measures.PValues("monte_carlo", convention, permutations=permutations)
        measures = [
            ss.measures.SoftPairwiseAccuracy(options),
            ss.measures.PairwiseAccuracy(options),
        ]
        compared = ss.compare(scores, measures, resamples=resamples, **PAPER)
        rankings[f"monte_carlo {convention}"] = ss.rank(compared)
    return Campaign(of, scores, rankings, counts)


def table_1(campaigns: list[Campaign], *, smoke: bool) -> Part:
    """Every figure of the rows whose data is public."""
    checks = [check for campaign in campaigns for check in row_checks(campaign, smoke=smoke)]
    return Part(
        checks,
        Results(numbers={"table-1": _table(campaigns)}, pages={"table-1": _table(campaigns)}),
    )


def row_checks(campaign: Campaign, *, smoke: bool) -> list[Check]:
    """Hold one row against the printed one."""
    where = f"Table 1, {campaign.pair}"
    row, exact = campaign.published, Counts.of(campaign.rankings["exact"])
    metrics = campaign.rankings["exact"].sizes["metric"]
    distinct = campaign.rankings["exact"]["distinct_metrics"].item()
    systems = int(campaign.rankings["exact"]["systems"].sel(measure="SPA").item())
    count = (
        Check if campaign.of != ("wmt23", "zh-en") else reported
    )  # it prints 14; its figures are of 15
    checks = [
        count(where, "systems", row.systems, systems),
        Check(where, "metrics", row.metrics, metrics),
        Check(where, "distinct values, most", row.distinct[2], distinct),
        Check(where, "significant comparisons, most", row.significant[2], pairs(distinct)),
        Check(where, "clusters, most", row.clusters[2], distinct),
    ]
    for k, kind in enumerate(KINDS):
        checks.append(Check(where, f"distinct values, {kind}", row.distinct[k], exact.distinct[k]))
    agree = reported if smoke else Check  # fewer resamples count otherwise
    for k, kind in enumerate(KINDS):
        what, printed = f"significant comparisons, {kind}", row.significant[k]
        checks.append(reported(where, f"{what}, exact ties", printed, exact.significant[k]))
        for ties in ("exact", "floating_point"):
            found = [counts.significant[k] for counts in campaign.seeds[ties]]
            span = f"{min(found)}-{max(found)}"
            met = min(found) <= printed <= max(found)
            meant = agree if kind == "SPA" or ties == "floating_point" else reported
            name = ties.replace("_", " ")
            text = f"{what}, printed one among {len(found)} seeds ({name} ties: {span})"
            checks.append(meant(where, text, "yes", "yes" if met else "no"))
        among = exact.among_distinct[k]
        if distinct < metrics:
            text = f"{what}, exact ties, identical metrics once"
            checks.append(reported(where, text, printed, among))
        for convention in ("mid", "at_least"):
            drawn = Counts.of(campaign.rankings[f"monte_carlo {convention}"]).significant[k]
            checks.append(reported(where, f"{what}, Monte-Carlo {convention}", printed, drawn))
    for k, kind in enumerate(KINDS):
        what = f"clusters, {kind}"
        checks.append(agree(where, what, row.clusters[k], exact.clusters[k]))
        drawn = Counts.of(campaign.rankings["monte_carlo mid"]).clusters[k]
        checks.append(reported(where, f"{what}, Monte-Carlo mid", row.clusters[k], drawn))
    return checks


def gains(campaigns: list[Campaign]) -> Part:
    """How much more SPA distinguishes than PA, in percent: over the printed rows, and over ours."""
    printed = [(row.significant, row.clusters) for row in TABLE_1.values()]
    ours = [(c.published.significant, c.published.clusters) for c in campaigns]
    checks = [
        Check("section 4.4", "gain in significant comparisons, %, of the rows", GAIN_SIGNIFICANT,
              _gain([row[0] for row in printed])),
        Check("section 4.4", "gain in clusters, %, of the rows", GAIN_CLUSTERS,
              _gain([row[1] for row in printed])),
    ]  # fmt: skip
    for ties in ("exact", "floating_point"):
        counts = [Counts.of(campaign.rankings[ties]) for campaign in campaigns]
        names = f"{', '.join(c.pair for c in campaigns)} ({ties.replace('_', ' ')} ties)"
        checks += [
            reported("section 4.4", f"gain in significant comparisons, %, {names}",
                     _gain([row[0] for row in ours]), _gain([c.significant for c in counts])),
            reported("section 4.4", f"gain in clusters, %, {names}",
                     _gain([row[1] for row in ours]), _gain([c.clusters for c in counts])),
        ]  # fmt: skip
    return Part(checks)


def figure_4(campaigns: list[Campaign]) -> Part:
    """Draw the comparison matrices of PA and SPA."""
    results = Results()
    for campaign in campaigns:
        ranking = campaign.rankings["exact"]
        for kind in KINDS:
            name = f"figure-4-{campaign.pair}-{kind}"
            results.figures[name] = plot_ties(ranking, measure=kind)
    return Part([], results)


def _gain(rows: list[tuple[int, ...]] | list[list[int]]) -> int:
    """Average of SPA over PA less 1, percent."""
    return round(100 * float(np.mean([row[1] / row[0] for row in rows])) - 100)


def _table(campaigns: list[Campaign]) -> Table:
    """Lay out all that was counted as Table 1 does, a row a way to count."""
    columns = [Column("language_pair", "language pair"), Column("way", "way")]
    for name in ("distinct values", "significant", "among distinct metrics", "clusters"):
        columns += [Column(f"{name.replace(' ', '_')}_{k}", f"{name}, {k}") for k in KINDS]
    rows: list[tuple[Value, ...]] = []
    for campaign in campaigns:
        row = campaign.published
        rows.append((campaign.pair, "printed", *row.distinct[:2], *row.significant[:2],
                     None, None, *row.clusters[:2]))  # fmt: skip
        for way, ranking in campaign.rankings.items():
            counts = Counts.of(ranking)
            name = way if way.startswith("monte") else f"normal, {way.replace('_', ' ')} ties"
            rows.append((campaign.pair, name, *counts.distinct, *counts.significant,
                         *counts.among_distinct, *counts.clusters))  # fmt: skip
    return Table(tuple(columns), tuple(rows), caption="Table 1, printed and ours (seed 0)")
