"""Build the report and its supplement: Markdown, pages that stand alone, and PDFs.

    python -m docs.report.build

Each number of `templates` is a key of `numbers.toml`, which says the file that it comes from. The
Markdown beside this module is part of the site; a test holds it to the templates. Pages and
PDFs lie in build/report. A PDF needs playwright and Chromium.
"""

import base64
import re
import shutil
import sys
import tomllib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from experiments.committed import ROOT, printed, rows_of
from experiments.retrospective.correlations import ALPHA
from experiments.survival.plan import RIVALS

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
OUT = ROOT / "build" / "report"
PAPERS = ("report", "supplement")
KEY = re.compile(r"\{([a-z][a-z_0-9]*\.[a-z_0-9]+)\}")
NUMBERS = "<!-- table of numbers -->"


@dataclass(frozen=True)
class Number:
    """A number of the report.

    Parameters
    ----------
    key : str
    of : mapping
        Where it is found, as `experiments.committed` reads it.
    """

    key: str
    of: Mapping[str, Any]

    @property
    def text(self) -> str:
        """As it is printed."""
        return printed(self.of)

    @property
    def files(self) -> list[str]:
        """What it comes from, seen from the root of the repository."""
        if "value" in self.of:
            return [self.of["value"].partition(":")[0].replace(".", "/") + ".py"]
        files = self.of["file"]
        return [f"experiments/{file}" for file in ([files] if isinstance(files, str) else files)]

    @property
    def study(self) -> str:
        """The folder under experiments/, or "supersample"."""
        first, second, *_ = self.files[0].split("/")
        return second if first == "experiments" else first

    @property
    def place(self) -> str:
        """Where it stands in its files, and what is taken of it."""
        if "value" in self.of:
            found = [self.of["value"].partition(":")[2]]
        else:
            rows = [f"{name} = {value}" for name, value in self.of.get("where", {}).items()]
            found = [*rows, f"column {self.of['column']}"]
        return "; ".join([*found, *(self.of[name] for name in ("take", "note") if name in self.of)])


def numbers() -> tuple[dict[str, Number], dict[str, dict[str, Any]]]:
    """Read every number by its key, and what is said of the studies."""
    held = tomllib.loads((HERE / "numbers.toml").read_text())
    studies = held.pop("studies")
    found = {}
    for group, members in held.items():
        shared = members.pop("all", {})
        for name, of in members.items():
            key = f"{group}.{name}"
            found[key] = Number(key, of if "value" in of else {**shared, **of})
    return found, studies


def template(paper: str) -> str:
    """Text of a paper with keys in place of numbers."""
    return (TEMPLATES / f"{paper}.md").read_text().replace(" %", "\N{NO-BREAK SPACE}%")


def filled(paper: str, link: Callable[[Number], str], cell: Callable[[Number], str]) -> str:
    """Fill a template: numbers, tables of committed files, and the table of all numbers."""
    known, studies = numbers()
    text = template(paper)
    for marker, made in TABLES.items():
        if marker in text:
            text = text.replace(marker, made())
    text = KEY.sub(lambda match: link(known[match[1]]), text)
    if NUMBERS in text:
        text = text.replace(NUMBERS, table(_rows(known, cell), studies))
    return text


def made_by() -> str:
    """Who made the report, with the version."""
    return f"*The supersample authors, version {version('supersample')}.*"


def names() -> str:
    """Table of r of WMT23's metrics, by the average of r, with marks for those ruled out."""
    rows = rows_of("survival/results/listed.csv", {"which": "reference"})
    cells = {(row["set"], row["metric"]): _marked(row) for row in rows}
    sets = dict.fromkeys(row["set"] for row in rows)
    metrics = [row["metric"] for row in rows if row["set"] == "both"]
    lines = [[name.replace("_", r"\_"), *(cells[of, name] for of in sets)] for name in metrics]
    half = -(-len(lines) // 2)
    heading = f"metric | {' | '.join(sets)}"
    joined = [
        " | ".join([*first, *second])
        for first, second in zip_longest(lines[:half], lines[half:], fillvalue=[""] * 4)
    ]
    edge = "|---|" + "---:|" * len(sets)
    return "\n".join([f"| {heading} | {heading} |", edge + edge[1:], *(f"| {x} |" for x in joined)])


def _marked(row: Mapping[str, str]) -> str:
    """Print r, in brackets if ruled out on new systems; a star if not on new documents."""
    r = f"{float(row['r']):.3f}".replace("0.", ".", 1)
    r = r if float(row["p_systems"]) > ALPHA else f"({r})"
    return rf"{r}\*" if float(row["p_documents"]) > ALPHA else r


def of_rows(
    heading: str, rows: Sequence[Mapping[str, str]], columns: Sequence[str], first: str = "set"
) -> str:
    """Table of some columns of rows; the first column is text, the others are numbers."""
    names = heading.split(" | ")
    lines = [f"| {heading} |", "|---|" + "---:|" * (len(names) - 1)]
    lines += [
        " | ".join([f"| {row[first]}", *(row[name] for name in columns)]) + " |" for row in rows
    ]
    return "\n".join(lines)


def survival() -> str:
    """Table of claims and of those that survive, by set."""
    heading = (
        "test set | systems | metrics | claims | new systems: alone | corrected "
        "| new documents: alone | corrected"
    )
    columns = ("systems_n", "metrics", "claims", "systems", "systems_adjusted")
    columns = (*columns, "documents", "documents_adjusted")
    rows = [row for row in rows_of("survival/results/survival.csv") if row["claims"] != "0"]
    return of_rows(heading, rows, columns)


def all_metrics() -> str:
    """Table of claims and of those that survive among all metrics of WMT23."""
    heading = (
        "test set | systems | metrics | claims | Williams, Holm | new systems: alone | corrected "
        "| false discovery rate | with teams: alone | corrected | new documents: alone | corrected"
    )
    columns = ("systems_n", "metrics", "claims", "williams_holm", "systems", "systems_adjusted")
    columns = (*columns, "systems_bh")
    columns = (*columns, "systems_teams", "systems_teams_adjusted")
    columns = (*columns, "documents", "documents_adjusted")
    return of_rows(heading, rows_of("survival/results/all-metrics.csv"), columns)


def ceilings() -> str:
    """Table of how well people agree with themselves, and what a perfect metric would reach."""
    heading = "set | documents | segments rated | r of halves | perfect r | best metric's r"
    columns = ("documents", "segments", "halves", "perfect", "best")
    return of_rows(heading, rows_of("survival/results/ceilings.csv"), columns)


def outliers() -> str:
    """Table of claims and of those that survive without outlying systems."""
    rows = [
        {**row, "outliers": row["outliers"].replace("_", r"\_")}
        for row in rows_of("survival/results/outliers.csv", {"outliers": "?*"})
    ]
    heading = (
        "set | outliers | claims with them | new systems: alone | the claims that stay | claims "
        "without outliers | new systems: alone | corrected | new documents: alone | corrected"
    )
    columns = ("outliers", "claims_with", "systems_with", "claims_again", "claims")
    columns = (*columns, "systems", "systems_adjusted")
    return of_rows(heading, rows, (*columns, "documents", "documents_adjusted"))


def if_true() -> str:
    """Table of how many claims each test finds again where each is true."""
    rows = []
    for row in rows_of("survival/results/if-true.csv"):
        cells = dict(row)
        for name in ("williams", "systems", "systems_adjusted"):
            cells[name] = f"{float(row[name]):.0f}"
            if row[f"{name}_low"]:
                low, high = (float(row[f"{name}_{end}"]) for end in ("low", "high"))
                cells[name] += f" ({low:.0f} to {high:.0f})"
        rows.append(cells)
    heading = "set | population | claims | Williams | fisher-jackknife: alone | corrected"
    columns = ("population", "claims", "williams", "systems", "systems_adjusted")
    return of_rows(heading, rows, columns)


def stricter() -> str:
    """Table of Williams' test at a stricter level beside fisher-jackknife."""
    rows = []
    names = {"Williams": "Williams", "raised(6)": "fisher-jackknife"}
    groups = {"drawn": "drawn", "single": "real, one set", "pooled": "real, pooled"}
    for row in rows_of("difference/results/stricter.csv", {"chosen": "yes"}):
        if row["group"] in groups:
            shares = ("level", "level_worst", "power")
            cells = {name: f"{100 * float(row[name]):.1f}" for name in shares}
            within = f"{100 * float(row['level_within_7']):.0f}"
            test = f"{names[row['test']]} at {100 * float(row['at']):.0f} %"
            rows.append({"of": groups[row["group"]], "test": test, "within": within, **cells})
    heading = "populations | test | level: mean | worst | within 7 %, % of populations | power"
    return of_rows(heading, rows, ("test", "level", "level_worst", "within", "power"), "of")


def survivors() -> str:
    """Table of the reference-based pairs that are left after the correction."""
    file = "survival/results/survivors.csv"
    rows = rows_of(file, {"which": "reference", "declared": ""})
    again = rows_of(file, {"which": "reference", "declared": "yes"})
    kept = {tuple(row[name] for name in PAIR) for row in again}
    teams = {row["set"] for row in rows_of("survival/results/survival.csv") if row["systems_teams"]}
    cells = []
    for row in rows:
        left = row["set"] not in teams or tuple(row[name] for name in PAIR) in kept
        signs = f"{row['same_sign']} of {row['others']}"
        names = {name: row[name].replace("_", r"\_") for name in PAIR[1:]}
        cells.append({**row, **names, "kept": "left" if left else "lost", "signs": signs})
    heading = "set | better | worse | difference in r | versions declared | same sign"
    return of_rows(heading, cells, ("better", "worse", "difference", "kept", "signs"))


PAIR = ("set", "better", "worse")


def williams_levels() -> str:
    """Table of the claims that Williams' test keeps at each level."""
    rows = [
        {**row, "at": f"{100 * float(row['at']):g} %"}
        for row in rows_of("survival/results/williams-levels.csv")
    ]
    heading = "two-sided level | claims | with documents"
    return of_rows(heading, rows, ("claims", "document_claims"), "at")


TESTS = {
    "r, new systems: Williams": "r, new systems: Williams",
    "r, new systems: fisher-jackknife": "r, new systems: `fisher-jackknife`",
    "SPA, new systems: jackknife": "SPA, new systems: jackknife",
    "r, new systems of several sets": "r, new systems of several sets",
    "r, new sets: the library": "r, new sets: our test",
    "r, new sets: Student's t": "r, new sets: Student's t of the sets' differences",
    "pearson, bootstrap": "r, new documents: bootstrap",
    "pearson, known spread": "r, new documents: a test that knows each pair's spread",
    "SPA, bootstrap": "SPA, new documents: bootstrap",
    "SPA, known spread": "SPA, new documents: a test that knows each pair's spread",
    "SPA, swapped_segments": "SPA: swaps of segments",
    "SPA, swapped_documents": "SPA: swaps of documents",
    "SPA, swapped_both": "SPA: swaps of single scores (PERM-BOTH)",
    "acc_eq/item, bootstrap": "acc_eq, new documents: bootstrap",
    "acc_eq/item, known spread": "acc_eq, new documents: a test that knows each pair's spread",
}
"""Tests of `experiments/power` by their names there, as the table calls them."""
SHORT = (
    "r, new systems: Williams",
    "r, new systems: fisher-jackknife",
    "SPA, new systems: jackknife",
    "SPA, bootstrap",
    "SPA, swapped_segments",
)


def power() -> str:
    """Table of level and power of every test at the same true difference."""
    heading = "% of samples | settings | level: mean | worst | power at 5 % | power at equal level"
    columns = ("settings", "level", "level_worst", "power", "at_level")
    return of_rows(heading, [measured_power()[test] for test in TESTS], columns, "test")


def power_in_short() -> str:
    """Table of the tests that the report's text names."""
    heading = "% of samples | level: mean | worst | power at 5 % | power at equal level"
    columns = ("level", "level_worst", "power", "at_level")
    return of_rows(heading, [measured_power()[test] for test in SHORT], columns, "test")


def measured_power() -> dict[str, Mapping[str, str]]:
    """Rates of each test in %, by its name in `TESTS`."""
    files = ("systems", "sets", "documents")
    found = {}
    for row in (row for name in files for row in rows_of(f"power/results/{name}.csv")):
        shares = ("level", "level_worst", "power", "at_level")
        cells = {of: f"{100 * float(row[of]):.1f}" for of in shares}
        found[row["test"]] = {**row, "test": TESTS[row["test"]], **cells}
    return found


FEW = 3
"""Metrics of sets in which every method leaves all."""


def rivals() -> str:
    """Table of how many metrics each method leaves, by set."""
    rows = [row for row in rows_of("survival/results/rivals.csv") if int(row["metrics"]) > FEW]
    heading = f"could be the best on new systems | metrics | {' | '.join(RIVALS)}"
    return of_rows(heading, rows, ("metrics", *RIVALS))


def rival_rates() -> str:
    """Table of the error rates of methods that keep near their rule, in settings of known truth."""
    file = "survival/results/rivals-settings.csv"
    columns = ("drawn: given best left out", "worst", "any of the best", "share left")
    lines = [
        f"| % | {' | '.join(columns)} | {' | '.join(columns).replace('drawn', 'real shapes')} |",
        "|---|" + "---:|" * 8,
    ]
    for method in RIVALS[:-1]:
        cells = [method]
        for group in ("drawn", "real"):
            rows = rows_of(file, {"method": method, "group": group})
            given, every, left = (
                np.array([100 * float(row[name]) for row in rows])
                for name in ("given_out", "any_out", "left")
            )
            cells += [f"{given.mean():.1f}", f"{given.max():.1f}", f"{every.mean():.1f}"]
            cells.append(f"{left.mean():.0f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


TABLES: Mapping[str, Callable[[], str]] = {
    "<!-- made by -->": made_by,
    "<!-- metrics of WMT23 -->": names,
    "<!-- survival -->": survival,
    "<!-- all metrics -->": all_metrics,
    "<!-- ceilings -->": ceilings,
    "<!-- outliers -->": outliers,
    "<!-- if true -->": if_true,
    "<!-- power -->": power,
    "<!-- stricter -->": stricter,
    "<!-- survivors -->": survivors,
    "<!-- williams at levels -->": williams_levels,
    "<!-- power in short -->": power_in_short,
    "<!-- rivals -->": rivals,
    "<!-- rivals in settings -->": rival_rates,
}


def _rows(known: Mapping[str, Number], cell: Callable[[Number], str]) -> dict[str, list[str]]:
    """Rows of the table by study, each number where it is used first."""
    rows: dict[str, list[str]] = {}
    seen = set()
    texts = [template(paper) for paper in PAPERS]
    for section in (part for text in texts for part in re.split(r"^## ", text, flags=re.M)):
        for key in KEY.findall(section):
            if key not in seen:
                number = known[key]
                place = section.split()[0] if re.match(r"S?\d", section) else "top"
                entries = (cell(number), place, _names(number), number.place)
                row = " | ".join(entry.replace("|", r"\|") for entry in entries)
                rows.setdefault(number.study, []).append(f"| {row} |")
            seen.add(key)
    return rows


def table(rows: Mapping[str, list[str]], studies: Mapping[str, Mapping[str, Any]]) -> str:
    """Say of each number where it comes from, study by study."""
    lines = []
    for study, found in sorted(rows.items()):
        lines += ["", f"### {study}", ""]
        if about := studies.get(study):
            commands = " and ".join(f"`{command}`" for command in about["commands"])
            time = f", in about {about['minutes']} minutes" if "minutes" in about else ""
            lines += [f"Made by {commands}{time}.", ""]
        lines += ["| number | section | file | where |", "|---:|---|---|---|", *found]
    return "\n".join(lines)


def _names(number: Number) -> str:
    """Names of a number's files without the folder that the heading names."""
    start = f"experiments/{number.study}/"
    return ", ".join(f"`{file.removeprefix(start)}`" for file in number.files)


def markdown(paper: str) -> str:
    """Markdown with plain numbers; the supplement's last table says where each comes from."""
    return filled(paper, lambda number: number.text, lambda number: number.text)


def page(paper: str) -> str:
    """HTML that stands alone: each number is a link to its row at the end of the supplement."""
    from docutils.utils.math.latex2mathml import tex2mathml
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    of = "" if paper == "supplement" else "supplement.html"

    def link(number: Number) -> str:
        about = f"{number.files[0]}: {number.place}".replace('"', "&quot;").replace("|", "&#124;")
        return f'<a class="number" href="{of}#{number.key}" title="{about}">{number.text}</a>'

    def cell(number: Number) -> str:
        return f'<span id="{number.key}">{number.text}</span>'

    def formula(content: str, options: Mapping[str, bool]) -> str:
        return tex2mathml(content, as_block=options["display_mode"])

    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.use(dollarmath_plugin, renderer=formula)
    text = filled(paper, link, cell)
    for name in PAPERS:
        text = text.replace(f"({name}.md)", f"({name}.html)")

    def embedded(match: re.Match[str]) -> str:
        data = base64.b64encode((HERE / match[1]).read_bytes()).decode()
        return f'src="data:image/svg+xml;base64,{data}"'

    body = re.sub(r'src="(figures/\w+\.svg)"', embedded, parser.render(text))
    title = text.partition("\n")[0].removeprefix("# ")
    style = (TEMPLATES / "report.css").read_text()
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def write_markdown(folder: Path = HERE) -> None:
    """Write what the repository and the site hold: Markdown and figures."""
    from docs.report.figures import draw_all

    draw_all(folder / "figures")
    for paper in PAPERS:
        (folder / f"{paper}.md").write_text(markdown(paper))


def write_pdf(html: Path, pdf: Path) -> str | None:
    """Print a page as PDF; say what is missing, if something is."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return "playwright is not installed: pip install playwright"
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with warnings.catch_warnings(action="ignore"), sync_playwright() as started:
        try:
            browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        except Error:
            return "Chromium is not installed: playwright install chromium"
        opened = browser.new_page()
        opened.goto(html.as_uri())
        opened.pdf(
            path=pdf, format="A4", tagged=True, outline=True, display_header_footer=True,
            margin=dict.fromkeys(("top", "bottom", "left", "right"), "20mm"),
            header_template="<span></span>",
            footer_template='<span style="font-size: 8px; width: 100%; text-align: center">'
            '<span class="pageNumber"></span></span>',
        )  # fmt: skip
        browser.close()
    return None


def main() -> int:
    """Write all forms of both papers, and say where they are."""
    write_markdown()
    OUT.mkdir(parents=True, exist_ok=True)
    for paper in PAPERS:
        html, pdf = OUT / f"{paper}.html", OUT / f"{paper}.pdf"
        html.write_text(page(paper))
        print(f"{(HERE / paper).relative_to(ROOT)}.md\n{html.relative_to(ROOT)}")
        missing = write_pdf(html, pdf)
        if missing:
            print(f"no PDF: {missing}", file=sys.stderr)
            return 1
        print(pdf.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
