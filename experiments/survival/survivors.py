"""Which pairs of metrics survive the correction, and their signs in other language pairs.

Asked by readers of the report. Fixed before the results: every claim that is left after the
correction for all pairs of a set, with all systems as independent and with versions of one system
declared; how many other language pairs of the campaign have both metrics, and in how many of them
the difference in |r| has the same sign. And how many claims Williams' two-sided test keeps at
stricter levels; and the metrics of WMT23 that could be the best, with versions declared.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

import supersample as ss
from experiments.difference.stricter import LEVELS
from experiments.retrospective.answers import by_name
from experiments.retrospective.correlations import wins
from experiments.survival.plan import ALPHA
from experiments.survival.sets import by_jackknife, with_teams
from experiments.wmt import absolute_r, wmt23_pairs

LISTED = "metric", "r", "lower", "upper", "p_systems", "p_documents"
Row = Mapping[str, object]
Sets = Mapping[str, xr.Dataset]


def survivors(sets: Sets, which: str) -> list[Row]:
    """Name the pairs of every set, and count their signs elsewhere."""
    r = {name: sizes_of_r(systems) for name, systems in sets.items()}
    rows: list[Row] = []
    for name, systems in sets.items():
        others = [of for other, of in r.items() if other != name and other[:5] == name[:5]]
        for declared, given in (("", systems), ("yes", with_teams(systems))):
            for better, worse in left(systems, given) if given is not None else ():
                apart = [of[better] - of[worse] for of in others if {better, worse} <= set(of)]
                rows.append(
                    {
                        "set": name,
                        "which": which,
                        "declared": declared,
                        "better": better,
                        "worse": worse,
                        "difference": round(r[name][better] - r[name][worse], 4),
                        "others": len(apart),
                        "same_sign": sum(difference > 0 for difference in apart),
                    }
                )
    return rows


def left(systems: xr.Dataset, given: xr.Dataset) -> list[tuple[str, str]]:
    """Name the claims of a set that are left after correction, with its teams as given."""
    claims = wins(systems, "absolute")["williams"].transpose("metric", "other_metric")
    compared = by_jackknife(given)
    ahead = (compared["p_simultaneous"] <= ALPHA) & (compared["difference"] > 0)
    ahead = claims & ahead.sel({dim: claims[dim] for dim in claims.dims})
    names = claims["metric"].values
    return [(str(names[i]), str(names[j])) for i, j in np.argwhere(ahead.to_numpy())]


def listed(data: Path) -> list[Row]:
    """Metrics of WMT23 by r, with p-values of the best, versions of one system declared."""
    rows: list[Row] = []
    for which in ("reference", "all"):
        sets = {
            pair: ss.read_mtme(data / "mt-metrics-eval-v2", "wmt23", pair, metrics=which)
            for pair in wmt23_pairs(data)
        }
        for name, scores in {**sets, "both": sets}.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ranked = ss.rank(scores, n=0)
            values = [dict(zip(LISTED, row, strict=True)) for row in by_name(ranked)]
            rows += [{"set": name, "which": which, **row} for row in values]
    return rows


def sizes_of_r(systems: xr.Dataset) -> dict[str, float]:
    """Give |r| of every metric."""
    r = absolute_r(systems)["value"].isel(measure=0, basis=0, group=0)
    return dict(zip(map(str, r["metric"].values), map(float, r.values), strict=True))


def at_levels(sets: Sets, documents: Sequence[str]) -> list[Row]:
    """Count the claims that Williams' two-sided test keeps at each level."""
    counts = {level: [0, 0] for level in LEVELS}
    for name, systems in sets.items():
        compared = ss.correlations.compare_correlations(
            absolute_r(systems), method="williams1959"
        ).isel(measure=0, basis=0, group=0, drop=True)
        claims = wins(systems, "absolute")["williams"]
        p = compared["p_value"].sel({dim: claims[dim] for dim in claims.dims})
        for level, of in counts.items():
            kept = int((claims & (p < level)).sum())
            of[0] += kept
            of[1] += kept * (name in documents)
    return [
        {"at": f"{level:g}", "claims": a, "document_claims": b} for level, (a, b) in counts.items()
    ]
