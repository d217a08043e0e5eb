"""The report without a script: what the page says, and that names stay text."""

import base64
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import supersample as ss
from supersample import InputError
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation.page import (
    report_page,
    scatter,
    scatters,
    script_json,
)
from tests.rankings import sample_and_ranking, scores_of

EVIL = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</title>&amp;", "a|b"]
SAMPLE, RANKING = sample_and_ranking(EVIL)
SYSTEMS = ss.rank(
    ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife")
)


def answer_of(text):
    found = re.search('<div class="answer" id="answer">(.*?)</div>', text, re.DOTALL)[1]
    return re.sub("<.*?>", "", found).strip()


class Page(HTMLParser):
    """Rows of cells by table, headings, and tags."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.headings, self._cell = {}, [], [], None
        self._rows = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "table":
            self._rows = self.tables.setdefault(dict(attributes).get("id"), [])
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th", "h1", "h2"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._rows[-1].append(self._cell.strip())
        elif tag in ("h1", "h2"):
            self.headings.append(self._cell)

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data


def test_sections_stand_in_the_order_of_questions():
    page = Page(report_page(SYSTEMS, sample=ss.system_level_scores(ss.load_example())))
    assert page.headings[1:] == [
        "Ranking",
        "How far behind the best?",
        "Every pair of metrics",
        "Plot: metric against human scores",
        "How metrics correlate with each other",
        "Input, and how many pairs of metrics differ",
        "How to read this page",
        "How this was made",
    ]


def test_the_table_has_the_numbers_without_a_script():
    part = SYSTEMS.squeeze()
    rows = Page(report_page(SYSTEMS)).tables["table"]
    assert rows[0] == [
        "#", "metric", "r", "95 %, new systems", "best on new systems?",
        "difference", "p, corrected", "wins", "cluster",
    ]  # fmt: skip
    for row, metric in zip(rows[1:], part["metric"].values, strict=True):
        own = part.sel(metric=metric)
        assert row[1].removesuffix(" ↓") == metric
        assert float(row[2]) == pytest.approx(own["value"].item(), abs=5e-4)
        best = part["metric"].values[0]
        if metric != best:
            p = own["p_simultaneous"].sel(other_metric=best).item()
            assert float(row[6]) == pytest.approx(p, abs=5e-5)


def test_the_matrix_has_stars_right_of_the_diagonal_and_hundredths_left():
    part = SYSTEMS.squeeze()
    rows = Page(report_page(SYSTEMS)).tables["matrix"][1:]
    p, difference = part["p_simultaneous"].values, part["difference"].values
    for i, row in enumerate(rows):
        for j, text in enumerate(row[1:]):
            if j > i and p[i, j] <= 0.05:
                assert text == "*" * sum(p[i, j] <= level for level in (0.05, 0.01, 0.001))
            elif j < i:
                assert float(text.replace("−", "-")) == pytest.approx(
                    -100 * difference[i, j], abs=0.5
                )
    assert any("*" in text for row in rows for text in row)


def test_names_from_data_are_text():
    text = report_page(
        RANKING, sample=SAMPLE, command="<b>", written=["a b.csv", "x.zarr", "a b.pdf"]
    )
    page = Page(text)
    assert {row[0] for row in page.tables["forest"][1:-1]} == set(EVIL)
    assert not any(tag == "img" for tag, _ in page.tags)
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    assert "<script>alert" not in text
    assert [attributes["href"] for tag, attributes in page.tags if tag == "a"] == [
        "#ranking", "a%20b.csv", "a%20b.pdf",
    ]  # fmt: skip


def test_json_in_a_script_cannot_end_it():
    assert script_json(["</script><!--", "&", "\u2028"]) == (
        '["\\u003c/script\\u003e\\u003c!--","\\u0026","\\u2028"]'
    )


def test_nothing_is_loaded_from_elsewhere():
    text = report_page(RANKING, sample=SAMPLE)
    assert "default-src 'none'" in text
    links = [value for tag, attributes in Page(text).tags for name, value in attributes.items()
             if name in ("src", "href") and not value.startswith("#")]  # fmt: skip
    assert links == []
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []


def unpacked(low, high, text):
    return low + (high - low) * np.frombuffer(base64.b64decode(text), "<u2") / 65535


def test_hybrids_are_packed_in_order_of_the_ranking():
    packed = scatter(SAMPLE, RANKING)["packed"]
    arrays = [SAMPLE["human"], *(SAMPLE["score"].sel(metric=m) for m in RANKING["metric"].values)]
    for each, expected in zip(packed, arrays, strict=True):
        atol = 1e-4 * (each[1] - each[0])
        np.testing.assert_allclose(unpacked(*each), expected, atol=atol)


def test_translations_are_spread_over_the_systems_and_share_the_room():
    example = ss.load_example()
    ranking = ss.rank(ss.compare(example, "pdp", resamples=2))
    [translations] = ss.measures.translation_scores(example).values()
    parts = dict.fromkeys("uv", translations.assign_coords(translation=np.arange(5797)))
    found = scatters(parts, ranking)[1]
    assert found["label"] == "v"
    assert found["behind"].startswith("Small points: 5,000 of 5,797 translations. The lowest and")
    kept = translations.isel(translation=np.arange(5000) * 5797 // 5000)
    assert len(set(np.arange(5000) * 5797 // 5000)) == 5000
    arrays = [kept["human"], *(kept["score"].sel(metric=m) for m in ranking["metric"].values)]
    for each, expected in zip(found["packed"], arrays, strict=True):
        low, high = np.quantile(expected, [0.01, 0.99])
        wanted = np.clip(expected, low, high)
        np.testing.assert_allclose(unpacked(*each), wanted, atol=1e-4 * (high - low))
    text = report_page(ranking, sample=parts)
    assert "u, 12 systems, 480 to 485 of 500 segments (those rated)." in text
    assert "Small points: 5,000 of 5,797 translations." in text


def test_accuracies_groups_and_segments_have_a_page():
    example = ss.load_example()
    accuracies = ss.rank(ss.compare(example, ["SPA", "PA"], resamples=19))
    text = report_page(accuracies, sample=ss.system_level_scores(example))
    assert "the best is one of 4 of 8 metrics" in answer_of(text)
    assert len(Page(text).tables["systems"]) == 1 + 12
    scores = {name: scores_of(["a", "b"], systems=7 + i) for i, name in enumerate("uv")}
    sample = {name: ss.system_level_scores(part) for name, part in scores.items()}
    page = Page(report_page(ss.rank(compare_over_groups(scores, n=30)), sample=sample))
    options = [attributes for tag, attributes in page.tags if tag == "option"]
    assert len(options) == 6 + 2 + 2 + 2  # views, baselines, groups and metrics of the scatter
    segments = ss.rank(ss.compare(example, "pdp", method="both", resamples=199))
    assert "new systems and segments: " in answer_of(report_page(segments))
    drawn = ss.rank(ss.compare(example, "pdp", random="segments", resamples=19))
    assert "these systems, new segments: " in answer_of(report_page(drawn))
    unadjusted = drawn.drop_vars(["p_best", "p_simultaneous", "may_be_best", "differs_adjusted"])
    told = answer_of(report_page(unadjusted))
    assert told.startswith("strong-95 agrees best with people here (pdp/item = 0.")


def test_a_pair_is_answered_as_on_the_screen():
    pair = ss.rank(ss.load_example().sel(metric=["strong-95", "good-90"]), n=20)
    told = answer_of(report_page(pair, against=ss.compare_to_baseline(pair, "good-90")))
    assert told.startswith("Undecided on these systems, new documents: here strong-95")
    assert told.splitlines()[-1] == "r with people: strong-95 0.9276, good-90 0.8518."


def signed(text):
    return float(text.replace("−", "-"))


def test_it_is_written_to_a_file_with_outliers(tmp_path):
    scores = ss.load_example()
    scores["human"][3] -= 500
    path = ss.write_report(ss.rank(scores, n=20), tmp_path / "report.html")
    assert "outliers by human scores, which can change r: system-04" in path.read_text("utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        ss.write_report(SYSTEMS, tmp_path / "none" / "report.html")


def test_errors_have_the_smallest_first_and_stand_behind_it():
    found = ss.rank(ss.load_example(), "MAE", random="documents", resamples=99)
    page = Page(report_page(found))
    names = [row[0].removesuffix(" ↓") for row in page.tables["forest"][1:-1]]
    assert names == found["metric"].values.tolist()
    first, *rows = page.tables["forest"][1:-1]
    assert first[2] == "best"
    assert first[3].startswith("up to 0.")
    for row, metric in zip(rows, found["metric"].values[1:], strict=True):
        own = found.squeeze().sel(metric=metric)
        limits = [float(own[name]) for name in ("behind_lower", "behind_upper")]
        shown = [signed(text) for text in re.findall(r"[−\d.]+", row[3])]
        shown = [0.0, *shown] if row[3].startswith("up to ") else shown
        assert shown == pytest.approx(limits, abs=6e-4)
