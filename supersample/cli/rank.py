"""``supersample rank``: metrics by their correlation with people, over systems and hybrids."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.commands import COMPUTATION, HYBRIDS, OPTIONS, TESTS
from supersample.cli.effects import Effect, Values, beside, without
from supersample.cli.options import (
    ConfidenceLevel,
    Groups,
    HybridOptions,
    Means,
    Units,
    WorkerOptions,
    alike_names,
    formula_names,
    one_of,
    pairs_of,
)
from supersample.cli.reports import ReportOutput, Shown
from supersample.cli.sources import Reader, run_of
from supersample.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Imported:
    """Scores of hybrids that were computed elsewhere.

    Parameters
    ----------
    import_hybrids : FILE
        Scores of all hybrids that you computed elsewhere (see run --assignments): .csv or .tsv with
        the column hybrid and a column for each metric.
    import_systems : FILE
        With --import-hybrids: the same metrics' scores of the original systems, with the column
        system and a column for each metric.
    import_lower_is_better
        Imported metric whose higher scores mean worse translations; one or A,B.
    """

    PANEL: ClassVar = HYBRIDS
    import_hybrids: Path | None = None
    import_systems: Annotated[Path | None, beside("import_hybrids")] = None
    import_lower_is_better: Annotated[list[str] | None, beside("import_hybrids")] = None

    def read(self) -> dict[str, dict[str, Any]]:
        """Read the scores by metric, as `add_hybrid_scores` takes them."""
        from supersample.hybrids.assignments import read_hybrid_scores

        if self.import_hybrids is None:
            return {}
        return read_hybrid_scores(
            self.import_hybrids, self.import_systems, self.import_lower_is_better or []
        )


GROUPED = ("also", "language_pairs", "by")
METHODS = ("student", "percentile", "basic", "bca", "inputs", "systems", "both", "pairs")
"""With --measure or --random, how metrics are compared: by a bootstrap, or by swaps."""


def _method_names() -> list[str]:
    return [*formula_names(), *METHODS]


def _by_measure(values: Values) -> bool:
    """Whether metrics are ranked by a measure: --random is of r, if none is named."""
    return bool(values["measure"] or values["random"])


def _method(values: Values) -> str:
    """Name of a test or interval by formula; `compare` checks the method of a measure."""
    name = values["method"] or ""
    if _by_measure(values):
        return name
    names = formula_names()
    alike = alike_names(name or "zou2007", names)
    if len(alike) != 1:
        text = f"--method {name} goes with --measure or --random; without them there are "
        raise InputError(text + ", ".join(names))
    return alike[0]


_DRAWN = ("random", "method", "resamples")
_BUILT = Effect(
    lambda values: bool(values["random"]) or run_of(values) is None,
    "does not go with a run, whose hybrids are built already",
)
_FIXED, _ONE_SET, _OF_R = without("random"), without(*GROUPED), without("measure")
_OF_SEGMENTS = without("system_scores")
EFFECTS = {
    **dict.fromkeys(
        ("hybrids", "design", "pairs", "share", "unit"), (_OF_SEGMENTS, _BUILT, _FIXED, _OF_R)
    ),
    **dict.fromkeys(("measure", "include", "exclude", "only", "ratings"), (_BUILT,)),
    **dict.fromkeys(("mask", "human_mean"), (_BUILT, _OF_R)),
    **dict.fromkeys(GROUPED, (_BUILT,)),
    "method": [
        Effect(
            lambda values: _by_measure(values) or _ONE_SET.when(values),
            f"{_ONE_SET.text}, except with --measure or --random",
        )
    ],
    "influence": [
        without("by"),
        Effect(
            lambda values: not _by_measure(values) or any(values[name] for name in GROUPED),
            "goes with --measure or --random only for several sets",
        ),
    ],
    **dict.fromkeys(("average", "in_at_least"), (beside(*GROUPED), _OF_R, _FIXED)),
    "weight": [beside(*GROUPED)],
    "import_hybrids": [_OF_SEGMENTS, _ONE_SET, _FIXED, _OF_R],
    "stream": [_BUILT, _ONE_SET, without("random", "import_hybrids", "measure", "system_scores")],
    **dict.fromkeys(("scheduler", "workers", "memory", "walltime", "queue"), (_FIXED, _OF_R)),
    "resamples": [beside("measure", "random")],
    "seed": [
        _BUILT,
        Effect(
            lambda values: _by_measure(values) or not values["system_scores"],
            "goes with --measure or --random; nothing else is drawn",
        ),
    ],
}


@dataclass(frozen=True, kw_only=True)
class Chances:
    """The measure that ranks metrics, and the intervals or tests that compare them.

    Parameters
    ----------
    measure : NAME
        Rank by this measure instead of r, such as spearman, PA, SPA, MAE or acc_eq (of segments);
        one or A,B. Metrics are compared by swaps or, with --random, by intervals.
    random
        Print intervals that treat these as a random sample. No hybrids are drawn.
    method
        With --random a bootstrap: student, percentile, basic or bca. With --measure alone what two
        metrics swap: inputs (the default), systems, both or pairs. r over systems has formulas:
        williams-jackknife (the default), williams1959 and others. Without both options, the test or
        interval over hybrids, by default zou2007.
    resamples
        Number of replicates of a bootstrap [default: 999], or of swaps of every two metrics
        [default: 1,000].
    """

    PANEL: ClassVar = TESTS
    measure: Annotated[
        list[str] | None, typer.Option("--measure", "-m", rich_help_panel=OPTIONS)
    ] = None
    random: Annotated[Units | None, typer.Option(rich_help_panel=OPTIONS)] = None
    method: Annotated[
        str | None, one_of(_method_names, listed=formula_names, rich_help_panel=OPTIONS)
    ] = None
    resamples: int | None = None

    def chosen(self, means: Means) -> dict[str, Any]:
        """Make keyword arguments of `rank_by_measures`: of r with these means, if none is named."""
        from supersample.measures.systems import Correlation

        drawn: dict[str, Any] = {name: getattr(self, name) for name in _DRAWN}
        if self.measure:
            return {"measure": self.measure, **drawn}
        return {"measure": Correlation(means.human_mean), "mask": means.mask, **drawn}


@dataclass(frozen=True, kw_only=True)
class Averaged:
    """How groups are averaged.

    Parameters
    ----------
    average
        With several groups: average r, as in the shared task, or Fisher's z.
    weight : GROUP=NUMBER
        Weight of a group in the average, 1 by default; one or A,B.
    in_at_least : N
        Rank metrics that at least N groups have; two metrics are compared over the groups that have
        both.  [default: metrics that all groups have]
    """

    PANEL: ClassVar = TESTS
    average: Literal["arithmetic", "fisher"] = "arithmetic"
    weight: list[str] | None = None
    in_at_least: int | None = None

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of `rank_groups`."""
        weights = pairs_of(self.weight, "weight", float)
        return {"average": self.average, "weights": weights, "in_at_least": self.in_at_least}


@app.command(effects=EFFECTS)
def rank(
    read: Reader,
    groups: Groups,
    *,
    averaged: Averaged,
    build: HybridOptions,
    means: Means,
    chances: Chances,
    confidence_level: ConfidenceLevel = 0.95,
    workers: WorkerOptions,
    stream: Annotated[bool, typer.Option("--stream", rich_help_panel=COMPUTATION)] = False,
    imports: Imported,
    shown: Shown,
    output: ReportOutput,
) -> None:
    """Rank metrics by their correlation with people.

    Correlates every metric with the human scores over the systems (--measure takes another measure
    of agreement). Says how far each metric is behind the best one and which metrics could be the
    best, corrected for comparing all metrics. --hybrids N also prints r over N hybrid systems. If
    DATA is a run, its stored hybrids are used, and workers (--scheduler) read them. With --also,
    --language-pairs or --by, ranks metrics in each of several language pairs, test sets, domains or
    documents, and on average.

    Parameters
    ----------
    stream
        Discard hybrids as soon as they are counted: memory stays the same for any number of them,
        but there is no scatter figure.
    """
    from supersample.comparisons import rankings as pipelines

    method, run, who = _method(vars(chances)), read.run, workers.parsed()
    options: dict[str, Any] = {"confidence_level": confidence_level}
    if _by_measure(vars(chances)):
        weights = averaged.chosen()["weights"]
        options |= {"seed": build.seed, "by": groups.by, "weights": weights}
    else:
        options |= {"progress": not output.quiet, "workers": who}
        if run is None:
            options |= build.chosen() | vars(means)
    scores = _read(read, groups, shown)
    grouped, asked = isinstance(scores, dict) or bool(groups.by), build.hybrids is not None
    if _by_measure(vars(chances)):
        _show_measures(scores, shown, output, **chances.chosen(means), **options)
        return
    if grouped:
        options |= averaged.chosen()
        ranked = pipelines.rank_groups(scores, by=groups.by, **options)
    elif run is None and not asked and "segment" not in scores.dims:
        options = {"confidence_level": confidence_level, **vars(means)}
        options |= {"method": method} if chances.method else {}
        ranked = pipelines.RankedHybrids(pipelines.rank_systems(scores, **options), systems=scores)
    elif run is not None:
        ranked = pipelines.rank_run(scores, run, method, imports.read(), **options)
    else:
        options["keep"] = "correlations" if stream else "hybrids"
        ranked = pipelines.rank_hybrids(scores, method, imports.read(), **options)
    if grouped and "hybrids" not in ranked.ranking["basis"]:
        output.say("no hybrids: system-level scores have no segments to mix")
    output.show_ranking(
        ranked,
        shown,
        of_hybrids=not grouped and bool(run or stream or asked),
        method=method,
        page=partial(_page_of, ranked, scores, by=groups.by, **vars(means)),
        workers=who,
    )
    _print(_without_each(scores, **options) if grouped and shown.influence else [])


def _show_measures(scores: Any, shown: Shown, output: ReportOutput, **options: Any) -> None:
    from supersample.comparisons.scopes import rank_by_measures

    ranking = rank_by_measures(scores, **options)
    without = _without_each(scores, **options) if shown.influence else []
    output.write_ranking(ranking, against=output.print_ranking(ranking, shown))
    _print(without)


def _print(without: list[Any]) -> None:
    if without:  # else a blank line
        print_tables(*without)


def _read(read: Reader, groups: Groups, shown: Shown) -> Any:
    """Read Scores; refuse sets that are too few for --influence before anything is ranked."""
    scores = read.groups(groups)
    if shown.influence and isinstance(scores, dict):
        from supersample.comparisons.scopes import check_several_without_one

        check_several_without_one(scores)
    return scores


def _without_each(scores: Any, **options: Any) -> list[Any]:
    from supersample.comparisons.scopes import rank_without_each
    from supersample.presentation.answer import without_table

    return [without_table(rank_without_each(scores, **options))]


def _page_of(*results: Any, **options: Any) -> Mapping[str, Any]:
    """Compute what else the page of a ranking shows; it is imported only for a page."""
    from supersample.comparisons.report_parts import ranking_parts

    return ranking_parts(*results, **options)
