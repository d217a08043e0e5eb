"""What metrics are called in tables and figures."""

from dataclasses import replace

import xarray as xr

from supersample.presentation.table import Table

ADDED = "★"
ADDED_NOTE = f"{ADDED} added to the set by --add-metric or add_metric."


def added_metrics(result: xr.Dataset) -> list[str]:
    """Metrics of the user's own, beside those of the set."""
    return [name for name in str(result.attrs.get("added_metrics", "")).split("\n") if name]


def metric_labels(result: xr.Dataset) -> list[str]:
    """Names of the metrics, the user's own ones marked."""
    own = added_metrics(result)
    names = [str(name) for name in result["metric"].to_numpy()]
    return [f"{name} {ADDED}" if name in own else name for name in names]


def note_lines(result: xr.Dataset) -> list[str]:
    """Say how metrics were added, who of the assessors was dropped, what ratings have no place."""
    facts = result.attrs
    headings = {
        "assessors_dropped": "assessors dropped by quality control",
        "assessors_without_z": "assessors without z-scores",
        "ratings_left_out": "ratings left out",
    }
    lines = [f"{text}: {facts[name]}" for name, text in headings.items() if facts.get(name)]
    if "ratings_used" in facts:
        lines.insert(0, f"human scores: means of {facts['ratings_used']} ratings")
    return lines + [
        f"added {note}" for note in str(facts.get("added_notes") or "").split("\n") if note
    ]


def without_marks(table: Table) -> Table:
    """Take the marks of added metrics out of a table."""
    mark = f" {ADDED}"
    rows = tuple(
        tuple(cell.removesuffix(mark) if isinstance(cell, str) else cell for cell in row)
        for row in table.rows
    )
    return replace(table, rows=rows)
