"""The command line: parses, calls verbs, prints."""

import sys
import warnings
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(
    name="supersample",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    rich_markup_mode=None,
)


class Pairs(StrEnum):
    """Choices of ``--pairs``."""

    balanced = "balanced"
    random = "random"


class Unit(StrEnum):
    """Choices of ``--unit``."""

    segment = "segment"
    document = "document"


class MaskChoice(StrEnum):
    """Choices of ``--mask``."""

    common = "common"
    all = "all"


class HumanMeanChoice(StrEnum):
    """Choices of ``--human-mean``."""

    ratings = "ratings"
    segments = "segments"


class Method(StrEnum):
    """Choices of ``--method``."""

    zou2007 = "zou2007"
    williams1959 = "williams1959"


class SchedulerChoice(StrEnum):
    """Choices of ``--scheduler``."""

    threads = "threads"
    processes = "processes"
    synchronous = "synchronous"


Table = Annotated[
    str | None,
    typer.Argument(
        metavar="[TABLE]",
        help="Long table with the columns system, segment, scorer and score, optionally document "
        "and domain: .csv, .tsv or .parquet; - reads standard input.",
        show_default=False,
    ),
]
Example = Annotated[bool, typer.Option("--example", help="Use the embedded example.")]
Mtme = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of test sets, mt-metrics-eval v2.")
]
TestSet = Annotated[str | None, typer.Option(help="With --mtme, for instance wmt23.")]
LanguagePair = Annotated[str | None, typer.Option(help="With --mtme, for instance en-de.")]
Human = Annotated[
    str | None,
    typer.Option(
        help="Human scores: name of the scorer in a table, or of the human scores with --mtme.  "
        "[default: human; with --mtme mqm]",
        show_default=False,
    ),
]
Reference = Annotated[str, typer.Option(help="With --mtme, the reference of the metric scores.")]
Metrics = Annotated[
    str,
    typer.Option(
        help="With --mtme: reference, reference-free (-src), all, or names joined by commas."
    ),
]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option(help="Scorer whose higher scores mean worse translations; repeatable."),
]
Include = Annotated[
    list[str] | None,
    typer.Option(help="System to keep (of a table: only these); repeatable."),
]
Exclude = Annotated[list[str] | None, typer.Option(help="System to leave out; repeatable.")]
Hybrids = Annotated[int, typer.Option("--hybrids", "-n", help="How many hybrids.")]
Seed = Annotated[int, typer.Option(help="Of everything random.")]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for data, tables and figures; made if it is not there."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace results in --out.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the table alone, no progress.")]


@app.callback()
def _main() -> None:
    """Find which automatic metric agrees best with people, and how sure we can be."""


@app.command()
def rank(
    table: Table = None,
    *,
    example: Example = False,
    mtme: Mtme = None,
    test_set: TestSet = None,
    language_pair: LanguagePair = None,
    human: Human = None,
    reference: Reference = "refA",
    metrics: Metrics = "reference",
    lower_is_better: LowerIsBetter = None,
    include: Include = None,
    exclude: Exclude = None,
    hybrids: Hybrids = 10_000,
    seed: Seed = 0,
    pairs: Annotated[Pairs, typer.Option(help="How pairs are chosen.")] = Pairs.balanced,
    share: Annotated[
        str, typer.Option(help="Share of one system in a hybrid: a number, or uniform.")
    ] = "0.5",
    unit: Annotated[Unit, typer.Option(help="What is taken whole.")] = Unit.segment,
    mask: Annotated[
        MaskChoice, typer.Option(help="Segments rated for every system, or all.")
    ] = MaskChoice.common,
    human_mean: Annotated[
        HumanMeanChoice, typer.Option(help="What human scores are means over.")
    ] = HumanMeanChoice.ratings,
    method: Annotated[
        Method, typer.Option(help="Interval or test of a difference of correlations.")
    ] = Method.zou2007,
    confidence_level: Annotated[float, typer.Option(help="Of intervals.")] = 0.95,
    scheduler: Annotated[
        SchedulerChoice, typer.Option(help="Who computes the hybrids; the results are the same.")
    ] = SchedulerChoice.threads,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Rank metrics on a hybrid super-sample.

    Builds hybrid systems, correlates every metric with the human scores over them, puts an interval
    on every difference of two correlations, and prints the ranking beside that of the original
    systems.
    """
    folder = _prepared(out, overwrite)
    scores = _read_scores(
        table,
        example=example,
        mtme=mtme,
        test_set=test_set,
        language_pair=language_pair,
        human=human,
        reference=reference,
        metrics=metrics,
        lower_is_better=tuple(lower_is_better or ()),
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
    )
    import supersample as ss

    sample = ss.hybrid_supersample(
        scores,
        n=hybrids,
        seed=seed,
        design=ss.PairHybrids(pairs.value, _share(share), unit.value),
        mask=mask.value,
        human_mean=human_mean.value,
        scheduler=scheduler.value,
        progress=not quiet,
    )
    comparisons = ss.compare_correlations(
        sample, method=method.value, confidence_level=confidence_level
    )
    ranking = ss.rank(comparisons)
    if folder is not None:
        from supersample.outputs import write_ranking

        written = write_ranking(folder, sample, ranking, scheduler=scheduler.value)
        _say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    _print_ranking(ranking, quiet=quiet)


def _read_scores(
    table: str | None,
    *,
    example: bool,
    mtme: Path | None,
    test_set: str | None,
    language_pair: str | None,
    human: str | None,
    reference: str,
    metrics: str,
    lower_is_better: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> "xr.Dataset":
    """Read Scores from the one source that was named."""
    import supersample as ss

    if (table is not None) + example + (mtme is not None) != 1:
        raise InputError("name one source of scores: a table, --mtme DIR, or --example")
    if example:
        return ss.load_example()
    if mtme is None:
        return ss.read_table(
            str(table),
            human=human or "human",
            lower_is_better=lower_is_better,
            include=include,
            exclude=exclude,
        )
    if test_set is None or language_pair is None:
        raise InputError("--mtme also needs --test-set and --language-pair")
    kinds = ("reference", "reference-free", "all")
    return ss.read_mtme(
        mtme,
        test_set,
        language_pair,
        human=human or "mqm",
        reference=reference,
        metrics=metrics if metrics in kinds else metrics.split(","),
        lower_is_better=lower_is_better,
        include=include,
        exclude=exclude,
    )


def _share(text: str) -> Any:
    """Read a share: a number or a word, which the design checks."""
    try:
        return float(text)
    except ValueError:
        return text


def _prepared(out: Path | None, overwrite: bool) -> Path | None:
    if out is None:
        return None
    from supersample.outputs import prepare_folder

    return prepare_folder(out, overwrite=overwrite)


def _print_ranking(ranking: "xr.Dataset", *, quiet: bool) -> None:
    from rich.console import Console

    from supersample.presentation.rankings import (
        printed_ranking,
        significance_line,
        source_lines,
    )
    from supersample.presentation.table import to_rich

    for line in source_lines(ranking):
        _say(line, quiet=quiet)
    table = printed_ranking(ranking)
    printed = to_rich(table)
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(80, Console(width=1000).measure(printed).maximum))
    console.print(printed)
    for basis in ranking["basis"].to_numpy():
        typer.echo(significance_line(ranking, str(basis)))
    for line in table.notes:
        typer.echo(line)
    typer.echo(ranking.attrs["signature"])


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        typer.echo(text, err=True)


def _one_line(message: Any, category: Any, *_: Any, **__: Any) -> None:
    typer.echo(f"warning: {message}", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a user's mistake prints one line and exits with status 2."""
    run: Callable[..., Any] = app
    with warnings.catch_warnings():
        warnings.showwarning = _one_line
        try:
            run(arguments)
        except InputError as error:
            typer.echo(f"error: {error}", err=True)
            sys.exit(2)
