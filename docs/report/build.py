"""Build the report: a page of the site, a page that stands alone, and a PDF.

    python -m docs.report.build

`report.md` is a template: each number in it is a key of `numbers.toml`, which says the file that it
comes from. The page of the site is `index.md` beside it, the others lie in build/report. The PDF
needs playwright and Chromium.
"""

import base64
import re
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from experiments.committed import ROOT, printed, rows_of
from experiments.retrospective.correlations import ALPHA

HERE = Path(__file__).parent
OUT = ROOT / "build" / "report"
KEY = re.compile(r"\{([a-z][a-z_0-9]*\.[a-z_0-9]+)\}")
TABLE = "<!-- table of numbers -->"
MADE_BY = "<!-- made by -->"
NAMES = "<!-- metrics of WMT23 -->"
NAMES_FILE = "retrospective/results/could-be-best.csv"


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


def filled(link: Callable[[Number], str], cell: Callable[[Number], str]) -> str:
    """Fill the template: each number as a link, and at the end a table of them all."""
    template = (HERE / "report.md").read_text().replace(" %", "\N{NO-BREAK SPACE}%")
    known, studies = numbers()
    text = KEY.sub(lambda match: link(known[match[1]]), template)
    text = text.replace(MADE_BY, made_by()).replace(NAMES, names())
    return text.replace(TABLE, table(_rows(template, known, cell), studies))


def made_by() -> str:
    """Who made the report, with the version and, in a clone, the commit."""
    asked = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    commit = f", commit {found}" if found else ""
    return f"*The supersample authors. supersample {version('supersample')}{commit}.*"


def names() -> str:
    """Name the metrics of WMT23 that are ruled out as the best on new systems, and the others."""
    rows = rows_of(NAMES_FILE, {"which": "reference"})
    lines = ["| WMT23 | not ruled out on new systems | ruled out |", "|---|---|---|"]
    for of in dict.fromkeys(row["set"] for row in rows):
        cells: dict[bool, list[str]] = {True: [], False: []}
        for row in rows:
            if row["set"] == of:
                name = row["metric"].replace("_", r"\_")
                bold = float(row["p_documents"]) > ALPHA
                cells[float(row["p_systems"]) > ALPHA].append(f"**{name}**" if bold else name)
        lines.append(" | ".join([f"| {of}", *map(", ".join, cells.values())]) + " |")
    return "\n".join(lines)


def _rows(
    template: str, known: Mapping[str, Number], cell: Callable[[Number], str]
) -> dict[str, list[str]]:
    """Rows of the table by study, each number where it is used first."""
    rows: dict[str, list[str]] = {}
    seen = set()
    for section in re.split(r"^## ", template, flags=re.M):
        for key in KEY.findall(section):
            if key not in seen:
                number = known[key]
                place = section.split()[0] if section[0].isdigit() else "top"
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


def site_page() -> str:
    """Markdown for the site, in which each number is a link to its file."""

    def link(number: Number) -> str:
        return f"[{number.text}](../../{number.files[0]})"

    return filled(link, link)


def page(folder: Path) -> str:
    """HTML that stands alone: each number is a link to its row in the table at the end.

    Figures are taken from the folder of the site's page.
    """
    from docutils.utils.math.latex2mathml import tex2mathml
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def link(number: Number) -> str:
        about = f"{number.files[0]}: {number.place}".replace('"', "&quot;").replace("|", "&#124;")
        return f'<a class="number" href="#{number.key}" title="{about}">{number.text}</a>'

    def cell(number: Number) -> str:
        return f'<span id="{number.key}">{number.text}</span>'

    def formula(content: str, options: Mapping[str, bool]) -> str:
        return tex2mathml(content, as_block=options["display_mode"])

    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    markdown.use(dollarmath_plugin, renderer=formula)
    text = filled(link, cell)

    def embedded(match: re.Match[str]) -> str:
        data = base64.b64encode((folder / match[1]).read_bytes()).decode()
        return f'src="data:image/svg+xml;base64,{data}"'

    body = re.sub(r'src="(figures/\w+\.svg)"', embedded, markdown.render(text))
    title = text.partition("\n")[0].removeprefix("# ")
    style = (HERE / "report.css").read_text()
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def write_site_page(folder: Path = HERE) -> None:
    """Write what the site includes: `index.md` and its figures."""
    from docs.report.figures import draw_all

    draw_all(folder / "figures")
    (folder / "index.md").write_text(site_page())


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
    """Write all forms of the report, and say where they are."""
    write_site_page()
    OUT.mkdir(parents=True, exist_ok=True)
    html, pdf = OUT / "report.html", OUT / "report.pdf"
    html.write_text(page(HERE))
    print(f"{html.relative_to(ROOT)}\n{(HERE / 'index.md').relative_to(ROOT)}")
    missing = write_pdf(html, pdf)
    if missing:
        print(f"no PDF: {missing}", file=sys.stderr)
        return 1
    print(pdf.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
