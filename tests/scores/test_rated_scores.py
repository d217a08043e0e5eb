"""Raw ratings set beside metrics."""

import numpy as np
import pytest

import supersample as ss
from supersample.readers.wmt import read_segment_scores

SEGMENTS = ["s1", "s2", "s3", "s4", "s5"]
SCORES = ss.make_scores(
    np.arange(15.0).reshape(3, 5),
    np.arange(15.0).reshape(1, 3, 5),
    systems=["A-System", "B", "C"],
    metrics=["m"],
    segments=SEGMENTS,
    document=["x", "x", "y", "y", "y"],
)


def ratings_of(*rows):
    assessor, system, segment, rating, *kind = zip(*rows, strict=True)
    return ss.make_ratings(
        rating,
        assessor=assessor,
        system=system,
        segment=segment,
        kind=kind[0] if kind else None,
    )


def test_ratings_are_averaged_where_they_belong():
    ratings = ratings_of(
        ("a", "a_system", "s1", 10.0),
        ("b", "a_system", "s1", 30.0),
        ("a", "a_system", "s2", 50.0),
        ("a", "B", "s1", 70.0),
        ("a", "nobody", "s1", 1.0),
        ("a", "B", "s9", 1.0),
    )
    rated = ss.rate_scores(SCORES, ratings)
    assert list(rated["system"].values) == ["A-System", "B"]
    np.testing.assert_array_equal(rated["human"][0], [20, 50, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(rated["human_count"], [[2, 1, 0, 0, 0], [1, 0, 0, 0, 0]])
    assert rated.attrs["ratings_left_out"] == (
        "1 of systems that are not here (nobody), 1 of an unknown segment"
    )
    assert rated.attrs["systems_left_out"] == "C (not rated)"
    assert rated.attrs["ratings_used"] == 4
    over = {
        mean: ss.system_level_scores(rated, mask="all", human_mean=mean)["system_human"].values
        for mean in ("ratings", "segments")
    }
    np.testing.assert_allclose(over["ratings"], [30, 70])
    np.testing.assert_allclose(over["segments"], [35, 70])
    assert SCORES["human"].values[0, 0] == 0  # what was given is left alone


def test_hybrids_take_means_over_ratings_or_segments():
    rng = np.random.default_rng(2)
    rows = [
        (f"a{k}", system, segment, float(rng.integers(0, 100)))
        for system in ("A-System", "B", "C")
        for segment in SEGMENTS
        for k in range(rng.integers(1, 4))
    ]
    rated = ss.rate_scores(SCORES, ratings_of(*rows))
    made = ss.hybrids.hybrid_assignments(rated, n=20, seed=1)
    for mean in ("ratings", "segments"):
        sample = ss.hybrid_supersample(rated, n=20, seed=1, human_mean=mean)
        for i in range(20):
            systems = made["origin"].values[i]
            values = rated["human"].values[systems, np.arange(5)]
            weights = rated["human_count"].values[systems, np.arange(5)]
            expected = np.average(values, weights=weights if mean == "ratings" else None)
            assert float(sample["human"][i]) == pytest.approx(expected, rel=1e-12)


def test_items_of_whole_documents_are_counted_and_others_left_out():
    ratings = ratings_of(
        ("a", "B", "x:1", 10.0),
        ("a", "B", "x:2", 20.0),
        ("a", "C", "x:2", 30.0),
        ("a", "B", "y:1", 40.0),
        ("a", "B", "y:2", 50.0),  # nobody rated the third of y: which two these are is not known
        ("b", "C", "x:b:1", 60.0),  # part of a document, by this assessor
        ("b", "C", "z:1", 70.0),
    )
    placed = ss.place_ratings(ratings, SCORES)
    assert list(placed["segment"].values) == ["s1", "s2", "s2"]
    assert placed.attrs["ratings_left_out"] == (
        "3 of a document rated in part, with unknown segments, 1 of an unknown document"
    )


def test_preparing_controls_quality_and_standardises():
    rows = [("good", "B", str(i), 50.0 + 10 * i, "TGT") for i in range(6)]
    rows += [("good", "B", str(i), 40.0 + 9 * i, "BAD") for i in range(6)]
    rows += [("lazy", "B", str(i), 50.0 + i, "TGT") for i in range(6)]
    rows += [("lazy", "B", str(i), 51.0 + i, "BAD") for i in range(6)]
    ratings = ratings_of(*rows)
    kept = ss.prepare_ratings(ratings)
    assert set(kept["assessor"].values) == {"good"}
    assert kept.attrs["prepared"] == "z, wilcoxon"
    own = kept["rating"].values[:6]
    np.testing.assert_allclose([own.mean(), own.std(ddof=1)], [0, 1], atol=1e-14)
    whole = ss.prepare_ratings(ratings, quality_control="none", scale="raw")
    np.testing.assert_array_equal(whole["rating"], ratings["rating"])
    plain = ss.prepare_ratings(ratings.isel(row=slice(0, 6)))
    assert plain.attrs["prepared"] == "z, no damaged translations"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.prepare_ratings(SCORES), "Ratings lack 'rating'"),
        (
            lambda: ss.prepare_ratings(ONE, scale="log"),
            "no scale of ratings 'log'; there are z, raw",
        ),
        (
            lambda: ss.prepare_ratings(ONE, quality_control="sign"),
            "no quality control 'sign'; there are",
        ),
        (lambda: ss.rate_scores(SCORES, ONE), "ratings of 1 systems have a place"),
        (lambda: ss.place_ratings(ratings_of(("a", "Z", "s1", 1.0)), SCORES), "no rating has a pl"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()


ONE = ratings_of(("a", "B", "s1", 1.0), ("a", "B", "s2", 2.0))


@pytest.mark.real_data
def test_esa_ratings_stand_where_the_published_scores_do(data_root):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de", metrics=["BLEU"])
    folder = data_root / "wmt23-esa"
    raw = ss.read_appraise(folder / "240315rc5ESA.scores.csv")
    rated = ss.rate_scores(scores, ss.prepare_ratings(raw, quality_control="none", scale="raw"))
    assert rated.attrs["ratings_left_out"] == (
        "99 items of ende-tutorial2, 99 items of ende-tutorial1, 10 rows that stand there twice, "
        "228 of systems that are not here (refA), "
        "884 of a document rated in part, with unknown segments"
    )
    published = read_segment_scores(folder / "en-de.ESA-1.seg.score", 557)
    theirs = np.stack([published[str(name)] for name in rated["system"].values])
    ours, count = rated["human"].values, rated["human_count"].values
    placed = ~np.isnan(ours)
    assert not np.isnan(theirs[placed]).any()
    once = placed & (count == 1)
    np.testing.assert_array_equal(ours[once], theirs[once])
    assert (once.sum(), placed.sum()) == (1693, 1706)


def appraise_line(system, item, score, document, assessor="one"):
    return f"{assessor},{system},{item},TGT,eng,ces,{score},{document},False,[],1.0,2.0\n"


@pytest.mark.parametrize("agrees", [True, False])
def test_lines_of_the_test_set_place_parts_of_documents(tmp_path, agrees):
    documents = ["canary", "a", "a", "a", "b", "b"]
    empty = np.zeros((1, 2, 6))
    names = {"systems": ["A", "B"], "metrics": ["m"], "document": documents}
    scores = ss.make_scores(np.ones((2, 6)), empty, segments=list("012345"), **names)
    rated = {2: "a", 3: "a", 5: "b" if agrees else "a"}
    lines = [appraise_line(x, k, 10 * k, of) for x in "AB" for k, of in rated.items()]
    path = tmp_path / "wave.csv"
    path.write_text("".join(lines))
    ratings = ss.read_appraise(path)
    if not agrees:  # lines of another test set place nothing
        with pytest.raises(ss.InputError, match="no rating has a place"):
            ss.place_ratings(ratings, scores)
        return
    rated = ss.rate_scores(scores, ratings)["human"]
    assert rated.sel(system="A").values[[2, 3, 5]].tolist() == [20, 30, 50]
    assert int(rated.notnull().sum()) == 6
