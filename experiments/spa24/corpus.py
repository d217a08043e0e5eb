"""What changes when BLEU and chrF are corpus scores, not segment means."""

from pathlib import Path

import numpy as np
import xarray as xr

import supersample as ss
from experiments.common import Check, Part, pairs, reported
from experiments.spa24.table1 import KINDS, MEASURES, PAPER, Counts
from experiments.wmt import with_corpus_metrics
from supersample.presentation.table import Column, Table, Value
from supersample.results.outputs import Results
from supersample.scores.schema import SEGMENT_MEAN, with_metrics

CORPUS = ("BLEU", "chrF")
CLOSE = 0.003  # SPA by normal p-values, and by 1,000 permutations of each pair of systems


def recomputed(pair: str, scores: xr.Dataset, data: Path, *, smoke: bool) -> Part:
    """PA and SPA of BLEU and chrF both ways over seeds, and what Table 1 counts with either."""
    seeds, resamples, permutations = (2, 10, 50) if smoke else (6, 1000, 1000)
    swaps, fine = (5, 50) if smoke else (100, 4000)
    scores, first = (scores.isel(system=slice(3)), 150) if smoke else (scores, None)
    both = with_corpus_metrics(scores, data, pair, *map(str.lower, CORPUS), first=first)
    averaged = [str(name) for name in both["metric"].values]
    rest = [name for name in averaged if not name.endswith(SEGMENT_MEAN)]
    ways = {"averaged": averaged, "corpus": [*rest, *CORPUS]}
    hard, normal = ss.agreement(both, KINDS)["value"].squeeze()
    drawn = drawn_accuracies(both, seeds, permutations)
    comparisons = [
        ss.compare(both, MEASURES, seed=seed, resamples=resamples, **PAPER) for seed in range(seeds)
    ]
    accuracies = _accuracies(pair, hard, normal, drawn, comparisons)
    counts = {way: _counts(both, names, seeds, resamples) for way, names in ways.items()}
    counted = _counted(pair, counts)
    gap = float(np.abs(normal - drawn).max())
    routes = two_routes(both, swaps, fine)
    held = reported if smoke else Check
    where = f"corpus scores, {pair}"
    checks = [
        reported(where, f"{kind} of {name} less that of its segment mean", None, change, 4)
        for name in CORPUS
        for kind, spa in zip(KINDS, (hard, normal), strict=True)
        for change in [float(spa.sel(metric=name) - spa.sel(metric=name + SEGMENT_MEAN))]
    ]
    checks += [
        reported(where, "SPA, normal less permuted, at most", None, gap, 4),
        held(where, f"the two within {CLOSE}", "yes", "yes" if gap <= CLOSE else "no"),
        *(
            reported(where, f"p of {what}, normal less drawn, at most", None, most, 3)
            for what, most in routes.items()
        ),
    ]
    tables = {f"corpus-scores-{pair}": accuracies, f"corpus-counts-{pair}": counted}
    return Part(checks, Results(numbers=tables, pages=tables))


def drawn_accuracies(scores: xr.Dataset, seeds: int, permutations: int) -> xr.DataArray:
    """SPA (seed, metric) with drawn permutations of every pair of systems."""
    measure = ss.measures.SoftPairwiseAccuracy(
        ss.measures.PValues("monte_carlo", permutations=permutations)
    )
    chosen = with_metrics(scores, [*_both_names()])
    found = [ss.agreement(chosen, measure, seed=seed)["value"].squeeze() for seed in range(seeds)]
    return xr.concat(found, "seed")


def two_routes(scores: xr.Dataset, resamples: int, permutations: int) -> dict[str, float]:
    """Largest difference of p-values of SPA: by normal p-values of systems, and by drawn ones."""
    chosen = with_metrics(scores, [*_both_names()])
    monte_carlo = ss.measures.PValues("monte_carlo", permutations=permutations)
    found = [
        ss.compare(chosen, ss.measures.SoftPairwiseAccuracy(route), resamples=resamples, **PAPER)[
            "p_value"
        ]
        for route in ("normal", monte_carlo)
    ]
    gap = np.abs(found[0] - found[1])
    means = [name + SEGMENT_MEAN for name in CORPUS]
    return {
        "two segment means": float(gap.sel(metric=means, other_metric=means).max()),
        "corpus scores": float(gap.sel(metric=list(CORPUS)).max()),
    }


def _both_names() -> list[str]:
    return [f"{name}{kind}" for name in CORPUS for kind in (SEGMENT_MEAN, "")]


def _counts(scores: xr.Dataset, names: list[str], seeds: int, resamples: int) -> list[Counts]:
    """Count over seeds what Table 1 does, among these metrics."""
    chosen = with_metrics(scores, names)
    return [
        Counts.of(ss.rank(ss.compare(chosen, MEASURES, seed=seed, resamples=resamples, **PAPER)))
        for seed in range(seeds)
    ]


def _accuracies(
    pair: str,
    hard: xr.DataArray,
    normal: xr.DataArray,
    drawn: xr.DataArray,
    comparisons: list[xr.Dataset],
) -> Table:
    """Both versions of each metric in a row each, and the p-value of their difference."""
    rows: list[tuple[Value, ...]] = []
    for name in CORPUS:
        for version in (name + SEGMENT_MEAN, name):
            of_version = drawn.sel(metric=version)
            p = [
                c["p_value"].sel(measure=kind, metric=name,
                                 other_metric=name + SEGMENT_MEAN).item()
                for kind in KINDS for c in comparisons
            ]  # fmt: skip
            half = len(comparisons)
            shown = [_span(p[:half]), _span(p[half:])] if version == name else [None, None]
            rows.append(
                (
                    version,
                    float(hard.sel(metric=version)),
                    float(normal.sel(metric=version)),
                    float(of_version.min()),
                    float(of_version.max()),
                    *shown,
                )
            )
    columns = (
        Column("metric", "metric"),
        Column("pa", "PA", ".4f"),
        Column("spa", "SPA, normal", ".4f"),
        Column("spa_from", "SPA, permuted, from", ".4f"),
        Column("spa_to", "to", ".4f"),
        Column("p_pa", "p of the two's PA"),
        Column("p_spa", "p of the two's SPA"),
    )
    caption = f"{pair}: segment means, and corpus scores recomputed in every permutation"
    notes = (f"Spans are over {drawn.sizes['seed']} seeds; p by PERM-INPUTS, 1,000 swaps.",)
    return Table(columns, tuple(rows), caption, notes)


def _counted(pair: str, counts: dict[str, list[Counts]]) -> Table:
    """Significant pairs and clusters with the averaged and with the corpus versions."""
    rows: list[tuple[Value, ...]] = []
    for way, found in counts.items():
        row: list[Value] = [way]
        for name in ("distinct", "significant", "clusters"):
            values = [getattr(version, name) for version in found]
            row += [_span([value[k] for value in values]) for k in range(len(KINDS))]
        rows.append(tuple(row))
    columns = [Column("way", "BLEU and chrF")]
    for name in ("distinct values", "significant", "clusters"):
        columns += [Column(f"{name.replace(' ', '_')}_{k}", f"{name}, {k}") for k in KINDS]
    most = pairs(25)
    caption = f"{pair}: what Table 1 counts of 25 metrics ({most} pairs), over seeds"
    return Table(tuple(columns), tuple(rows), caption)


def _span(values: list[float] | list[int]) -> str:
    """Smallest to largest, one number where they agree."""
    texts = [f"{value:.3f}" if isinstance(value, float) else str(value) for value in
             (min(values), max(values))]  # fmt: skip
    return texts[0] if texts[0] == texts[1] else f"{texts[0]}-{texts[1]}"
