"""Scores of one file set beside those of another: the same systems and segments, or refused."""

import math
import random

import numpy as np
import pytest

import supersample as ss
from supersample.scores.alignment import match_names

COUNTS = [20, pytest.param(2_000, marks=pytest.mark.faults)]
FAMILIES = ("gpt", "Llama", "Qwen", "claude", "NLLB", "Yi", "mT5", "Tower")
SIZES = ("", "", "-7B", "-70b", "-mini", " 8B", "+", "-32k")
FORMS = ("{}", "seg-{}", "{:04d}", "{}.0", "doc:{}")


def named(draw):
    """A model: family, version and size, as one tuple."""
    version = draw.choice(["2", "3", "3.1", "3.5", "4", "4.1", "31", "3.10", "4.0"])
    return draw.choice(FAMILIES), version, draw.choice(SIZES)


def written(draw, model):
    """The name of a model as some file has it: case and what divides words differ."""
    family, version, size = model
    name = draw.choice(["-", "_", " ", ""]).join([family, version]) + size
    changes = (str, str.upper, str.lower, lambda x: x.replace("-", "_"), lambda x: f"wmt.{x}")
    return draw.choice(changes)(name)


@pytest.mark.parametrize("count", COUNTS)
def test_no_model_is_taken_for_another(count):
    matches = 0
    for number in range(count):
        draw = random.Random(number)
        models = list(dict.fromkeys(named(draw) for _ in range(8)))
        ours = {written(draw, model): model for model in draw.sample(models, 5)}
        theirs = {written(draw, model): model for model in draw.sample(models, 5)}
        for ours_name, their_name in match_names(ours, theirs, ["wmt"]).items():
            assert ours[ours_name] == theirs[their_name], (number, ours_name, their_name)
            matches += 1
    assert matches > count / 4


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("gpt-4", "gpt-4.1", False),
        ("Llama-3", "Llama-3.1", False),
        ("Llama-3-18B", "Llama-3.1-8B", False),
        ("gpt-41", "gpt-4.1", False),
        ("NLLB", "NLLB+", False),
        ("X.4", "X", False),
        ("UEDIN.1136", "UEDIN.1200", False),
        ("Llama 3.1 8b", "Llama-3.1-8B", True),
        ("Human-A", "human_a.0", True),
        ("PROMT_NMT", "promt-nmt.73", True),
    ],
)
def test_versions_and_variants_are_other_systems(ours, theirs, same):
    assert match_names([ours], [theirs]) == ({ours: theirs} if same else {})


def test_names_that_ratings_matched_are_said():
    rows = {"assessor": ["a"] * 4, "system": ["SYSTEM 01", "system-02"] * 2}
    rows["segment"] = ["segment-001"] * 2 + ["segment-002"] * 2
    ratings = ss.make_ratings([1, 2, 3, 4], **rows)
    rated = ss.rate_scores(ss.load_example(), ratings)
    assert rated.attrs["names_matched"] == "SYSTEM 01 = system-01"
    ranking = ss.correlations.correlate(rated, bases=["systems"])
    assert ranking.attrs["names_matched"] == "SYSTEM 01 = system-01"


def truth(system, segment):
    return math.sin(7 * system + 3.1 * segment) + segment / 50


READ = {
    "added": lambda path, scores: ss.add_metric(scores, "x", path, orientation="higher-is-better")[
        "score"
    ][1],
    "ratings": lambda path, scores: ss.rate_scores(scores, ss.read_ratings(path))["human"],
    "table": lambda path, scores: ss.read_table(path)["score"][0].sel(segment=scores["segment"]),
}


def beside(draw, folder):
    """A reader of a file that counts segments from 0 or 1, and Scores that count from either."""
    count, form = draw.randint(6, 20), draw.choice(FORMS)
    first, other = draw.choice([0, 1]), draw.choice([0, 1])
    places = list(range(count))
    absent = draw.sample(places[1:-1], draw.choice([0, 0, 1, 3]))  # both ends tell where it begins
    kept = [place for place in places if place not in absent]
    label = [form.format(place + first) for place in places]
    scores = ss.make_scores(
        [[truth(s, place) for place in kept] for s in range(3)],
        [[[truth(s, place) for place in kept] for s in range(3)]],
        systems=list("ABC"),
        metrics=["m"],
        segments=[label[place] for place in kept],
        document=["d"] * len(kept),
    )
    rows = [
        (name, form.format(place + other), truth(s, place))
        for s, name in enumerate("ABC")
        for place in (places if draw.random() < 0.7 else kept)
    ]
    draw.shuffle(rows)
    kind = draw.choice(list(READ))
    text = "".join(f"{a},{b},{c!r}\n" for a, b, c in rows)
    of_scores = [(s, label[p], truth(i, p)) for i, s in enumerate("ABC") for p in kept]
    path = folder / f"{kind}.csv"
    if kind == "ratings":
        text = "assessor,system,segment,score\n" + "".join(f"a,{row}\n" for row in text.split())
    elif kind == "table":
        text = "system,segment,score,scorer\n" + "".join(f"{row},x\n" for row in text.split())
        text += "".join(f"{a},{b},{c!r},human\n" for a, b, c in of_scores)
    else:
        text = "system,segment,score\n" + text
    path.write_text(text)
    return lambda: READ[kind](path, scores), scores


@pytest.mark.parametrize("count", COUNTS)
def test_no_reader_shifts_segments(tmp_path, count):
    read = 0
    for number in range(count):
        draw = random.Random(number)
        own, scores = beside(draw, tmp_path)
        try:
            values = own()
        except ss.InputError as error:
            why = str(error)
        else:
            why, read = "", read + 1
        if why:
            refused = (
                " here and from ",
                "no score of",
                "of an unknown segment",
            )
            assert any(text in why for text in refused), (number, why)
            continue
        known = scores["human"].values
        values = values.sel(system=list("ABC"))
        assert list(values["segment"].values) == list(scores["segment"].values)
        np.testing.assert_allclose(values.values, known, atol=1e-12, err_msg=str(number))
    assert read > count / 4
