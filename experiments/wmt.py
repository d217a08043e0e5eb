"""Readers of WMT12, WMT15, WMT20 and WMT23, and which language pairs of them are present."""

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import supersample as ss
from supersample.errors import told_elsewhere

WMT15_PAIRS = ("cs-en", "de-en", "en-cs", "en-de")
WMT23_PAIRS = ("en-de", "zh-en")
# what counts errors; the other error metrics of WMT15 were turned round before they were published
LOWER_IS_BETTER = {
    "wmt12": {"TER", "BlockErrCats", "WordBlockErrCats", "XEnErrCats"},
    "wmt15": {"BS"},
}


def absolute_r(systems: xr.Dataset) -> xr.Dataset:
    """Correlate over the systems; the papers take absolute values of all three correlations."""
    with told_elsewhere():
        r = ss.correlations.correlate(systems, bases=["systems"])
    return r.assign({name: np.abs(r[name]) for name in ("value", "metric_r")})


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


def released_conclusions(data: Path, pair: str) -> xr.DataArray | None:
    """Read WMT15's released matrix: whether the row metric is significantly better.

    None where it is not present: a person read it from a picture.
    """
    file = data / "wmt15" / f"conclusions.{pair}.tsv"
    if not file.is_file():
        return None
    lines = file.read_text().splitlines()
    rows = [line.split("\t") for line in lines[1:]]
    wins = np.array([[cell == "1" for cell in row[1:]] for row in rows])
    names = {"metric": [row[0] for row in rows], "other_metric": lines[0].split("\t")[1:]}
    return xr.DataArray(wins, names, ("metric", "other_metric"))


def wmt15_pairs(data: Path) -> list[str]:
    """Language pairs of WMT15 that are present."""
    files = (data / "wmt15").glob("hum-sys.*.scores.csv")
    return sorted(file.name.split(".")[1] for file in files)


def mqm_pairs(data: Path, test_set: str) -> list[str]:
    """Language pairs of a test set of mt-metrics-eval whose MQM is present."""
    files = (data / "mt-metrics-eval-v2" / test_set / "human-scores").glob("*.mqm.seg.score")
    return sorted(file.name.split(".")[0] for file in files)


def wmt23_pairs(data: Path) -> list[str]:
    """Language pairs of WMT23 whose MQM is present."""
    return mqm_pairs(data, "wmt23")


@cache  # several studies take the same scores, and change none
def read_wmt20(data: Path) -> xr.Dataset:
    """Segment-level MQM and metric scores of WMT20 en-de, newstest2020's own reference.

    The file of TER has it negated, so that larger is better.
    """
    labels = ["metric", "pair", "set", "reference", "system", "document", "number", "score"]
    read: Any = {"sep": "\t", "names": labels, "quoting": csv.QUOTE_NONE}
    files = sorted((data / "wmt20").glob("*.seg.score.gz"))
    rows = pd.concat([pd.read_csv(file, **read) for file in files])
    rows = rows[rows["reference"] == "newstest2020"]
    # a file whose documents are not sorted shows their order; people number its lines from 1
    documents = rows.loc[rows["metric"] == "TER", "document"].unique().tolist()
    places = rows[["document", "number"]].drop_duplicates()
    places = places.iloc[np.lexsort([places["number"], places["document"].map(documents.index)])]
    segments = (places["document"] + ":" + places["number"].astype(str)).tolist()
    rows["segment"] = rows["document"] + ":" + rows["number"].astype(str)
    mqm = pd.read_csv(data / "wmt20" / "mqm_newstest2020_ende.avg_seg_scores.tsv", sep=" ")
    mqm["segment"] = [segments[int(number) - 1] for number in mqm["seg_id"]]
    human = mqm.set_index(["system", "segment"])["mqm_avg_score"].to_xarray().sel(segment=segments)
    score = rows.set_index(["metric", "system", "segment"])["score"].to_xarray()
    rated = [x for x in rows["system"].unique() if x in human["system"] and "Human" not in x]
    metrics = rows["metric"].unique().tolist()
    return ss.make_scores(
        human.sel(system=rated),
        score.sel(metric=metrics, system=rated, segment=segments),
        systems=rated,
        metrics=metrics,
        segments=segments,
        document=places["document"].tolist(),
        attrs={"source": "newstest2020 en-de", "human": "MQM", "reference": "newstest2020"},
    )


def read_mqm(data: Path, test_set: str, pair: str) -> xr.Dataset:
    """Segment-level MQM and metric scores of a test set, reference-based metrics."""
    scores = ss.read_mtme(data / "mt-metrics-eval-v2", test_set, pair, metrics="reference")
    return without_teams(scores)


@cache
def read_wmt23(data: Path, pair: str, human: str = "mqm", metrics: str = "reference") -> xr.Dataset:
    """Segment-level MQM, or other human scores, and metric scores of WMT23, reference-based."""
    folder = data / "mt-metrics-eval-v2"
    return without_teams(ss.read_mtme(folder, "wmt23", pair, human=human, metrics=metrics))


def without_teams(scores: xr.Dataset) -> xr.Dataset:
    """Take all systems as independent, as the studies did before teams of a set were known."""
    scores = scores.drop_vars("team", errors="ignore")
    scores.attrs.pop("teams", None)
    return scores


def with_corpus_metrics(
    scores: xr.Dataset, data: Path, pair: str, *metrics: str, first: int | None = None
) -> xr.Dataset:
    """WMT23 scores with corpus metrics of the systems' texts, each segment mean under that name.

    `first` takes so many segments, whose scores must be in the order of the texts.
    """
    systems = [str(name) for name in scores["system"].values]
    texts = ss.read_mtme_texts(data / "mt-metrics-eval-v2", "wmt23", pair, systems=systems)
    if first is not None:
        own = {name: texts.hypotheses[name][:first] for name in systems}
        texts = replace(texts, hypotheses=own, references=[r[:first] for r in texts.references])
    return ss.corpus.add_corpus_metrics(scores.isel(segment=slice(first)), texts, metrics)


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
