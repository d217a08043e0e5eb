import numpy as np
import pandas as pd
import pytest
import xarray as xr

import supersample as ss

SCORES = ss.simulate_scores(systems=5, segments=6, correlations={"m": 0.9, "n": 0.5}, seed=3)
SYSTEMS = [str(name) for name in SCORES["system"].values]
OWN = -SCORES["score"].values[0]


def table(path):
    rows = [
        f"{system},{segment},{float(x)!r}"
        for system, own in zip(SYSTEMS, OWN, strict=True)
        for segment, x in zip(SCORES["segment"].values, own, strict=True)
    ]
    path.write_text("\n".join(["system,segment,score", *reversed(rows)]))


def lines(path):
    rows = [f"{s}\t{float(x)!r}" for s, own in zip(SYSTEMS, OWN, strict=True) for x in own]
    path.write_text("\n".join(rows) + "\n")


def lines_with_commas(path):
    lines(path)
    path.write_text(path.read_text().replace("\t", ","))


def task(path):
    rows = [
        f"mine\txx-yy\tset\t{s}\t{segment}\t{float(x)!r}"
        for s, own in zip(SYSTEMS, OWN, strict=True)
        for segment, x in zip(SCORES["segment"].values, own, strict=True)
    ]
    path.write_text("\n".join(rows))


def folder(path):
    path.mkdir()
    for system, own in zip(SYSTEMS, OWN, strict=True):
        (path / f"{system}.txt").write_text("".join(f"{float(x)!r}\n" for x in own))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", table),
        ("a.seg.score", lines),
        ("a.tsv", lines),
        ("b.csv", lines_with_commas),
        ("b.seg.score", task),
        ("folder", folder),
    ],
)
def test_every_form_gives_the_same_scores(tmp_path, name, write):
    write(tmp_path / name)
    added = ss.add_metric(SCORES, "mine", tmp_path / name, orientation="lower-is-better")
    np.testing.assert_array_equal(added["score"].sel(metric="mine"), OWN)
    assert list(added["higher_is_better"].values) == [True, True, False]
    assert added.attrs["added_metrics"] == "mine"
    r = ss.correlations.correlate(added)["value"].squeeze()
    assert float(r.sel(metric="mine")) == pytest.approx(float(r.sel(metric="m")), abs=1e-12)
    assert SCORES.sizes["metric"] == 2  # as it was


def test_orientation_is_inferred_with_a_warning_or_declared_without(tmp_path, recwarn):
    lines(tmp_path / "a")
    ss.add_metric(SCORES, "mine", tmp_path / "a", orientation="higher-is-better")
    assert not recwarn.list
    with pytest.warns(ss.OrientationWarning, match="'mine' was taken as lower-is-better, since r"):
        added = ss.add_metric(SCORES, "mine", tmp_path / "a")
    assert not added["higher_is_better"].values[-1]
    assert "lower-is-better inferred from r = -0." in added.attrs["added_notes"]


def test_system_level_scores_take_a_line_a_system(tmp_path):
    data = ss.make_system_scores(
        [1, 2, 3, 4], [[1, 3, 2, 4]], systems=["A.17", "B", "C", "D"], metrics=["m"]
    )
    path = tmp_path / "mine.txt"
    path.write_text("B 3\nC 2\nD 1\nA 4\n")
    added = ss.add_metric(data, "mine", path, orientation="lower-is-better")
    np.testing.assert_array_equal(added["system_score"].sel(metric="mine"), [4, 3, 2, 1])
    assert added.attrs["added_notes"].endswith("matched A = A.17")


@pytest.mark.parametrize(("suffix", "between"), [(".csv", ","), (".tsv", "\t")])
def test_a_table_without_a_header_is_said(tmp_path, suffix, between):
    data = ss.make_system_scores([1, 2, 3], [[1, 3, 2]], systems=list("ABC"), metrics=["m"])
    path = tmp_path / f"mine{suffix}"
    path.write_text(
        f'"B"{between}3\nC{between}2\nA{between}1\n'.replace('"', '"' * (between == ","))
    )
    added = ss.add_metric(data, "mine", path, orientation="higher-is-better")
    np.testing.assert_array_equal(added["system_score"].sel(metric="mine"), [1, 3, 2])
    assert added.attrs["added_notes"] == f"mine: {path}, without a header"
    path.write_text(f"system{between}score\nB{between}3\nA{between}1\nC{between}2\n")
    added = ss.add_metric(data, "mine", path, orientation="higher-is-better")
    np.testing.assert_array_equal(added["system_score"].sel(metric="mine"), [1, 3, 2])
    with pytest.raises(ss.InputError, match="one score of each system, where scores of segments"):
        ss.add_metric(SCORES, "mine", path)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            "system,part,score\nA,1,1\nA,2,2\n",
            "has system, part, score: rename NAME to segment, or",
        ),
        ("mashine,segment,score\nA,1,1\n", "has mashine, segment, score: rename NAME to system"),
        ("sytem,segment,score\nA,1,1\n", "is 'sytem' the system\\? Then rename sytem to system$"),
    ],
)
def test_a_column_that_is_not_found_is_renamed(tmp_path, table, told):
    """No option names a column of an added metric."""
    (tmp_path / "mine.csv").write_text(table)
    with pytest.raises(ss.InputError, match=told) as refused:
        ss.add_metric(SCORES, "mine", tmp_path / "mine.csv")
    assert not isinstance(refused.value, ss.errors.WholeSystemsError)


def test_names_must_be_new_and_signs_must_be_there(tmp_path):
    path = tmp_path / "flat"
    path.write_text("".join(f"{system} 1\n" * 6 for system in SYSTEMS))
    with pytest.raises(ss.InputError, match="a metric 'm' exists already"):
        ss.add_metric(SCORES, "m", path)
    with pytest.raises(ss.InputError, match="orientation of 'mine' cannot be inferred"):
        ss.add_metric(SCORES, "mine", path)
    with pytest.raises(ss.InputError, match="no orientation 'up'"):
        ss.add_metric(SCORES, "mine", path, orientation="up")


def test_corpus_metrics_of_the_scores_are_kept(tmp_path):
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    lines(tmp_path / "a")
    texts = ss.corpus.Texts(
        hypotheses={s: [f"a b c d{' e' * k} {i}" for i in range(6)] for k, s in enumerate(SYSTEMS)},
        references=[[f"a b c d e {i}" for i in range(6)]],
    )
    counted = ss.corpus.add_corpus_metrics(SCORES, texts, ["bleu"])
    added = ss.add_metric(counted, "mine", tmp_path / "a", orientation="lower-is-better")
    for name in set(counted.data_vars) - set(SCORES.data_vars):
        np.testing.assert_array_equal(added[name], counted[name])
        assert added[name].attrs == counted[name].attrs
    assert len(ss.correlations.correlate(added)["metric"]) == 4


def test_segments_that_are_counted_from_another_number_are_refused(tmp_path):
    rows = [f"{s},{i},{i + k}" for k, s in enumerate(SYSTEMS) for i in range(6)]
    (tmp_path / "mine.csv").write_text("\n".join(["system,segment,score", *rows]))
    how = {"orientation": "higher-is-better"}
    longer = xr.concat([SCORES, SCORES.isel(segment=[0])], "segment", data_vars="minimal")
    longer = longer.assign_coords(segment=[str(i) for i in range(1, 8)])
    next_one = (
        "numbered from 0 here and from 1 in the scores, so each would match the next segment;"
    )
    with pytest.raises(ss.InputError, match=next_one):
        ss.add_metric(longer, "mine", tmp_path / "mine.csv", **how)
    apart = SCORES.assign_coords(segment=[str(i) for i in range(41, 47)])
    with pytest.raises(ss.InputError, match="from 0 here and from 41 in the scores; start at 41"):
        ss.add_metric(apart, "mine", tmp_path / "mine.csv", **how)


@pytest.mark.parametrize(("first", "other"), [(0, 1), (1, 0)])
def test_all_segments_counted_from_another_number_are_matched(tmp_path, first, other):
    rows = [f"{s},{first + i},{i + k}" for k, s in enumerate(SYSTEMS) for i in range(6)]
    (tmp_path / "mine.csv").write_text("\n".join(["system,segment,score", *rows]))
    numbered = SCORES.assign_coords(segment=[str(other + i) for i in range(6)])
    how = {"orientation": "higher-is-better"}
    added = ss.add_metric(numbered, "mine", tmp_path / "mine.csv", **how)
    wanted = np.add.outer(np.arange(len(SYSTEMS)), np.arange(6))
    np.testing.assert_array_equal(added["score"].sel(metric="mine"), wanted)
    note = f"; segments are counted otherwise: {first} there is {other} here"
    assert added.attrs["added_notes"].endswith(note)


EXAMPLE = ss.load_example()
VALUES = EXAMPLE["score"].sel(metric="good-90", drop=True)
WIDE = VALUES.to_pandas().iloc[::-1]
LONG = WIDE.stack().rename("score").reset_index()


@pytest.mark.parametrize("given", [VALUES.values, VALUES, WIDE, WIDE.stack(), LONG])
def test_scores_from_python_are_added_by_label_or_in_order(given):
    added = ss.add_metric(EXAMPLE, "mine", given, orientation="higher-is-better")
    assert np.array_equal(added["score"].sel(metric="mine"), VALUES)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (VALUES.values.T, r"have shape \(500, 12\), not \(12, 500\)"),
        ([["x"]], "are no numbers"),
        (pd.concat([WIDE, WIDE]), "have a system or segment twice"),
    ],
)
def test_scores_from_python_that_do_not_fit_are_refused(given, told):
    with pytest.raises(ss.InputError, match=told):
        ss.add_metric(EXAMPLE, "mine", given, orientation="higher-is-better")


def test_averages_of_systems_are_added_from_python():
    of_systems = ss.system_level_scores(EXAMPLE)
    given = of_systems["system_score"].sel(metric="good-90", drop=True).to_series()
    for each in (given[::-1], given.rename("score").reset_index(), given.to_numpy()):
        added = ss.add_metric(of_systems, "mine", each, orientation="higher-is-better")
        assert np.array_equal(added["system_score"].sel(metric="mine"), given)
