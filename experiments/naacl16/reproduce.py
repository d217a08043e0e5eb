"""Achieving accurate conclusions in evaluation of automatic MT metrics (NAACL 2016)."""

from pathlib import Path

from experiments.common import Part
from experiments.naacl16 import hybrids, sampling, wmt15, wmt23
from experiments.wmt import read_wmt15, read_wmt23, with_corpus_metrics, wmt23_pairs

NEEDS = ("wmt15", "mt-metrics-eval-v2")


def reproduce(data: Path, *, smoke: bool) -> list[Part]:
    """Every table and figure, on WMT15 as published and on WMT23 where WMT12's data is lost."""
    scores = {pair: read_wmt23(data, pair) for pair in wmt23_pairs(data)[: 1 if smoke else None]}
    if smoke:
        few = {"metric": slice(5), "system": slice(7)}
        scores = {pair: of_pair.isel(few) for pair, of_pair in scores.items()}
    with_bleu = {
        pair: with_corpus_metrics(of_pair, data, pair, "bleu", first=150 if smoke else None)
        for pair, of_pair in scores.items()
    }
    return [
        sampling.figures_1_and_2(samples=2_000 if smoke else 200_000),
        wmt15.table_2(read_wmt15(data, "en-cs")),
        wmt15.table_3(read_wmt15(data, "de-en")),
        wmt15.figure_3(read_wmt15(data, "de-en")),
        wmt15.intervals_of_cs_en(read_wmt15(data, "cs-en")),
        *(
            wmt23.figure_3(of_pair, pair, 100 if smoke else 10_000)
            for pair, of_pair in scores.items()
        ),
        hybrids.equation_1(),
        *(
            hybrids.table_4(of_pair, pair, 500 if smoke else 10_000, 2 if smoke else 10)
            for pair, of_pair in with_bleu.items()
        ),
    ]
