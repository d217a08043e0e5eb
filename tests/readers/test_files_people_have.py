"""What is said of guesses, and forms that are read in several ways; tests/newcomers reads each."""

import json
from itertools import product

import numpy as np
import pytest

import supersample as ss
from supersample.readers.added_metrics import read_mtme_texts
from tests.newcomers.files import put
from tests.readers.files_people_have import (
    LONG,
    METRICS,
    SCORE,
    SYSTEMS,
    comet,
    general_task,
    lines,
    text,
    wide,
)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("wide.csv", text(wide()), "a column for each scorer"),
        ("texts.csv", text(wide(more=("src",))), "a column for each scorer, src left out"),
        ("a.csv", text(wide(system="model", segment="id")), "model as system, id as segment, a c"),
        ("b.csv", text(wide(human="mqm"), ";", ","), "divided by semicolons, decimal commas, a c"),
    ],
)
def test_guesses_are_said(tmp_path, name, content, said):
    assert said in ss.read_table(put(tmp_path / name, content)).attrs["read_as"]


def test_a_table_with_the_names_of_its_roles_needs_no_guess(tmp_path):
    assert "read_as" not in ss.read_table(put(tmp_path / "long.csv", LONG)).attrs


def test_comet_scores_are_added_by_position(tmp_path):
    table = put(tmp_path / "wide.csv", text(wide()))
    file = put(tmp_path / "comet.json", json.dumps(comet()))
    added = ss.add_metric(ss.read_table(table), "mine", file, orientation="higher-is-better")
    np.testing.assert_array_equal(added["score"].sel(metric="mine"), SCORE[0])
    assert "by segment numbers, line 1 being segment 0" in added.attrs["added_notes"]


def test_automatic_scores_of_the_general_task_are_added_to_its_human_ones(tmp_path):
    table = put(tmp_path / "humeval.jsonl", lines(general_task(25)))
    folder = tmp_path / "automatic_scores"
    folder.mkdir()
    for i, system in enumerate(SYSTEMS):
        scores = {name: SCORE[k, i].tolist() for k, name in enumerate(METRICS)}
        place = {"language_pair": "en-et_EE", "domain": "edu", "document_id": "d1"}
        put(folder / f"{system}.jsonl", lines([{**place, "metric_scores": scores}]))
    scores = ss.read_table(table, language_pair="en-et_EE")
    added = ss.add_metric(scores, "BLEU", folder, orientation="higher-is-better")
    np.testing.assert_array_equal(added["score"].sel(metric="BLEU"), SCORE[1])
    with pytest.raises(ss.InputError, match=r"no scorer .TER. in .*; there are COMET, BLEU"):
        ss.add_metric(scores, "TER", folder)


def test_ratings_of_appraise_since_2024_count_lines_of_the_test_set(tmp_path):
    rows = ["eng1,ende-tutorial1,1000001,TGT,eng,jpn,0,ende-tutorial1,False,[],1,1"]
    for pair, (k, system) in product(("eng,jpn", "eng,zho"), enumerate("AB")):
        for item in (5, 6, 7):
            document = "doc#incomplete" if (system, item) == ("B", 7) else "doc"
            rows.append(f"a,{system},{item},TGT,{pair},{10 * item + k},{document},False,[],1,2")
    rows.append("a,A,6,BAD,eng,jpn,1,doc#bad,False,[],1,2")
    file = put(tmp_path / "esa.csv", "\n".join(rows) + "\n")
    with pytest.raises(ss.InputError, match="several language pairs: name one of en-ja, en-zh"):
        ss.read_appraise(file)
    ratings = ss.read_appraise(file, language_pair="en-ja")
    good = ratings.isel(row=ratings["kind"].values == "TGT")
    assert good["segment"].values.tolist() == ["doc:1", "doc:2", "doc:3"] * 2
    assert good["system"].values.tolist() == ["A"] * 3 + ["B"] * 3
    assert good["rating"].values.tolist() == [50, 60, 70, 51, 61, 71]
    assert ratings.sizes["row"] == 7


def test_texts_of_mt_metrics_eval_may_be_json_lines(tmp_path):
    root = tmp_path / "wmt25"
    for folder in ("system-outputs/en-de", "references"):
        (root / folder).mkdir(parents=True)
    outputs = [{"hypothesis": "ein Satz"}, {"hypothesis": "noch\neiner"}]
    put(root / "system-outputs/en-de/A.jsonl", lines(outputs))
    put(root / "references/en-de.refA.jsonl", lines([{"target": "x"}, {"target": "y"}]))
    texts = read_mtme_texts(tmp_path, "wmt25", "en-de", systems=["A"])
    assert texts.hypotheses == {"A": ("ein Satz", "noch\neiner")}
    assert [tuple(reference) for reference in texts.references] == [("x", "y")]
    put(root / "references/en-de.refA.jsonl", lines([{"target": "x"}, {"ref": "y"}]))
    with pytest.raises(ss.InputError, match=r"line 2: no text .target.; there are ref"):
        read_mtme_texts(tmp_path, "wmt25", "en-de", systems=["A"])


def test_scores_of_systems_alone_have_a_column_for_each_scorer(tmp_path):
    rows = [["model", "human", "BLEU", "TER"], *([s, k, 2.5 * k, -k] for k, s in enumerate("ABCD"))]
    for name, content in (("a.csv", text(rows)), ("b.csv", text(rows, ";", ","))):
        data = ss.read_system_scores(put(tmp_path / name, content), lower_is_better=["TER"])
        assert data["system_human"].values.tolist() == [0, 1, 2, 3]
        assert data["system_score"].sel(metric="BLEU").values.tolist() == [0, 2.5, 5, 7.5]
        assert data["higher_is_better"].values.tolist() == [True, False]
        assert data.attrs["source"] == name.removesuffix(".csv")
    rows[0][1] = "people"
    file = put(tmp_path / "c.csv", text(rows))
    with pytest.raises(ss.InputError, match="no scorer 'human' in"):
        ss.read_system_scores(file)
    with pytest.raises(ss.InputError, match=r"no column is the system; found who, h"):
        ss.read_system_scores(put(tmp_path / "d.csv", "who,h,m\nA,1,2\nB,2,3\n"))
