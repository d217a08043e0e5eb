"""Data frames and Parquet, by way of Arrow."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import supersample as ss

COLUMNS = {
    "System": ["B", "B", "A", "A"] * 2,
    "segment": [1, 2, 1, 2] * 2,
    "scorer": ["human"] * 4 + ["m"] * 4,
    "score": [1.0, 2.0, 3.0, None, 5, 6, 7, 8],
}


class Stream:
    """What polars and others offer."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


CATEGORIES = pd.DataFrame(COLUMNS).astype({"System": pd.CategoricalDtype(["A", "B", "unused"])})


@pytest.mark.parametrize(
    "frame",
    [pa.table(COLUMNS), pd.DataFrame(COLUMNS), CATEGORIES, Stream(pa.table(COLUMNS))],
    ids=["arrow", "pandas", "categories", "stream"],
)
def test_frames_are_read(frame):
    scores = ss.read_table(frame)
    assert list(scores["system"].values) == ["B", "A"]
    assert list(scores["segment"].values) == ["1", "2"]
    np.testing.assert_array_equal(scores["human"], [[1, 2], [3, np.nan]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [1.0] * 7 + [np.inf]}, "row 8: the score 'inf' is infinite"),
        ({"score": ["1"] * 7 + ["x"]}, "row 8: the score 'x' is not a number"),
        ({"System": ["A", "B"] * 3 + ["A", " "]}, "row 8: the system is empty"),
        ({"System": ["A", "B"] * 3 + ["A", None]}, "row 8: the system is empty"),
        ({"segment": [1, 2, 1, 2, 1, 2, 1, 1]}, "row 8: a second score of 'm' for system 'A'"),
        ({"document": list("abab") + list("abac")}, "row 8: segment '2' has document 'c' here"),
        ({"system": ["A"] * 8}, "several columns are called 'system'"),
    ],
)
def test_bad_frames_and_parquet_files_are_refused_with_the_row(tmp_path, change, message):
    table = pa.table({**COLUMNS, **change})
    pq.write_table(table, tmp_path / "x.parquet")
    for source in (table, tmp_path / "x.parquet"):
        with pytest.raises(ss.InputError, match=message):
            ss.read_table(source)


def test_what_is_no_frame_is_refused():
    with pytest.raises(ss.InputError, match="dict: not a data frame"):
        ss.read_table(COLUMNS)
    with pytest.raises(ss.InputError, match="has a header but no rows"):
        ss.read_table(pa.table(COLUMNS).slice(0, 0))


def test_labels_in_several_chunks_are_one(tmp_path):
    table = pa.concat_tables([pa.table(COLUMNS).slice(i, 3) for i in (0, 3, 6)])
    np.testing.assert_array_equal(ss.read_table(table)["human"], [[1, 2], [3, np.nan]])
    pq.write_table(pa.table(COLUMNS), tmp_path / "x.parquet", row_group_size=2)
    np.testing.assert_array_equal(ss.read_table(tmp_path / "x.parquet")["human"][0], [1, 2])


def test_polars_frames_are_read():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(COLUMNS)
    parts = polars.concat([frame[:3], frame[3:]], rechunk=False)
    assert parts.n_chunks() == 2
    kinds = [
        frame,
        parts,
        frame.with_columns(polars.col("System").cast(polars.Categorical)),
        frame.with_columns(polars.col("System").cast(polars.Enum(["unused", "A", "B"]))),
        frame.with_columns(polars.col("score").cast(polars.Float32)),
        frame.with_columns(polars.col("score").cast(polars.String)),
        frame.with_columns(polars.col("segment").cast(polars.Int8)),
        frame.with_columns(polars.lit("news").alias("Domain")),
    ]
    for own in kinds:
        scores = ss.read_table(own)
        assert list(scores["system"].values) == ["B", "A"]
        assert list(scores["segment"].values) == ["1", "2"]
        np.testing.assert_array_equal(scores["human"], [[1, 2], [3, np.nan]])
    assert list(ss.read_table(kinds[-1])["domain"].values) == ["news", "news"]
    with pytest.raises(ss.InputError, match="row 8: the score 'x' is not a number"):
        ss.read_table(frame.with_columns(polars.Series("score", ["1"] * 7 + ["x"])))
    with pytest.raises(ss.InputError, match=r"LazyFrame: not a data frame; .*; collect it"):
        ss.read_table(frame.lazy())
    ratings = {"assessor": ["a", "b"], "system": ["A", "B"], "segment": [1, 1], "score": [60, 80]}
    assert list(ss.read_ratings(polars.DataFrame(ratings))["rating"].values) == [60, 80]
