"""Readers for the system-level scores of WMT12 and WMT15, and for the scores of WMT23."""

import csv
from pathlib import Path

import xarray as xr

import supersample as ss

WMT15_PAIRS = ("cs-en", "de-en", "en-cs", "en-de")
WMT23_PAIRS = ("en-de", "zh-en")
# what counts errors; the other error metrics of WMT15 were turned round before they were published
LOWER_IS_BETTER = {
    "wmt12": {"TER", "BlockErrCats", "WordBlockErrCats", "XEnErrCats"},
    "wmt15": {"BS"},
}


def read_wmt12(data: Path, pair: str) -> xr.Dataset:
    """System-level scores of WMT12: es-en, or the two metrics of en-fr."""
    rows = []
    for who in ("humans", "metrics"):
        with (data / "wmt12" / f"mt-systems-scored-by-{who}.tsv").open(newline="") as file:
            rows += [row for row in csv.DictReader(file, delimiter="\t") if row["LP"] == pair]
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        scores.setdefault(row["METRIC"], {})[row["SYSTEM"]] = float(row["SCORE"])
    human = scores.pop("HUMAN")
    return _system_scores("wmt12", pair, human, scores)


def read_wmt15(data: Path, pair: str) -> xr.Dataset:
    """System-level scores of WMT15."""
    human: dict[str, float] = {}
    scores: dict[str, dict[str, float]] = {}
    lines = (data / "wmt15" / f"hum-sys.{pair}.scores.csv").read_text().splitlines()
    for metric, _, _, system, score, people in map(str.split, lines[1:]):
        human[system] = float(people)
        scores.setdefault(metric, {})[system] = float(score)
    return _system_scores("wmt15", pair, human, scores)


def published_correlations(data: Path, pair: str) -> dict[str, float]:
    """Correlations of the metrics of WMT15, as published (absolute values)."""
    lines = (data / "wmt15" / f"wmt-r.{pair}.csv").read_text().splitlines()
    return {metric: float(r) for _, r, _, metric in map(str.split, lines[1:])}


def read_wmt23(data: Path, pair: str) -> xr.Dataset:
    """Segment-level MQM and metric scores of WMT23, reference-based metrics."""
    return ss.read_mtme(data / "mt-metrics-eval-v2", "wmt23", pair, metrics="reference")


def with_corpus_metrics(scores: xr.Dataset, data: Path, pair: str, *metrics: str) -> xr.Dataset:
    """WMT23 scores with corpus metrics of the systems' texts, each segment mean under that name."""
    systems = [str(name) for name in scores["system"].values]
    texts = ss.read_mtme_texts(data / "mt-metrics-eval-v2", "wmt23", pair, systems=systems)
    return ss.corpus.add_corpus_metrics(scores, texts, metrics)


def _system_scores(
    campaign: str, pair: str, human: dict[str, float], scores: dict[str, dict[str, float]]
) -> xr.Dataset:
    systems = sorted(human)
    return ss.make_system_scores(
        [human[system] for system in systems],
        [[of_scorer[system] for system in systems] for of_scorer in scores.values()],
        systems=systems,
        metrics=list(scores),
        higher_is_better=[metric not in LOWER_IS_BETTER[campaign] for metric in scores],
        attrs={"source": f"{campaign} {pair}"},
    )
