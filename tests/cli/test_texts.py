"""Corpus metrics, and hybrids scored elsewhere, on the command line."""

import re

import numpy as np
import pytest

import supersample as ss

EXAMPLE = ss.load_example().isel(segment=slice(60))
SYSTEMS = [str(name) for name in EXAMPLE["system"].values]


@pytest.fixture
def texts(tmp_path, monkeypatch, started):
    """Scores of a few segments in scores.zarr, and options that name text files for them."""
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    rng = np.random.default_rng(0)
    monkeypatch.setenv("SUPERSAMPLE_CACHE", str(tmp_path / "cache"))
    ss.write_scores(EXAMPLE, tmp_path / "scores.zarr")
    options = []
    for name in (*SYSTEMS, "ref"):
        path = tmp_path / f"{name}.txt"
        lines = [" ".join(rng.choice(list("abcd"), 6)) for _ in range(EXAMPLE.sizes["segment"])]
        path.write_text("\n".join(lines) + "\n")
        options += ["--references", path] if name == "ref" else ["--hypotheses", f"{name}={path}"]
    return options


def test_corpus_metrics_of_files_are_ranked(command, texts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ["--corpus-metric", "bleu", "--corpus-metric", "chrf:beta=1,name=chrF1"]
    assert command("inspect", "scores.zarr", *asked, *texts, "--to", "scored.zarr").status == 0
    words = ["rank", "scored.zarr", "-n", 50, "--all"]
    status, out, err = command(*words)
    assert status == 0, err
    for name in ("BLEU", "chrF1"):
        assert len(re.findall(rf"^ *\d+ +{name} ", out, re.M)) == 1
    assert (
        "corpus:BLEU(nrefs:1,case:mixed,eff:no,tok:13a,smooth:exp" in command(*words, "--full").out
    )
    assert command(*words)[1] == out


def test_files_of_other_lengths_are_named(command, texts, tmp_path):
    short = tmp_path / "short.txt"
    short.write_text("one\ntwo\n")
    options = ["--corpus-metric", "bleu", *texts, "--references", short]
    status, _, err = command("inspect", "scores.zarr", *options)
    assert (status, err.count("\n")) == (2, 1)
    assert f"2 lines in {short}" in err
    assert "60 lines in " in err


def test_human_scores_and_texts_are_enough(command, texts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "human.csv"
    rows = [
        f"{system},{segment},human,{EXAMPLE['human'].values[i, segment]}"
        for i, system in enumerate(SYSTEMS)
        for segment in range(EXAMPLE.sizes["segment"])
    ]
    table.write_text("\n".join(["system,segment,scorer,score", *rows]) + "\n")
    asked = ["--corpus-metric", "bleu", "--corpus-metric", "ter", *texts]
    assert command("inspect", table, *asked, "--to", "scored.zarr").status == 0
    for name, *words in (
        ["rank", "-n", 50],
        ["rank", "-m", "pearson", "--method", "inputs", "--resamples", 20],
        ["rank", "--method", "bca", "--resamples", 20, "--random", "segments"],
        ["spa", "--resamples", 20],
        ["rank", "--random", "systems"],
        ["inspect"],
        ["compare", "--metrics", "BLEU,TER"],
    ):
        status, out, err = command(name, "scored.zarr", *words)
        assert status == 0, err
        assert name == "inspect" or "BLEU" in out, out


def test_corpus_metrics_may_be_named_among_those_to_keep(command, texts, tmp_path):
    asked = [tmp_path / "scored.zarr", "--metrics"]
    command("inspect", "scores.zarr", "--corpus-metric", "bleu", *texts, "--to", asked[0])
    status, out, err = command("compare", *asked, "good-90,BLEU", "-q")
    assert status == 0, err
    assert ("good-90" in out, "BLEU" in out, "fair-70" in out) == (True, True, False)
    status, _, err = command("compare", *asked, "good-90,bleu")
    assert (status, err.count("\n"), "no metric 'bleu'" in err) == (2, 1, True)


def test_a_missing_extra_says_what_to_install(command, texts, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    status, _, err = command("inspect", "scores.zarr", "--corpus-metric", "bleu", *texts)
    assert (status, err.count("\n")) == (2, 1)
    assert "pip install 'supersample[text]'" in err


def test_texts_and_ratings_alone_rank_corpus_metrics(command, data_root, monkeypatch, tmp_path):
    monkeypatch.setenv("SUPERSAMPLE_CACHE", str(tmp_path / "cache"))
    folder = data_root / "wmt24-esa"
    words = (folder / "wmt24" / "en-cs", "--ratings", folder / "esa.en-cs.wave2.csv.gz")
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    status, out, err = command("rank", *words, "--corpus-metric", "bleu", "-n", 50)
    assert status == 0, err
    assert "15 systems, 1 metric, human scores 'ratings (z, wilcoxon)'" in err
    assert "people tell 35 of 105 pairs of systems apart" in err
    assert out.startswith("BLEU agrees with people here by r = 0.630 (15 systems")
    assert command("rank", words[0]).err.endswith("; name --ratings FILE,FILE\n")
