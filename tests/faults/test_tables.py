"""Tables read as an independent reader reads them, or refused with a line that names the row."""

import json
import random
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

import supersample as ss
from supersample.inference.one_correlation import density_of_r
from tests.newcomers.files import DATA

COUNTS = [25, pytest.param(2_000, marks=pytest.mark.faults)]


def test_rows_are_not_swallowed_by_quotes(tmp_path):
    lines = ["text\tsystem\tsegment\thuman\tm"]
    texts = {3: '"a', 9: 'b"'}
    lines += [f"{texts.get(i, 'c')}\tA\t{i}\t{i}\t.5" for i in range(12)]
    lines += [f"c\tB\t{i}\t{i}\t.5" for i in range(12)]
    (tmp_path / "x.tsv").write_text("\n".join(lines))
    assert ss.read_table(tmp_path / "x.tsv")["human"].notnull().all()
    (tmp_path / "x.csv").write_text("\n".join(lines).replace("\t", ","))
    with pytest.raises(ss.InputError, match="quotes join 25 lines into 19"):
        ss.read_table(tmp_path / "x.csv")


def test_ids_that_are_one_number_are_one_segment(tmp_path):
    ids = {"human": [1, 2, 3], "m": [1.0, 2.0, 3.0]}
    rows = [
        {"system": s, "segment": i, "scorer": scorer, "score": i + ord(s)}
        for scorer, numbers in ids.items()
        for s in "AB"
        for i in numbers
    ]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    scores = ss.read_table(tmp_path / "x.json")
    assert list(scores["segment"].values) == ["1", "2", "3"]
    np.testing.assert_array_equal(scores["score"][0], scores["human"])
    versions = [dict(row, system=f"gpt-4{'.0' * (row['system'] == 'A')}") for row in rows]
    (tmp_path / "x.json").write_text(json.dumps(versions))
    assert ss.read_table(tmp_path / "x.json").sizes["system"] == 2


@pytest.mark.parametrize("count", COUNTS)
def test_sums_do_not_depend_on_the_order_of_rows_or_the_scores_are_refused(count):
    for number in range(count):
        draw = np.random.default_rng(number)
        offset = draw.choice([0.0, 1.0, 1e3, 1e7, 2.0**53])
        human, noise = draw.normal(size=(2, 5, 30)).round(3)
        human += np.arange(5.0)[:, np.newaxis]
        human, metric = human + offset, human + noise + offset
        made = {"systems": list("ABCDE"), "metrics": ["m"], "higher_is_better": [True]}
        try:
            scores = ss.make_scores(human, [metric], **made)
        except ss.InputError as error:
            why = str(error)
        else:
            why = ""
        if why:
            assert "subtract the same number from all" in why
            assert offset >= 1e7
            continue
        order = draw.permutation(30)
        shuffled = ss.make_scores(human[:, order], [metric[:, order]], **made)
        centred = ss.make_scores(human - offset, [metric - offset], **made)
        values = [ss.correlations.correlate(x)["value"].values for x in (scores, shuffled, centred)]
        np.testing.assert_allclose(values[1:], values[:-1], atol=1e-5)


@pytest.mark.parametrize("cached", ["<v/>", "", "<v></v>", "<v>0.5</v>"])
def test_formulas_that_nobody_computed_are_refused(tmp_path, cached):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(DATA / "long.xlsx") as book:
        files = {name: book.read(name) for name in book.namelist()}
    name = "xl/worksheets/sheet0.xml"
    last = re.compile(rb"<c><v>[^<]*</v></c></row></sheetData>")
    formula = f'<c r="D37"><f>SUM(A1)</f>{cached}</c></row></sheetData>'.encode()
    files[name], found = last.subn(formula, files[name])
    assert found == 1
    with zipfile.ZipFile(path, "w") as book:
        for each, content in files.items():
            book.writestr(each, content)
    if "0.5" in cached:
        assert ss.read_table(path, sheet="scores")["score"][-1, -1, -1] == 0.5
    else:
        with pytest.raises(ss.InputError, match="the formula in D37 was never computed"):
            ss.read_table(path, sheet="scores")


def masked(draw, values):
    hidden = np.where(np.isnan(values), draw.choice([-999.0, 0.0, 1e308]), values)
    return np.ma.masked_array(hidden, np.isnan(values))


ARRAYS = {
    "a masked array": masked,
    "a list of masked arrays": lambda draw, values: [masked(draw, part) for part in values],
    "lists with None": lambda draw, values: np.where(np.isnan(values), None, values).tolist(),
    "objects with NA": lambda draw, values: np.where(np.isnan(values), pd.NA, values),
    "objects with texts": lambda draw, values: np.where(values > 50, values.astype(str), values),
    "frames with NA": lambda draw, values: frames(values),
    "another byte order": lambda draw, values: values.astype(">f8"),
    "longdouble": lambda draw, values: values.astype(np.longdouble),
    "float32": lambda draw, values: values.astype(np.float32),
}
UNREAL = {
    "datetime64[s]": "dates",
    "timedelta64[ms]": "durations; divide them by a unit",
    "complex128": "complex numbers; take their real parts",
}


def frames(values):
    if values.ndim == 2:
        return pd.DataFrame(values).astype("Float64")
    return [frames(part) for part in values] if values.ndim > 2 else pd.array(values, "Float64")


def whole_numbers(draw, *shape, gaps=0.0):
    values = np.array([float(draw.randint(0, 99)) for _ in range(np.prod(shape))]).reshape(shape)
    values.ravel()[[i for i in range(values.size) if draw.random() < gaps]] = np.nan
    values[..., -1] = np.arange(np.prod(shape[:-1])).reshape(shape[:-1])  # no scorer is empty
    return values


@pytest.mark.parametrize("count", COUNTS)
def test_arrays_of_any_type_are_their_numbers_or_are_refused(count):
    named = {"systems": list("ABC"), "metrics": ["m", "n"]}
    rows = {"assessor": list("ab") * 3, "system": list("ABC") * 2, "segment": list("112233")}
    for number in range(count):
        draw = random.Random(number)
        human = whole_numbers(draw, 3, 4, gaps=0.3)
        score = whole_numbers(draw, 2, 3, 4, gaps=0.3)
        ratings, kinds = whole_numbers(draw, 6), draw.choices(list(ARRAYS), k=3)
        given = [ARRAYS[x](draw, y) for x, y in zip(kinds, (human, score, ratings), strict=True)]
        scores = ss.make_scores(given[0], given[1], **named)
        np.testing.assert_array_equal(scores["human"], human, err_msg=f"{number} {kinds}")
        np.testing.assert_array_equal(scores["score"], score, err_msg=f"{number} {kinds}")
        made = ss.make_ratings(given[2], **rows)
        np.testing.assert_array_equal(made["rating"], ratings, err_msg=f"{number} {kinds}")


@pytest.mark.parametrize("kind", UNREAL)
def test_arrays_of_what_is_no_number_are_refused(kind):
    named = {"systems": list("ABC"), "metrics": ["m"]}
    human, odd = np.arange(6.0).reshape(3, 2), np.arange(6).reshape(3, 2).astype(kind)
    rows = {"assessor": list("abc"), "system": list("ABC"), "segment": list("112")}
    for make in (
        lambda: ss.make_scores(odd, [human], **named),
        lambda: ss.make_scores(human, [odd], **named),
        lambda: ss.make_scores(human, [human], human_count=odd, **named),
        lambda: ss.make_ratings(list(odd[:, 0]), **rows),
        lambda: ss.make_ratings(odd[:, 0].astype(object), **rows),
        lambda: ss.make_predictions(human, odd, systems=[*"ABC"], gold=[*"xyz"]),
        lambda: ss.make_predictions(human, human, systems=[*"ABC"], gold=[*"xyz"], length=odd[0]),
        lambda: ss.make_system_scores(odd[:, 0], [human[:, 0]], **named),
        lambda: ss.make_system_scores(human[:, 0], [odd[:, 0]], **named),
        lambda: density_of_r(0.5, 0.5, odd),
        lambda: ss.simulation.Population(0.9, segment_deviation=odd[0, 1]),
    ):
        with pytest.raises(ss.InputError, match=f"{UNREAL[kind]}|one is "):
            make()


COLUMNS = {
    "float64": lambda draw, column: column,
    "Float64": lambda draw, column: column.astype("Float64"),
    "another byte order": lambda draw, column: column.astype(">f8"),
    "longdouble": lambda draw, column: column.astype(np.longdouble),
    "sparse": lambda draw, column: column.astype(pd.SparseDtype(float)),
    "objects": lambda draw, column: column.astype(object),
    "numbers and texts": lambda draw, column: column.map(
        lambda x: x if np.isnan(x) or draw.random() < 0.5 else str(x)
    ).astype(object),
}


INDICES = {
    "numbers": lambda draw, frame: frame,
    "numbers out of order": lambda draw, frame: frame.set_index(
        pd.Index(draw.sample(range(99), len(frame)))
    ),
    "labels": lambda draw, frame: frame.set_index(["system", "segment"]),
    "one label": lambda draw, frame: frame.set_index("segment"),
}


@pytest.mark.parametrize("count", COUNTS)
def test_frames_of_any_type_are_their_numbers(tmp_path, count):
    for number in range(count):
        draw = random.Random(number)
        values = whole_numbers(draw, 3, 4, 2, gaps=0.2)
        labels = [(system, segment) for system in "ABC" for segment in range(4)]
        plain = pd.DataFrame(labels, columns=["system", "segment"])
        plain[["human", "m"]] = values.reshape(-1, 2)
        plain.loc[0, ["human", "m"]] = (0.5, 0.25)
        frame, kinds = plain.copy(), draw.choices(list(COLUMNS), k=2)
        for name, kind in zip(("human", "m"), kinds, strict=True):
            frame[name] = COLUMNS[kind](draw, plain[name])
        if draw.random() < 0.3:
            texts = [str(x) if draw.random() < 0.5 else x for x in frame["segment"]]
            frame["segment"] = pd.Series(texts, dtype=object)
        scores = ss.read_table(INDICES[draw.choice(list(INDICES))](draw, frame))
        assert list(scores["metric"].values) == ["m"], (number, kinds)
        found = scores.sel(system=list("ABC"), segment=list("0123"))
        for name, cube in (("human", found["human"]), ("m", found["score"][0])):
            expected = plain[name].to_numpy().reshape(3, 4)
            np.testing.assert_array_equal(cube, expected, err_msg=f"{number} {kinds}")


def test_numbers_of_rows_in_parquet_files_are_no_metric(tmp_path):
    rows = [
        (a, b, float(i), float(i * i))
        for i, (a, b) in enumerate(zip("AABBC", "12123", strict=True))
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "human", "m"])
    frame[frame["system"] != "C"].iloc[::-1].to_parquet(tmp_path / "x.parquet")
    assert list(ss.read_table(tmp_path / "x.parquet")["metric"].values) == ["m"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"human": pd.Timestamp(0)}, "the column 'human' has words such as '1970-01-01"),
        (
            {"human": True},
            "the column 'human' has words such as 'True', not numbers; write numbers",
        ),
        ({"segment": [(1, 2)] * 4}, "DataFrame: the segment is a list; write one text"),
        ({"M": 1.0}, "several columns are called 'm'; rename them"),
    ],
)
def test_frames_of_what_is_no_number_are_refused(change, message):
    frame = pd.DataFrame({"system": list("AABB"), "segment": list("1212"), "human": 1.0, "m": 1.0})
    with pytest.raises(ss.InputError, match=message):
        ss.read_table(frame.assign(**change))


ALIKE = {
    "another normal form": ("caf\u00e9", "cafe\u0301"),
    "a zero-width space": ("sys", "s\u200bys"),
    "a mark of byte order": ("sys", "sys\ufeff1".replace("1", "")),
    "a soft hyphen": ("sys-1", "sys\u00ad-1"),
    "a no-break space": ("sys 1", "sys\u00a01"),
    "a Cyrillic letter": ("COMET", "\u0421OMET"),
    "a Greek letter": ("COMET", "C\u039fMET"),
    "a hyphen that does not break": ("a-b", "a\u2011b"),
}
WRITTEN = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
}


@pytest.mark.parametrize("count", COUNTS)
def test_names_that_look_alike_in_a_table_are_refused(tmp_path, count):
    for number in range(count):
        draw = random.Random(number)
        kind, label = draw.choice(list(ALIKE)), draw.choice(["system", "segment", "scorer"])
        names = {"system": list("ABC"), "segment": list("123"), "scorer": ["human", "m"]}
        at = draw.randrange(1, len(names[label]))
        names[label][at] = ALIKE[kind][0]
        rows = [
            (a, b, c, draw.random())
            for a in names["system"]
            for b in names["segment"]
            for c in names["scorer"]
        ]
        frame = pd.DataFrame(rows, columns=["system", "segment", "scorer", "score"])
        suffix = draw.choice(list(WRITTEN))
        path = tmp_path / f"{number}.{suffix}"
        WRITTEN[suffix](frame, path)
        assert ss.read_table(path).sizes == {"system": 3, "segment": 3, "metric": 1}, number
        places = frame.index[frame[label] == ALIKE[kind][0]].tolist()
        changed = draw.sample(places, draw.randint(1, len(places) - 1))
        frame.loc[changed, label] = ALIKE[kind][1]
        WRITTEN[suffix](frame, path)
        with pytest.raises(ss.InputError) as error:
            ss.read_table(path)
        for part in (str(path), f"the {label}", *map(ascii, ALIKE[kind]), "invisible"):
            assert part in str(error.value), (number, kind, str(error.value))


@pytest.mark.parametrize("kind", ALIKE)
def test_names_that_look_alike_are_refused_wherever_they_come_from(kind):
    both = list(ALIKE[kind])
    three, two = [*both, "other"], [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]
    named = {"systems": ["A", "B"], "metrics": ["m"]}
    odd = ss.make_scores(two, [two], **named)
    answers = {name: dict.fromkeys(range(40), "x") for name in both}
    for make in (
        lambda: ss.make_scores(two, [two], **{**named, "systems": both}),
        lambda: ss.make_scores(two, [two], **named, segments=three),
        lambda: ss.make_scores(two, [two], **named, document=three),
        lambda: ss.validate_scores(odd.assign_coords(system=both)),
        lambda: ss.make_ratings([1, 2], assessor=both, system=["A", "B"], segment=["1", "2"]),
        lambda: ss.make_predictions(two, two, systems=both, gold=["g", "h"]),
        lambda: ss.make_system_scores([1, 2, 3], [[1, 2, 4]], systems=three, metrics=["m"]),
        lambda: ss.raters.judge_agreement({**answers, "j": answers[both[0]]}, "j"),
        lambda: ss.keep_systems(odd.assign_coords(system=["A", both[0]]), only=["A", both[1]]),
    ):
        with pytest.raises(ss.InputError, match="differ only in invisible characters") as error:
            make()
        assert all(ascii(name) in str(error.value) for name in both)
