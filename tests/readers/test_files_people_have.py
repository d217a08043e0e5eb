"""What is said of guesses, and files of other tools; tests/newcomers reads many of them."""

import json
from itertools import product

import numpy as np
import pytest

import supersample as ss
from supersample.readers.added_metrics import read_mtme_texts
from tests.newcomers.files import DATA, METRICS, SCORE, SYSTEMS


def lines(values):
    """Write objects as JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wide.csv", "a column for each scorer"),
        ("texts.csv", "a column for each scorer, src, mt, ref left out"),
        ("item.csv", "item as segment, a c"),
        ("judges.csv", "model as system, prompt as segment, judge as scorer"),
        ("german.csv", "divided by semicolons, decimal commas, a c"),
    ],
)
def test_guesses_are_said(name, said):
    assert said in ss.read_table(DATA / name).attrs["read_as"]


def test_a_table_with_the_names_of_its_roles_needs_no_guess():
    assert "read_as" not in ss.read_table(DATA / "long.csv").attrs


def test_comet_scores_are_added_by_position():
    scores = ss.read_table(DATA / "wide.csv")
    added = ss.add_metric(scores, "mine", DATA / "comet.json", orientation="higher-is-better")
    np.testing.assert_array_equal(added["score"].sel(metric="mine"), SCORE[0])
    assert "by segment numbers, line 1 being segment 0" in added.attrs["added_notes"]


def test_automatic_scores_of_the_general_task_are_added_to_its_human_ones(tmp_path):
    place = {"language_pair": "en-et_EE", "domain": "edu", "document_id": "d1"}
    for i, system in enumerate(SYSTEMS):
        scores = {name: SCORE[k, i].tolist() for k, name in enumerate(METRICS)}
        (tmp_path / f"{system}.jsonl").write_text(lines([{**place, "metric_scores": scores}]))
    human = DATA / "wmt25-genmt-humeval.jsonl"
    scores = ss.read_table(human, language_pair="en-et_EE")
    added = ss.add_metric(scores, "BLEU", tmp_path, orientation="higher-is-better")
    np.testing.assert_array_equal(added["score"].sel(metric="BLEU"), SCORE[1])
    with pytest.raises(ss.InputError, match=r"no scorer .TER. in .*; there are COMET, BLEU"):
        ss.add_metric(scores, "TER", tmp_path)


def test_ratings_of_appraise_since_2024_count_lines_of_the_test_set(tmp_path):
    rows = ["eng1,ende-tutorial1,1000001,TGT,eng,jpn,0,ende-tutorial1,False,[],1,1"]
    for pair, (k, system) in product(("eng,jpn", "eng,zho"), enumerate("AB")):
        for item in (5, 6, 7):
            document = "doc#incomplete" if (system, item) == ("B", 7) else "doc"
            rows.append(f"a,{system},{item},TGT,{pair},{10 * item + k},{document},False,[],1,2")
    rows.append("a,A,5,TGT,eng,jpn,55,doc,False,[],3,4")
    rows.append("a,A,6,BAD,eng,jpn,1,doc#bad,False,[],1,2")
    file = tmp_path / "esa.csv"
    file.write_text("\n".join(rows) + "\n")
    with pytest.raises(ss.InputError, match="several language pairs: name one of en-ja, en-zh"):
        ss.read_appraise(file)
    ratings = ss.read_appraise(file, language_pair="en-ja")
    good = ratings.isel(row=ratings["kind"].values == "TGT")
    assert good["segment"].values.tolist() == ["doc:2", "doc:3", "doc:1", "doc:2", "doc:1"]
    assert good["system"].values.tolist() == ["A"] * 2 + ["B"] * 2 + ["A"]
    assert good["rating"].values.tolist() == [60, 70, 51, 61, 55]
    assert ratings.sizes["row"] == 6
    for left_out in ("1 items of documents marked #incomplete", "1 earlier answers to an item"):
        assert left_out in ratings.attrs["dropped"]


def test_texts_of_mt_metrics_eval_may_be_json_lines(tmp_path, write):
    for folder in ("system-outputs/en-de", "references"):
        (tmp_path / "wmt25" / folder).mkdir(parents=True)
    write(
        lines([{"hypothesis": "ein Satz"}, {"hypothesis": "noch\neiner"}]),
        "wmt25/system-outputs/en-de/A.jsonl",
    )
    reference = "wmt25/references/en-de.refA.jsonl"
    write(lines([{"target": "x"}, {"target": "y"}]), reference)
    texts = read_mtme_texts(tmp_path, "wmt25", "en-de", systems=["A"])
    assert texts.hypotheses == {"A": ("ein Satz", "noch\neiner")}
    assert [tuple(reference) for reference in texts.references] == [("x", "y")]
    write(lines([{"target": "x"}, {"ref": "y"}]), reference)
    with pytest.raises(ss.InputError, match=r"line 2: no text .target.; there are ref"):
        read_mtme_texts(tmp_path, "wmt25", "en-de", systems=["A"])


def test_scores_of_systems_alone_have_a_column_for_each_scorer(write):
    text = "model,human,BLEU,TER\nA,0,0.0,0\nB,1,2.5,-1\nC,2,5.0,-2\nD,3,7.5,-3\n"
    for content in (text, text.replace(",", ";").replace(".", ",")):
        data = ss.read_system_scores(write(content), lower_is_better=["TER"])
        assert data["system_human"].values.tolist() == [0, 1, 2, 3]
        assert data["system_score"].sel(metric="BLEU").values.tolist() == [0, 2.5, 5, 7.5]
        assert data["higher_is_better"].values.tolist() == [True, False]
        assert data.attrs["source"] == "table"
    with pytest.raises(ss.InputError, match="no scorer 'human' in"):
        ss.read_system_scores(write(text.replace("human", "people")))
    with pytest.raises(ss.InputError, match=r"no column is the system; the header has who, h"):
        ss.read_system_scores(write("who,h,m\nA,1,2\nB,2,3\n"))
