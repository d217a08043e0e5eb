"""The page of a ranking: the data for its template and for its script."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.presentation import answer as words
from supersample.presentation import labels, notes, rankings
from supersample.presentation.notes import terms_in
from supersample.presentation.rankings import DIFFERENCES
from supersample.presentation.table import MINUS, Table, chosen_columns, written

MOST_DRAWN = 10_000  # hybrids or translations
MOST_PLACES = 300_000  # of these, for all metrics
FOLDED = 12  # metrics that are shown before a reader asks for all
EDGES = (0.01, 0.99)  # of translations, few of which lie far from the others
BEHIND = ("behind_lower", "behind_upper")
_NUMBERS = ("value", "lower", "upper", "rank", "wins", "cluster", "metric_r", *BEHIND, *DIFFERENCES)
ALWAYS = ("value", "difference", "rank", "wins", "cluster")  # read by the script, also undefined
UNADJUSTED = "Bars: {} limits of one comparison alone, not corrected for multiple comparisons"
BESIDE = "corrected for comparing every metric with it (Holm)"
OWN = (  # text and tooltip in the place of a baseline's difference from itself
    ("best", "The others are compared with this metric, which has the best value here"),
    ("—", "The others are compared with this metric"),
)
_LINE = re.compile(r"\s{2,}")  # between the words of a scope and what is told of it
_LEVELS = 65_535  # of the scatter's coordinates, 16 bits each


def report_page(
    ranking: xr.Dataset,
    *,
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    exact: xr.Dataset | None = None,
    against: xr.Dataset | None = None,
    command: str = "",
    written: Iterable[str] = (),
    figures: Mapping[str, bytes] | None = None,
) -> str:
    """Make the page of a ranking; `write_report` documents what it takes."""
    places = labels.places_of(ranking, group=labels.shown_groups(ranking))
    views, names = [_view(ranking, at) for at in places], labels.names_of(ranking, "metric")
    order = _order(views[0])
    script: dict[str, Any] = {
        "baseline": order[0] if against is None else names.index(against.attrs["baseline"]),
        "names": labels.marked_labels(ranking),
        "views": views,
        "scatters": scatters(sample, ranking),
        "folded": FOLDED,
        "limits": [UNADJUSTED.format(labels.level_of(ranking)), "No limits"],
        "named": against is not None,
        "beside": BESIDE,
        "own": OWN,
    }
    columns = _told_of_all(ranking)
    answer = words.verdict(ranking)
    if against is not None:  # of two metrics, its sentences say all
        alone = [words.values_line(ranking), *words.missing_lines(ranking)]
        answer = [*words.pair_lines(against), *(alone if len(names) == 2 else answer)]
    told = words.answer_table(ranking)[0].notes
    legend = [x for x in told if "--full" not in x and x != words.HYBRIDS_NOTE]
    source, *facts = labels.source_lines(ranking)
    return str(
        _template("report.html.jinja").render(
            **script,
            labels=labels,
            ranking=ranking,
            answer=[_LINE.sub(": ", line.strip()) for line in answer],
            counts=words.counts_of(ranking, exact),
            forest=_forest(script, order),
            told=[(key, heading, 1) for key, (heading, _) in columns.items()],
            cells={key: cells for key, (_, cells) in columns.items()},
            warnings=[*facts, *notes.facts_to_know(ranking)],
            legend=legend,
            source=source,
            order=order,
            view=views[0],
            notes=_notes(ranking),
            glossary=notes.glossary(),
            command=command,
            written=_linked(written),
            images=_images(figures or {}),
            script_data=script_json(script),
            task=rankings.tasks_table(ranking) if labels.is_task(ranking) else None,
            script=_text("report.js"),
            style=_text("report.css"),
        )
    )


def study_page(tables: Mapping[str, Table], figures: Mapping[str, bytes], **shown: Any) -> str:
    """Make the page of a study from tables by name and PNG images by name, the first ones first.

    `shown` are its ``title``, ``answer``, ``signatures``, ``command`` and ``written`` files.
    """
    shown["images"] = _images(figures)
    shown["written"] = _linked(shown["written"])
    notes = dict.fromkeys(note for table in tables.values() for note in table.notes)
    page, tables = _template("study.html.jinja"), {x: _ungrouped(tables[x]) for x in tables}
    return str(page.render(tables=tables, notes=list(notes), style=_text("report.css"), **shown))


def _ungrouped(table: Table) -> Table:
    """Leave the column of groups out, if there is one group."""
    whole = ["group"] * all(labels.WHOLE in row for row in table.rows)
    fields = enumerate(column.field for column in table.columns)
    return chosen_columns(table, [i for i, name in fields if name not in whole])


def _forest(script: Mapping[str, Any], order: list[int]) -> dict[str, Any]:
    """Rows of the dot plot: the differences from the baseline, with limits.

    If the baseline is the best metric and was not named, the limits say how far each metric is
    behind it. Any other baseline has the tests of its own comparisons.
    """
    view, baseline = script["views"][0], script["baseline"]
    beside = script["named"] or baseline != order[0]
    from_best = not beside and "out" in view
    differs = view["differs_beside" if beside and "differs_beside" in view else "differs"]
    rows = []
    for i in order:
        low = high = None
        if from_best and view["behind_upper"][i] is not None:
            low, high = sorted(0.0 - view["sign"] * view[name][i] for name in BEHIND)
        elif not from_best and "difference_lower" in view:
            low, high = (view[name][i][baseline] for name in DIFFERENCES[1:])
        sure = view["out"][i] if from_best else differs[i][baseline]
        rows.append((i, view["difference"][i][baseline], low, high, sure))
    ends = [x for row in rows for x in row[1:4] if x is not None]
    least, most = min([0.0, *ends]), max([0.0, *ends])
    adjusted = differs is not view["differs"]
    significant = f"significant, {BESIDE if adjusted else view['means']}"
    return {
        "rows": rows,
        "least": least,
        "reach": most - least or 1.0,
        "from_best": from_best,
        "headings": view["headings" if from_best else "beside"],
        "told": view["lines"] if from_best else script["limits"]["difference_lower" not in view],
        "means": view["ruled"] if from_best else significant,
        "p": "p_beside" if adjusted else "p",
        "own": OWN[not from_best],
    }


def _told_of_all(ranking: xr.Dataset) -> dict[str, tuple[str, list[str]]]:
    """Headings and cells of the conclusions on every metric, in the ranking's order."""
    columns = {}
    for scope in (scope for scope in words.scopes_of(ranking) if scope.rules_out):
        cells = dict(zip(labels.names_of(scope.part, "metric"), scope.cells(), strict=True))
        title = " ".join(f"best on new {scope.heading}?".split())
        columns[scope.field] = title, [cells[x] for x in labels.names_of(ranking, "metric")]
    return columns


def _order(view: dict[str, Any]) -> list[int]:
    """Metrics of a view, the best first, undefined ones last."""
    values = view["sign"] * np.array([np.nan if x is None else x for x in view["value"]])
    return [int(i) for i in np.argsort(-values, kind="stable")]


def _notes(ranking: xr.Dataset) -> list[str]:
    """Say what the terms of the page mean, and how to read the ranking."""
    told = [] if labels.is_task(ranking) else notes.notes_of(ranking)
    told += [] if labels.is_task(ranking) or "lower" in ranking else [notes.INTERVAL_NOTE]
    columns = _told_of_all(ranking).values()
    shown = [*words.verdict(ranking), *(title for title, _ in columns), "wins", "cluster"]
    terms = terms_in([*shown, *told, str(ranking.attrs["signature"])])
    known = notes.facts_to_know(ranking)  # are told of the input
    return [*dict.fromkeys(x for x in [*terms, *told] if x not in known)]


def _images(figures: Mapping[str, bytes]) -> dict[str, str]:
    """Images as the page holds them."""
    return {name: base64.b64encode(data).decode() for name, data in figures.items()}


def _linked(written: Iterable[str]) -> dict[str, list[str]]:
    """List endings of files that a reader opens, by name: tables, LaTeX and figures."""
    found: dict[str, list[str]] = {}
    for name in written:
        stem, _, ending = name.rpartition(".")
        if ending in ("csv", "json", "tex", "md", "pdf"):
            found.setdefault(stem, []).append(ending)
    return found


def _text(name: str) -> str:
    return (files("supersample.presentation") / "templates" / name).read_text("utf-8")


@cache
def _template(name: str) -> Any:
    """Compile a template; what it shows is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": _number, "shade": _shade, "limits": _limits}
    environment.filters["minus"] = lambda text: MINUS.sub("−", text)
    return environment.get_template(name)


def _number(value: float | None, digits: int = 3, sign: bool = False) -> str:
    """Write a number, with a true minus sign; nothing for None."""
    if value is None or value != value:
        return ""
    return written(value, f"{'+' if sign else ''}.{digits}f").replace("-", "−")


def _limits(lower: float | None, upper: float | None) -> str:
    return "" if lower is None else f"[{_limit(lower)}, {_limit(upper)}]"


def _limit(value: float | None) -> str:
    """Write a limit; one that rounds to 0 but is not 0 is written with its first digit."""
    shown = _number(value)
    if value is None or value == 0 or shown.strip("−0."):
        return shown
    return f"{float(f'{value:.1g}'):.5f}".rstrip("0").replace("-", "−")


def _shade(value: float | None, largest: float, middle: float = 0.0) -> int:
    """Choose one of eleven shades, -5 to 5, of a value above or below the middle."""
    if value is None or largest == middle:
        return 0
    return round(5 * max(-1.0, min(1.0, (value - middle) / (largest - middle))))


def _view(ranking: xr.Dataset, at: dict[str, str]) -> dict[str, Any]:
    """Numbers of one measure, basis and group, metrics in the ranking's order."""
    part = ranking.sel(at)
    found, (differs, means) = labels.adjusted_p(part), labels.differ(part)
    basis = words.random_of(part)
    new = " ".join(["new", *words.SCOPES[basis][1].split()]) if basis in words.SCOPES else ""
    view: dict[str, Any] = {
        "label": labels.place(part),
        "measure": labels.value_name(part),
        "new": new,
        "beside": ("difference", ", ".join(filter(None, (labels.level_of(part), new)))),
        "note": words.HYBRIDS_NOTE if basis == "hybrids" else "",
        "ruled": words.ruled_out(part),
        "lines": words.behind_lines(part),
        "test": labels.test_name(part),
        "means": means,
        "marks": labels.marks_of(part)[0].tolist(),
        "differs": differs.astype(int).tolist(),
        "sign": labels.sign_of(part),
        "scale": _scale(part["difference"].to_numpy()),
    }
    told = (x for x in _NUMBERS if x in part and (x in ALWAYS or part[x].notnull().any()))
    view |= {name: _rounded(part[name]) for name in told}
    for column, cells in words.behind_best(part) if len(part["metric"]) > 1 else ():
        out = (part["behind_lower"].to_numpy() > 0).tolist()
        headings = f"{column.title} here", f"{column.title}, {new or 'other data'}"
        view |= {"headings": headings, "behind": cells, "out": out}
    if found is not None:
        view["p"] = _rounded(np.fmin(found[0], found[0].T), 6)
    if "p_beside" in part and part["p_beside"].notnull().any():
        view["p_beside"] = _rounded(part["p_beside"], 6)
        view["differs_beside"] = part["differs_beside"].astype(int).to_numpy().tolist()
    return view


def _scale(differences: NDArray[np.float64]) -> float:
    """Difference with the deepest shade: twice the median, so that outliers do not matter."""
    found = differences[differences > 0]
    return float(2 * np.median(found)) if found.size else 1.0


def _rounded(values: xr.DataArray | NDArray[np.float64], digits: int = 9) -> Any:
    """Numbers as nested lists, None for NaN; with digits enough to be rounded once more."""
    array = np.asarray(values, np.float64).round(digits)
    return np.where(np.isfinite(array), array.astype(object), np.array(None)).tolist()


def scatters(
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None, ranking: xr.Dataset
) -> list[dict[str, Any]]:
    """Scatter of one sample, or of the sample of each group; groups share the number of points."""
    parts = {"": sample} if isinstance(sample, xr.Dataset) else sample or {}
    every = set(ranking["metric"].to_numpy())
    parts = {name: part for name, part in parts.items() if every <= set(part["metric"].to_numpy())}
    most = MOST_DRAWN // max(1, len(parts))
    return [{"label": name} | scatter(part, ranking, most) for name, part in parts.items()]


def _counted(sample: xr.Dataset) -> str:
    """Count systems, and the segments that their scores rest on."""
    segments = [labels.segments_of(sample.attrs["mask"])] if sample.attrs.get("mask") else []
    return ", ".join([f"{sample.sizes['system']} systems", *segments])


def scatter(sample: xr.Dataset, ranking: xr.Dataset, most: int = MOST_DRAWN) -> dict[str, Any]:
    """Give a scatter: scores of systems, and the points behind them as 16-bit numbers.

    The points are the first hybrids, or translations evenly spaced over the systems.
    """
    order = ranking["metric"].to_numpy()
    chosen = sample.sel(metric=order)
    found: dict[str, Any] = {
        "systems": labels.names_of(sample, "system"),
        "counted": _counted(sample),
        "human": _rounded(chosen["system_human"]),
        "scores": _rounded(chosen["system_score"].transpose("metric", "system")),
        "higher": [bool(up) for up in chosen["higher_is_better"].to_numpy()],
        "behind": "",
    }
    for dim in (dim for dim in ("hybrid", "translation") if dim in sample.dims):
        count = sample.sizes[dim]
        drawn = np.arange(min(most, count, MOST_PLACES // (1 + len(order))))
        if dim == "translation":
            drawn = drawn * count // drawn.size
        chosen = chosen.isel({dim: drawn})
        arrays = [chosen["human"].to_numpy(), *chosen["score"].transpose("metric", dim).to_numpy()]
        of = f" of {count:,}" if drawn.size < count else ""
        found["behind"] = f"Small points: {drawn.size:,}{of} {dim}s."
        if dim == "translation":
            arrays = [np.clip(each, *np.quantile(each, EDGES)) for each in arrays]
            found["behind"] += " The lowest and the highest 1 % of scores stand at the edge."
        found["packed"] = [_packed(each) for each in arrays]
    return found


def _packed(values: NDArray[np.float64]) -> list[Any]:
    """Lowest and highest value, and every value as its position between them, in base 64."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    places = np.nan_to_num((values - low) / ((high - low) or 1.0)) * _LEVELS
    return [low, high, base64.b64encode(places.round().astype("<u2").tobytes()).decode("ascii")]


def script_json(data: Any) -> str:
    """JSON that can stand in a page's script: nothing in it ends the script or starts markup."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
