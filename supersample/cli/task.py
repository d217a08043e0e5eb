"""``supersample task``: metrics by the tasks of a shared task."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from supersample.cli.app import SCORES, app
from supersample.cli.options import (
    AddMetric,
    Alternative,
    Amount,
    ConfidenceLevel,
    HigherIsBetter,
    LanguagePairs,
    LowerIsBetter,
    Output,
    Seed,
    WorkerOptions,
    print_screen,
    write_page,
)
from supersample.cli.sources import added_metrics
from supersample.errors import listed


@dataclass(frozen=True, kw_only=True)
class TaskScores:
    """The metrics and the language pairs of the table.

    Parameters
    ----------
    mtme : DIR
        Folder with test sets of mt-metrics-eval v2.  [default: $SUPERSAMPLE_SETS, or fetch's]
    metrics
        primary: primary submissions and baselines; all: contrastive submissions, too.
    """

    PANEL: ClassVar = SCORES
    mtme: Path | None = None
    language_pair: LanguagePairs = None
    metrics: Literal["primary", "all"] = "primary"
    add_metric: AddMetric = None
    lower_is_better: LowerIsBetter = None
    higher_is_better: HigherIsBetter = None


@app.command()
def task(
    file: Annotated[str, typer.Argument()],
    *,
    scores: TaskScores,
    resamples: int = 1_000,
    seed: Seed = 0,
    alternative: Alternative = "greater",
    confidence_level: ConfidenceLevel = 0.95,
    workers: WorkerOptions,
    shown: Amount,
    output: Output,
) -> None:
    """Print a shared task's table: metrics, the best on average first.

    Of more than five metrics, --all prints each task, too, in columns.

    A file names the tasks (each a measure and its language pairs) and their weights. All metrics
    are compared in each task and by the weighted average, with the same random swaps. Systems and
    segments are swapped separately. The test of the average treats them as perfectly correlated,
    which makes it conservative.

    With --out, OUT has the table (table.csv, .md and .tex), a page of it (report.html), every
    difference (comparisons.csv) and all results (result.zarr).

    Parameters
    ----------
    file : FILE
        Name of a shared task (wmt23, wmt24, wmt24-on-wmt23, wmt25 or wmt26), or a TOML file that
        defines one.
    resamples
        Number of swaps of every two metrics.
    """
    who = workers.parsed()
    lower = scores.lower_is_better or []
    added = added_metrics(scores.add_metric or [], lower, scores.higher_is_better or [])
    from supersample.errors import InputError
    from supersample.presentation.screen import screen_of
    from supersample.readers.public_sets import sets_folder
    from supersample.readers.wmt import set_folder
    from supersample.results.outputs import results_of
    from supersample.tasks.definitions import read_tasks
    from supersample.tasks.running import run_tasks

    sources = dict.fromkeys(each for task in read_tasks(file).tasks for each in task.sources)
    directory = scores.mtme or sets_folder(next(iter(sources)).test_set)
    pairs, absent = scores.language_pair or [], list[str]()
    if pairs == ["all"]:
        files = {
            x: set_folder(directory, x.test_set) / f"documents/{x.language_pair}.docs"
            for x in sources
        }
        pairs = [x.language_pair for x, path in files.items() if path.is_file()]
        absent = [x.name for x, path in files.items() if not path.is_file()]
        if not pairs:
            raise InputError(f"no language pair of {file} is in {directory}")
    result = run_tasks(
        file,
        directory,
        language_pairs=pairs,
        metrics=scores.metrics,
        added=added,
        lower_is_better=[name for name in lower if name not in added],
        workers=who,
        progress=not output.quiet,
        resamples=resamples,
        seed=seed,
        alternative=alternative,
        confidence_level=confidence_level,
    )
    if absent:
        result.attrs["left_out"] += f"\nleft out, as they are not in {directory}: {listed(absent)}"
    left_out = str(result.attrs["left_out"]).split("\n")
    notes = [f"added {note}" for note in str(result.attrs["added_notes"]).split("\n") if note]
    output.say(*filter(None, left_out), *notes)
    written = output.write(results_of(result))
    if output.out is not None:
        written.append(write_page(result, output.out, written))
    print_screen(result, screen_of(result, **shown.chosen()))
    output.tell(written)
