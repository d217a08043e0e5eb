"""Names that spreadsheets would compute, or Markdown and HTML take for markup, are only text."""

import csv
import re

import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import supersample as ss
from supersample.presentation.table import Column, Table, to_csv, to_markdown

COMPUTED = "=+-@\t\r"
BEGINNINGS = [*COMPUTED, "'", "''", "'=", "''-", "a", "\\", "<b>", "&lt;"]
MARKUP = ["<script>", "</u>", "[a](b)", "![a](b)", "[a][b]", "[a]: b", "http://a.b", "www.a.b"]
MARKUP += ["a@b.cc", "&amp;", "&#60;b>", "|", "\\|", "\\<b>", "<!--", "`", "<a@b.cc>"]
ROUNDS = [10, pytest.param(1_000, marks=pytest.mark.faults)]
texts = st.builds(
    lambda begin, middle, end: f"{begin}{middle}{end}x",
    st.sampled_from(BEGINNINGS),
    st.sampled_from(["", *MARKUP]),
    st.text(
        st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["C"]), max_size=4
    ),
)
names = st.lists(texts, min_size=3, max_size=5, unique_by=lambda text: text.strip())


def table(rows):
    return Table([Column("metric", "metric"), Column("x", "x")], [[row, 1.0] for row in rows])


def rounds(test):
    return pytest.mark.parametrize("count", ROUNDS)(test)


def settled(count):
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))


@rounds
def test_no_cell_of_a_csv_is_computed_and_names_are_read_back(tmp_path, count):
    @settled(count)
    @given(names)
    def check(chosen):
        rng = np.random.default_rng(len(chosen))
        size = len(chosen)
        scores = ss.make_scores(
            rng.normal(size=(size, 4)),
            rng.normal(size=(size, size, 4)),
            systems=chosen,
            metrics=chosen,
            segments=[f"{name}{i}" for i, name in enumerate((chosen * 2)[:4])],
            document=(chosen * 2)[:4],
        )
        path = tmp_path / "scores.csv"
        path.unlink(missing_ok=True)
        ss.write_scores(scores, path)
        with path.open(newline="") as file:
            for row in csv.reader(file):
                assert not any(cell[:1] in COMPUTED for cell in [*row[:3], *row[4:]] if cell)
        found = ss.read_table(path)
        for name in ("metric", "system", "segment", "document"):
            assert found[name].values.tolist() == scores[name].values.tolist()
        xr.testing.assert_equal(found["score"], scores["score"])
        assert not any(
            line.startswith(tuple(COMPUTED)) for line in to_csv(table(chosen)).splitlines()
        )

    check()


@rounds
def test_no_name_is_markup_in_markdown(count):
    @settled(count)
    @given(names)
    def check(chosen):
        text = to_markdown(table(chosen))
        for line, name in zip(text.splitlines()[2:], chosen, strict=False):
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3, name
            bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", line)  # what is escaped
            assert not re.search(r"<[a-zA-Z/!?]|\]\(|\]\[|\]:|://|www\.|@|&#?\w+;", bare), name

    check()
