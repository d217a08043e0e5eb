"""Which published differences survive on the sets that are present."""

import csv
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr
from scipy.special import stdtr
from scipy.stats import false_discovery_control

import supersample as ss
from experiments.retrospective.correlations import test_sets, wins
from experiments.survival.plan import ALPHA
from experiments.wmt import read_wmt20, read_wmt23, wmt23_pairs
from supersample.inference.p_values import holm
from supersample.inference.two_correlations.fisher_jackknife import score_pairs
from supersample.scores.ratings import joined_ratings

TEXT_METRICS = ("BLEU", "chrF", "TER")
"""What the texts give; TER takes minutes."""
WAVES = {"en-cs": (2,), "en-zh": (2, 3)}
"""Waves of WMT24's ratings by language pair."""
TUNING = "tuning-task"
LOST = "lost_by_level", "lost_by_form", "lost_by_variance"
"""Claims that fall to the two-sided level, to z with n - 2 degrees of freedom, and to outliers."""


def read_wmt24(data: Path, pair: str, metrics: Sequence[str] = TEXT_METRICS) -> xr.Dataset:
    """Raw ESA ratings of WMT24, and corpus metrics of its texts."""
    folder = data / "wmt24-esa"
    scores = ss.read_mtme(folder, "wmt24", pair, human="*")
    files = [folder / f"esa.{pair}.wave{wave}.csv.gz" for wave in WAVES[pair]]
    read = [ss.read_ratings(file, language_pair=pair) for file in files]
    rated = ss.rate_scores(scores, ss.prepare_ratings(joined_ratings(read), scale="raw"))
    if not metrics:
        return rated
    systems = [str(name) for name in rated["system"].values]
    texts = ss.read_mtme_texts(folder, "wmt24", pair, systems=systems)
    return ss.corpus.add_corpus_metrics(rated, texts, metrics)


def scores_of_documents(
    data: Path, text_metrics: Sequence[str] = TEXT_METRICS
) -> dict[str, xr.Dataset]:
    """Read the sets whose documents are known, by campaign and language pair."""
    found: dict[str, xr.Dataset] = {}
    if (data / "wmt20").is_dir():
        found["WMT20 en-de"] = read_wmt20(data)
    found |= {f"WMT23 {pair}": read_wmt23(data, pair) for pair in wmt23_pairs(data)}
    if (data / "wmt24-esa").is_dir():
        found |= {f"WMT24 {pair}": read_wmt24(data, pair, text_metrics) for pair in WAVES}
    return found


def system_scores(data: Path, documents: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """System-level scores of every set, by campaign and language pair."""
    of_texts = {name: of for name, of in documents.items() if name.startswith("WMT24")}
    return test_sets(data) | {name: ss.system_level_scores(of) for name, of in of_texts.items()}


def team_of(system: str) -> str:
    """Name the team of a system: WMT15's tuning task, and WMT23's NLLB."""
    for start in (TUNING, "NLLB_"):
        if system.startswith(start):
            return start
    return system


def survived(systems: xr.Dataset, documents: xr.Dataset | None) -> dict[str, int]:
    """Count the claims of a set, and those that survive each test."""
    found = wins(systems, "absolute")
    claims = found["williams"]
    kept = {
        "two_sided": found["williams_two_sided"],
        "normal": by_normal_variance(systems),
        "systems": found["jackknife"],
        "systems_adjusted": found["jackknife_holm"],
    }
    compared = by_jackknife(systems)
    kept["systems_10"] = (compared["p_value"] <= 2 * ALPHA) & (compared["difference"] > 0)
    kept["williams_holm"] = found["williams_holm"]
    for name, method in (("systems_bh", "bh"), ("systems_by", "by")):
        kept[name] = (discovery_rates(compared, method) <= ALPHA) & (compared["difference"] > 0)
    kept["declared"], kept["declared_adjusted"] = kept["systems"], kept["systems_adjusted"]
    declared = with_teams(systems)
    if declared is not None:
        compared = by_jackknife(declared)
        ahead = compared["difference"] > 0
        kept["systems_teams"] = compared["significant"] & ahead
        kept["systems_teams_adjusted"] = (compared["p_simultaneous"] <= ALPHA) & ahead
        for name in ("", "_adjusted"):
            kept[f"declared{name}"] = kept[f"systems_teams{name}"]
    if documents is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ranked = ss.rank(documents, n=0).sel(basis="documents").squeeze(drop=True)
        ahead = ranked["difference"] > 0
        kept["documents"] = (ranked["p_value"] <= ALPHA) & ahead
        kept["documents_adjusted"] = (ranked["p_simultaneous"] <= ALPHA) & ahead
        p = ranked["p_value"]
        first, second = np.triu_indices(len(p), 1)
        adjusted = np.ones(p.shape)
        adjusted[first, second] = holm(p.to_numpy()[first, second])
        kept["documents_holm"] = ahead & (np.minimum(adjusted, adjusted.T) <= ALPHA)
    names = {dim: claims[dim] for dim in ("metric", "other_metric")}
    counts = {name: int((claims & of.sel(names)).sum()) for name, of in kept.items()}
    steps = [int(claims.sum()), counts["two_sided"], counts.pop("normal"), counts["systems"]]
    lost = dict(zip(LOST, (-np.diff(steps)).tolist(), strict=True))
    return {"claims": steps[0], **lost, **counts}


def with_teams(systems: xr.Dataset) -> xr.Dataset | None:
    """Declare versions of one system as teams; nothing if there are none."""
    members: dict[str, list[str]] = {}
    for system in map(str, systems["system"].values):
        members.setdefault(team_of(system), []).append(system)
    several = {team: of for team, of in members.items() if len(of) > 1}
    return ss.declare_teams(systems, several) if several else None


def turned(systems: xr.Dataset) -> xr.Dataset:
    """Turn metrics with a negative r, as tests of |r| do."""
    r = ss.correlations.correlate(ss.system_level_scores(systems), bases=["systems"])["value"]
    negative = r.squeeze(drop=True) < 0
    return systems.assign(higher_is_better=systems["higher_is_better"] ^ negative)


def by_jackknife(systems: xr.Dataset) -> xr.Dataset:
    """Compare each two metrics by fisher-jackknife, turned as tests of |r| do."""
    compared = ss.correlations.compare_correlations(turned(systems), method="fisher-jackknife")
    return compared.sel(basis="systems").squeeze(drop=True)


def by_normal_variance(systems: xr.Dataset) -> xr.DataArray:
    """Whether each metric is better by fisher-jackknife's statistic with the normal variance."""
    turn = turned(systems)
    names = turn["metric"].to_numpy()
    shape = len(names), len(names)
    pairs = score_pairs(scores_array(turn), *np.indices(shape).reshape(2, -1))
    apart = (pairs.z_a - pairs.z_b) / np.sqrt(pairs.normal_variance)
    better = 2 * stdtr(pairs.n - 2, -np.abs(apart)) <= ALPHA
    ahead = (better & (apart > 0)).reshape(shape)
    return xr.DataArray(ahead, {"metric": names, "other_metric": names})


def discovery_rates(compared: xr.Dataset, method: Literal["bh", "by"]) -> xr.DataArray:
    """Adjust p-values of a set's pairs for the false discovery rate.

    "bh" is Benjamini and Hochberg's (1995) way, for independent or positively dependent tests; "by"
    is Benjamini and Yekutieli's (2001), for any dependence.
    """
    p = compared["p_value"]
    pairs = np.triu_indices(len(p), 1)
    adjusted = np.ones(p.shape)
    adjusted[pairs] = false_discovery_control(p.to_numpy()[pairs], method=method)
    return p.copy(data=np.minimum(adjusted, adjusted.T))


def scores_array(systems: xr.Dataset) -> np.ndarray:
    """Scores (systems, 1 + metrics), people's first, of metrics turned so that r is positive."""
    human = systems["system_human"].to_numpy()[:, np.newaxis]
    metrics = systems["system_score"].transpose("system", "metric").to_numpy()
    both = np.concatenate([human, metrics], axis=1)
    both = both[~np.isnan(both).any(axis=1)]
    return np.asarray(both * np.where(np.corrcoef(both.T)[0] < 0, -1, 1))


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as CSV, with the columns in the order in which rows first have them."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
