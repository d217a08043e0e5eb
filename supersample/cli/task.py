"""``supersample task``: metrics by the tasks of a shared task."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from supersample.cli.app import app, print_tables, say
from supersample.cli.options import Alternative, ConfidenceLevel, Quiet, Seed
from supersample.cli.parameters import WorkerOptions, with_options
from supersample.cli.sources import added_metrics
from supersample.cli.stopping import stoppable

_Texts = list[str] | None


@dataclass(frozen=True)
class TaskScores:
    """Which metrics are evaluated, on what."""

    mtme: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of test sets, mt-metrics-eval v2.")
    ]
    language_pair: Annotated[
        _Texts, typer.Option(help="Keep this language pair; repeatable.  [default: all]")
    ] = None
    metrics: Annotated[
        Literal["primary", "all"],
        typer.Option(help="Primary submissions and baselines, or contrastive metrics too."),
    ] = "primary"
    add_metric: Annotated[
        _Texts,
        typer.Option(
            metavar="NAME=FILE",
            help="Your metric, set beside the others: scores of segments; repeatable. {pair} in "
            "FILE stands for the language pair.",
        ),
    ] = None
    lower_is_better: Annotated[
        _Texts, typer.Option(help="Metric whose lower scores are better; repeatable.")
    ] = None
    higher_is_better: Annotated[
        _Texts, typer.Option(help="Added metric whose higher scores are better; repeatable.")
    ] = None


@dataclass(frozen=True)
class TaskTests:
    """Tests of every two metrics."""

    resamples: Annotated[int, typer.Option(help="Swaps of every two metrics.")] = 1_000
    seed: Seed = 0
    alternative: Alternative = "greater"
    significance_level: Annotated[float, typer.Option(min=0, max=1)] = 0.05
    confidence_level: ConfidenceLevel = 0.95


@app.command()
@with_options
def task(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="TOML, or a name: wmt23, wmt24, wmt24-on-wmt23."),
    ],
    *,
    scores: TaskScores,
    out: Annotated[
        Path, typer.Option(help="Folder of the results; what it holds is not computed again.")
    ],
    tests: TaskTests,
    workers: WorkerOptions,
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Write OUT/report.html, one page of everything."),
    ] = True,
    quiet: Quiet = False,
) -> None:
    """Print the table of a shared task: metrics by tasks.

    A file names the tasks, each a measure and its language pairs, and their weights. All
    metrics are compared in each task and by the weighted average, under the same swaps. Systems and
    segments are swapped apart; the average's test takes them as perfectly correlated, and is
    conservative: of equal metrics, 2.4 % differed at 5 % in a simulation.

    It can be stopped at any time; the same command continues it. OUT/table.tsv, .md and .tex hold
    the table, OUT/report.html a page of it, OUT/comparisons.csv every difference, OUT/result.zarr
    all.
    """
    who = workers.parsed()
    lower = scores.lower_is_better or []
    added = added_metrics(scores.add_metric or [], lower, scores.higher_is_better or [])
    from supersample.presentation.tasks import conclusion, printed_tasks
    from supersample.tasks.running import run_tasks

    with stoppable(f"supersample task {file} --mtme {scores.mtme} --out {out}"):
        result = run_tasks(
            file,
            scores.mtme,
            out,
            language_pairs=scores.language_pair or (),
            metrics=scores.metrics,
            added=added,
            lower_is_better=[name for name in lower if name not in added],
            workers=who,
            progress=not quiet,
            **vars(tests),
        )
    left_out = str(result.attrs["left_out"]).split("\n")
    notes = [f"added {note}" for note in str(result.attrs["added_notes"]).split("\n") if note]
    computed = f"{result.attrs['computed']} results computed, the others found in {out}"
    say(*filter(None, left_out), *notes, computed, quiet=quiet)
    if report:
        from supersample.results.report import write_report

        files = [f"{name}.{end}" for name in ("table", "comparisons") for end in ("csv", "json")]
        command = shlex.join(["supersample", *sys.argv[1:]])
        write_report(result, out / "report.html", command=command, written=[*files, "table.tex"])
    lines = filter(None, [conclusion(result)])
    print_tables(printed_tasks(result, compact=True), of=[result], lines=lines)
