"""The command line: parses, calls verbs, prints."""

import io
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from supersample.errors import DegenerateScoreWarning, InputError

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(
    name="supersample",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    rich_markup_mode=None,
)


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
Reference = Annotated[
    str | None,
    typer.Option(help="With --mtme, the reference of the metric scores.  [default: refA]"),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="With --mtme: reference, reference-free (-src), all, or names joined by commas.  "
        "[default: reference]"
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
def _main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Find which automatic metric agrees best with people, and how sure we can be."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"supersample {installed('supersample')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def rank(
    table: Table = None,
    *,
    example: Example = False,
    mtme: Mtme = None,
    test_set: TestSet = None,
    language_pair: LanguagePair = None,
    human: Human = None,
    reference: Reference = None,
    metrics: Metrics = None,
    lower_is_better: LowerIsBetter = None,
    include: Include = None,
    exclude: Exclude = None,
    hybrids: Hybrids = 10_000,
    seed: Seed = 0,
    pairs: Annotated[
        Literal["balanced", "random"], typer.Option(help="How pairs are chosen.")
    ] = "balanced",
    share: Annotated[
        str, typer.Option(help="Share of one system in a hybrid: a number, or uniform.")
    ] = "0.5",
    unit: Annotated[
        Literal["segment", "document"], typer.Option(help="What is taken whole.")
    ] = "segment",
    mask: Annotated[
        Literal["common", "all"], typer.Option(help="Segments rated for every system, or all.")
    ] = "common",
    human_mean: Annotated[
        Literal["ratings", "segments"], typer.Option(help="What human scores are means over.")
    ] = "ratings",
    method: Annotated[
        Literal["zou2007", "williams1959"],
        typer.Option(help="Interval or test of a difference of correlations."),
    ] = "zou2007",
    confidence_level: Annotated[float, typer.Option(min=0, max=1, help="Of intervals.")] = 0.95,
    scheduler: Annotated[
        Literal["threads", "processes", "synchronous"],
        typer.Option(help="Who computes the hybrids; the results are the same."),
    ] = "threads",
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Rank metrics on a hybrid super-sample.

    Builds hybrid systems, correlates every metric with the human scores over them, puts an interval
    on every difference of two correlations, and prints the ranking beside that of the original
    systems.
    """
    folder = _checked(out, overwrite)
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
        design=ss.PairHybrids(pairs, _share(share), unit),
        mask=mask,
        human_mean=human_mean,
        scheduler=scheduler,
        progress=not quiet,
    )
    comparisons = ss.compare_correlations(sample, method=method, confidence_level=confidence_level)
    ranking = ss.rank(comparisons)
    if folder is not None:
        from supersample.outputs import write_ranking

        written = write_ranking(folder, sample, ranking, scheduler=scheduler)
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
    reference: str | None,
    metrics: str | None,
    lower_is_better: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> "xr.Dataset":
    """Read Scores from the one source that was named."""
    import supersample as ss

    if (table is not None) + example + (mtme is not None) != 1:
        raise InputError("name one source of scores: a table, --mtme DIR, or --example")
    of_mtme = {
        "--test-set": test_set,
        "--language-pair": language_pair,
        "--reference": reference,
        "--metrics": metrics,
    }
    of_files = {
        "--human": human,
        "--lower-is-better": lower_is_better,
        "--include": include,
        "--exclude": exclude,
    }
    if example:
        _refuse({**of_mtme, **of_files}, "--example")
        return ss.load_example()
    if mtme is None:
        _refuse(of_mtme, "a table")
        return ss.read_table(
            str(table),
            human=human or "human",
            lower_is_better=lower_is_better,
            include=include,
            exclude=exclude,
        )
    if test_set is None or language_pair is None:
        raise InputError("--mtme also needs --test-set and --language-pair")
    metrics = metrics or "reference"
    kinds = ("reference", "reference-free", "all")
    return ss.read_mtme(
        mtme,
        test_set,
        language_pair,
        human=human or "mqm",
        reference=reference or "refA",
        metrics=metrics if metrics in kinds else [name.strip() for name in metrics.split(",")],
        lower_is_better=lower_is_better,
        include=include,
        exclude=exclude,
    )


def _refuse(options: Mapping[str, object], source: str) -> None:
    """Refuse what was asked for but would have no effect."""
    for name, value in options.items():
        if value:
            raise InputError(f"{name} does not go with {source}; leave it out")


def _share(text: str) -> Any:
    """Read a share: a number or a word, which the design checks."""
    try:
        return float(text)
    except ValueError:
        return text


def _checked(out: Path | None, overwrite: bool) -> Path | None:
    if out is None:
        return None
    from supersample.outputs import check_folder

    return check_folder(out, overwrite=overwrite)


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


def _single_line(text: object) -> str:
    """Escape line ends, and what else a terminal would not print as it stands."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text)
    )


def _show_warning(message: Any, category: Any, *_: Any, **__: Any) -> None:
    typer.echo(f"warning: {_single_line(message)}", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a user's mistake prints one line and exits with status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal has every character
    with warnings.catch_warnings():
        warnings.simplefilter("always", DegenerateScoreWarning)
        warnings.showwarning = _show_warning
        try:
            status = app(arguments, standalone_mode=False)
        except InputError as error:
            _fail(error)
        except typer.TyperException as error:
            _fail(error.format_message())
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
    sys.exit(status)


def _fail(message: object) -> NoReturn:
    typer.echo(f"error: {_single_line(message)}", err=True)
    sys.exit(2)
