import gzip

import numpy as np
import pytest

import supersample as ss

ROWS = [
    (f"{system}.{10 * i}", doc, seg)
    for i, system in enumerate("AB")
    for doc in "zx"
    for seg in "12"
]


def lines(metric, columns, value=lambda k: k + 0.5, reference="r"):
    return "".join(
        "\t".join([metric, "xx-yy", "set", *columns(system, doc, seg, reference), str(value(k))])
        + "\n"
        for k, (system, doc, seg) in enumerate(ROWS)
    )


def eight(system, doc, seg, reference):
    return [reference, system, doc, seg]


def nine(system, doc, seg, reference):
    return ["news", doc, reference, system, seg]


HUMAN = "system\tmqm_avg_score\tseg_id\n" + "".join(
    f"{system}\t-{k}\t{1 + k % 4}\n" for k, (system, _, _) in enumerate(ROWS)
)


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        raw = text.encode()
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


@pytest.mark.parametrize("columns", [eight, nine])
@pytest.mark.parametrize("name", ["m.seg.score", "m.seg.score.gz"])
def test_eight_and_nine_columns_packed_or_not(write, columns, name):
    scores = ss.read_wmt(write(name, lines("m", columns)), human=write("h.tsv", HUMAN))
    assert list(scores["segment"].values) == ["z:1", "z:2", "x:1", "x:2"]
    assert list(scores["document"].values) == ["z", "z", "x", "x"]
    np.testing.assert_array_equal(scores["human"], [[0, -1, -2, -3], [-4, -5, -6, -7]])
    np.testing.assert_array_equal(scores["score"][0], [[0.5, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5]])


def test_human_scores_may_be_a_metric_and_systems_with_ensemble_columns(write):
    text = "".join(
        f"{m}\txx-yy\tset\t{s}\t{seg}\t{v}.5\tnon-ensemble\tno\n"
        for m in ("da", "m")
        for v, s in enumerate("AB")
        for seg in "12"
    )
    scores = ss.read_wmt(write("m.seg.score", text), human="da")
    assert list(scores["metric"].values) == ["m"]
    np.testing.assert_array_equal(scores["human"], [[0.5, 0.5], [1.5, 1.5]])


def test_several_references_must_be_chosen_or_all(write):
    path = write("m.seg.score", lines("m", eight) + lines("m", eight, lambda k: -k, "other"))
    human = write("h.tsv", HUMAN)
    with pytest.raises(ss.InputError, match="several references: name one of r, other"):
        ss.read_wmt(path, human=human)
    assert ss.read_wmt(path, human=human, reference="other")["score"].max() == 0
    both = ss.read_wmt(path, human=human, reference="all")
    assert list(both["metric"].values) == ["m:r", "m:other"]


def test_several_language_pairs_must_be_chosen(write):
    other = lines("m", eight).replace("xx-yy", "yy-xx")
    path, human = write("m.seg.score", lines("m", eight) + other), write("h.tsv", HUMAN)
    with pytest.raises(ss.InputError, match="several language pairs: name one of xx-yy, yy-xx"):
        ss.read_wmt(path, human=human)
    assert ss.read_wmt(path, human=human, language_pair="yy-xx").attrs["source"] == "set yy-xx"


def test_names_that_differ_are_matched_and_what_is_left_is_listed(write):
    human = HUMAN.replace("A.0", "set.a").replace("B.10", "b") + "C\t-1\t1\nb\t-1\t9\n"
    path = write("m.seg.score", lines("m", eight) + "m\txx-yy\tset\tr\tref-A\tz\t1\t3\n")
    scores = ss.read_wmt(path, human=write("h.tsv", human))
    assert list(scores["system"].values) == ["A.0", "B.10"]
    assert scores.attrs["names_matched"] == "set.a = A.0, b = B.10"
    assert scores.attrs["systems_left_out"] == "ref-A (nobody rated it)"
    assert scores.attrs["segments_left_out"] == "systems C, 1 segments (9)"


def test_files_that_order_documents_differently_are_refused(write, tmp_path):
    swapped = "".join(sorted(lines("n", eight).splitlines(True), key=lambda x: x.split("\t")[5]))
    write("m.seg.score", lines("m", eight))
    write("n.seg.score", swapped)  # sorted by document: that says nothing about the order
    human = write("h.tsv", HUMAN)
    scores = ss.read_wmt(tmp_path, human=human)
    assert scores.attrs["segment_order"] == "of 1 of 2 files, which the human scores count from 1"
    assert list(scores["segment"].values) == ["z:1", "z:2", "x:1", "x:2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.seg.score is empty"),
        (
            "a\tb\n",
            "line 1: 2 columns, the last one 'b'; a file of the metrics task has 6, 7, 8, 9",
        ),
        (lines("m", eight) + "m\txx-yy\n", "line 9 has 2 columns, but the first line has 8"),
        (
            lines("m", eight) + "m\txx-yy\tset\tr\tA.0\tz\t9\thigh\n",
            "line 9: the score 'high' is not",
        ),
        (
            lines("m", eight) + "m\txx-yy\tset\tr\tA.0\tz\t9\tinf\n",
            "line 9: the score 'inf' is inf",
        ),
        (lines("m", eight) + "m\txx-yy\tset\tr\t\tz\t9\t1\n", "line 9: the system is empty"),
        (lines("m", eight) * 2, "line 9: a second score of 'm' for system 'A.0', segment 'z:1'"),
    ],
)
def test_bad_files_are_refused_with_file_and_line(write, text, message):
    with pytest.raises(ss.InputError, match=message):
        ss.read_wmt(write("m.seg.score", text), human=write("h.tsv", HUMAN))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "h.tsv, line 1 is empty"),
        (
            "system\tseg_id\tx\ty\nA\t1\t2\t3\n",
            "line 1: expected a system, a segment, one score",
        ),
        (HUMAN + "A.0\t1\n", "line 10 has 2 columns, but the header has 3"),
        (HUMAN + "A.0\thigh\t1\n", "line 10: the score 'high' is not a number"),
        (HUMAN + "A.0\t1\t1\n", "line 10: a second score of 'mqm_avg_score' for system 'A.0'"),
        (HUMAN.splitlines()[0], "line 1: no column has scores"),
        (HUMAN.splitlines()[0] + "\nA.0\t1\tq:7\n", "no score of these systems and segments"),
    ],
)
def test_bad_human_tables_are_refused_with_file_and_line(write, text, message):
    with pytest.raises(ss.InputError, match=message):
        ss.read_wmt(write("m.seg.score", lines("m", eight)), human=write("h.tsv", text))


@pytest.mark.real_data
def test_newstest2020_loads_and_ranks(data_root):
    folder = data_root / "wmt20"
    human = folder / "mqm_newstest2020_ende.avg_seg_scores.tsv"
    scores = ss.read_wmt(folder, human=human, reference="newstest2020")
    assert dict(scores.sizes) == {"system": 7, "segment": 1418, "metric": 7}
    ranking = ss.rank(ss.correlations.compare_correlations(ss.hybrid_supersample(scores, n=200)))
    assert ranking["metric"].values[-1] == "YiSi-2"
    # the order of documents is right: scores of translations agree with people's
    people = scores["human"].values.ravel()
    for metric in scores["score"].values:
        assert np.corrcoef(people, metric.ravel())[0, 1] > 0.15
    every = ss.read_wmt(folder, human=human, reference="all", include=["Human-B.0", "Human-P.0"])
    assert every.sizes["system"] == 9
    # references: TER 4, YiSi-2 1, Yisi-combi 4, bleurt 3 + 1, chrF 3, parbleu 3, parchrf++ 4
    assert every.sizes["metric"] == 23
