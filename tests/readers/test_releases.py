"""Releases of shared tasks, read as they are: WMT20's scores of systems, WMT25 and WMT26."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

import supersample as ss

SYSTEMS = ("A", "B", "C")
DOCUMENTS = [(pair, f"d{i}") for pair in ("en-cs", "ja-zh") for i in range(2)]


def write_lines(path, objects):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))


@pytest.fixture
def wmt25(tmp_path):
    """Folder of automatic scores, file of people's, and both as arrays (system, segment)."""
    rng = np.random.default_rng(5)
    metric, human = rng.normal(size=(2, 3, len(DOCUMENTS) * 2)).round(3)
    for i, system in enumerate(SYSTEMS):
        objects = [
            {"language_pair": pair, "domain": "news", "document_id": document,
             "metric_scores": {"COMET": metric[i, 2 * k : 2 * k + 2].tolist(), "TER": [1, 2]}}
            for k, (pair, document) in enumerate(DOCUMENTS)
        ]  # fmt: skip
        write_lines(tmp_path / "automatic_scores" / f"{system}.jsonl", objects)
    of_people = [
        {"doc_id": f"{pair}_#_news_#_{document}_#_{j}",
         "scores": {name: {"human1": human[i, 2 * k + j]} for i, name in enumerate(SYSTEMS)}}
        for k, (pair, document) in enumerate(DOCUMENTS) for j in range(2)
    ]  # fmt: skip
    write_lines(tmp_path / "people.jsonl", of_people)
    return metric, human


@pytest.mark.parametrize(
    "people", [("--human", "people.jsonl"), ("--ratings", "people.jsonl:scale=raw")]
)
def test_automatic_scores_of_wmt25_are_data(command, wmt25, tmp_path, monkeypatch, people):
    monkeypatch.chdir(tmp_path)
    metric, human = wmt25
    words = ("--language-pair", "ja-zh", "--metrics", "COMET", "--to", "scores.zarr")
    status, _, err = command("inspect", "automatic_scores", *people, *words)
    assert status == 0, err
    scores = ss.read_scores("scores.zarr")
    np.testing.assert_array_equal(scores["score"].sel(metric="COMET"), metric[:, 4:])
    np.testing.assert_array_equal(scores["human"], human[:, 4:])
    assert scores["document"].values.tolist()[::2] == [f"ja-zh_#_news_#_d{i}" for i in range(2)]
    assert scores.attrs["source"] == "automatic_scores"


def test_automatic_scores_may_have_people_among_them_and_need_a_pair(wmt25, tmp_path):
    folder = tmp_path / "automatic_scores"
    scores = ss.read_table(folder, human="TER", language_pair="en-cs")
    assert scores["human"].values.tolist() == [[1, 2, 1, 2]] * 3
    with pytest.raises(ss.InputError, match="several language pairs: name one of en-cs, ja-zh"):
        ss.read_table(folder, human="TER")


def shown(user, item_i, item, *scores):
    """A screen of Pearmut with the outputs of all systems."""
    annotation = [{name: {"score": x} for name, x in zip(SYSTEMS, scores, strict=True)}]
    return {"user_id": user, "item_i": item_i, "item": [item], "annotation": annotation}


@pytest.fixture
def pearmut(tmp_path, monkeypatch):
    """Contrastive ESA of two people with all that is no rating; one began again."""
    ids = [{"item_id": f"cs-uk_#_news_#_d{i // 2}_#_{i % 2}"} for i in range(8)]
    objects = []
    for user, shift in (("u", 0), ("v", 3)):
        objects += [
            {"user_id": user, "item_i": 0, "annotation": "__RESET__"},
            shown(user, 0, {"item_id": "cs-uk_#_tutorial_#_x_#_0"}, 1, 2, 3),
            shown(user, 1, {"item_id": "attention_check_7"}, 1, 2, 3),
            shown(user, 2, {"src": "x"}, 1, 2, 3),
        ]
        if user == "u":
            objects += [shown("u", 3, ids[0], 99, 0, 0), shown("u", 4, ids[1], 99, 0, 0)]
            objects.append({"user_id": "u", "item_i": 3, "annotation": "__RESET__"})
        objects += [
            shown(user, 3 + i, item, 10 + i + shift, 40 - i, 70 + 2 * i)
            for i, item in enumerate(ids)
        ]
    write_lines(tmp_path / "wmt26.jsonl", objects)
    monkeypatch.chdir(tmp_path)


def test_contrastive_esa_of_wmt26_is_read_without_what_is_no_rating(pearmut):
    scores = ss.read_table("wmt26.jsonl")
    expected = [np.arange(8) + 11.5, 40 - np.arange(8), 70 + 2 * np.arange(8)]
    np.testing.assert_array_equal(scores["human"], expected)
    assert scores["document"].values.tolist()[::2] == [f"cs-uk_#_news_#_d{i}" for i in range(4)]
    assert ss.read_ratings("wmt26.jsonl").sizes["row"] == 48


@pytest.mark.parametrize("name", ["systems", "raters", "inspect"])
def test_commands_take_it_and_say_in_a_line_what_is_left_out(command, pearmut, name):
    status, out, err = command(name, "wmt26.jsonl")
    assert status == 0, err
    left_out = "15 before a reset, 3 of tutorials, 3 of attention checks, 3 of items without item_"
    assert f"ratings left out: {left_out}" in out + err


LAYOUTS = {
    "wmt16": "m\t{pair}\tset\t{system}\t{score}",
    "wmt19": "m\t{pair}\tset\t{system}\t{score}\tnon-ensemble\tno",
    "wmt20": "m\t{pair}\tset\trefA\t{system}\t{score}",
    "wmt22": "m\t{pair}\tset\tnews\trefA\t{system}\t{score}",
}


def system_file(path, layout, pairs=("en-de", "de-en")):
    lines = [
        layout.format(pair=pair, system=f"{name}.{k + 100}", score=k / 2)
        for pair in pairs
        for k, name in enumerate(SYSTEMS)
    ]
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


@pytest.mark.parametrize("year", LAYOUTS)
@pytest.mark.parametrize("people", ["SYSTEM,HUMAN\n{rows}", "LP,SYSTEM,HUMAN\n{pair_rows}"])
def test_scores_of_systems_of_a_task_stand_beside_people(tmp_path, year, people):
    rows = {"rows": "A,1\nB,3\nC,2\n", "pair_rows": "en-de,A,1\nen-de,B,3\nen-de,C,2\n"}
    (tmp_path / "people.csv").write_text(people.format(**rows))
    files = [system_file(tmp_path / "m.sys.score.gz", LAYOUTS[year]), tmp_path / "people.csv"]
    scores = ss.read_system_scores(files, language_pair="en-de")
    assert scores["system_human"].values.tolist() == [1, 3, 2]
    assert scores["system_score"].sel(metric="m").values.tolist() == [0, 0.5, 1]
    assert scores.attrs["source"] == "set en-de"


def test_a_reference_is_named_where_there_are_several(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    both = LAYOUTS["wmt20"] + "\n" + LAYOUTS["wmt20"].replace("refA", "refB")
    system_file(tmp_path / "m.sys.score.gz", both)
    (tmp_path / "people.csv").write_text("SYSTEM,HUMAN\nA,1\nB,3\nC,2\n")
    words = ("inspect", "people.csv,m.sys.score.gz", "--language-pair", "en-de")
    assert "several references: name one of refA, refB" in command(*words).err
    assert command(words[0], f"{words[1]}:reference=refB", *words[2:]).status == 0


@pytest.mark.real_data
def test_wmt20_by_systems_is_the_mean_of_its_segments(data_root, tmp_path):
    """WMT20's `.sys.score.gz` are not here: its segments' means stand for them."""
    names = ["metric", "pair", "set", "reference", "system", "document", "segment", "score"]
    rows = pd.read_csv(data_root / "wmt20" / "chrF.seg.score.gz", sep="\t", names=names)
    means = rows.groupby(names[:5], sort=False)["score"].mean()
    means.to_csv(tmp_path / "chrF.sys.score.gz", sep="\t", header=False)
    people = pd.read_csv(data_root / "wmt20" / "mqm_newstest2020_ende.avg_seg_scores.tsv", sep=" ")
    human = people.groupby("system", sort=False)["mqm_avg_score"].mean()
    human.rename("human").to_csv(tmp_path / "mqm.csv")
    files = [tmp_path / "chrF.sys.score.gz", tmp_path / "mqm.csv"]
    scores = ss.read_system_scores(files, reference="newstest2020", language_pair="en-de")
    assert {*human.index} - {*scores["system"].values} == {"Human-A.0"}  # the reference
    of_metric = means.loc["chrF", "en-de", "newstest2020", "newstest2020"]
    for name in scores["system"].values:
        found = scores.sel(system=name)
        assert found["system_human"] == pytest.approx(human[name])
        assert found["system_score"].item() == pytest.approx(of_metric[name])
