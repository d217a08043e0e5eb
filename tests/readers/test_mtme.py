import numpy as np
import pytest

from supersample import DegenerateScoreWarning, InputError
from supersample.readers.wmt import read_mtme, read_segment_scores
from supersample.scores.selection import select_segments

NAN = np.nan
ROOT = "wmt99"


def lines(**systems):
    return "".join(f"{name}\t{score}\n" for name, scores in systems.items() for score in scores)


@pytest.fixture
def layout(tmp_path):
    """Return a small test set: its folder, and a function that writes a file of it."""

    def write(name, text):
        path = tmp_path / ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    write("documents/en-de.docs", "news\td1\nnews\td1\nspeech\td2\n")
    human = {"sysA": (0, -1, -2.5), "refA": (0, 0, 0), "sysB": (-5, "None", -1)}
    human |= {"extra": (0, 0, 0), "sysC": ("None",) * 3, "synthetic_ref": (0, 0, 0)}
    write("human-scores/en-de.mqm.seg.score", lines(**human))
    write("human-scores/en-de.mqm.sys.score", "sysA\t1\n")
    write("human-scores/en-de.da.seg.score", lines(sysB=(3, 2, 1), sysA=(1, 2, 3)))
    write("references/en-de.extra.txt", "a\nb\nc\n")
    metric = {"sysA": (0.1, 0.2, 0.3), "sysB": (0.4, "None", 0.6)}
    write("metric-scores/en-de/BLEU-refA.seg.score", lines(**metric))
    write("metric-scores/en-de/a-b-refA.seg.score", lines(sysB=(7, 8, 9), sysZ=(1, 1, 1)))
    write("metric-scores/en-de/OnlySys-refA.seg.txt", "")
    write("metric-scores/en-de/Whole-refA.sys.score", "sysA\t1\n")
    write("metric-scores/en-de/Others-refA.seg.score", lines(sysZ=(1, 1, 1)))
    write("metric-scores/en-de/BLEU-synthetic_ref.seg.score", lines(sysA=(5, 5, 5), sysB=(6, 6, 6)))
    write("metric-scores/en-de/BLEU-src.seg.score", lines(sysA=(2, 2, 2), sysB=(3, 3, 3)))
    write("metric-scores/en-de/QE-src.seg.score", lines(sysA=(1, 2, 3), sysB=(3, 2, 1)))
    return tmp_path, write


def read(layout, **options):
    return read_mtme(layout[0], ROOT, "en-de", **options)


def test_scores_of_systems_and_metrics_are_read(layout):
    scores = read(layout, metrics="reference")
    assert list(scores["system"].values) == ["sysA", "sysB"]
    assert list(scores["metric"].values) == ["a-b", "BLEU"]
    assert list(scores["reference"].values) == ["refA", "refA"]
    np.testing.assert_array_equal(scores["human"], [[0, -1, -2.5], [-5, NAN, -1]])
    np.testing.assert_array_equal(
        scores["score"], [[[NAN] * 3, [7, 8, 9]], [[0.1, 0.2, 0.3], [0.4, NAN, 0.6]]]
    )
    assert list(scores["document"].values) == ["d1", "d1", "d2"]
    assert list(scores["domain"].values) == ["news", "news", "speech"]
    assert scores["higher_is_better"].values.all()
    assert select_segments(scores).attrs["mask"] == "common 2/3"


def test_what_was_left_out_is_said_with_the_reason(layout):
    attrs = read(layout, exclude=[], metrics="reference").attrs
    assert attrs["systems_left_out"] == (
        "refA (a reference), extra (a reference), sysC (nobody rated it), "
        "synthetic_ref (a reference)"
    )
    assert attrs["metrics_left_out"] == (
        "a-b for sysA (absent from its file); Others (none of the systems); "
        "Whole (no segment-level scores); 2 reference-free (BLEU, QE), which metrics 'all' keeps"
    )
    assert attrs["read_as"] == "defaults: reference refA, human scores mqm"
    assert read(layout, human="da", reference="refA").attrs.get("read_as") is None
    assert "reference-free" not in read(layout).attrs["metrics_left_out"]


KNOWN = "wmt24"  # whose standard reference of en-de is refB, and outlier MSLC


def test_the_standard_of_a_known_set_is_the_default(layout):
    root, write = layout
    (root / ROOT).rename(root / KNOWN)
    human = lines(sysA=(0, 1, 2), sysB=(2, 0, 1), MSLC=(0, 0, 0))
    write(f"../{KNOWN}/human-scores/en-de.mqm.seg.score", human)
    for name in ("MEE4-refB", "mine-refB", "XCOMET-QE-src"):
        write(
            f"../{KNOWN}/metric-scores/en-de/{name}.seg.score", lines(sysA=(1, 2, 3), MSLC=(1,) * 3)
        )
    scores = read_mtme(root, KNOWN, "en-de", metrics="reference")
    assert scores.attrs["reference"] == "refB"
    assert scores.attrs["read_as"] == "defaults: reference refB, human scores mqm, as WMT used them"
    assert list(scores["metric"].values) == ["MEE4", "mine"]
    assert "MSLC (an outlier of wmt24)" in scores.attrs["systems_left_out"]
    assert "MSLC" in read_mtme(root, KNOWN, "en-de", include=["MSLC"])["system"].values
    primary = read_mtme(root, KNOWN, "en-de", metrics="primary")
    assert list(primary["metric"].values) == ["MEE4", "BLEU", "XCOMET-QE"]
    assert read_mtme(root, KNOWN, "en-de", reference="refA").attrs["reference"] == "refA"


def test_pairs_without_a_standard_name_what_there_is(layout):
    root, write = layout
    with pytest.raises(InputError, match="primary metrics of wmt99 en-de are not known"):
        read(layout, metrics="primary")
    (root / ROOT).rename(root / "wmt23")
    for name in ("documents/en-ru.docs", "human-scores/en-ru.da.seg.score"):
        write(f"../wmt23/{name}", "news\td1\n" if "docs" in name else "A\t1\n")
    with pytest.raises(InputError, match="wmt23 en-ru has no standard human scores; there are da"):
        read_mtme(root, "wmt23", "en-ru")


def test_references_are_kept_on_demand_and_systems_left_out(layout):
    scores = read(layout, include=["refA", "synthetic_ref"], exclude=["sysA"])
    assert list(scores["system"].values) == ["refA", "sysB", "synthetic_ref"]
    assert "sysA (excluded)" in scores.attrs["systems_left_out"]


def test_other_human_scores_have_their_own_systems_in_any_order(layout):
    scores = read(layout, human="da")
    assert list(scores["system"].values) == ["sysB", "sysA"]
    np.testing.assert_array_equal(
        scores["score"].sel(metric="BLEU", system="sysA"), [0.1, 0.2, 0.3]
    )


def metrics_read(layout, **options):
    scores = read(layout, **options)
    return list(zip(scores["metric"].values, scores["reference"].values, strict=True))


def test_metrics_are_chosen_by_kind_or_by_name(layout):
    ours = [("a-b", "refA"), ("BLEU", "refA")]
    assert metrics_read(layout, metrics="reference") == ours
    assert metrics_read(layout, metrics="reference-free") == [("BLEU", "src"), ("QE", "src")]
    everything = [*ours, ("BLEU-src", "src"), ("QE", "src")]
    assert metrics_read(layout, metrics="all") == metrics_read(layout) == everything
    assert metrics_read(layout, metrics=["QE", "BLEU"]) == [("QE", "src"), ("BLEU", "refA")]


def test_a_name_means_the_metric_with_the_reference_whatever_its_name(layout):
    options = {"reference": "synthetic_ref"}
    assert metrics_read(layout, **options, metrics=["BLEU"]) == [("BLEU", "synthetic_ref")]
    assert ("BLEU-src", "src") in metrics_read(layout, **options, metrics="all")


def test_lower_is_better_is_declared(layout):
    scores = read(layout, lower_is_better=["BLEU"])
    assert list(scores["higher_is_better"].values) == [True, False, True, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human": "x"}, "no en-de human scores 'x' in .*wmt99; there are da, mqm$"),
        (
            {"reference": "x"},
            "no metric scores with reference 'x' .*; there are refA, synthetic_ref",
        ),
        ({"metrics": ["x"]}, "no metric 'x' in .*; there are a-b, BLEU, "),
        (
            {"metrics": "bleu"},
            "no kind of metrics 'bleu'; there are reference, reference-free, all",
        ),
        ({"metrics": ["Whole"]}, r"no metric has segment-level scores: Whole \(no segment-level"),
        ({"include": ["x"]}, "no system 'x'; there are sysA, refA, "),
        ({"exclude": ["x"]}, "no system 'x'; there are sysA, refA, "),
        ({"exclude": ["sysA"]}, "at least 2 systems are needed, there are 1"),
        ({"exclude": ["sysA", "sysB"]}, r"no system of .* is left: sysA \(excluded\), refA"),
        ({"lower_is_better": ["x"]}, "no metric 'x'; there are a-b, BLEU"),
    ],
)
def test_what_is_named_must_be_there(layout, options, message):
    with pytest.raises(InputError, match=message):
        read(layout, **options)


def test_unknown_test_sets_and_language_pairs_are_refused_with_what_there_is(layout):
    with pytest.raises(InputError, match=r"no test set 'x': there is no folder .*; there is wmt99"):
        read_mtme(layout[0], "x", "en-de")
    with pytest.raises(InputError, match=r"no language pair 'de-en' in .*; there are en-de$"):
        read_mtme(layout[0], ROOT, "de-en")


def test_scores_of_systems_are_read_as_published(layout):
    write = layout[1]
    write("human-scores/en-de.mqm.sys.score", "sysA\t1\nsysB\t-2\n")
    write("metric-scores/en-de/Whole-refA.sys.score", "sysB\t4\nsysA\t3\n")
    write("metric-scores/en-de/BLEU-refA.sys.score", "sysA\t5\nsysB\tNone\n")
    scores = read(layout, level="system", lower_is_better=["Whole"])
    np.testing.assert_array_equal(scores["system_human"], [1, -2])
    np.testing.assert_array_equal(scores["system_score"], [[3], [4]])
    assert list(scores["metric"].values) == ["Whole"]
    assert list(scores["reference"].values) == ["refA"]
    assert list(scores["higher_is_better"].values) == [False]
    assert scores.attrs["metrics_left_out"].startswith("a-b (no system-level score of sysA, sysB)")
    assert "BLEU (no system-level score of sysB)" in scores.attrs["metrics_left_out"]
    with pytest.raises(InputError, match="no level 'domain'; there are segment, system"):
        read(layout, level="domain")


def test_no_metric_without_a_reference_is_said_so(layout):
    for path in layout[0].rglob("*-src.*"):
        path.unlink()
    with pytest.raises(InputError, match=r"no metric scores without a reference \(-src\)"):
        read(layout, metrics="reference-free")


BLEU = "metric-scores/en-de/BLEU-refA.seg.score"
MQM = "human-scores/en-de.mqm.seg.score"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            BLEU,
            "sysA\t1\nsysA\n",
            "BLEU-refA.seg.score, line 2 has 1 columns, but the first line has 2",
        ),
        (BLEU, "sysA\t1\nsysA\tx\n", "line 2: the score 'x' is not a number"),
        (BLEU, "sysA\t1\nsysA\tinf\n", "line 2: the score 'inf' is infinite"),
        (BLEU, "sysA\t1\nsysA\t1\n", "line 2: 'sysA' has 2 scores, 3 are expected"),
        (BLEU, "sysA\t1\n" * 5, "line 4: 'sysA' has 5 scores, 3 are expected"),
        (BLEU, lines(sysA=["None"] * 3, sysB=["None"] * 3), "no number in the metric 'BLEU'"),
        (BLEU, b"sysA\t1\nsys\xff\t1\n", "line 2: not UTF-8 text"),
        (BLEU, "", r"no metric has segment-level scores: BLEU \(none of the systems\)"),
        (MQM, "sysA\t1\tx\n", "en-de.mqm.seg.score, line 1: expected a system and a score"),
        (MQM, lines(sysA=["None"] * 3), r"no system of .* is left: sysA \(nobody rated it\)"),
        ("documents/en-de.docs", "news\td1\nnews\n", "en-de.docs, line 2: expected a domain and"),
    ],
)
def test_malformed_files_are_refused_with_file_and_line(layout, name, text, message):
    layout[1](name, text)
    with pytest.raises(InputError, match=message):
        read(layout, metrics=["BLEU"])


def test_long_names_of_systems_are_cut_in_messages(layout):
    layout[1](BLEU, "9" * 5000 + "\t1\n")
    with pytest.raises(InputError, match=r"line 1: '9{57}\.\.\.' has 1 scores, 3 are expected"):
        read(layout, metrics=["BLEU"])


def test_an_empty_human_file_is_refused(layout):
    layout[1](MQM, "")
    with pytest.raises(InputError, match=r"no system of .* is left: there is none"):
        read(layout)


@pytest.mark.parametrize(
    "text", ["a 1\nb 2\n", "a\t1\r\nb\t2\r\n", "\ufeffa\t1\nb\t2", "a  1\nb\t2\n"]
)
def test_segment_scores_come_apart_at_tabs_or_spaces(tmp_path, text):
    path = tmp_path / "x.seg.score"
    path.write_bytes(text.encode())
    assert {k: list(v) for k, v in read_segment_scores(path, 1).items()} == {"a": [1], "b": [2]}


def test_systems_may_take_turns(tmp_path):
    path = tmp_path / "x.seg.score"
    path.write_text("a\t1\nb\t3\na\t2\nb\tNone\n")
    found = read_segment_scores(path, 2)
    np.testing.assert_array_equal([found["a"], found["b"]], [[1, 2], [3, NAN]])


# Counted by hand in the files: `cut -f1 | sort | uniq -c` and `grep -v None`; the README of the
# data states the same figures.
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("language_pair", "systems", "segments", "mask"),
    [("en-de", 12, 557, "common 460/557"), ("zh-en", 15, 1976, "common 1177/1976")],
)
def test_wmt23(data_root, language_pair, systems, segments, mask):
    folder = data_root / "mt-metrics-eval-v2"
    scores = read_mtme(folder, "wmt23", language_pair, metrics="reference")
    assert dict(scores.sizes) == {"system": systems, "segment": segments, "metric": 25}
    assert select_segments(scores).attrs["mask"] == mask
    left_out = scores.attrs["metrics_left_out"]
    assert left_out.startswith("HuaweiTSC_EE_Metric (no segment-level scores); 18 reference-free (")
    assert "GEMBA-MQM" in left_out
    assert scores.attrs["systems_left_out"] == "refA (a reference)"
    assert scores["score"].notnull().all()


@pytest.mark.real_data
def test_wmt23_kinds_of_metrics(data_root):
    folder = data_root / "mt-metrics-eval-v2"
    free = read_mtme(folder, "wmt23", "en-de", metrics="reference-free")
    assert free.sizes["metric"] == 18
    both = read_mtme(folder, "wmt23", "en-de", metrics="all")
    assert both.sizes["metric"] == 43
    other = read_mtme(folder, "wmt23", "en-de", reference="synthetic_ref", metrics="all")
    assert (other["reference"] == "synthetic_ref").sum() == 25


# Read a second way: the lines of the file that start with the system.
@pytest.mark.real_data
def test_wmt23_values(data_root):
    folder = data_root / "mt-metrics-eval-v2"
    scores = read_mtme(folder, "wmt23", "en-de", metrics="reference")
    for name, path in (
        ("human", "human-scores/en-de.mqm.seg.score"),
        ("BLEU", "metric-scores/en-de/BLEU-refA.seg.score"),
    ):
        rows = [line.split("\t") for line in (folder / "wmt23" / path).read_text().splitlines()]
        own = [
            float(score.replace("None", "nan")) for system, score in rows if system == "GPT4-5shot"
        ]
        read = scores["human"] if name == "human" else scores["score"].sel(metric=name)
        np.testing.assert_array_equal(read.sel(system="GPT4-5shot"), own)


def test_human_scores_that_ratings_will_replace_are_said(layout):
    for name in ("sysA", "sysB"):
        layout[1](f"system-outputs/en-de/{name}.txt", "x\n")
    with pytest.warns(DegenerateScoreWarning, match="human scores are 0 until rate_scores"):
        scores = read(layout, human="*")
    assert not scores["human"].any()
