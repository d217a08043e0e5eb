"""Gold standards that options name: files, several scorers, further human scores of a set."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from supersample.readers.text import bare_name

if TYPE_CHECKING:
    import xarray as xr


def files_among(names: Sequence[str]) -> list[str]:
    """Names that are files of human scores, not scorers."""
    return [x for x in names if (Path(x).suffix or "/" in x) and Path(x).is_file()]


def take_golds(
    scores: "xr.Dataset",
    named: Sequence[str],
    metrics: Sequence[str] | None,
    human_file: "Callable[[str, xr.Dataset], Path | None]",
) -> "dict[str, xr.Dataset]":
    """Give Scores with each gold standard as human scores, by its name.

    `metrics` are those to keep, by default all that are no gold standard; `human_file` gives the
    file of human scores that are not among the scorers.
    """
    from supersample.raters.golds import add_rater, take_as_gold
    from supersample.scores.selection import keep_metrics

    files = files_among(named)
    names = {x: bare_name(x) if x in files else x for x in named}
    for text, name in names.items():
        path = Path(text) if text in files else human_file(name, scores)
        scores = add_rater(scores, name, path)
    golds = list(names.values())
    others = [str(each) for each in scores["metric"].to_numpy() if each not in golds]
    kept = others if metrics is None else list(metrics)
    found = {gold: take_as_gold(keep_metrics(scores, [*kept, gold]), gold) for gold in golds}
    return {gold: each.assign_attrs(set_name="gold standard") for gold, each in found.items()}
