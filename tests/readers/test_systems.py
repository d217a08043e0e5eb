import warnings

import numpy as np
import pytest

import supersample as ss

HEADER = "METRIC\tLP\tTESTSET\tSYSTEM\tSCORE\n"
TABLE = "METRIC LP DATA SYSTEM SCORE HUMAN\n" + "".join(
    f"{m} xx-yy set {s} 0.{i}{j} {i}.5 \n" for j, m in enumerate("mn") for i, s in enumerate("ABCD")
)


def test_tables_with_a_human_column_or_people_among_the_metrics(write):
    scores = ss.read_system_scores(write(TABLE))
    np.testing.assert_array_equal(scores["system_human"], [0.5, 1.5, 2.5, 3.5])
    assert list(scores["metric"].values) == ["m", "n"]
    bare = HEADER + "".join(
        f"{m}\txx-yy\tset\t{s}\t0.{i}\n" for m in "hm" for i, s in enumerate("ABC")
    )
    files = [write(bare, "m.tsv"), write(HEADER + "n\txx-yy\tset\ta.70\t3\n", "n.tsv")]
    scores = ss.read_system_scores(files, human="h")
    assert scores.attrs["names_matched"] == "a.70 = A"
    assert scores.attrs["metrics_left_out"] == "n (no score for B, C)"


def test_names_of_other_language_pairs_are_not_matched(write):
    """A.1 of yy-xx is no A.2 of xx-yy."""
    files = []
    for pair, number in (("yy-xx", 1), ("xx-yy", 2)):
        rows = [
            f"{m}\t{pair}\tset\t{s}.{number}\t0.{i}\n" for m in "hm" for i, s in enumerate("ABC")
        ]
        files.append(write(HEADER + "".join(rows), f"{pair}.tsv"))
    scores = ss.read_system_scores(files, human="h", language_pair="xx-yy")
    assert scores.attrs["names_matched"] == ""
    assert scores["system"].values.tolist() == ["A.2", "B.2", "C.2"]


def test_hybrids_of_systems_alone_are_refused_in_a_line(write):
    with pytest.raises(ss.InputError, match="hybrids mix the segments of systems, and these are"):
        ss.hybrid_supersample(ss.read_system_scores(write(TABLE)))


@pytest.mark.real_data
def test_wmt12_and_wmt15_correlate_as_published(data_root):
    folder = data_root / "wmt12"
    files = [folder / f"mt-systems-scored-by-{who}.tsv" for who in ("metrics", "humans")]
    scores = ss.read_system_scores(files, language_pair="es-en")
    with pytest.warns(ss.OrientationWarning, match="BlockErrCats .*, TER "):
        r = ss.correlations.correlate(scores)["value"].squeeze()
    assert round(float(r.sel(metric="AMBER")), 3) == 0.881
    assert round(float(r.sel(metric="TerrorCat")), 3) == 0.971
    for pair in ("cs-en", "de-en", "en-cs", "en-de"):
        read = ss.read_system_scores(data_root / "wmt15" / f"hum-sys.{pair}.scores.csv")
        with warnings.catch_warnings():  # TER and its like are not declared to be errors
            warnings.simplefilter("ignore", ss.OrientationWarning)
            r = ss.correlations.correlate(read)["value"].squeeze()
        published = (data_root / "wmt15" / f"wmt-r.{pair}.csv").read_text().split("\n")[1:]
        checked = 0
        for line in filter(str.strip, published):
            _, value, n, metric = line.split()
            assert int(n) == read.sizes["system"]
            if metric in read["metric"]:
                assert abs(float(r.sel(metric=metric))) == pytest.approx(
                    float(value),
                    abs=0.002,  # human scores have three decimals here
                )
                checked += 1
        assert checked >= 15
