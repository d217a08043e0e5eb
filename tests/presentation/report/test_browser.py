"""The report in a headless Chromium: sorting, baseline, hover, colours, no request, no error."""

import re
import shutil
import warnings
from contextlib import contextmanager

import pytest

import supersample as ss
from supersample.results import outputs
from supersample.results.outputs import write_study

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
EVIL = "<script>document.title='x'</script>"
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def browser():
    with warnings.catch_warnings(), playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Write the page of the embedded example, one of whose metrics has an evil name."""
    scores = ss.load_example()
    names = [EVIL if name == "weak-40" else name for name in scores["metric"].values]
    sample = ss.hybrid_supersample(scores.assign_coords(metric=names), n=500)
    return write(sample, tmp_path_factory.mktemp("r") / "report.html")


def write(sample, path):
    return ss.write_report(
        ss.rank(ss.correlations.compare_correlations(sample)), path, sample=sample
    )


@contextmanager
def opened(browser, path):
    """Open the page, and see that it asks for nothing and reports no error."""
    page = browser.new_page(viewport={"width": 800, "height": 1000})
    errors, requests = [], []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.locator("section > details").evaluate_all("parts => parts.forEach(x => { x.open = true })")
    yield page
    assert errors == []
    assert requests == [path.as_uri()]
    page.close()


def column(page, key):
    return page.locator(f'#table tbody [data-key="{key}"]').all_text_contents()


def sees_headings_sort(page):
    hidden = page.get_by_role("button", name="All columns")
    if hidden.is_visible():
        assert not page.get_by_role("button", name="wins").is_visible()
        hidden.click()
    button = page.get_by_role("button", name="wins")
    button.click()
    wins = list(map(float, column(page, "wins")))
    assert wins == sorted(wins, reverse=True) != wins[::-1]
    assert button.locator("..").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")  # it has the focus
    assert list(map(float, column(page, "wins"))) == sorted(wins)
    page.get_by_role("button", name="metric", exact=True).click()
    names = [name.lower() for name in page.locator("#table tbody th").all_text_contents()]
    assert names == page.evaluate("names => names.sort((a, b) => a.localeCompare(b))", names)


def says_filled_where_a_mark_is(page):
    filled = page.locator("#forest circle.sure:visible").count() > 0
    assert page.locator("#filled").is_visible() == filled


def sees_baselines_and_bases(page):
    says_filled_where_a_mark_is(page)
    assert not page.locator(".of-note").is_visible()
    third = page.locator("#baseline option").nth(2).text_content()
    page.select_option("#baseline", label=third)
    assert page.locator(".of-baseline").first.text_content() == third
    differing = page.locator("#forest .sure").count()
    counted = re.findall(r"(\d+|none) (?:better|worse)", page.locator("#against").text_content())
    assert sum(int(x) for x in counted if x != "none") == differing
    own = page.locator("#forest tbody tr").nth(2)
    assert own.locator("th").text_content() == third
    assert own.locator(".number").all_text_contents() == ["—", ""]
    says_filled_where_a_mark_is(page)
    if page.locator("#all").count():
        page.locator("#all").click()
        says_filled_where_a_mark_is(page)
    before = column(page, "value")
    hybrids = page.locator("#view option").count() - 1
    page.select_option("#view", index=hybrids)
    assert sorted(column(page, "value")) != sorted(before)
    assert "0 hybrids" in page.locator(".of-view").first.text_content()
    assert page.locator(".of-note").is_visible()


def sees_systems_and_hybrids(page):
    point = page.locator("#scatter path[data-system]").first
    point.scroll_into_view_if_needed()
    point.hover(force=True)
    assert ": people " in page.locator(".tip").text_content()
    drawn = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0)"
    assert page.locator("#scatter canvas").evaluate(drawn)
    second = page.locator("#scatter-metric option").nth(1).text_content()
    page.select_option("#scatter-metric", label=second)
    assert page.locator("#systems .of-metric").text_content() == second


def sees_windows_and_schemes(page):
    papers = set()
    for scheme, width in (("light", 1600), ("light", 800), ("dark", 400)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(papers) == 2


def sees_answer_table_and_figure_first(page):
    for width in (1400, 420):
        page.set_viewport_size({"width": width, "height": 900})
        for part in ("#answer", "#table tbody tr:nth-child(3)", "#forest tbody tr:nth-child(3)"):
            box = page.locator(part).bounding_box()
            assert 0 <= box["y"] <= 900 - box["height"]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("#forest tfoot text").count() > 1
        assert page.locator('#table [data-key="interval"]').first.is_visible()
        table = page.locator("#ranking .scroll")
        assert table.evaluate("part => part.scrollWidth <= part.clientWidth")
        for cells in ("#table tbody :is(th, td)", "#forest tbody :is(th, td)"):
            cut = "nodes => nodes.filter(x => x.scrollWidth > x.clientWidth + 1).length"
            assert page.locator(f"{cells}:visible").evaluate_all(cut) == 0


def sees_no_violation(page):
    """Ask axe, in the scheme that is on, about the ends of tables: cells take it long."""
    middle = "tr:nth-child(n+4):nth-last-child(n+3)"
    page.locator(middle).evaluate_all("rows => rows.forEach(row => row.remove())")
    found = axe.Axe().run(page).response["violations"]
    assert [violation["id"] for violation in found] == []


CHECKS = (
    sees_answer_table_and_figure_first,
    sees_headings_sort,
    sees_baselines_and_bases,
    sees_systems_and_hybrids,
    sees_windows_and_schemes,
)


def test_the_page_of_the_example(browser, report):
    with opened(browser, report) as page:
        for check in (*CHECKS, sees_no_violation):
            check(page)
        assert page.title() != "x"


@pytest.mark.filterwarnings("ignore::supersample.OrientationWarning")
def test_the_page_of_wmt23(browser, data_root, tmp_path):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "zh-en", metrics="all")
    scores = ss.declare_teams(scores, {name: [name] for name in ("NLLB_Greedy", "NLLB_MBR_BLEU")})
    sample = ss.hybrid_supersample(scores, n=10_000)
    assert sample.sizes["metric"] == 43
    path = write(sample, tmp_path / "report.html")
    assert path.stat().st_size < MOST_BYTES
    with opened(browser, path) as page:
        for check in CHECKS:
            check(page)
        page.emulate_media(color_scheme="light")
        page.select_option("#view", index=0)  # all metrics, two of them far behind
        assert page.locator("#forest .beyond:visible").count() > 0
        assert page.locator(".of-limits").text_content().endswith(". Arrows: beyond the axis")
        sees_no_violation(page)


def test_parts_of_groups(browser, tmp_path):
    """Translations of two groups, on one page, which opening is slow."""
    scores = ss.load_example().isel(metric=slice(3), segment=slice(100))
    groups = {"u": scores, "v": scores.isel(system=slice(7))}
    ranking = ss.rank(ss.compare(groups, ["SPA", "PA"], resamples=9))
    path = tmp_path / "report.html"
    ss.write_report(ranking, path, sample=ss.measures.translation_scores(groups))
    with opened(browser, path) as page:
        page.select_option("#scatter-group", label="v")
        assert page.locator("#scatter path[data-system]").count() == 7
        assert page.locator("#scatter-text").text_content().startswith("v, 7 systems, ")
        behind = page.locator("#scatter-behind").text_content()
        assert re.match(r"Small points: 6\d\d translations", behind)
        sees_systems_and_hybrids(page)
        page.set_viewport_size({"width": 400, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        sees_no_violation(page)


def test_without_a_script_the_page_answers(browser, report):
    page = browser.new_page(java_script_enabled=False)
    page.goto(report.as_uri())
    assert "agrees best with people" in page.locator("#answer").text_content()
    for table in ("forest", "table", "matrix"):
        assert page.locator(f"#{table} tbody tr").count() == 8
    assert page.locator("#forest circle").count() == 8
    assert not page.locator("#controls").is_visible()
    page.close()


def study_of(name):
    """Results of a study."""
    if name == "sampling":
        found = ss.simulation.intervals_of_r(0.9, 12, replicates=500)
        return [found]
    if name == "predictions":
        data = ss.make_predictions(
            [[0.1, 0.5, 0.3, 0.9, 0.2]], [[1, 2, 3, 4, 5.0]], systems=[EVIL], gold=["x"]
        )
        found = ss.quality_estimation.evaluate_predictions(data)
        study = ss.quality_estimation.rescaling_study(data)
        return [found, study, data]
    apart = ss.simulation.Population([[1, 0.95, 0.7], [0.95, 1, 0.7], [0.7, 0.7, 1]])
    sizes = {"systems": [8, 40], "segments": [100], "replicates": 20}
    found = ss.simulation.plan(apart, **sizes)
    return [found]


@pytest.mark.parametrize("name", ["sampling", "plan", "predictions"])
def test_pages_of_studies(browser, tmp_path, name):
    results = outputs.results_of(*study_of(name))
    written = outputs.write_results(tmp_path, results)
    path = write_study(results, tmp_path / "report.html", command="x", written=written)
    with opened(browser, path) as page:
        for width in (1400, 420):
            page.set_viewport_size({"width": width, "height": 900})
            for part in ("#answer", "#first-table tbody tr", "#first-figure img"):
                box = page.locator(part).first.bounding_box()
                assert 0 <= box["y"] < 900 - min(box["height"], 200)
            assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("img").evaluate_all("all => all.every(x => x.naturalWidth > 0)")
        sees_no_violation(page)
