"""The page itself: what its template shows."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import xarray as xr

from supersample.presentation import labels, notes, sentences
from supersample.presentation.answer import verdict
from supersample.presentation.influence import Influence, stability
from supersample.presentation.report import data


def report_page(
    ranking: xr.Dataset,
    *,
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None = None,
    exact: xr.Dataset | None = None,
    influence: Influence = None,
    accuracy: xr.Dataset | None = None,
    against: xr.Dataset | None = None,
    command: str = "",
    references: str = "",
    written: Iterable[str] = (),
) -> str:
    """Make the page of a ranking; `write_report` documents what it takes."""
    views, names = data.views(ranking), labels.names_of(ranking, "metric")
    order = _order(views[0])
    script = {
        "baseline": order[0] if against is None else names.index(against.attrs["baseline"]),
        "names": labels.marked_labels(ranking),
        "views": views,
        "scatters": data.scatters(sample, ranking),
    }
    spa = None
    if accuracy is not None:
        spa = (
            accuracy["value"].isel(measure=0).reindex(metric=ranking["metric"]).to_numpy().tolist()
        )
    answer, *summary = _told(ranking, exact, against)
    source, *facts = labels.source_lines(ranking)
    return str(
        _template().render(
            **script,
            labels=labels,
            ranking=ranking,
            answer=answer,
            summary=summary,
            warnings=[*facts, *_cautions(ranking)],
            source=source,
            order=order,
            view=views[0],
            spa=spa,
            stability=stability(influence, ranking),
            notes=_notes(ranking, exact),
            command=command,
            references=references,
            written=_linked(written),
            script_data=data.script_json(script),
            script=_text("report.js"),
            style=_text("report.css"),
        )
    )


def _told(ranking: xr.Dataset, exact: xr.Dataset | None, against: xr.Dataset | None) -> list[str]:
    """Answer, on the baseline first where one was chosen."""
    pairs = [] if against is None else sentences.pair_lines(against)
    return [*pairs, *verdict(ranking, exact)]


def _order(view: dict[str, Any]) -> list[int]:
    """Metrics of a view, the best first, undefined ones last."""
    values = np.array([np.nan if value is None else value for value in view["value"]])
    return [int(i) for i in np.argsort(-values, kind="stable")]


def _cautions(ranking: xr.Dataset) -> list[str]:
    absolute = [notes.ABSOLUTE_NOTE] if ranking.attrs.get("orientation") == "absolute" else []
    return [*notes.not_validated(ranking), *absolute, *labels.legend(ranking)]


def _notes(ranking: xr.Dataset, exact: xr.Dataset | None) -> list[str]:
    """Say what each interval answers, or how to read the ranking."""
    if labels.is_task(ranking):
        return [notes.cluster_note(ranking)]
    of_pairs = not labels.by_basis(ranking) and "translations" not in ranking
    without = of_pairs and "lower" not in ranking
    return [*notes.notes_of(ranking, exact), *([notes.INTERVAL_NOTE] if without else [])]


def _linked(written: Iterable[str]) -> dict[str, list[str]]:
    """List endings of files that a reader opens, by name: tables, LaTeX and figures."""
    found: dict[str, list[str]] = {}
    for name in written:
        stem, _, ending = name.rpartition(".")
        if ending in ("csv", "json", "tex", "md", "pdf"):
            found.setdefault(stem, []).append(ending)
    return found


def _text(name: str) -> str:
    return (files("supersample.presentation.report") / name).read_text("utf-8")


@cache
def _template() -> Any:
    """Compile the template; what it shows is escaped."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": _number, "shade": _shade, "limits": _limits}
    return environment.from_string(_text("report.html.jinja"))


def _number(value: float | None, digits: int = 3, sign: bool = False) -> str:
    """Write a number, with a true minus sign; nothing for None."""
    if value is None or value != value:
        return ""
    return f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")


def _limits(lower: float | None, upper: float | None) -> str:
    return "" if lower is None else f"[{_number(lower)}, {_number(upper)}]"


def _shade(value: float | None, largest: float, middle: float = 0.0) -> int:
    """Choose one of eleven shades, -5 to 5, of a value above or below the middle."""
    if value is None or largest == middle:
        return 0
    return round(5 * max(-1.0, min(1.0, (value - middle) / (largest - middle))))
